#include "web/memory/memory_routes.h"

#include "app/memory/memory.h"
#include "store/memory/memory.h"

static const struct field_rule page_memories_fields[] = {
    {.field = F_AFTER, .type = FIELD_ID_ROW},
    {.field = F_Q, .type = FIELD_LINE},
    {.field = F_TAG, .type = FIELD_LINE, .max = MEMORY_TAG_CHARS_MAX},
    {.field = F_UNDO, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule memory_add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * MEMORY_TEXT_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = MEMORY_TAGS_TEXT_MAX},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule page_memory_change_fields[] = {
    {.field = F_MEMORY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * MEMORY_TEXT_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = MEMORY_TAGS_TEXT_MAX},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule memory_fields[] = {
    {.field = F_MEMORY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule api_memories_fields[] = {
    {.field = F_AFTER, .type = FIELD_ID_ROW},
    {.field = F_Q, .type = FIELD_LINE},
    {.field = F_TAG, .type = FIELD_LINE, .max = MEMORY_TAG_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = MEMORY_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule api_memory_change_fields[] = {
    {.field = F_MEMORY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .max = 2 * MEMORY_TEXT_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = MEMORY_TAGS_TEXT_MAX},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/memory",                                     page_memory,             PAGE_READ(ACCESS_MEMBER),   page_memories_fields},
    {HTTP_POST,   "/memory",                                     page_memory_add,         PAGE_CHANGE(ACCESS_MEMBER), memory_add_fields},
    {HTTP_POST,   "/memory/pause",                               page_memory_pause,       PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST,   "/memory/resume",                              page_memory_resume,      PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_GET,    "/memory/clear",                               page_memory_clear_ask,   PAGE_READ(ACCESS_MEMBER),   no_fields},
    {HTTP_POST,   "/memory/clear",                               page_memory_clear,       PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_POST,   "/memory/{memory}",                            page_memory_change,      PAGE_CHANGE(ACCESS_MEMBER), page_memory_change_fields},
    {HTTP_POST,   "/memory/{memory}/delete",                     page_memory_delete,      PAGE_CHANGE(ACCESS_MEMBER), memory_fields},
    {HTTP_POST,   "/memory/{memory}/restore",                    page_memory_restore,     PAGE_CHANGE(ACCESS_MEMBER), memory_fields},

    {HTTP_GET,    "/api/memories",                               api_memories,            API_READ(ACCESS_MEMBER, SCOPE_READ),    api_memories_fields},
    {HTTP_POST,   "/api/memories",                               api_memory_add,          API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  memory_add_fields},
    {HTTP_GET,    "/api/memories/{memory}",                      api_memory,              API_READ(ACCESS_MEMBER, SCOPE_READ),     memory_fields},
    {HTTP_PATCH,  "/api/memories/{memory}",                      api_memory_change,       API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  api_memory_change_fields},
    {HTTP_DELETE, "/api/memories/{memory}",                      api_memory_delete,       API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  memory_fields},
};
/* clang-format on */

const struct route_table memory_routes = {routes, ARRAY_LEN(routes)};

#include "web/memory/memory_routes.h"

#include "app/jobs/helper_notify.h"
#include "web/http/resource.h"
#include "web/memory/memory_list.h"
#include "web/memory/memory_page.h"
#include "web/memory/memory_resource.h"

/* ---- the API ---- */

static enum rc api_memories(struct req *r, struct resp *out, struct err *e)
{
    struct memories l;
    enum rc rc = memories_read(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "memories");
    for (size_t i = 0; i < l.n; i++)
        memory_resource(r->arena, view_item(list), &l.rows[i]);
    view_id(r->arena, v, "next", l.next);
    view_bool(v, "paused", l.paused);
    return resp_json(out, 200, v, e);
}

static enum rc answer(const struct req *r, struct resp *out, int status, const struct memory *m,
    const bool *merged, struct err *e)
{
    struct view *v = view_new(r->arena);
    helper_notify(r->web->config->server.data_dir); /* the fact's vector is made */
    memory_resource(r->arena, view_obj(v, "memory"), m);
    if (merged)
        view_bool(v, "known_before", *merged);
    return resp_json(out, status, v, e);
}

static enum rc api_memory(struct req *r, struct resp *out, struct err *e)
{
    struct memory m;
    struct view *v = view_new(r->arena);
    struct db *db = store_read(r->web->store);
    enum rc rc = store_memory_get(db, r->arena, r->who.user_id, req_int(r, F_MEMORY), r->now, &m, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    memory_resource(r->arena, view_obj(v, "memory"), &m);
    return resp_json(out, 200, v, e);
}

static enum rc api_memory_add(struct req *r, struct resp *out, struct err *e)
{
    struct memory_input in = memory_input_of(r, 0);
    struct memory m;
    bool merged;
    enum rc rc = memory_add(r->web->store, &in, r->arena, &m, &merged, e);
    return rc == RC_OK ? answer(r, out, merged ? 200 : 201, &m, &merged, e) : rc;
}

static enum rc api_memory_change(struct req *r, struct resp *out, struct err *e)
{
    struct memory_input in = memory_input_of(r, req_int(r, F_MEMORY));
    struct memory m;
    if (!in.text.s && !in.tags.s && !in.sets_permanent)
        return err_say(e, RC_BAD_INPUT, "form.send_fact");
    enum rc rc = memory_change(r->web->store, &in, r->arena, &m, e);
    return rc == RC_OK ? answer(r, out, 200, &m, NULL, e) : rc;
}

static enum rc api_memory_delete(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = memory_delete(r->web->store, r->who.user_id, req_int(r, F_MEMORY), r->now, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- the routes ---- */

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

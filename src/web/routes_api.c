/* What the program `api` serves, and to whom. */
#include "app/summary/compact.h"
#include "app/config/config.h"
#include "app/memory/memory.h"
#include "app/tasks/tasks.h"
#include "web/api.h"
#include "web/summary/compaction_resource.h"
#include "app/search/search.h"
#include "store/workspace.h"
#include "web/session/session_list.h"
#include "web/search/search_resource.h"
#include "web/search/search_results.h"
#include "web/summary/summary_view.h"
#include "web/chat/transcript.h"

static const struct field_rule no_fields[] = {{.field = F_NONE}};

static const struct field_rule list_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = LISTING_KEY_MAX},
    {.field = F_Q, .type = FIELD_LINE, .max = LISTING_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SESSION_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule search_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = SEARCH_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_AFTER, .type = FIELD_LINE},
    {.field = F_BEFORE, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SEARCH_HITS_MAX},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_NONE},
};

static const struct field_rule messages_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = TRANSCRIPT_STEPS_MAX},
    {.field = F_NONE},
};

static const struct field_rule session_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_NONE},
};

static const struct field_rule summaries_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_INT, .min = 1, .max = SUMMARIES_VERSION_MAX},
    {.field = F_NONE},
};

static const struct field_rule summary_ask_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LAST, .type = FIELD_INT, .min = 1, .max = SUMMARIES_LAST_MAX},
    {.field = F_FROM, .type = FIELD_ID_ROW},
    {.field = F_TO, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule compact_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_KEEP, .type = FIELD_LINES, .max = COMPACT_WISH_MAX},
    {.field = F_NONE},
};

static const struct field_rule compactions_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule compaction_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_COMPACTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule change_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_TITLE, .type = FIELD_LINE, .max = SESSION_TITLE_CHARS_MAX},
    {.field = F_CHOICE, .type = FIELD_LINE},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_NONE},
};

static const struct field_rule message_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule message_change_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = CONFIG_MESSAGE_BYTES_MAX},
    {.field = F_NONE},
};

static const struct field_rule memories_fields[] = {
    {.field = F_AFTER, .type = FIELD_ID_ROW},
    {.field = F_Q, .type = FIELD_LINE},
    {.field = F_TAG, .type = FIELD_LINE, .max = MEMORY_TAG_CHARS_MAX},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = MEMORY_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule memory_add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * MEMORY_TEXT_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = MEMORY_TAGS_TEXT_MAX},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule memory_change_fields[] = {
    {.field = F_MEMORY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .max = 2 * MEMORY_TEXT_CHARS_MAX},
    {.field = F_TAGS, .type = FIELD_LINE, .max = MEMORY_TAGS_TEXT_MAX},
    {.field = F_PERMANENT, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule memory_fields[] = {
    {.field = F_MEMORY, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule suggestion_fields[] = {
    {.field = F_SUGGESTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule suggestions_keep_fields[] = {
    {.field = F_TO, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule tasks_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = TASKS_KEY_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = TASK_PAGE_MAX - 1},
    {.field = F_NONE},
};

static const struct field_rule task_add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * TASK_TEXT_CHARS_MAX},
    {.field = F_DUE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule task_change_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .max = 2 * TASK_TEXT_CHARS_MAX},
    {.field = F_DUE, .type = FIELD_LINE},
    {.field = F_DONE, .type = FIELD_BOOL},
    {.field = F_NONE},
};

static const struct field_rule task_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule related_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = RELATED_MAX},
    {.field = F_NONE},
};

static const struct field_rule transfer_fields[] = {
    {.field = F_TRANSFER, .type = FIELD_ID_TRANSFER, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
#define READ   ACCESS_MEMBER, SURFACE_API, CSRF_SAFE
#define CHANGE ACCESS_MEMBER, SURFACE_API, CSRF_TOKEN

static const struct route routes[] = {
    {HTTP_GET,    "/api/me",                                    api_me,             READ,   no_fields},
    {HTTP_GET,    "/api/search",                                api_search,         READ,   search_fields},
    {HTTP_GET,    "/api/search/progress",                       api_search_progress, READ,  no_fields},
    {HTTP_GET,    "/api/jobs/progress",                         api_jobs_progress,  ACCESS_ADMIN, SURFACE_API, CSRF_SAFE, no_fields},
    {HTTP_GET,    "/api/sessions/{session}/related",            api_related,        READ,   related_fields},
    {HTTP_GET,    "/api/sessions",                              api_sessions,       READ,   list_fields},
    {HTTP_GET,    "/api/sessions/{session}",                    api_session,        READ,   messages_fields},
    {HTTP_PATCH,  "/api/sessions/{session}",                    api_session_change, CHANGE, change_fields},
    {HTTP_DELETE, "/api/sessions/{session}",                    api_session_delete, CHANGE, session_fields},
    {HTTP_POST,   "/api/sessions/{session}/head",               api_session_head,   CHANGE, message_fields},
    {HTTP_POST,   "/api/sessions/{session}/seen",               api_session_seen,   CHANGE, session_fields},
    {HTTP_POST,   "/api/sessions/{session}/pin",                api_session_pin,    CHANGE, session_fields},
    {HTTP_POST,   "/api/sessions/{session}/unpin",              api_session_unpin,  CHANGE, session_fields},
    {HTTP_GET,    "/api/sessions/{session}/summaries",          api_summaries,      READ,   summaries_fields},
    {HTTP_POST,   "/api/sessions/{session}/summaries",          api_summary_ask,    CHANGE, summary_ask_fields},
    {HTTP_POST,   "/api/sessions/{session}/compact",            api_compact,        CHANGE, compact_fields},
    {HTTP_GET,    "/api/sessions/{session}/compactions",        api_compactions,    READ,   compactions_fields},
    {HTTP_GET,    "/api/sessions/{session}/compactions/{compaction}", api_compaction, READ, compaction_fields},
    {HTTP_GET,    "/api/sessions/{session}/compactions/{compaction}/transcript", compaction_transcript, READ, compaction_fields},
    {HTTP_GET,    "/api/sessions/{session}/messages",           api_messages,       READ,   messages_fields},
    {HTTP_PATCH,  "/api/sessions/{session}/messages/{message}", api_message_change, CHANGE, message_change_fields},
    {HTTP_DELETE, "/api/sessions/{session}/messages/{message}", api_message_delete, CHANGE, message_fields},
    {HTTP_GET,    "/api/memories",                              api_memories,       READ,   memories_fields},
    {HTTP_POST,   "/api/memories",                              api_memory_add,     CHANGE, memory_add_fields},
    {HTTP_PATCH,  "/api/memories/{memory}",                     api_memory_change,  CHANGE, memory_change_fields},
    {HTTP_DELETE, "/api/memories/{memory}",                     api_memory_delete,  CHANGE, memory_fields},
    {HTTP_GET,    "/api/memories/suggestions",                  api_suggestions,    READ,   no_fields},
    {HTTP_POST,   "/api/memories/suggestions/keep",             api_suggestions_keep, CHANGE, suggestions_keep_fields},
    {HTTP_POST,   "/api/memories/suggestions/{suggestion}/keep", api_suggestion_keep, CHANGE, suggestion_fields},
    {HTTP_DELETE, "/api/memories/suggestions/{suggestion}",     api_suggestion_dismiss, CHANGE, suggestion_fields},
    {HTTP_GET,    "/api/tasks",                                 api_tasks,          READ,   tasks_fields},
    {HTTP_POST,   "/api/tasks",                                 api_task_add,       CHANGE, task_add_fields},
    {HTTP_PATCH,  "/api/tasks/{task}",                          api_task_change,    CHANGE, task_change_fields},
    {HTTP_DELETE, "/api/tasks/{task}",                          api_task_delete,    CHANGE, task_fields},
    {HTTP_POST,   "/api/exports",                               api_exports,        CHANGE, no_fields},
    {HTTP_POST,   "/api/imports",                               api_imports,        ACCESS_MEMBER, SURFACE_API, CSRF_TOKEN_FILE, no_fields},
    {HTTP_GET,    "/api/transfers",                             api_transfers,      READ,   no_fields},
    {HTTP_GET,    "/api/transfers/{transfer}",                  api_transfer,       READ,   transfer_fields},
    {HTTP_GET,    "/api/transfers/{transfer}/file",             api_transfer_file,  READ,   transfer_fields},
    {HTTP_DELETE, "/api/transfers/{transfer}",                  api_transfer_delete, CHANGE, transfer_fields},
};
/* clang-format on */

const struct web_program api_program = {.name = "api", .routes = {routes, ARRAY_LEN(routes)}};

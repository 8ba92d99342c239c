/* What the program `pages` serves, and to whom. */
#include "app/summary/compact.h"
#include "app/config/config.h"
#include "app/memory/memory.h"
#include "app/tasks/tasks.h"
#include "store/session.h"
#include "store/workspace.h"
#include "web/summary/compaction_resource.h"
#include "web/session/session_list.h"
#include "web/page/pages.h"
#include "web/search/search_results.h"
#include "web/summary/summary_view.h"

#define CODE_CHARS_MAX 128

static const struct field_rule no_fields[] = {{.field = F_NONE}};
static const struct field_rule notice_fields[] = {{.field = F_DONE, .type = FIELD_LINE}, {.field = F_NONE}};

#define WORKSPACE                                                            \
    {                                                                        \
        .field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX \
    }

static const struct field_rule new_fields[] = {
    WORKSPACE, {.field = F_DONE, .type = FIELD_LINE}, {.field = F_NONE}};

static const struct field_rule chat_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule list_fields[] = {
    {.field = F_AFTER, .type = FIELD_LINE, .max = LISTING_KEY_MAX},
    {.field = F_Q, .type = FIELD_LINE, .max = LISTING_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    WORKSPACE,
    {.field = F_EDIT, .type = FIELD_LINE},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule search_fields[] = {
    WORKSPACE,
    {.field = F_Q, .type = FIELD_LINE, .max = SEARCH_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_AFTER, .type = FIELD_LINE},
    {.field = F_BEFORE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule rename_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_TITLE, .type = FIELD_LINE, .required = true, .max = SESSION_TITLE_CHARS_MAX},
    WORKSPACE,
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule delete_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule summary_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_BEFORE, .type = FIELD_INT, .min = 1, .max = SUMMARIES_VERSION_MAX},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule summary_ask_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LAST, .type = FIELD_INT, .min = 0, .max = SUMMARIES_LAST_MAX},
    {.field = F_NONE},
};

static const struct field_rule compact_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_KEEP, .type = FIELD_LINES, .max = COMPACT_WISH_MAX},
    {.field = F_NONE},
};

static const struct field_rule compaction_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_COMPACTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_NONE},
};

static const struct field_rule job_fields[] = {
    {.field = F_JOB, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule message_delete_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule message_text_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_AT, .type = FIELD_ID_ROW, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW},
    {.field = F_PARENT, .type = FIELD_ID_ROW},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = CONFIG_MESSAGE_BYTES_MAX},
    {.field = F_NONE},
};

static const struct field_rule memories_fields[] = {
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

static const struct field_rule memory_change_fields[] = {
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
    {.field = F_UNDO, .type = FIELD_ID_ROW},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule task_add_fields[] = {
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * TASK_TEXT_CHARS_MAX},
    {.field = F_DUE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule task_change_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = 2 * TASK_TEXT_CHARS_MAX},
    {.field = F_DUE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule task_fields[] = {
    {.field = F_TASK, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule tasks_restore_fields[] = {
    {.field = F_AT, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule confirm_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_QUESTION, .type = FIELD_ID_ROW, .required = true},
    {.field = F_ANSWER, .type = FIELD_BOOL, .required = true},
    {.field = F_NONE},
};

static const struct field_rule signin_get_fields[] = {
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule signin_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule welcome_fields[] = {
    {.field = F_CODE, .type = FIELD_LINE, .required = true, .max = CODE_CHARS_MAX},
    {.field = F_NAME, .type = FIELD_LINE},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule password_fields[] = {
    {.field = F_CURRENT, .type = FIELD_SECRET, .required = true},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule login_fields[] = {
    {.field = F_LOGIN, .type = FIELD_ID_LOGIN, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_add_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_ROLE, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_fields[] = {
    {.field = F_USER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule user_role_fields[] = {
    {.field = F_USER, .type = FIELD_ID_ROW, .required = true},
    {.field = F_ROLE, .type = FIELD_LINE, .required = true},
    {.field = F_NONE},
};

static const struct field_rule transfer_fields[] = {
    {.field = F_TRANSFER, .type = FIELD_ID_TRANSFER, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
#define SEEN_BY(access)    access, SURFACE_PAGE, CSRF_SAFE
#define CHANGED_BY(access) access, SURFACE_PAGE, CSRF_TOKEN
#define DOOR               ACCESS_PUBLIC, SURFACE_PAGE, CSRF_ORIGIN_ONLY

static const struct route routes[] = {
    {HTTP_GET,  "/",                                             page_new,                SEEN_BY(ACCESS_MEMBER),    new_fields},
    {HTTP_GET,  "/s/{session}",                                  page_session,            SEEN_BY(ACCESS_MEMBER),    chat_fields},

    {HTTP_GET,  "/sessions",                                     page_sessions,           SEEN_BY(ACCESS_MEMBER),    list_fields},
    {HTTP_POST, "/sessions/{session}/rename",                    page_rename,             CHANGED_BY(ACCESS_MEMBER), rename_fields},
    {HTTP_POST, "/sessions/{session}/pin",                       page_pin,                CHANGED_BY(ACCESS_MEMBER), delete_fields},
    {HTTP_POST, "/sessions/{session}/unpin",                     page_unpin,              CHANGED_BY(ACCESS_MEMBER), delete_fields},
    {HTTP_GET,  "/s/{session}/summary",                          page_summary,            SEEN_BY(ACCESS_MEMBER),    summary_fields},
    {HTTP_POST, "/sessions/{session}/summaries",                 page_summary_ask,        CHANGED_BY(ACCESS_MEMBER), summary_ask_fields},
    {HTTP_POST, "/sessions/{session}/compact",                   page_compact,            CHANGED_BY(ACCESS_MEMBER), compact_fields},
    {HTTP_GET,  "/s/{session}/compactions/{compaction}",         page_compaction,         SEEN_BY(ACCESS_MEMBER),    compaction_fields},
    {HTTP_GET,  "/s/{session}/compactions/{compaction}/transcript", compaction_transcript, SEEN_BY(ACCESS_MEMBER),   compaction_fields},
    {HTTP_GET,  "/sessions/{session}/delete",                    page_delete_ask,         SEEN_BY(ACCESS_MEMBER),    delete_fields},
    {HTTP_POST, "/sessions/{session}/delete",                    page_delete,             CHANGED_BY(ACCESS_MEMBER), delete_fields},
    {HTTP_GET,  "/sessions/{session}/messages/{message}/delete", page_message_delete_ask, SEEN_BY(ACCESS_MEMBER),    message_delete_fields},
    {HTTP_POST, "/sessions/{session}/messages/{message}/delete", page_message_delete,     CHANGED_BY(ACCESS_MEMBER), message_delete_fields},
    {HTTP_POST, "/sessions/{session}/messages/{at}/text",        page_message_text,       CHANGED_BY(ACCESS_MEMBER), message_text_fields},

    {HTTP_GET,  "/search",                                       page_search,             SEEN_BY(ACCESS_MEMBER),    search_fields},
    {HTTP_POST, "/sessions/{session}/confirm",                   page_confirm,            CHANGED_BY(ACCESS_MEMBER), confirm_fields},

    {HTTP_GET,  "/memory",                                       page_memory,             SEEN_BY(ACCESS_MEMBER),    memories_fields},
    {HTTP_POST, "/memory",                                       page_memory_add,         CHANGED_BY(ACCESS_MEMBER), memory_add_fields},
    {HTTP_POST, "/memory/pause",                                 page_memory_pause,       CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/memory/resume",                                page_memory_resume,      CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_GET,  "/memory/clear",                                 page_memory_clear_ask,   SEEN_BY(ACCESS_MEMBER),    no_fields},
    {HTTP_POST, "/memory/clear",                                 page_memory_clear,       CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/memory/{memory}",                              page_memory_change,      CHANGED_BY(ACCESS_MEMBER), memory_change_fields},
    {HTTP_POST, "/memory/{memory}/delete",                       page_memory_delete,      CHANGED_BY(ACCESS_MEMBER), memory_fields},
    {HTTP_POST, "/memory/{memory}/restore",                      page_memory_restore,     CHANGED_BY(ACCESS_MEMBER), memory_fields},
    {HTTP_POST, "/memory/suggestions/keep",                      page_suggestions_keep,   CHANGED_BY(ACCESS_MEMBER), suggestions_keep_fields},
    {HTTP_POST, "/memory/suggestions/{suggestion}/keep",         page_suggestion_keep,    CHANGED_BY(ACCESS_MEMBER), suggestion_fields},
    {HTTP_POST, "/memory/suggestions/{suggestion}/dismiss",      page_suggestion_dismiss, CHANGED_BY(ACCESS_MEMBER), suggestion_fields},

    {HTTP_GET,  "/tasks",                                        page_tasks,              SEEN_BY(ACCESS_MEMBER),    tasks_fields},
    {HTTP_POST, "/tasks",                                        page_task_add,           CHANGED_BY(ACCESS_MEMBER), task_add_fields},
    {HTTP_POST, "/tasks/clear",                                  page_tasks_clear,        CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/tasks/restore",                                page_tasks_restore,      CHANGED_BY(ACCESS_MEMBER), tasks_restore_fields},
    {HTTP_POST, "/tasks/{task}",                                 page_task_change,        CHANGED_BY(ACCESS_MEMBER), task_change_fields},
    {HTTP_POST, "/tasks/{task}/done",                            page_task_done,          CHANGED_BY(ACCESS_MEMBER), task_fields},
    {HTTP_POST, "/tasks/{task}/reopen",                          page_task_reopen,        CHANGED_BY(ACCESS_MEMBER), task_fields},
    {HTTP_POST, "/tasks/{task}/delete",                          page_task_delete,        CHANGED_BY(ACCESS_MEMBER), task_fields},
    {HTTP_POST, "/tasks/{task}/restore",                         page_task_restore,       CHANGED_BY(ACCESS_MEMBER), task_fields},

    {HTTP_GET,  "/signin",                                       page_signin,             SEEN_BY(ACCESS_PUBLIC),    signin_get_fields},
    {HTTP_POST, "/signin",                                       page_signin_post,        DOOR,                      signin_fields},
    {HTTP_POST, "/signout",                                      page_signout,            CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_GET,  "/welcome",                                      page_welcome,            SEEN_BY(ACCESS_PUBLIC),    no_fields},
    {HTTP_POST, "/welcome",                                      page_welcome_post,       DOOR,                      welcome_fields},

    {HTTP_GET,  "/account",                                      page_account,            SEEN_BY(ACCESS_MEMBER),    notice_fields},
    {HTTP_POST, "/account/password",                             page_password,           CHANGED_BY(ACCESS_MEMBER), password_fields},
    {HTTP_POST, "/account/logins/{login}/revoke",                page_revoke,             CHANGED_BY(ACCESS_MEMBER), login_fields},
    {HTTP_POST, "/account/logins/revoke-others",                 page_revoke_others,      CHANGED_BY(ACCESS_MEMBER), no_fields},

    {HTTP_GET,  "/data",                                         page_data,               SEEN_BY(ACCESS_MEMBER),    notice_fields},
    {HTTP_POST, "/data/export",                                  page_data_export,        CHANGED_BY(ACCESS_MEMBER), no_fields},
    {HTTP_POST, "/data/import",                                  page_data_import,        ACCESS_MEMBER, SURFACE_PAGE, CSRF_TOKEN_FILE, no_fields},
    {HTTP_GET,  "/data/{transfer}/file",                         page_data_file,          SEEN_BY(ACCESS_MEMBER),    transfer_fields},
    {HTTP_POST, "/data/{transfer}/delete",                       page_data_delete,        CHANGED_BY(ACCESS_MEMBER), transfer_fields},

    {HTTP_GET,  "/admin/users",                                  page_users,              SEEN_BY(ACCESS_ADMIN),     notice_fields},
    {HTTP_POST, "/admin/users",                                  page_user_add,           CHANGED_BY(ACCESS_ADMIN),  user_add_fields},
    {HTTP_POST, "/admin/users/{user}/link",                      page_user_link,          CHANGED_BY(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/disable",                   page_user_disable,       CHANGED_BY(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/enable",                    page_user_enable,        CHANGED_BY(ACCESS_ADMIN),  user_fields},
    {HTTP_POST, "/admin/users/{user}/role",                      page_user_role,          CHANGED_BY(ACCESS_ADMIN),  user_role_fields},

    {HTTP_GET,  "/admin/jobs",                                   page_jobs,               SEEN_BY(ACCESS_ADMIN),     notice_fields},
    {HTTP_POST, "/admin/jobs/{job}/retry",                       page_job_retry,          CHANGED_BY(ACCESS_ADMIN),  job_fields},

    {HTTP_GET,  "/connect",                                      page_connect,            SEEN_BY(ACCESS_MEMBER),    no_fields},
};
/* clang-format on */

const struct web_program pages_program = {.name = "pages", .routes = {routes, ARRAY_LEN(routes)}};

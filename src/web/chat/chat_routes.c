#include "web/chat/chat_routes.h"

#include "app/config/config.h"
#include "store/session/workspace.h"
#include "web/chat/preview.h"
#include "web/chat/transcript.h"
#include "web/page/pages.h"

static const struct field_rule new_fields[] = {
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_TEMPORARY, .type = FIELD_LINE},
    {.field = F_CHOICE, .type = FIELD_LINE},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule chat_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_AFTER, .type = FIELD_ID_ROW},
    {.field = F_SUGGESTION, .type = FIELD_ID_ROW},
    {.field = F_CHOICE, .type = FIELD_LINE},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule message_delete_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BACK,
        .type = FIELD_LINE,
        .max = PAGE_PATH_MAX}, /* the button is in the form of the session's menu */
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

static const struct field_rule messages_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_AT, .type = FIELD_ID_ROW},
    {.field = F_AROUND, .type = FIELD_ID_ROW},
    {.field = F_BEFORE, .type = FIELD_ID_ROW},
    {.field = F_AFTER, .type = FIELD_ID_ROW},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = TRANSCRIPT_STEPS_MAX},
    {.field = F_NONE},
};

static const struct field_rule message_change_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_MESSAGE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_TEXT, .type = FIELD_LINES, .required = true, .max = CONFIG_MESSAGE_BYTES_MAX},
    {.field = F_PASTED_FROM, .type = FIELD_INT, .min = 0, .max = CONFIG_MESSAGE_BYTES_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/",                                             page_new,                PAGE_READ(ACCESS_MEMBER),   new_fields},
    {HTTP_GET,    "/s/{session}",                                  page_session,            PAGE_READ(ACCESS_MEMBER),   chat_fields},
    {HTTP_POST,   "/sessions/{session}/messages/{message}/delete", page_message_delete,     PAGE_CHANGE(ACCESS_MEMBER), message_delete_fields},
    {HTTP_POST,   "/sessions/{session}/messages/{at}/text",        page_message_text,       PAGE_CHANGE(ACCESS_MEMBER), message_text_fields},
    {HTTP_POST,   "/sessions/{session}/head",                      page_message_choose,     PAGE_CHANGE(ACCESS_MEMBER), message_delete_fields},
    {HTTP_GET,    "/preview",                                      page_preview,            PAGE_READ(ACCESS_PUBLIC),   no_fields},
    {HTTP_GET,    "/preview/scripts",                              page_preview_scripts,    PAGE_READ(ACCESS_PUBLIC),   no_fields},

    {HTTP_GET,    "/api/sessions/{session}",       api_session,        API_READ(ACCESS_MEMBER, SCOPE_READ),    messages_fields},
    {HTTP_GET,    "/api/sessions/{session}/messages",              api_messages,            API_READ(ACCESS_MEMBER, SCOPE_READ),    messages_fields},
    {HTTP_PATCH,  "/api/sessions/{session}/messages/{message}",    api_message_change,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  message_change_fields},
    {HTTP_DELETE, "/api/sessions/{session}/messages/{message}",    api_message_delete,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  session_message_fields},
};
/* clang-format on */

const struct route_table chat_routes = {routes, ARRAY_LEN(routes)};

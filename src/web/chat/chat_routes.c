#include "web/chat/chat_routes.h"

#include "app/session/session_actions.h"
#include "app/trash/trash.h"
#include "store/session/workspace.h"
#include "web/chat/chat_page.h"
#include "web/chat/preview.h"
#include "web/chat/transcript.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/session/session_resource.h"

/* ---- the API ---- */

/* The part around a message is on the branch of that message, unless F_AT names another branch. */
static enum rc read_part(const struct req *r, struct transcript *t, struct err *e)
{
    int64_t around = req_int(r, F_AROUND);
    struct transcript_part part = {.session = req_text(r, F_SESSION),
        .at = req_has(r, F_AT) ? req_int(r, F_AT) : around,
        .around = around,
        .before = req_int(r, F_BEFORE),
        .after = req_int(r, F_AFTER),
        .limit = (int)req_int(r, F_LIMIT)};
    return transcript_read(r, &part, t, e);
}

static enum rc api_session(struct req *r, struct resp *out, struct err *e)
{
    struct transcript t;
    enum rc rc = read_part(r, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &t.session);
    transcript_resource(r, &t, v);
    view_text(v, "turn", t.turn);
    return resp_json(out, 200, v, e);
}

static enum rc api_messages(struct req *r, struct resp *out, struct err *e)
{
    struct transcript t;
    enum rc rc = read_part(r, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_resource(r, &t, v);
    return resp_json(out, 200, v, e);
}

static enum rc api_message_change(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    int64_t id = req_int(r, F_MESSAGE);
    const struct message_edit edit = {.owner = r->who.user_id,
        .session = session,
        .message = id,
        .text = req_str(r, F_TEXT),
        .pasted_from = req_has(r, F_PASTED_FROM) ? req_int(r, F_PASTED_FROM) : MESSAGE_TYPED};
    enum rc rc = session_edit_text(r->web->store, r->web->config, &edit, &id, e);
    struct transcript t;
    if (rc == RC_OK)
        rc = transcript_one(r, session, id, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_message_resource(r, &t, v);
    return resp_json(out, 200, v, e);
}

static enum rc api_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    char entry[ID_SIZE];
    struct session s;
    const char *session = req_text(r, F_SESSION);
    enum rc rc = trash_message(
        r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &from, entry, e);
    if (rc != RC_OK)
        return rc;
    struct trash_entry gone = {0};
    struct db *db = store_read(r->web->store);
    rc = store_session_get(db, r->arena, r->who.user_id, session, &s, e);
    if (rc == RC_OK && store_trash_get(db, r->arena, r->who.user_id, entry, &gone, NULL) != RC_OK)
        gone = (struct trash_entry){0}; /* it is erased already */
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    view_int(v, "messages", gone.messages);
    view_text(v, "trash", r->web->config->trash.days ? entry : NULL); /* null: it cannot be restored */
    return resp_json(out, 200, v, e);
}

/* ---- forms of a message, for browsers without scripts ---- */

static enum rc page_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    const char *session = req_text(r, F_SESSION), *url = session_url(r->arena, session);
    char entry[ID_SIZE];
    struct err why = ERR_INIT;
    enum rc rc = trash_message(
        r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &from, entry, &why);
    return rc == RC_OK ? page_deleted(r, out, url, "message_deleted", entry)
                       : page_again(r, out, page_chat_again, &why, e);
}

/* The message is in F_AT, because the button is in the form of /s/{session}/edit, whose F_MESSAGE is in the
 * body. F_PARENT is the end of the shown branch; the session's own branch has none. The redirect leads to
 * this branch, or to the new version of an answer. */
static enum rc page_message_text(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    int64_t at = req_int(r, F_AT), edited = at;
    struct err why = ERR_INIT;
    const struct message_edit edit = {.owner = r->who.user_id,
        .session = session,
        .message = at,
        .text = req_str(r, F_TEXT),
        .pasted_from = MESSAGE_TYPED};
    enum rc rc = session_edit_text(r->web->store, r->web->config, &edit, &edited, &why);
    long long id = (long long)edited;
    if (rc == RC_OK && req_has(r, F_PARENT) && edited == at)
        resp_redirect(out, "/s/%s?at=%lld&message=%lld&done=saved#m-%lld", session,
            (long long)req_int(r, F_PARENT), id, id);
    else if (rc == RC_OK)
        resp_redirect(out, "/s/%s?at=%lld&done=saved#m-%lld", session, id, id);
    else if (rc == RC_NOT_FOUND)
        return page_chat_without(r, out, e);
    else
        return page_again(r, out, page_chat_again, &why, e);
    return RC_OK;
}

/* Continues with one of two compared answers. */
static enum rc page_message_choose(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc =
        session_set_head(r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &why);
    if (rc != RC_OK)
        return page_again(r, out, page_chat_again, &why, e);
    resp_redirect(out, "/s/%s", session);
    return RC_OK;
}

/* ---- the routes ---- */

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
    {.field = F_WHOLE, .type = FIELD_ID_ROW},
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

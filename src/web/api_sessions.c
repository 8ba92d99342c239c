#include "app/session/session_actions.h"
#include "web/api.h"
#include "web/session/session_list.h"
#include "web/chat/transcript.h"
#include "web/chat/message_view.h"

enum rc api_sessions(struct req *r, struct resp *out, struct err *e)
{
    struct listing l;
    enum rc rc = listing_read(r, &l, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *list = view_list(v, "sessions");
    for (size_t i = 0; i < l.n; i++)
        view_session(r->arena, view_item(list), &l.rows[i], r->now);
    view_text(v, "next", l.next);
    struct view *workspaces = view_list(v, "workspaces");
    for (size_t i = 0; i < l.workspaces_n; i++)
        view_item_text(workspaces, l.workspaces[i]);
    return resp_json(out, 200, v, e);
}

enum rc api_session(struct req *r, struct resp *out, struct err *e)
{
    struct transcript_want want = {
        .session = req_text(r, F_SESSION), .at = req_int(r, F_AT), .limit = (int)req_int(r, F_LIMIT)};
    struct transcript t;
    enum rc rc = transcript_read(r, &want, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_session(r->arena, view_obj(v, "session"), &t.session, r->now);
    transcript_view(r, &t, v);
    view_text(v, "older", message_id_text(r->arena, t.older));
    if (t.turn)
        view_text(view_obj(v, "turn"), "id", t.turn);
    else
        view_null(v, "turn");
    return resp_json(out, 200, v, e);
}

enum rc api_answer_session(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &s, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_session(r->arena, view_obj(v, "session"), &s, r->now);
    return resp_json(out, 200, v, e);
}

enum rc api_session_change(struct req *r, struct resp *out, struct err *e)
{
    struct chat_change change = {.title = req_text(r, F_TITLE), .workspace = req_text(r, F_WORKSPACE)};
    if (!req_has(r, F_TITLE) && !req_has(r, F_CHOICE) && !req_has(r, F_WORKSPACE))
        return err_say(e, RC_BAD_INPUT, "Send a \"title\", a \"choice\" or a \"workspace\".");
    if (req_has(r, F_CHOICE) && !(change.choice = providers_find(r->web->providers, req_text(r, F_CHOICE))))
        return err_say(e, RC_BAD_INPUT, "That model is not connected.");
    enum rc rc = chat_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? api_answer_session(r, out, e) : rc;
}

static enum rc set_pin(struct req *r, struct resp *out, enum chat_pin pin, struct err *e)
{
    struct chat_change change = {.pin = pin};
    enum rc rc = chat_change(r->web->store, r->who.user_id, req_text(r, F_SESSION), &change, e);
    return rc == RC_OK ? api_answer_session(r, out, e) : rc;
}

enum rc api_session_pin(struct req *r, struct resp *out, struct err *e)
{
    return set_pin(r, out, CHAT_PIN, e);
}

enum rc api_session_unpin(struct req *r, struct resp *out, struct err *e)
{
    return set_pin(r, out, CHAT_UNPIN, e);
}

enum rc api_session_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = chat_delete(r->web->store, r->who.user_id, req_text(r, F_SESSION), &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

enum rc api_session_head(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc =
        chat_set_head(r->web->store, r->who.user_id, req_text(r, F_SESSION), req_int(r, F_MESSAGE), e);
    return rc == RC_OK ? api_answer_session(r, out, e) : rc;
}

enum rc api_session_seen(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = chat_seen(r->web->store, r->who.user_id, req_text(r, F_SESSION), r->now, e);
    return rc == RC_OK ? api_answer_session(r, out, e) : rc;
}

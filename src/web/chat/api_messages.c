#include "app/session/session_actions.h"
#include "app/trash/trash.h"
#include "web/chat/chat_routes.h"
#include "web/http/web.h"
#include "web/chat/transcript.h"
#include "web/page/views.h"
#include "web/session/session_resource.h"

/* A window around a message is on the branch of that message, unless `at` names another one. */
static struct transcript_want wanted_part(const struct req *r)
{
    int64_t around = req_int(r, F_AROUND);
    return (struct transcript_want){.session = req_text(r, F_SESSION),
        .at = req_has(r, F_AT) ? req_int(r, F_AT) : around,
        .around = around,
        .before = req_int(r, F_BEFORE),
        .after = req_int(r, F_AFTER),
        .limit = (int)req_int(r, F_LIMIT)};
}

enum rc api_session(struct req *r, struct resp *out, struct err *e)
{
    struct transcript_want want = wanted_part(r);
    struct transcript t;
    enum rc rc = transcript_read(r, &want, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &t.session);
    transcript_resource(r, &t, v);
    view_text(v, "turn", t.turn);
    return resp_json(out, 200, v, e);
}

enum rc api_messages(struct req *r, struct resp *out, struct err *e)
{
    struct transcript_want want = wanted_part(r);
    struct transcript t;
    enum rc rc = transcript_read(r, &want, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_resource(r, &t, v);
    return resp_json(out, 200, v, e);
}

enum rc api_message_change(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    int64_t id = req_int(r, F_MESSAGE);
    enum rc rc = session_edit_text(r->web->store, r->web->config, r->who.user_id, session, id,
        req_str(r, F_TEXT), req_has(r, F_PASTED_FROM) ? req_int(r, F_PASTED_FROM) : MESSAGE_TYPED, &id, e);
    struct transcript t;
    if (rc == RC_OK)
        rc = transcript_one(r, session, id, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_message_resource(r, &t, v);
    return resp_json(out, 200, v, e);
}

enum rc api_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    char entry[ID_SIZE];
    struct session s;
    const char *session = req_text(r, F_SESSION);
    enum rc rc = trash_message(
        r->web->store, r->web->config, r->who.user_id, session, req_int(r, F_MESSAGE), &from, entry, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(r->web->store);
    rc = store_session_get(db, r->arena, r->who.user_id, session, &s, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_resource(r->arena, r->lang, view_obj(v, "session"), &s);
    view_text(v, "trash", r->web->config->trash.days ? entry : NULL); /* null: it cannot be restored */
    return resp_json(out, 200, v, e);
}

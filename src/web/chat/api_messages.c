#include "app/session/session_actions.h"
#include "web/api.h"
#include "web/chat/transcript.h"
#include "web/chat/message_view.h"

enum rc api_messages(struct req *r, struct resp *out, struct err *e)
{
    struct transcript_want want = {.session = req_text(r, F_SESSION),
        .at = req_int(r, F_AT),
        .before = req_int(r, F_BEFORE),
        .limit = (int)req_int(r, F_LIMIT)};
    struct transcript t;
    enum rc rc = transcript_read(r, &want, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_view(r, &t, v);
    view_text(v, "older", message_id_text(r->arena, t.older));
    return resp_json(out, 200, v, e);
}

enum rc api_message_change(struct req *r, struct resp *out, struct err *e)
{
    const char *session = req_text(r, F_SESSION);
    int64_t id = req_int(r, F_MESSAGE);
    enum rc rc =
        chat_edit_text(r->web->store, r->web->config, r->who.user_id, session, id, req_str(r, F_TEXT), e);
    struct transcript t;
    if (rc == RC_OK)
        rc = transcript_one(r, session, id, &t, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    transcript_view(r, &t, v);
    return resp_json(out, 200, v, e);
}

enum rc api_message_delete(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = chat_delete_message(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION),
        req_int(r, F_MESSAGE), &from, e);
    return rc == RC_OK ? api_answer_session(r, out, e) : rc;
}

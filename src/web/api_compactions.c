#include "app/session/session_actions.h"
#include "web/api.h"
#include "web/summary/compaction_resource.h"

enum rc api_compact(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = chat_compact(r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION),
        req_text(r, F_KEEP), r->now, e);
    if (rc == RC_OK)
        rc = api_answer_session(r, out, e);
    if (rc == RC_OK)
        out->status = 202;
    return rc;
}

enum rc api_compactions(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = compactions_view(r, v, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

enum rc api_compaction(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct compaction c;
    enum rc rc = compaction_find(r, &s, &c, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    view_session(r->arena, view_obj(v, "session"), &s, r->now);
    compaction_view(r, view_obj(v, "compaction"), &s, &c);
    return resp_json(out, 200, v, e);
}

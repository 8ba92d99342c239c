#include "app/session/session_actions.h"
#include "web/api.h"
#include "web/summary/summary_view.h"

static enum rc answer(struct req *r, struct resp *out, int status, struct err *e)
{
    struct session s;
    struct view *v = view_new(r->arena);
    enum rc rc = summaries_view(r, &s, v, e);
    return rc == RC_OK ? resp_json(out, status, v, e) : rc;
}

enum rc api_summaries(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, 200, e);
}

enum rc api_summary_ask(struct req *r, struct resp *out, struct err *e)
{
    struct summary_range range = {
        .last = req_int(r, F_LAST), .from = req_int(r, F_FROM), .to = req_int(r, F_TO)};
    enum rc rc = chat_summarise(
        r->web->store, r->web->config, r->who.user_id, req_text(r, F_SESSION), &range, r->now, e);
    return rc == RC_OK ? answer(r, out, 202, e) : rc;
}

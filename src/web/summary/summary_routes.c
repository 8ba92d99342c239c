/* What a session was about: its summaries, and asking for another. */
#include "app/session/session_actions.h"
#include "web/search/search_resource.h"
#include "web/page/pages.h"
#include "web/summary/summary_view.h"

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct session s;
    struct view *found = view_new(r->arena), *v;
    enum rc rc = summaries_view(r, &s, found, e);
    if (rc == RC_OK)
        rc = related_view(r, found, s.id, 0, e);
    if (rc == RC_OK)
        rc = page_view(
            r, arena_printf(r->arena, "Summary of %s", s.title ? s.title : "New chat"), AT_NONE, s.id, &v, e);
    if (rc != RC_OK)
        return rc;
    view_put(v, "found", found);
    view_bool(v, "any", view_first(view_get(found, STR("summaries"))) != NULL);
    view_bool(v, "any_related", view_first(view_get(found, STR("related"))) != NULL);
    view_bool(v, "empty", s.head_id == 0);
    view_text(v, "action", arena_printf(r->arena, "/sessions/%s/summaries", s.pub));
    const struct view *next = view_get(found, STR("next"));
    view_text(v, "next_url",
        view_truthy(next)
            ? arena_printf(r->arena, "/s/%s/summary?before=%lld", s.pub, (long long)view_as_int(next))
            : NULL);
    return why ? page_problem(r, out, "summary", v, why, e) : resp_page(r, out, 200, "summary", v, e);
}

enum rc page_summary(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

enum rc page_summary_ask(struct req *r, struct resp *out, struct err *e)
{
    struct summary_range range = {.last = req_int(r, F_LAST)};
    const char *session = req_text(r, F_SESSION);
    struct err why = ERR_INIT;
    enum rc rc = chat_summarise(r->web->store, r->web->config, r->who.user_id, session, &range, r->now, &why);
    if (rc == RC_OK)
        page_done(out, arena_printf(r->arena, "/s/%s/summary", session), "summary_asked");
    else if (page_can_say(rc))
        return show(r, out, &why, e);
    else
        *e = why;
    return rc;
}

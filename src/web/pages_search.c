/* The page that searches all messages. */
#include "web/pages.h"
#include "web/respond.h"
#include "web/search_view.h"

enum rc page_search(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    struct err why = ERR_INIT;
    enum rc rc = page_view(r, "Search", AT_SEARCH, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    bool asked = req_str(r, F_Q).len > 0;
    view_text(v, "q", asked ? req_text(r, F_Q) : NULL);
    view_text(v, "after", req_text(r, F_AFTER));
    view_text(v, "before", req_text(r, F_BEFORE));
    view_bool(v, "dated", req_str(r, F_AFTER).len || req_str(r, F_BEFORE).len);
    view_bool(v, "asked", asked);
    rc = search_view(r, v, &why);
    if (rc != RC_OK && page_can_say(rc))
        return page_problem(r, out, "search", v, &why, e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    return resp_page(r, out, 200, "search", v, e);
}

#include "web/api.h"
#include "web/search_view.h"

enum rc api_search(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = search_view(r, v, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

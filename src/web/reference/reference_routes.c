#include "web/reference/reference_routes.h"

#include "web/http/web.h"
#include "web/page/markdown_view.h"
#include "web/page/pages.h"

#define REFERENCE_PAGE_ID 0 /* no message has it */

static const char reference[] =
#include "api_reference.inc"
    ;

static enum rc page_reference(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "reference.title"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_markdown_kept(
        r->web->html, REFERENCE_PAGE_ID, r->arena, v, r->lang, (struct str){reference, sizeof reference - 1});
    return resp_page(r, out, 200, "reference", v, e);
}

static const struct route routes[] = {
    {HTTP_GET, "/api", page_reference, PAGE_READ(ACCESS_MEMBER), no_fields},
};

const struct route_table reference_routes = {routes, ARRAY_LEN(routes)};

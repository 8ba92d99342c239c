#include "web/chat/preview.h"

#include "base/mem.h"

#define POLICY                                                                                        \
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:; " \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts; "

static enum rc preview(struct req *r, struct resp *out, const char *policy, struct err *e)
{
    out->policy = policy;
    resp_header(out, "X-DNS-Prefetch-Control", "off");
    struct view *v = view_new(r->arena);
    view_text(v, "nonce", r->nonce);
    return resp_page(r, out, 200, "preview", v, e);
}

/* Only the page's own script has the nonce. */
enum rc page_preview(struct req *r, struct resp *out, struct err *e)
{
    return preview(r, out, arena_printf(r->arena, POLICY "script-src 'nonce-%s'", r->nonce), e);
}

enum rc page_preview_scripts(struct req *r, struct resp *out, struct err *e)
{
    return preview(r, out, POLICY "script-src 'unsafe-inline'", e);
}

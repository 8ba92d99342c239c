#include "web/picture/picture_resource.h"

#include <string.h>

#include "web/http/respond.h"

/* It is opened by itself, too: no script of an uploaded file may run. */
#define PICTURE_POLICY "default-src 'none'; sandbox; frame-ancestors 'none'"
/* The bytes of an id never change, but a picture must not be shown after signing out. */
#define PICTURE_CACHE "private, no-cache"

static void fill(struct arena *a, struct view *v, const char *prefix, const struct picture *p)
{
    view_text(v, "id", p->pub);
    view_text(v, "url", arena_printf(a, "%s/pictures/%s", prefix, p->pub));
    view_text(v, "media_type", p->media_type);
    view_int(v, "width", p->width);
    view_int(v, "height", p->height);
    view_int(v, "bytes", p->bytes);
}

void picture_resource(struct arena *a, struct view *v, const struct picture *p)
{
    fill(a, v, "/api", p);
}

void pictures_view(struct arena *a, struct view *v, const char *prefix, const struct picture *list, size_t n)
{
    struct view *all = view_list(v, "pictures");
    for (size_t i = 0; i < n; i++)
        fill(a, view_item(all), prefix, &list[i]);
}

bool picture_is_kept(const struct req *r, const char *pub)
{
    const char *have = req_param(r, "HTTP_IF_NONE_MATCH");
    return have && strcmp(have, arena_printf(r->arena, "\"%s\"", pub)) == 0;
}

void picture_answer(struct resp *out, const char *pub, const char *media_type, const struct str *data)
{
    out->status = data ? 200 : HTTP_NOT_MODIFIED;
    out->type = media_type;
    out->policy = PICTURE_POLICY;
    out->cache = PICTURE_CACHE;
    resp_header(out, "ETag", "\"%s\"", pub);
    if (data)
        strbuf_addstr(&out->body, *data);
}

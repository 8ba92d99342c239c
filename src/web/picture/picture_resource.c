#include "web/picture/picture_resource.h"

#include <string.h>

#include "web/http/conditional.h"
#include "web/http/respond.h"

/* It is opened by itself, too: no script of an uploaded file may run. */
#define PICTURE_POLICY "default-src 'none'; sandbox; frame-ancestors 'none'"
/* The bytes of an id never change, but a picture must not be shown after signing out. */
#define PICTURE_CACHE "private, no-cache"

/* Of a picture in the chat, in pixels; pend() of static/js/turn/live.js has the same. */
#define SHOWN_WIDTH         320
#define SHOWN_HEIGHT        240
#define SHOWN_HEIGHT_OF_ROW 160 /* of several */
#define DRAWN_SIDE          512 /* of a picture that a model has drawn */
#define DRAWN_SIDE_OF_ROW   320

void picture_resource(struct arena *a, struct view *v, const struct picture *p)
{
    view_text(v, "id", p->pub);
    view_text(v, "url", arena_printf(a, "/api/pictures/%s", p->pub));
    view_text(v, "media_type", p->media_type);
    view_int(v, "width", p->width);
    view_int(v, "height", p->height);
    view_int(v, "bytes", p->bytes);
    view_text(v, "alt", p->alt);
}

void pictures_resource(struct arena *a, struct view *v, const struct picture *list, size_t n)
{
    struct view *all = view_list(v, "pictures");
    for (size_t i = 0; i < n; i++)
        picture_resource(a, view_item(all), &list[i]);
}

void picture_view_fit(struct view *v, const struct picture *p, int width, int height)
{
    int64_t w = p->width, h = p->height;
    if (w > width) {
        h = h * width / w;
        w = width;
    }
    if (h > height) {
        w = w * height / h;
        h = height;
    }
    view_int(v, "width", w > 0 ? w : 1);
    view_int(v, "height", h > 0 ? h : 1);
}

void pictures_view(struct arena *a, struct view *v, const struct message *m)
{
    size_t n = m->pictures_n;
    bool drawn = m->role == ROLE_ASSISTANT, row = n > 1;
    int width = !drawn ? SHOWN_WIDTH : row ? DRAWN_SIDE_OF_ROW : DRAWN_SIDE;
    int height = drawn ? width : row ? SHOWN_HEIGHT_OF_ROW : SHOWN_HEIGHT;
    struct view *all = view_list(v, "pictures");
    for (size_t i = 0; i < n; i++) {
        struct view *one = view_item(all);
        view_text(one, "url", arena_printf(a, "/pictures/%s", m->pictures[i].pub));
        view_text(one, "alt", m->pictures[i].alt);
        picture_view_fit(one, &m->pictures[i], width, height);
    }
}

bool picture_is_kept(const struct req *r, const char *pub)
{
    return conditional_is_known(r, arena_printf(r->arena, "\"%s\"", pub));
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

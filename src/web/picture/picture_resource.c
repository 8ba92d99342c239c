#include "web/picture/picture_resource.h"

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

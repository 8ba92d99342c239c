#include "app/picture/picture.h"
#include "app/tools/tools_private.h"
#include "base/humanize.h"
#include "base/utf8.h"

enum rc tool_picture_keep(
    const struct tool_context *c, struct str data, struct str alt, const struct picture **out, struct err *e)
{
    struct tool_pictures *all = c->pictures;
    if (!all || all->n == PICTURES_PER_MESSAGE)
        return err_tell(e, RC_TOO_BIG, "The call has too many pictures.");
    if (!all->arena)
        all->arena = arena_new();
    struct picture *p = &all->list[all->n];
    enum rc rc = picture_store(c->store, c->config, all->arena, c->owner, data, p, e);
    if (rc != RC_OK)
        return rc;
    alt.len = utf8_cut_chars(alt, PICTURE_ALT_CHARS_MAX);
    p->alt = humanize_line(all->arena, alt, alt.len).s;
    all->n++;
    *out = p;
    return RC_OK;
}

size_t tool_pictures_take(struct tool_pictures *p, struct arena *a, struct picture *to, size_t room)
{
    size_t n = p->n < room ? p->n : room;
    const struct picture *copy = picture_list_copy(a, p->list, n);
    for (size_t i = 0; i < n; i++)
        to[i] = copy[i];
    arena_free(p->arena);
    *p = (struct tool_pictures){0};
    return n;
}

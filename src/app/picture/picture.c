#include "app/picture/picture.h"

#include "base/clock.h"
#include "codec/picture.h"

#define WORDS_MAX ((size_t)128) /* bytes of "[Picture, 640 x 480]" in any language */

struct adding {
    const struct config *config;
    struct arena *a;
    int64_t owner;
    struct str data;
    struct picture *picture;
};

static enum rc check_total(struct db *db, const struct adding *t, struct err *e)
{
    int64_t bytes, max = t->config->limits.user_pictures_bytes;
    enum rc rc = store_pictures_bytes(db, t->owner, &bytes, e);
    if (rc != RC_OK || bytes + (int64_t)t->data.len <= max)
        return rc;
    return err_say(e, RC_CONFLICT, "picture.full", arg_limit("max", max));
}

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    const struct adding *t = arg;
    enum rc rc = check_total(db, t, e);
    return rc == RC_OK ? store_picture_add(db, t->a, t->owner, t->picture, t->data, clock_wall_ms(), e) : rc;
}

enum rc picture_check(const struct config *c, struct str data, struct picture *out, struct err *e)
{
    struct picture_look look;
    if ((int64_t)data.len > c->limits.picture_bytes)
        return err_say(e, RC_TOO_BIG, "picture.too_big", arg_limit("max", c->limits.picture_bytes));
    if (!picture_look(data, &look))
        return err_say(e, RC_UNSUPPORTED, "picture.no_picture");
    *out = (struct picture){.media_type = look.media_type,
        .width = look.width,
        .height = look.height,
        .bytes = (int64_t)data.len};
    return RC_OK;
}

enum rc picture_store(struct store *s, const struct config *c, struct arena *a, int64_t owner,
    struct str data, struct picture *out, struct err *e)
{
    enum rc rc = picture_check(c, data, out, e);
    if (rc != RC_OK)
        return rc;
    struct adding t = {.config = c, .a = a, .owner = owner, .data = data, .picture = out};
    return store_write(s, add_tx, &t, e);
}

struct str picture_text(struct arena *a, const struct lang *l, const struct message *m)
{
    if (!m->pictures_n)
        return m->text;
    AUTO_STRBUF out;
    strbuf_init(&out, m->text.len + PICTURES_PER_MESSAGE * WORDS_MAX);
    for (size_t i = 0; i < m->pictures_n; i++) {
        const struct picture *p = &m->pictures[i];
        strbuf_adds(&out, i ? "\n\n" : "");
        lang_add(&out, l, "picture.words",
            LANG_ARGS(
                {"width", arena_printf(a, "%d", p->width)}, {"height", arena_printf(a, "%d", p->height)}));
    }
    strbuf_adds(&out, m->text.len ? "\n\n" : "");
    strbuf_addstr(&out, m->text);
    return arena_str(a, strbuf_str(&out));
}

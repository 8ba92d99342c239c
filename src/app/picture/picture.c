#include "app/picture/picture.h"

#include "base/clock.h"
#include "codec/picture.h"

struct adding {
    struct arena *a;
    int64_t owner;
    struct str data;
    struct picture *picture;
};

static enum rc add_tx(struct db *db, void *arg, struct err *e)
{
    const struct adding *t = arg;
    return store_picture_add(db, t->a, t->owner, t->picture, t->data, clock_wall_ms(), e);
}

enum rc picture_store(struct store *s, const struct config *c, struct arena *a, int64_t owner,
    struct str data, struct picture *out, struct err *e)
{
    struct picture_look look;
    if ((int64_t)data.len > c->limits.picture_bytes)
        return err_say(
            e, RC_TOO_BIG, "picture.too_big", arg_int("max", c->limits.picture_bytes / (1024 * 1024)));
    if (!picture_look(data, &look))
        return err_say(e, RC_UNSUPPORTED, "picture.no_picture");
    *out = (struct picture){.media_type = look.media_type,
        .width = look.width,
        .height = look.height,
        .bytes = (int64_t)data.len};
    struct adding t = {.a = a, .owner = owner, .data = data, .picture = out};
    return store_write(s, add_tx, &t, e);
}

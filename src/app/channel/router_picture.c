/* Pictures of messages. The intake fetches them before the messages are processed. */
#include "app/account/channel_identity.h"
#include "app/channel/router_private.h"
#include "app/picture/picture.h"

struct finding {
    const struct incoming *in;
    struct arena *a;
    int64_t user; /* 0: a stranger */
};

static enum rc find_user(struct db *db, void *arg, struct err *e)
{
    struct finding *f = arg;
    return channel_identity_find(db, f->a, f->in->driver->name, f->in->u.sender, &f->user, e);
}

enum rc router_takes_pictures(
    struct router *r, const struct incoming *first, bool *takes, size_t *max, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct finding f = {.in = first, .a = a};
    enum rc rc = store_with_reader(r->set.store, find_user, &f, e);
    *takes = rc == RC_OK && f.user;
    *max = (size_t)r->set.config->limits.picture_bytes;
    return rc;
}

enum rc router_store_picture(
    struct router *r, struct incoming *in, struct arena *a, struct str data, struct err *e)
{
    struct finding f = {.in = in, .a = a};
    struct picture picture;
    struct err why = ERR_INIT;
    enum rc rc = store_with_reader(r->set.store, find_user, &f, e);
    if (rc != RC_OK || !f.user) /* unlinked meanwhile: the router tells a stranger */
        return rc;
    rc = picture_store(r->set.store, r->set.config, a, f.user, data, &picture, &why);
    if (rc == RC_OK)
        in->picture = picture.pub;
    else if (rc == RC_TOO_BIG || rc == RC_UNSUPPORTED || rc == RC_CONFLICT)
        in->picture_error = arena_strdup(a, err_stored(&why));
    else
        return err_set(e, rc, "storing a picture: %s", why.text);
    return RC_OK;
}

const char *route_pictures(const struct route *c)
{
    const char *all = NULL;
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i]->picture)
            all = arena_printf(c->a, "%s%s%s", all ? all : "", all ? " " : "", c->in[i]->picture);
    return all;
}

const char *route_pictures_error(const struct route *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (c->in[i]->picture_error)
            return c->in[i]->picture_error;
    return NULL;
}

enum rc route_say_pictures(struct db *db, const struct route *c, struct err *e)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->in[i]->u.picture != NULL;
    return n > PICTURES_PER_MESSAGE
               ? route_say(db, c, "channel.many_pictures",
                     LANG_ARGS({"max", arena_printf(c->a, "%d", PICTURES_PER_MESSAGE)}), ROUTE_SILENT, e)
               : RC_OK;
}

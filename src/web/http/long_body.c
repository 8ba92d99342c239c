#include "web/http/long_body.h"

#include "base/clock.h"
#include "web/fcgi/fcgi.h"
#include "web/http/web.h"

#define PIECE ((size_t)64 * 1024)

static bool take_share(struct long_bodies *of, size_t bytes, size_t most)
{
    pthread_mutex_lock(&of->lock);
    bool fits = of->used + bytes <= most;
    if (fits)
        of->used += bytes;
    pthread_mutex_unlock(&of->lock);
    return fits;
}

static void shrink_share(struct long_body_share *s, size_t bytes)
{
    pthread_mutex_lock(&s->of->lock);
    s->of->used -= s->bytes - bytes;
    pthread_mutex_unlock(&s->of->lock);
    s->bytes = bytes;
}

void long_body_return(struct long_body_share *s)
{
    if (s->bytes)
        shrink_share(s, 0);
    s->of = NULL;
}

struct long_body_share long_body_keep(struct req *r)
{
    struct long_body_share s = r->long_share;
    r->long_share = (struct long_body_share){0};
    return s;
}

void long_body_leave(struct req *r)
{
    strbuf_release(&r->long_body);
    long_body_return(&r->long_share);
}

static enum rc too_long(const struct long_body_limit *limit, struct err *e)
{
    return err_say(e, RC_TOO_BIG, limit->key, arg_limit("max", limit->bytes));
}

static enum rc enter(struct req *r, const struct long_body_limit *limit, size_t length, struct err *e)
{
    size_t most = (size_t)limit->bytes;
    if (length > most)
        return too_long(limit, e);
    if (!take_share(&r->web->long_bodies, length, (size_t)limit->times * most)) {
        if (e)
            e->retry_after_s = LONG_BODIES_RETRY_S;
        return err_say(e, RC_UNAVAILABLE, "error.server_busy");
    }
    r->long_share = (struct long_body_share){&r->web->long_bodies, length};
    return RC_OK;
}

/* Reads at most `most` bytes until fcgi_read_piece() has seen the end, so that the connection can be handed
 * over. */
static enum rc read_all(struct req *r, const struct long_body_limit *limit, size_t most, struct err *e)
{
    AUTO_FREE char *piece = xmalloc(PIECE);
    int64_t since = clock_mono_ms();
    size_t n;
    strbuf_init(&r->long_body, most + 1);
    while ((n = fcgi_read_piece(r->fcgi, piece, PIECE)) > 0) {
        strbuf_add(&r->long_body, piece, n);
        if (r->long_body.failed)
            return too_long(limit, e);
        if (!fcgi_rate_kept(since, (int64_t)r->long_body.len, FCGI_RATE_THREAD))
            return err_say(e, RC_BAD_INPUT, "upload.slow");
    }
    return fcgi_body_ended(r->fcgi) ? RC_OK : err_say(e, RC_BAD_INPUT, "upload.incomplete");
}

/* Without a length (chunked) the share is that of the longest body until the end is known. */
enum rc long_body_read(struct req *r, const struct long_body_limit *limit, struct str *out, struct err *e)
{
    const char *length = req_param(r, "CONTENT_LENGTH");
    int64_t n = 0;
    if (!length || !str_to_int(str_of(length), 1, INT64_MAX, &n))
        n = limit->bytes;
    enum rc rc = enter(r, limit, (size_t)n, e);
    if (rc == RC_OK)
        rc = read_all(r, limit, (size_t)n, e);
    if (rc == RC_OK)
        shrink_share(&r->long_share, r->long_body.len);
    *out = strbuf_str(&r->long_body);
    return rc;
}

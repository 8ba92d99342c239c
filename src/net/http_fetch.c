/* One request on a loop of its own, for programs without a loop. */
#include "net/http.h"

#include <sys/epoll.h>

struct fetch {
    struct loop *loop;
    struct strbuf *out;
    int status;
    enum rc rc;
    struct err err;
};

static void fetch_status(void *arg, int status, int retry_after_s)
{
    struct fetch *f = arg;
    (void)retry_after_s;
    f->status = status;
}

static bool fetch_data(void *arg, struct str piece)
{
    struct fetch *f = arg;
    strbuf_addstr(f->out, piece);
    return true;
}

static void fetch_done(void *arg, enum rc rc, const struct err *e)
{
    struct fetch *f = arg;
    f->rc = rc;
    f->err = *e;
    loop_stop(f->loop);
}

static void fetch_stop(void *arg, uint32_t events)
{
    struct fetch *f = arg;
    (void)events;
    f->rc = err_set(&f->err, RC_CANCELLED, "the program is stopping");
    loop_stop(f->loop);
}

enum rc http_fetch(const struct http_request *r, const char *const *allowed, size_t allowed_n, int *status,
    struct strbuf *out, struct err *e)
{
    static const struct http_callbacks cb = {
        .on_status = fetch_status, .on_data = fetch_data, .on_done = fetch_done};
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL; /* freed before the loop */
    struct http_call *call;
    struct fetch f = {.out = out};
    enum rc rc = loop_new(&l, e);
    if (rc)
        return rc;
    c = http_client_new(l, allowed, allowed_n);
    f.loop = l;
    if ((rc = http_start(c, r, &cb, &f, &call, e)))
        return rc;
    struct loop_watch *stop = NULL;
    if (r->stop_fd && (rc = loop_watch_new(l, r->stop_fd, EPOLLIN, fetch_stop, &f, &stop, e)))
        return rc;
    loop_run(l);
    loop_watch_free(stop);
    *status = f.status;
    if (f.rc && e)
        *e = f.err;
    if (!f.rc && out->failed)
        return err_set(e, RC_TOO_BIG, "the answer is longer than the caller's buffer");
    return f.rc;
}

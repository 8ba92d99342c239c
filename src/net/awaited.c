#include "net/awaited.h"

void awaited_start(struct awaited_client *c, struct awaited *w, loop_fn *done, void *arg)
{
    w->client = c;
    w->done = done;
    w->arg = arg;
    if (running_enter(&c->running, &w->running, w->owner))
        c->start(w);
    else
        awaited_fail(w, RC_RATE_LIMITED, c->busy);
}

void awaited_cancel(struct awaited *w)
{
    if (w->running.list)
        w->client->cancel(w);
}

void awaited_refuse(struct awaited *w, const char *why)
{
    w->rc = err_tell(err_kept(&w->err), RC_RATE_LIMITED, "%s", why);
    w->ended = true;
}

void awaited_client_free(struct awaited_client *c)
{
    if (c)
        c->free(c);
}

enum rc awaited_failed(const struct awaited *w, struct err *e)
{
    if (e)
        *e = *w->err;
    return w->rc;
}

void awaited_end(struct awaited *w, enum rc rc)
{
    w->rc = rc;
    w->ended = true;
    running_leave(&w->running);
    loop_post(w->client->loop, w->done, w->arg);
}

void awaited_fail(struct awaited *w, enum rc rc, const char *why)
{
    awaited_end(w, err_tell(err_kept(&w->err), rc, "%s", why));
}

void awaited_release(struct awaited *w)
{
    err_drop(&w->err);
}

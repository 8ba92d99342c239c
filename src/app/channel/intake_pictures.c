/*
 * The pictures of messages. They are fetched one after the other on the loop, and each is stored by the pool
 * as soon as it is there. The items keep the result, so an attempt that is repeated fetches none twice. A
 * crash between storing and the end of the update leaves a picture without a message, which the sweep
 * removes.
 */
#include "app/channel/intake_private.h"
#include "base/clock.h"
#include "store/message/picture.h"

static void fetch(struct queue *q);

static bool asks(const struct channel_update *u)
{
    return u->kind == UPDATE_MESSAGE && !u->is_command && u->addressed;
}

/* The first message of `run` whose picture is not there yet. NULL: none, or one cannot be had. */
static struct item *next_picture(const struct queue *q)
{
    struct item *x = q->items.first;
    size_t pictures = 0;
    for (size_t n = 0; n < q->run_n; n++, x = x->next) {
        if (x->in.picture_error)
            return NULL;
        if (!x->in.u.picture)
            continue;
        if (++pictures > PICTURES_PER_MESSAGE)
            return NULL;
        if (!x->in.picture)
            return x;
    }
    return NULL;
}

/* ---- storing ---- */

static void store_picture(void *arg)
{
    struct queue *q = arg;
    q->err = err_none();
    q->rc =
        router_store_picture(q->all->set.router, &q->with->in, q->with->arena, strbuf_str(&q->data), &q->err);
}

static void stored(void *arg)
{
    struct queue *q = arg;
    q->all->running--;
    strbuf_release(&q->data);
    q->unreachable_since = 0;
    if (q->rc != RC_OK)
        intake_queue_ended(q);
    else if (!q->with->in.picture && !q->with->in.picture_error)
        intake_queue_run(q);
    else
        fetch(q);
}

/* ---- fetching ---- */

/* The message ends with a sentence. */
static void refuse(struct queue *q, const char *key, struct said_args args)
{
    q->with->in.picture_error = said_new(q->with->arena, key, args);
    q->unreachable_since = 0;
    intake_queue_run(q);
}

static void refuse_large(struct queue *q)
{
    refuse(q, "picture.too_big", SAID_ARGS(arg_int("max", (int64_t)q->max / (1024 * 1024))));
}

static void refuse_gone(struct queue *q, const char *why)
{
    const struct incoming *in = &q->with->in;
    log_warn("a picture of update %s of %s is given up: %s", in->row.update_id, in->row.channel, why);
    refuse(q, "channel.picture_gone", SAID_ARGS(arg_text("channel", in->driver->label)));
}

static void fetch_later(struct queue *q, const struct channel_fetched *f)
{
    int64_t now = clock_mono_ms();
    if (!q->unreachable_since)
        q->unreachable_since = now;
    int64_t limit = q->all->set.fetch_ms ? q->all->set.fetch_ms : INTAKE_FETCH_MS;
    if (now - q->unreachable_since >= limit) {
        refuse_gone(q, f->detail);
        return;
    }
    q->err = err_none();
    q->rc = err_set(&q->err, RC_UNAVAILABLE, "a picture cannot be fetched: %s", f->detail);
    q->wait_ms = f->wait_ms;
    intake_queue_ended(q);
}

static void fetch_waiting(struct intake *i)
{
    for (struct queue *q = i->queues; q; q = q->next)
        if (q->waits) {
            q->waits = false;
            fetch(q);
            return;
        }
}

static void fetched(void *arg, const struct channel_fetched *f)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    i->fetching--;
    if (i->stopping)
        return;
    switch (f->outcome) {
    case FETCH_DONE:
        strbuf_init(&q->data, f->data.len);
        strbuf_addstr(&q->data, f->data);
        intake_queue_submit(q, store_picture, stored);
        break;
    case FETCH_LATER: fetch_later(q, f); break;
    case FETCH_GONE: refuse_gone(q, f->detail); break;
    case FETCH_TOO_BIG: refuse_large(q); break;
    }
    fetch_waiting(i);
}

static void fetch(struct queue *q)
{
    struct intake *i = q->all;
    q->with = next_picture(q);
    if (i->stopping) {
        intake_check_idle(i);
    } else if (!q->with) {
        intake_queue_run(q);
    } else if (q->with->in.u.picture_bytes > (int64_t)q->max) {
        refuse_large(q);
    } else if (i->fetching == INTAKE_FETCHES_MAX) {
        q->waits = true;
    } else {
        i->fetching++;
        q->with->in.driver->fetch(q->with->in.driver->self, q->with->in.u.picture, q->max, fetched, q);
    }
}

/* ---- whether ---- */

static void look_whether(void *arg)
{
    struct queue *q = arg;
    q->err = err_none();
    q->rc = router_takes_pictures(q->all->set.router, q->run[0], &q->takes, &q->max, &q->err);
}

static void looked(void *arg)
{
    struct queue *q = arg;
    q->all->running--;
    if (q->rc != RC_OK)
        intake_queue_ended(q);
    else if (q->takes)
        fetch(q);
    else
        intake_queue_run(q);
}

void intake_pictures(struct queue *q)
{
    if (asks(&q->run[0]->u) && next_picture(q) && !intake_queue_gives_up(q))
        intake_queue_submit(q, look_whether, looked);
    else
        intake_queue_run(q);
}

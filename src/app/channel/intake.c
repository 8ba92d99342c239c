#include "app/channel/intake_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/fs.h"

void intake_items_add(struct items *l, struct item *x)
{
    if (!l->first)
        l->last = &l->first;
    x->next = NULL;
    *l->last = x;
    l->last = &x->next;
    l->n++;
}

struct item *intake_items_take(struct items *l)
{
    struct item *x = l->first;
    l->first = x->next;
    l->n--;
    return x;
}

void intake_item_free(struct intake *i, struct item *x)
{
    i->items_n--;
    i->bytes -= x->in.row.body.len;
    arena_free(x->in.ran_arena);
    arena_free(x->arena);
}

void intake_posted(const struct intake *i)
{
    if (i->set.posted)
        i->set.posted(i->set.posted_arg);
}

void intake_check_idle(struct intake *i)
{
    if (i->idle && !i->looking && !i->running) {
        loop_fn *idle = i->idle;
        i->idle = NULL;
        idle(i->idle_arg);
    }
}

/* ---- looking for updates ---- */

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct intake *i = arg;
    return store_inbox_claim(db, i->arena, i->seen, (int)i->limit, &i->rows, &i->rows_n, e);
}

static enum rc claim(struct intake *i, struct err *e)
{
    bool any = false;
    struct db *db = store_read(i->set.store);
    enum rc rc = store_inbox_any(db, i->seen, &any, e);
    store_read_done(i->set.store, db);
    if (rc == RC_OK && any) /* lazy: a power failure may lose a count of attempts */
        rc = store_write_lazy(i->set.store, claim_tx, i, e);
    if (rc != RC_OK)
        i->rows_n = 0;
    return rc;
}

/* A failure of router_tell() does not delay the updates that were read. */
static void look(void *arg)
{
    struct intake *i = arg;
    i->err = err_none();
    i->rc = i->limit ? claim(i, &i->err) : RC_OK;
    if (i->rc == RC_OK)
        i->rc = router_tell(i->set.router, &i->told, &i->err);
}

static const struct channel_driver *driver_of(const struct intake *i, const char *channel)
{
    for (size_t n = 0; n < i->set.drivers_n; n++)
        if (strcmp(i->set.drivers[n].name, channel) == 0)
            return &i->set.drivers[n];
    return NULL;
}

/* Strings that a driver has left out become empty, so that the router need not check for NULL. */
static void fill(struct channel_update *u)
{
    const char **texts[] = {&u->place.chat, &u->place.thread, &u->message, &u->sender, &u->sender_name,
        &u->press, &u->data, &u->moved_to};
    for (size_t n = 0; n < ARRAY_LEN(texts); n++)
        if (!*texts[n])
            *texts[n] = "";
    if (!u->text.s)
        u->text = STR("");
}

static void take(struct intake *i, const struct inbox_row *row)
{
    const struct channel_driver *d = driver_of(i, row->channel);
    if (!d) /* switched off: the update stays */
        return;
    struct arena *a = arena_new();
    struct item *x = ARENA_NEW(a, struct item);
    x->arena = a;
    x->in.driver = d;
    x->in.row = *row;
    x->in.row.channel = arena_strdup(a, row->channel);
    x->in.row.bot = arena_strdup(a, row->bot);
    x->in.row.update_id = arena_strdup(a, row->update_id);
    x->in.row.body = arena_str(a, row->body);
    if (!d->read(d->self, a, x->in.row.body, &x->in.u))
        x->in.u = (struct channel_update){.kind = UPDATE_OTHER};
    fill(&x->in.u);
    router_leave_out(i->set.router, &x->in.u);
    i->items_n++;
    i->bytes += row->body.len;
    intake_items_add(&i->held, x);
}

static void looked(void *arg)
{
    struct intake *i = arg;
    int64_t wait = INTAKE_POLL_MS;
    i->looking = false;
    for (size_t n = 0; n < i->rows_n; n++)
        take(i, &i->rows[n]);
    if (i->rows_n)
        i->seen = i->rows[i->rows_n - 1].id;
    if (i->rc == RC_OK) {
        log_repeat_end(&i->errors, "reading the inbox");
        backoff_reset(&i->retry);
        i->again = i->again || i->rows_n > 0;
    } else {
        log_repeat(&i->errors, LOG_ERROR, "reading the inbox: %s: %s", rc_name(i->rc), i->err.text);
        wait = backoff_next(&i->retry);
        i->again = false;
    }
    arena_free(i->arena);
    i->arena = NULL;
    if (i->told)
        intake_posted(i);
    /* after a full read the next updates may belong to the last message */
    if (i->rows_n < INTAKE_CLAIM_MAX || i->rc != RC_OK)
        intake_distribute(i);
    if (i->again)
        intake_look(i);
    else
        loop_timer_set(i->timer, wait);
    intake_check_idle(i);
}

void intake_look(struct intake *i)
{
    if (i->stopping)
        return;
    if (i->looking) {
        i->again = true;
        return;
    }
    for (struct queue *q = i->queues; q; q = q->next)
        if (q->edits && q->state == QUEUE_RETRIES) /* a turn may have ended */
            loop_timer_set(q->timer, 0);
    i->full = i->items_n >= INTAKE_ITEMS_MAX || i->bytes >= INTAKE_BYTES_MAX;
    size_t room = i->full ? 0 : INTAKE_ITEMS_MAX - i->items_n;
    i->limit = room < INTAKE_CLAIM_MAX ? room : INTAKE_CLAIM_MAX;
    i->looking = true;
    i->again = i->told = false;
    i->rows_n = 0;
    i->arena = arena_new();
    thread_pool_submit(i->pool, look, looked, i);
}

static void timer(void *arg)
{
    intake_look(arg);
}

enum rc intake_new(const struct intake_setup *s, struct intake **out, struct err *e)
{
    struct intake *i = xcalloc(1, sizeof *i);
    i->set = *s;
    i->retry = INTAKE_RETRY;
    i->timer = loop_timer_new(s->loop, timer, i);
    i->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum rc rc = i->stop_fd < 0 ? err_set(e, RC_UNAVAILABLE, "eventfd: %s", strerror(errno))
                                : thread_pool_new(s->loop, INTAKE_THREADS, &i->pool, e);
    if (rc != RC_OK) {
        intake_free(i);
        return rc;
    }
    *out = i;
    loop_timer_set(i->timer, 0); /* not now: a loop that never runs leaves no task that uses `i` */
    return RC_OK;
}

void intake_stop(struct intake *i, loop_fn *idle, void *arg)
{
    i->stopping = true;
    i->idle = idle;
    i->idle_arg = arg;
    eventfd_write(i->stop_fd, 1);
    loop_timer_set(i->timer, -1);
    intake_check_idle(i);
}

void intake_free(struct intake *i)
{
    if (!i)
        return;
    thread_pool_free(i->pool);
    while (i->queues)
        intake_queue_free(i->queues);
    http_client_free(i->http);
    while (i->held.first)
        intake_item_free(i, intake_items_take(&i->held));
    notices_release(&i->notices);
    loop_timer_free(i->timer);
    fs_close(&i->stop_fd);
    free(i);
}

#include "app/channel/intake.h"

#include <stdlib.h>

#include "app/channel/notices.h"
#include "app/channel/quiet.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "net/thread_pool.h"

/* An update in memory; `arena` has all of it. */
struct item {
    struct item *next;
    struct arena *arena;
    struct incoming in;
};

struct items {
    struct item *first, **last;
    size_t n;
};

/* `run` to `rc` belong to the pool's thread while `running`. */
struct queue {
    struct queue *next;
    struct intake *all;
    char *key;
    bool edits; /* edits of one message that wait for the end of a turn */
    struct items items;
    struct loop_timer *timer;
    struct backoff retry;
    int64_t retry_at; /* clock_mono_ms(); 0: no failure */
    int failures;     /* of the first update, for a reason that does not pass */
    struct err why;   /* the last one */

    bool running;
    struct incoming *run[QUIET_PIECES];
    size_t run_n;
    struct arena *arena;
    struct routed routed;
    struct err err;
    enum rc rc;
};

struct intake {
    struct intake_setup set;
    struct thread_pool *pool;
    struct queue *queues;
    struct items held; /* not in a queue yet */
    struct notices notices;
    size_t items_n, busy, bytes; /* in memory; in queues of chats; bytes of the bodies */
    bool moving;                 /* an update that moves a chat is in its queue */
    int64_t seen;                /* the last id that was read */

    bool looking, again, full; /* a look runs; another is to follow; memory is full */
    struct loop_timer *timer;
    struct backoff retry;
    struct log_repeat errors;
    /* of the look that runs */
    struct arena *arena;
    struct inbox_row *rows;
    size_t rows_n, limit;
    bool told;
    struct err err;
    enum rc rc;

    bool stopping;
    loop_fn *idle;
    void *idle_arg;
    size_t running;
};

static const struct backoff first_retry = {.first_ms = INTAKE_RETRY_FIRST_MS, .max_ms = INTAKE_RETRY_MAX_MS};

static void items_add(struct items *l, struct item *x)
{
    if (!l->first)
        l->last = &l->first;
    x->next = NULL;
    *l->last = x;
    l->last = &x->next;
    l->n++;
}

static struct item *items_take(struct items *l)
{
    struct item *x = l->first;
    l->first = x->next;
    l->n--;
    return x;
}

static void item_free(struct intake *i, struct item *x)
{
    i->items_n--;
    i->bytes -= x->in.row.body.len;
    arena_free(x->arena);
}

static void posted(const struct intake *i)
{
    if (i->set.posted)
        i->set.posted(i->set.posted_arg);
}

static void check_idle(struct intake *i)
{
    if (i->idle && !i->looking && !i->running) {
        loop_fn *idle = i->idle;
        i->idle = NULL;
        idle(i->idle_arg);
    }
}

/* ---- queues ---- */

static void queue_step(struct queue *q);
static void distribute(struct intake *i);

static void queue_timer(void *arg)
{
    struct queue *q = arg;
    q->retry_at = 0;
    queue_step(q);
}

static struct queue *find_queue(struct intake *i, const char *key)
{
    for (struct queue *q = i->queues; q; q = q->next)
        if (strcmp(q->key, key) == 0)
            return q;
    return NULL;
}

static struct queue *queue_new(struct intake *i, const char *key, bool edits)
{
    struct queue *q = xcalloc(1, sizeof *q);
    *q = (struct queue){
        .next = i->queues, .all = i, .key = xstrdup(key), .edits = edits, .retry = first_retry};
    q->timer = loop_timer_new(i->set.loop, queue_timer, q);
    i->queues = q;
    return q;
}

static void queue_free(struct queue *q)
{
    struct queue **at = &q->all->queues;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    while (q->items.first)
        item_free(q->all, items_take(&q->items));
    loop_timer_free(q->timer);
    free(q->key);
    free(q);
}

static const char *chat_key(struct arena *a, const struct incoming *in)
{
    return arena_printf(a, "%s\n%s\n%s", in->row.channel, in->u.place.chat, in->u.place.thread);
}

static const char *edit_key(struct arena *a, const struct incoming *in)
{
    return arena_printf(a, "%s\n%s\nedit\n%s", in->row.channel, in->u.place.chat, in->u.message);
}

static void queue_add(struct intake *i, struct item *x)
{
    struct queue *q = NULL;
    if (x->in.u.kind == UPDATE_EDITED) /* behind earlier edits of the same message */
        q = find_queue(i, edit_key(x->arena, &x->in));
    if (!q) {
        const char *key = chat_key(x->arena, &x->in);
        q = find_queue(i, key);
        if (!q)
            q = queue_new(i, key, false);
    }
    items_add(&q->items, x);
    i->busy += !q->edits;
}

static size_t take_bundle(const struct queue *q, int64_t *wait_ms)
{
    struct quiet_piece pieces[QUIET_PIECES];
    const struct channel_update *first = &q->items.first->in.u;
    size_t n = 0;
    for (struct item *x = q->items.first; x && n < QUIET_PIECES; x = x->next) {
        const struct channel_update *u = &x->in.u;
        pieces[n++] = (struct quiet_piece){.received_at = x->in.row.received_at,
            .joins = u->kind == UPDATE_MESSAGE && !u->is_command && strcmp(u->sender, first->sender) == 0,
            .for_us = u->addressed,
            .may_go_on = (int64_t)utf8_utf16_len(u->text) >= x->in.driver->piece_chars - QUIET_SLACK};
    }
    return q->failures ? 1 : quiet_take(pieces, n, clock_wall_ms(), wait_ms);
}

/* ---- on the pool ---- */

static enum rc give_up(const struct queue *q, struct err *e)
{
    struct err often = ERR_INIT;
    if (q->why.rc == RC_OK)
        err_set(&often, RC_INTERNAL, "the program ended again and again while it was processed");
    return router_give_up(q->all->set.router, q->run[0], q->why.rc == RC_OK ? &often : &q->why, e);
}

static void run(void *arg)
{
    struct queue *q = arg;
    struct router *r = q->all->set.router;
    const struct incoming *first = q->run[0];
    q->err = err_none();
    q->routed.acts = false;
    if (q->failures >= INTAKE_FAILURES_MAX || first->row.attempts > INTAKE_ATTEMPTS_MAX)
        q->rc = give_up(q, &q->err);
    else if (q->edits && clock_wall_ms() - first->row.received_at > INTAKE_EDIT_MS)
        q->rc = router_drop(r, first, "its session had no rest", &q->err);
    else
        q->rc = router_run(r, q->run, q->run_n, q->arena, &q->routed, &q->err);
}

/* ---- on the loop ---- */

/* A failure that passes by itself; nothing is wrong with the update. */
static bool passes(enum rc rc)
{
    return rc == RC_UNAVAILABLE || rc == RC_IO || rc == RC_TIMEOUT;
}

static void try_later(struct queue *q)
{
    int64_t wait = backoff_next(&q->retry);
    q->retry_at = clock_mono_ms() + wait;
    loop_timer_set(q->timer, wait);
}

/* An edit, while a turn runs: what follows it in its chat goes on. */
static void set_aside(struct queue *q)
{
    struct intake *i = q->all;
    struct item *x = items_take(&q->items);
    const char *key = edit_key(x->arena, &x->in);
    struct queue *to = find_queue(i, key);
    i->busy--;
    if (!to)
        to = queue_new(i, key, true);
    items_add(&to->items, x);
    if (!to->running && !to->retry_at)
        try_later(to);
}

static void failed(struct queue *q)
{
    const struct incoming *first = q->run[0];
    if (q->rc == RC_CONFLICT && first->u.kind == UPDATE_EDITED && !q->edits) {
        set_aside(q);
        return;
    }
    if (!passes(q->rc) && !(q->edits && q->rc == RC_CONFLICT)) {
        q->failures++;
        q->why = q->err;
    }
    if (!(q->edits && q->rc == RC_CONFLICT))
        log_warn("update %s of %s waits: %s: %s", first->row.update_id, first->row.channel, rc_name(q->rc),
            q->err.text);
    try_later(q);
}

static void done(struct queue *q)
{
    struct intake *i = q->all;
    for (size_t n = 0; n < q->run_n; n++) {
        struct item *x = items_take(&q->items);
        i->moving = i->moving && x->in.u.kind != UPDATE_MOVED;
        i->busy -= !q->edits;
        item_free(i, x);
    }
    q->failures = 0;
    q->why = err_none();
    backoff_reset(&q->retry);
}

static void ran(void *arg)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    q->running = false;
    i->running--;
    if (q->rc == RC_OK && q->routed.acts)
        notice_send(&i->notices, q->run[0]->driver, &q->routed.action, q->arena);
    else
        arena_free(q->arena);
    q->arena = NULL;
    if (q->rc == RC_OK)
        done(q);
    else
        failed(q);
    if (q->items.first)
        queue_step(q);
    else
        queue_free(q);
    posted(i);
    distribute(i);
    if (i->full)
        intake_look(i);
    check_idle(i);
}

static void queue_step(struct queue *q)
{
    struct intake *i = q->all;
    int64_t wait = 0;
    if (i->stopping || q->running || q->retry_at || !q->items.first)
        return;
    size_t n = take_bundle(q, &wait);
    if (n == 0) {
        loop_timer_set(q->timer, wait);
        return;
    }
    loop_timer_set(q->timer, -1);
    struct item *x = q->items.first;
    for (q->run_n = 0; q->run_n < n; x = x->next)
        q->run[q->run_n++] = &x->in;
    q->running = true;
    i->running++;
    q->arena = arena_new();
    thread_pool_submit(i->pool, run, ran, q);
}

/* Passes updates to their queues, all before the first is processed, so that those which belong together
 * meet. One that moves a chat is alone in the queues. */
static void distribute(struct intake *i)
{
    bool any = false;
    while (i->held.first && !i->moving) {
        bool moves = i->held.first->in.u.kind == UPDATE_MOVED;
        if (moves && i->busy)
            break;
        i->moving = moves;
        queue_add(i, items_take(&i->held));
        any = true;
    }
    for (struct queue *q = any ? i->queues : NULL; q; q = q->next)
        queue_step(q);
}

/* ---- looking for updates ---- */

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct intake *i = arg;
    return store_inbox_claim(db, i->arena, i->seen, (int)i->limit, &i->rows, &i->rows_n, e);
}

static void look(void *arg)
{
    struct intake *i = arg;
    bool any = false;
    i->err = err_none();
    i->rc = router_tell(i->set.router, &i->told, &i->err);
    if (i->rc != RC_OK || i->limit == 0)
        return;
    struct db *db = store_read(i->set.store);
    i->rc = store_inbox_any(db, i->seen, &any, &i->err);
    store_read_done(i->set.store, db);
    if (i->rc == RC_OK && any) /* a count of attempts may be lost with the power */
        i->rc = store_write_lazy(i->set.store, claim_tx, i, &i->err);
}

static const struct channel_driver *driver_of(const struct intake *i, const char *channel)
{
    for (size_t n = 0; n < i->set.drivers_n; n++)
        if (strcmp(i->set.drivers[n].name, channel) == 0)
            return &i->set.drivers[n];
    return NULL;
}

/* The strings that a driver left out are empty, so that nobody needs to ask. */
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
    x->in.row.body.s = arena_strndup(a, row->body.s, row->body.len);
    if (!d->read(d->self, a, x->in.row.body, &x->in.u))
        x->in.u = (struct channel_update){.kind = UPDATE_OTHER};
    fill(&x->in.u);
    i->items_n++;
    i->bytes += row->body.len;
    items_add(&i->held, x);
}

static void looked(void *arg)
{
    struct intake *i = arg;
    int64_t wait = INTAKE_POLL_MS;
    i->looking = false;
    if (i->rc == RC_OK) {
        log_repeat_end(&i->errors, "reading the inbox");
        backoff_reset(&i->retry);
        for (size_t n = 0; n < i->rows_n; n++)
            take(i, &i->rows[n]);
        if (i->rows_n) {
            i->seen = i->rows[i->rows_n - 1].id;
            i->again = true;
        }
    } else {
        log_repeat(&i->errors, LOG_ERROR, "reading the inbox: %s: %s", rc_name(i->rc), i->err.text);
        wait = backoff_next(&i->retry);
        i->again = false;
    }
    arena_free(i->arena);
    i->arena = NULL;
    if (i->told)
        posted(i);
    if (i->rows_n < INTAKE_CLAIM_MAX) /* else the next may belong to the last ones */
        distribute(i);
    if (i->again)
        intake_look(i);
    else
        loop_timer_set(i->timer, wait);
    check_idle(i);
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
        if (q->edits && q->retry_at && !q->running) /* a turn may have ended */
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
    i->retry = first_retry;
    i->timer = loop_timer_new(s->loop, timer, i);
    enum rc rc = thread_pool_new(s->loop, INTAKE_THREADS, &i->pool, e);
    if (rc != RC_OK) {
        intake_free(i);
        return rc;
    }
    *out = i;
    intake_look(i);
    return RC_OK;
}

void intake_stop(struct intake *i, loop_fn *idle, void *arg)
{
    i->stopping = true;
    i->idle = idle;
    i->idle_arg = arg;
    loop_timer_set(i->timer, -1);
    check_idle(i);
}

void intake_free(struct intake *i)
{
    if (!i)
        return;
    thread_pool_free(i->pool);
    while (i->queues)
        queue_free(i->queues);
    while (i->held.first)
        item_free(i, items_take(&i->held));
    notices_release(&i->notices);
    loop_timer_free(i->timer);
    free(i);
}

/* The queues of the intake: one for each chat and thread, and one for each message whose edits wait. */
#include "app/channel/file_kind.h"
#include "app/channel/intake_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void queue_step(struct queue *q);

static void queue_timer(void *arg)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    if (q->state == QUEUE_LISTENS) {
        intake_voice_typing(q);
        return;
    }
    q->state = QUEUE_OPEN;
    queue_step(q);
    intake_distribute(i);
}

static struct queue *find_queue(struct intake *i, const char *key)
{
    for (struct queue *q = i->queues; q; q = q->next)
        if (strcmp(q->key, key) == 0)
            return q;
    return NULL;
}

static struct queue *queue_new(struct intake *i, const char *key)
{
    struct queue *q = xcalloc(1, sizeof *q);
    *q = (struct queue){.next = i->queues, .all = i, .key = xstrdup(key), .retry = INTAKE_RETRY};
    q->timer = loop_timer_new(i->set.loop, queue_timer, q);
    i->queues = q;
    return q;
}

void intake_queue_free(struct queue *q)
{
    struct queue **at = &q->all->queues;
    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    while (q->items.first)
        intake_item_free(q->all, intake_items_take(&q->items));
    loop_timer_free(q->timer);
    strbuf_release(&q->data);
    llm_transcribe_cancel(q->listening);
    arena_free(q->arena); /* of a fetch that was cancelled */
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
    const char *key = chat_key(x->arena, &x->in);
    struct queue *q = find_queue(i, key);
    intake_items_add(&(q ? q : queue_new(i, key))->items, x);
    i->queued_n++;
}

static size_t take_bundle(const struct queue *q, int64_t *wait_ms)
{
    struct quiet_piece pieces[QUIET_PIECES];
    const struct channel_update *first = &q->items.first->in.u;
    size_t n = 0;
    for (struct item *x = q->items.first; x && n < QUIET_PIECES; x = x->next) {
        const struct channel_update *u = &x->in.u;
        pieces[n++] = (struct quiet_piece){.received_at = x->in.row.received_at,
            .sent_at = u->sent_at,
            .joins = u->kind == UPDATE_MESSAGE && !u->is_command && strcmp(u->sender, first->sender) == 0,
            .for_us = u->addressed,
            .may_go_on = u->in_album || channel_units(u) >= x->in.driver->piece_chars - QUIET_SLACK};
    }
    return q->failures ? 1 : quiet_take(pieces, n, clock_wall_ms(), wait_ms);
}

/* ---- on the pool ---- */

static enum rc give_up(const struct queue *q, struct err *e)
{
    struct err often = ERR_INIT;
    enum rc rc = RC_OK;
    if (q->why.rc == RC_OK)
        err_set(&often, RC_INTERNAL, "the program ended again and again while it was processed");
    for (size_t n = 0; rc == RC_OK && n < q->run_n; n++)
        rc = router_give_up(q->all->set.router, q->run[n], q->why.rc == RC_OK ? &often : &q->why, e);
    return rc;
}

/* True when `run` is not attempted again. */
static bool gives_up(const struct queue *q)
{
    return q->failures >= INTAKE_FAILURES_MAX || q->run[0]->row.attempts > INTAKE_ATTEMPTS_MAX;
}

static void run(void *arg)
{
    struct queue *q = arg;
    struct router *r = q->all->set.router;
    const struct incoming *first = q->run[0];
    q->err = err_none();
    q->routed.acts = false;
    if (gives_up(q))
        q->rc = give_up(q, &q->err);
    else if (q->edits && clock_wall_ms() - first->row.received_at > INTAKE_EDIT_MS)
        q->rc = router_drop(r, first, &q->err);
    else
        q->rc = router_run(r, q->run, q->run_n, q->arena, &q->routed, &q->err);
}

/* ---- on the loop ---- */

static void retry_later(struct queue *q)
{
    int64_t wait = backoff_next(&q->retry);
    q->state = QUEUE_RETRIES;
    loop_timer_set(q->timer, wait > q->wait_ms ? wait : q->wait_ms);
    q->wait_ms = 0;
}

/* An edit, while a turn runs: what follows it in its chat goes on. */
static void set_aside(struct queue *q)
{
    struct intake *i = q->all;
    struct item *x = intake_items_take(&q->items);
    const char *key = edit_key(x->arena, &x->in);
    struct queue *to = find_queue(i, key);
    i->queued_n--;
    if (!to)
        to = queue_new(i, key);
    to->edits = true;
    intake_items_add(&to->items, x);
    if (to->state == QUEUE_OPEN)
        retry_later(to);
}

/* Edits of a message keep their order. */
static bool follows_waiting_edit(const struct queue *q)
{
    const struct item *x = q->items.first;
    return !q->edits && x->in.u.kind == UPDATE_EDITED && find_queue(q->all, edit_key(x->arena, &x->in));
}

static void failed(struct queue *q)
{
    const struct incoming *first = q->run[0];
    bool turn_runs = q->rc == RC_CONFLICT && first->u.kind == UPDATE_EDITED;
    if (turn_runs && !q->edits) {
        set_aside(q);
        return;
    }
    if (!turn_runs && !rc_is_temporary(q->rc)) {
        q->failures++;
        q->why = q->err;
    }
    if (!turn_runs)
        log_repeat(&q->errors, LOG_WARN, "update %s of %s waits: %s: %s", first->row.update_id,
            first->row.channel, rc_name(q->rc), q->err.text);
    retry_later(q);
}

static void done(struct queue *q)
{
    struct intake *i = q->all;
    for (size_t n = 0; n < q->run_n; n++) {
        struct item *x = intake_items_take(&q->items);
        i->moving = i->moving && x->in.u.kind != UPDATE_MOVED;
        i->queued_n -= !q->edits;
        intake_item_free(i, x);
    }
    q->failures = 0;
    q->why = err_none();
    q->errors = (struct log_repeat){0}; /* the updates may have been given up, which has its own line */
    backoff_reset(&q->retry);
}

static void attempt_ended(struct queue *q)
{
    struct intake *i = q->all;
    q->state = QUEUE_OPEN;
    if (q->rc == RC_OK && q->routed.acts)
        notice_send(&i->notices, q->run[0]->driver, &q->routed.action, q->arena);
    else if (q->arena != q->run[0]->ran_arena)
        arena_free(q->arena);
    q->arena = NULL;
    if (q->rc == RC_OK)
        done(q);
    else
        failed(q);
    queue_step(q);
    intake_posted(i);
    intake_distribute(i);
    if (i->full)
        intake_look(i);
    intake_check_idle(i);
}

static void work_ended(void *arg)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    bool taken = q->state == QUEUE_TAKES;
    i->running--;
    intake_queue_advance(q);
    if (taken)
        intake_file_taken(i);
}

static void work(struct queue *q, void (*fn)(void *queue))
{
    q->all->running++;
    thread_pool_submit(q->all->pool, fn, work_ended, q);
}

/* After a state that has ended well. */
static enum queue_state next_state(struct queue *q)
{
    switch (q->state) {
    case QUEUE_OPEN: return intake_files_any(q) && !gives_up(q) ? QUEUE_ASKS : QUEUE_RUNS;
    case QUEUE_ASKS: return q->wants ? intake_files_next(q) : QUEUE_RUNS;
    case QUEUE_FETCH_WAITS: return QUEUE_FETCHES;
    case QUEUE_FETCHES:
        return q->with->in.file_problem                   ? QUEUE_RUNS
               : file_kind(q->with->in.u.file.kind)->take ? QUEUE_TAKES
                                                          : QUEUE_LISTENS;
    case QUEUE_LISTENS: return intake_files_next(q);
    case QUEUE_TAKES: /* without a result the person was unlinked meanwhile */
        return q->with->in.file.s || q->with->in.file_problem || !q->with->in.u.file.id ? intake_files_next(q)
                                                                                        : QUEUE_RUNS;
    case QUEUE_RUNS:
    case QUEUE_RETRIES: break;
    }
    return QUEUE_OPEN;
}

void intake_queue_advance(struct queue *q)
{
    if (q->rc != RC_OK || q->state == QUEUE_RUNS) {
        attempt_ended(q);
        return;
    }
    if (q->all->stopping) {
        intake_check_idle(q->all);
        return;
    }
    q->state = next_state(q);
    switch (q->state) {
    case QUEUE_ASKS: work(q, intake_files_ask); break;
    case QUEUE_FETCHES: intake_file_fetch(q); break;
    case QUEUE_TAKES: work(q, intake_file_take); break;
    case QUEUE_LISTENS: intake_voice_listen(q); break;
    case QUEUE_RUNS: work(q, run); break;
    case QUEUE_FETCH_WAITS:
    case QUEUE_OPEN:
    case QUEUE_RETRIES: break;
    }
}

/* Begins an attempt when the next updates of an open queue are due. Frees an empty queue. */
static void queue_step(struct queue *q)
{
    struct intake *i = q->all;
    int64_t wait = 0;
    if (i->stopping || q->state != QUEUE_OPEN)
        return;
    while (q->items.first && follows_waiting_edit(q))
        set_aside(q);
    if (!q->items.first) {
        intake_queue_free(q);
        return;
    }
    size_t n = take_bundle(q, &wait);
    if (n == 0) {
        loop_timer_set(q->timer, wait);
        return;
    }
    loop_timer_set(q->timer, -1);
    struct item *x = q->items.first;
    for (q->run_n = 0; q->run_n < n; x = x->next)
        q->run[q->run_n++] = &x->in;
    q->arena = arena_new();
    q->rc = RC_OK;
    intake_queue_advance(q);
}

void intake_distribute(struct intake *i)
{
    bool any = false;
    while (i->held.first && !i->moving) {
        bool moves = i->held.first->in.u.kind == UPDATE_MOVED;
        if (moves && i->queued_n)
            break;
        i->moving = moves;
        queue_add(i, intake_items_take(&i->held));
        any = true;
    }
    for (struct queue *q = any ? i->queues : NULL, *next; q; q = next) {
        next = q->next;
        queue_step(q);
    }
}

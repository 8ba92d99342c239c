/*
 * The files of messages. They are fetched one after the other on the loop, and each is taken by the pool as
 * soon as it is there. The items keep the result, so an attempt that is repeated fetches none twice.
 */
#include "app/channel/file_kind.h"
#include "app/channel/intake_private.h"
#include "base/clock.h"

static bool asks(const struct channel_update *u)
{
    return u->kind == UPDATE_MESSAGE && !u->is_command && u->addressed;
}

/* The first message of `run` whose file is not there yet. NULL: none, or one cannot be had. */
static struct item *next_file(const struct queue *q)
{
    struct item *x = q->items.first;
    size_t seen[CHANNEL_FILE_KINDS] = {0};
    for (size_t n = 0; n < q->run_n; n++, x = x->next) {
        const struct channel_file *f = &x->in.u.file;
        if (x->in.file_problem)
            return NULL;
        if (f->id && ++seen[f->kind] <= file_kind(f->kind)->per_question && !x->in.file.s)
            return x;
    }
    return NULL;
}

bool intake_files_any(const struct queue *q)
{
    return asks(&q->run[0]->u) && next_file(q);
}

/* ---- on the pool ---- */

void intake_files_ask(void *queue)
{
    struct queue *q = queue;
    q->err = err_none();
    q->rc = router_wants_files(q->all->set.router, q->run[0], &q->wants, &q->err);
    struct item *x = q->items.first;
    for (size_t n = 0; q->rc == RC_OK && q->wants && n < q->run_n; n++, x = x->next)
        if (x->in.u.file.id && x->in.u.file.kind == CHANNEL_VOICE && !x->in.file.s)
            q->rc = router_check_voice(q->all->set.router, &x->in, x->arena, &q->err);
}

void intake_file_take(void *queue)
{
    struct queue *q = queue;
    q->err = err_none();
    q->rc = router_take_file(
        q->all->set.router, &q->with->in, q->with->arena, strbuf_str(&q->data), q->all->stop_fd, &q->err);
    strbuf_release(&q->data);
}

/* ---- fetching ---- */

/* The message ends with a sentence. */
static void refuse_large(struct queue *q)
{
    struct incoming *in = &q->with->in;
    in->file_problem = said_new(
        q->with->arena, file_kind(in->u.file.kind)->too_big, SAID_ARGS(arg_limit("max", (int64_t)q->max)));
}

static const char *gone(const struct queue *q)
{
    const struct incoming *in = &q->with->in;
    return said_new(
        q->with->arena, file_kind(in->u.file.kind)->gone, SAID_ARGS(arg_text("channel", in->driver->label)));
}

static void refuse(struct queue *q, const char *why, const char *problem)
{
    struct incoming *in = &q->with->in;
    log_warn("a file of update %s of %s is given up: %s", in->row.update_id, in->row.channel, why);
    in->file_problem = problem;
}

void intake_file_later(
    struct queue *q, const char *what, const char *why, int64_t wait_ms, const char *problem)
{
    int64_t now = clock_mono_ms(), limit = q->all->set.fetch_ms ? q->all->set.fetch_ms : INTAKE_FETCH_MS;
    if (!q->unreachable_since)
        q->unreachable_since = now;
    if (now - q->unreachable_since >= limit) {
        refuse(q, why, problem);
        return;
    }
    q->err = err_none();
    q->rc = err_set(&q->err, RC_UNAVAILABLE, "%s: %s", what, why);
    q->wait_ms = wait_ms;
}

static bool is_voice(const struct queue *q)
{
    return q->with->in.u.file.kind == CHANNEL_VOICE;
}

static bool has_room(const struct queue *q)
{
    return q->all->fetching < INTAKE_FETCHES_MAX && (!is_voice(q) || q->all->voices < INTAKE_VOICES_MAX);
}

/* A queue that is continued may be freed, so the search begins again. */
void intake_files_continue(struct intake *i)
{
    struct queue *q = i->queues;
    while (q)
        if (q->state == QUEUE_FETCH_WAITS && has_room(q)) {
            intake_queue_advance(q);
            q = i->stopping ? NULL : i->queues;
        } else {
            q = q->next;
        }
}

void intake_file_taken(struct intake *i)
{
    i->fetching--;
    if (!i->stopping)
        intake_files_continue(i);
}

static void fetched(void *arg, const struct channel_fetched *f)
{
    struct queue *q = arg;
    struct intake *i = q->all;
    /* a file that is there has its place until it is taken; a recording has another one */
    bool taken = f->outcome == FETCH_DONE && !is_voice(q) && !i->stopping;
    i->fetching -= !taken;
    i->voices -= is_voice(q) && f->outcome != FETCH_DONE;
    if (i->stopping)
        return;
    switch (f->outcome) {
    case FETCH_DONE:
        strbuf_init(&q->data, f->data.len);
        strbuf_addstr(&q->data, f->data);
        break;
    case FETCH_LATER: intake_file_later(q, "a file cannot be fetched", f->detail, f->wait_ms, gone(q)); break;
    case FETCH_GONE: refuse(q, f->detail, gone(q)); break;
    case FETCH_TOO_BIG: refuse_large(q); break;
    }
    if (q->rc == RC_OK && (!is_voice(q) || q->with->in.file_problem)) /* else its provider may fail yet */
        q->unreachable_since = 0;
    intake_queue_advance(q);
    if (!taken)
        intake_files_continue(i);
}

enum queue_state intake_files_next(struct queue *q)
{
    q->with = next_file(q);
    if (!q->with)
        return QUEUE_RUNS;
    q->max = router_file_max(q->all->set.router, q->with->in.u.file.kind);
    if (q->with->in.u.file.bytes > (int64_t)q->max) {
        refuse_large(q);
        return QUEUE_RUNS;
    }
    if (is_voice(q) && q->with->in.u.file.seconds > router_voice_max(q->all->set.router)) {
        q->with->in.file_problem = said_new(q->with->arena, "channel.voice_long",
            SAID_ARGS(arg_int("n", router_voice_max(q->all->set.router))));
        return QUEUE_RUNS;
    }
    return has_room(q) ? QUEUE_FETCHES : QUEUE_FETCH_WAITS;
}

void intake_file_fetch(struct queue *q)
{
    q->all->fetching++;
    q->all->voices += is_voice(q);
    q->with->in.driver->fetch(q->with->in.driver->self, q->with->in.u.file.id, q->max, fetched, q);
}

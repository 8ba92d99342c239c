/*
 * Chooses the next action of each chat. A pass reads the store when something may have changed, stores the
 * results of actions, and starts new actions as far as the channels' gaps allow. Messages of the outbox go
 * first, by age; then the growing answer that was updated longest ago; then the signs of typing.
 *
 * Messages that a crash left in the state sending may have been delivered. They are marked doubtful at the
 * start.
 */
#include "app/delivery/delivery.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/delivery/delivery_private.h"
#include "store/channel/chat.h"

/* ---- chats ---- */

static struct delivery_channel *channel_of(struct delivery *d, const char *name)
{
    for (size_t i = 0; i < d->channels_n; i++)
        if (strcmp(d->channels[i].driver.name, name) == 0)
            return &d->channels[i];
    return NULL;
}

struct delivery_chat *delivery_chat_of(struct delivery *d, const char *channel, const char *id, bool grouped)
{
    struct delivery_channel *of = channel_of(d, channel);
    if (!of)
        return NULL;
    for (struct delivery_chat *c = d->chats; c; c = c->next)
        if (c->channel == of && strcmp(c->id, id) == 0)
            return c;
    struct delivery_chat *c = xcalloc(1, sizeof *c);
    *c = (struct delivery_chat){.next = d->chats,
        .channel = of,
        .grouped = grouped,
        .all = d,
        .probing = {.first_ms = DELIVERY_AGAIN_FIRST_MS, .max_ms = DELIVERY_PROBE_MAX_MS}};
    snprintf(c->id, sizeof c->id, "%s", id);
    d->chats = c;
    return c;
}

static int64_t gap(const struct delivery_chat *c)
{
    const struct channel_driver *driver = &c->channel->driver;
    return c->grouped ? driver->group_gap_ms : driver->chat_gap_ms;
}

void delivery_count_message(struct delivery_chat *c)
{
    int64_t now = c->all->clock.mono();
    c->paced_at = (c->paced_at > now ? c->paced_at : now) + gap(c);
}

/* The first messages after a pause come at once, so that a notice does not delay the answer after it. */
static int64_t message_at(const struct delivery_chat *c)
{
    int64_t paced = c->paced_at - (DELIVERY_BURST - 1) * gap(c);
    if (c->doubts)
        paced = c->probe_at;
    return paced > c->free_at ? paced : c->free_at;
}

static bool in_use(const struct delivery *d, const struct delivery_chat *c)
{
    int64_t now = d->clock.mono();
    if (c->purpose != FOR_NOTHING || c->doubts || c->free_at > now || c->paced_at > now)
        return true;
    for (size_t i = 0; i < d->heads_n; i++)
        if (d->heads[i].chat == c)
            return true;
    for (const struct follow *f = d->follows; f; f = f->next)
        if (f->chat == c)
            return true;
    return false;
}

static void drop_chats(struct delivery *d)
{
    for (struct delivery_chat **at = &d->chats; *at;) {
        struct delivery_chat *c = *at;
        if (in_use(d, c)) {
            at = &c->next;
            continue;
        }
        *at = c->next;
        free(c);
    }
}

/* ---- heads: the first waiting message of each chat ---- */

bool delivery_has_head(const struct delivery *d, int64_t chat_id)
{
    for (size_t i = 0; i < d->heads_n; i++)
        if (d->heads[i].chat_id == chat_id)
            return true;
    return false;
}

static void add_head(struct delivery *d, const struct outbox_row *r)
{
    struct delivery_chat *c = delivery_chat_of(d, r->channel, r->chat, r->grouped);
    if (!c || strcmp(r->state, OUTBOX_READY) != 0) /* one that is being sent keeps its chat busy */
        return;
    if (d->heads_n == d->heads_room) {
        d->heads_room = d->heads_room ? 2 * d->heads_room : 16;
        d->heads = xrealloc(d->heads, d->heads_room * sizeof *d->heads);
    }
    d->heads[d->heads_n++] = (struct delivery_head){
        .chat_id = r->chat_id, .post = r->post, .part = r->part, .run_at = r->run_at, .chat = c};
}

static enum rc sync_heads(struct delivery *d, struct db *db, struct arena *a, struct err *e)
{
    enum rc rc = RC_OK;
    d->heads_n = 0;
    for (size_t i = 0; rc == RC_OK && i < d->channels_n; i++) {
        struct outbox_row *rows;
        size_t n;
        rc = store_outbox_heads(db, a, d->channels[i].driver.name, &rows, &n, e);
        for (size_t k = 0; rc == RC_OK && k < n; k++)
            add_head(d, &rows[k]);
    }
    return rc;
}

static enum rc sync_all(struct delivery *d, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct db *db = store_read(d->store);
    enum rc rc = refused_sync(d, db, a, e);
    store_read_done(d->store, db);
    if (rc == RC_OK)
        rc = follow_sync(d, e); /* may add messages */
    db = store_read(d->store);
    if (rc == RC_OK)
        rc = sync_heads(d, db, a, e);
    store_read_done(d->store, db);
    drop_chats(d);
    return rc;
}

/* ---- failures of the store ---- */

void delivery_failed(struct delivery *d, enum rc rc, const struct err *e)
{
    log_repeat(&d->errors, LOG_ERROR, "messages of channels: %s: %s", rc_name(rc), e->text);
    d->retry_at = d->clock.mono() + backoff_next(&d->retry);
}

static void store_works(struct delivery *d)
{
    log_repeat_end(&d->errors, "messages of channels");
    backoff_reset(&d->retry);
}

/* ---- actions ---- */

void delivery_run_soon(struct delivery *d)
{
    if (d->timer)
        loop_timer_set(d->timer, 0);
}

static void on_done(void *arg, const struct channel_result *r)
{
    struct delivery_chat *c = arg;
    c->result = *r;
    c->answered = true;
    delivery_run_soon(c->all);
}

void delivery_act(struct delivery_chat *c, enum delivery_purpose purpose, const struct channel_action *a)
{
    c->channel->free_at = c->all->clock.mono() + c->channel->driver.all_gap_ms;
    c->purpose = purpose;
    c->kind = a->kind;
    c->answered = false;
    c->channel->driver.act(c->channel->driver.self, a, on_done, c);
}

static void release(struct delivery_chat *c)
{
    arena_free(c->a);
    c->a = NULL;
    c->row = NULL;
    c->follow = NULL;
    c->purpose = FOR_NOTHING;
    c->answered = false;
}

/* Takes the chat's next message from the store. */
static enum rc refresh_head(struct delivery *d, int64_t chat_id, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct outbox_row r;
    struct db *db = store_read(d->store);
    enum rc rc = store_outbox_head(db, a, chat_id, &r, e);
    store_read_done(d->store, db);
    for (size_t i = 0; i < d->heads_n; i++)
        if (d->heads[i].chat_id == chat_id)
            d->heads[i--] = d->heads[--d->heads_n];
    if (rc == RC_OK)
        add_head(d, &r);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc save_row(struct delivery *d, struct delivery_chat *c, struct err *e)
{
    int64_t chat_id = c->row->chat_id;
    enum rc rc = row_ended(d, c, e);
    return rc == RC_OK ? refresh_head(d, chat_id, e) : rc;
}

static enum rc save_result(struct delivery *d, struct delivery_chat *c, struct err *e)
{
    switch (c->purpose) {
    case FOR_ROW: return save_row(d, c, e);
    case FOR_FOLLOW: return follow_shown(d, c, e);
    case FOR_PROBE: return outcome_save_chat(d, c, e);
    case FOR_NOTHING: break;
    }
    return RC_OK;
}

/* Stores the results that have come. A result that cannot be stored keeps its chat busy. */
static void save_results(struct delivery *d)
{
    for (struct delivery_chat *c = d->chats; c; c = c->next) {
        struct err e = ERR_INIT;
        if (!c->answered)
            continue;
        enum rc rc = save_result(d, c, &e);
        if (rc != RC_OK) {
            delivery_failed(d, rc, &e);
            return;
        }
        if (c->doubts && c->kind == ACTION_TYPING)
            probe_ended(c);
        store_works(d);
        release(c);
    }
}

static bool channel_ready(const struct delivery *d, const struct delivery_channel *ch)
{
    return !ch->stopped && ch->free_at <= d->clock.mono();
}

static bool is_busy(const struct delivery_chat *c)
{
    return c->purpose != FOR_NOTHING;
}

static bool chat_ready(const struct delivery *d, const struct delivery_chat *c)
{
    return !is_busy(c) && c->free_at <= d->clock.mono() && channel_ready(d, c->channel);
}

/* Starts the oldest message that is due. */
static bool begin_row(struct delivery *d)
{
    const struct delivery_head *best = NULL;
    int64_t now = d->clock.wall(), mono = d->clock.mono();
    for (size_t i = 0; i < d->heads_n; i++) {
        const struct delivery_head *h = &d->heads[i];
        if (h->run_at <= now && chat_ready(d, h->chat) && message_at(h->chat) <= mono &&
            (!best || h->post < best->post))
            best = h;
    }
    if (best && best->chat->doubts) {
        probe_begin(best->chat);
        return true;
    }
    return best && row_begin(d, best->chat, best->chat_id);
}

/* Starts the answer whose turn it is longest. */
static bool begin_follow(struct delivery *d)
{
    struct follow *best = NULL;
    int64_t now = d->clock.mono(), best_due = now;
    for (struct follow *f = d->follows; f; f = f->next) {
        int64_t due = chat_ready(d, f->chat) ? follow_due(d, f) : DELIVERY_NEVER;
        if (due <= best_due) {
            best = f;
            best_due = due;
        }
    }
    if (best)
        follow_begin(d, best);
    return best != NULL;
}

/* ---- the pass ---- */

static void sooner(int64_t *wait, int64_t other)
{
    if (other < *wait)
        *wait = other > 0 ? other : 0;
}

static int64_t until_next(const struct delivery *d)
{
    int64_t mono = d->clock.mono(), wall = d->clock.wall(), wait = d->sync_at - mono;
    for (size_t i = 0; i < d->heads_n; i++) {
        const struct delivery_head *h = &d->heads[i];
        const struct delivery_chat *c = h->chat;
        if (is_busy(c) || c->channel->stopped)
            continue;
        int64_t at = message_at(c) > c->channel->free_at ? message_at(c) : c->channel->free_at;
        sooner(&wait, at - mono > h->run_at - wall ? at - mono : h->run_at - wall);
    }
    for (const struct follow *f = d->follows; f; f = f->next) {
        const struct delivery_chat *c = f->chat;
        int64_t due = follow_due(d, f);
        if (is_busy(c) || c->channel->stopped || due == DELIVERY_NEVER)
            continue;
        due = due > c->free_at ? due : c->free_at;
        sooner(&wait, (due > c->channel->free_at ? due : c->channel->free_at) - mono);
    }
    for (size_t i = 0; i < d->channels_n; i++)
        if (d->channels[i].stopped && !d->channels[i].asks)
            sooner(&wait, d->channels[i].ask_at - wall);
    if (d->follows)
        sooner(&wait, follow_next_read(d) - mono);
    return wait > 0 ? wait : 0;
}

static bool any_busy(const struct delivery *d)
{
    for (const struct delivery_chat *c = d->chats; c; c = c->next)
        if (is_busy(c))
            return true;
    return false;
}

int64_t delivery_pass(struct delivery *d)
{
    int64_t now = d->clock.mono();
    if (now < d->retry_at)
        return d->retry_at - now;
    save_results(d);
    if (d->stopping) {
        if ((!any_busy(d) || now >= d->stop_at) && d->idle) {
            loop_fn *idle = d->idle;
            d->idle = NULL;
            idle(d->idle_arg);
        }
        return d->retry_at > now ? d->retry_at - now : d->idle ? d->stop_at - now : DELIVERY_SYNC_MS;
    }
    if (d->stale || now >= d->sync_at) {
        struct err e = ERR_INIT;
        d->stale = false;
        d->sync_at = now + DELIVERY_SYNC_MS;
        enum rc rc = sync_all(d, &e);
        if (rc != RC_OK) {
            d->stale = true;
            delivery_failed(d, rc, &e);
        }
    }
    if (d->retry_at <= now)
        refused_pass(d);
    if (d->retry_at <= now)
        follow_read(d);
    while (d->retry_at <= now && (begin_row(d) || begin_follow(d)))
        save_results(d);
    return d->retry_at > now ? d->retry_at - now : d->stale ? 0 : until_next(d);
}

static void on_timer(void *arg)
{
    struct delivery *d = arg;
    loop_timer_set(d->timer, delivery_pass(d));
}

static void on_wake(void *arg)
{
    struct delivery *d = arg;
    d->stale = true;
    delivery_run_soon(d);
}

void delivery_wake(struct delivery *d)
{
    loop_post(d->loop, on_wake, d);
}

void delivery_stop(struct delivery *d, loop_fn *idle, void *arg)
{
    d->stopping = true;
    d->stop_at = d->clock.mono() + DELIVERY_STOP_MS;
    d->idle = idle;
    d->idle_arg = arg;
    delivery_run_soon(d);
}

/* ---- start and end ---- */

static enum rc recover_tx(struct db *db, void *arg, struct err *e)
{
    const struct delivery *d = arg;
    enum rc rc = doubt_recover_tx(db, d, e);
    return rc == RC_OK ? store_channel_problems_clear(db, e) : rc;
}

enum rc delivery_open(struct delivery *d, const struct channel_driver *drivers, size_t n, struct err *e)
{
    d->channels = xcalloc(n, sizeof *d->channels);
    d->channels_n = n;
    for (size_t i = 0; i < n; i++)
        d->channels[i] =
            (struct delivery_channel){.driver = drivers[i], .asking = CHANNEL_REFUSED_RETRY, .all = d};
    d->stale = true;
    d->retry = DELIVERY_SAVE_RETRY;
    return store_write(d->store, recover_tx, d, e);
}

void delivery_close(struct delivery *d)
{
    follow_free_all(d);
    while (d->chats) {
        struct delivery_chat *c = d->chats;
        d->chats = c->next;
        release(c);
        free(c);
    }
    free(d->heads);
    free(d->channels);
}

enum rc delivery_new(const struct delivery_setup *s, struct delivery **out, struct err *e)
{
    struct delivery *d = xcalloc(1, sizeof *d);
    *d = (struct delivery){
        .loop = s->loop, .store = s->store, .config = s->config, .clock = {clock_wall_ms, clock_mono_ms}};
    enum rc rc = delivery_open(d, s->drivers, s->drivers_n, e);
    if (rc != RC_OK) {
        delivery_free(d);
        d = NULL;
    } else {
        d->timer = loop_timer_new(s->loop, on_timer, d);
        loop_timer_set(d->timer, 0);
    }
    *out = d;
    return rc;
}

void delivery_free(struct delivery *d)
{
    if (!d)
        return;
    loop_timer_free(d->timer);
    delivery_close(d);
    free(d);
}

/*
 * A channel whose server refuses our credentials. Nothing is sent; the server is asked again and again
 * whether it accepts them, with growing waits, because right credentials are refused for a time, too. The row
 * in channel_problem tells admins, and has the time of the next question.
 */
#include <string.h>

#include "app/delivery/delivery_private.h"

/* Stores the refusal, with the time of the next question if it is due now. */
static enum rc put_problem(
    struct db *db, const struct delivery_channel *l, const char *detail, int64_t now, struct err *e)
{
    struct backoff copy = l->asking;
    return store_channel_problem_set(db,
        &(struct channel_problem){.channel = l->driver.name,
            .task = CHANNEL_SENDS,
            .error = detail,
            .at = now,
            .next_at = now + backoff_next(&copy)},
        e);
}

enum rc refused_tx(
    struct db *db, const struct delivery_channel *l, const char *detail, int64_t now, struct err *e)
{
    return l->stopped ? RC_OK /* an earlier action has stored it */ : put_problem(db, l, detail, now, e);
}

void refused_stop(struct delivery_channel *l, const char *detail)
{
    if (l->stopped)
        return;
    int64_t wait = backoff_next(&l->asking);
    log_error("%s refuses the bot's token; nothing is sent until it accepts it. It is asked in %lld s, then "
              "less often: %s",
        l->driver.label, (long long)(wait / MS_PER_S), detail);
    l->stopped = true;
    l->ask_at = l->all->clock.wall() + wait;
}

enum rc refused_sync(struct delivery *d, struct db *db, struct arena *a, struct err *e)
{
    struct channel_problem *list;
    size_t n;
    enum rc rc = store_channel_problems(db, a, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < d->channels_n; i++) {
        struct delivery_channel *l = &d->channels[i];
        bool was = l->stopped;
        l->stopped = false;
        for (size_t k = 0; k < n; k++)
            if (strcmp(list[k].channel, l->driver.name) == 0 && strcmp(list[k].task, CHANNEL_SENDS) == 0) {
                l->stopped = true;
                l->ask_at = list[k].next_at;
            }
        if (was && !l->stopped) /* by an admin */
            backoff_reset(&l->asking);
    }
    return rc;
}

/* ---- questions ---- */

struct verdict {
    const struct delivery_channel *of;
    int64_t now;
};

static enum rc verdict_tx(struct db *db, void *arg, struct err *e)
{
    const struct verdict *v = arg;
    const struct delivery_channel *l = v->of;
    if (l->result.outcome == OUTCOME_DONE)
        return store_channel_problem_clear(db, l->driver.name, CHANNEL_SENDS, e);
    return put_problem(db, l, l->result.detail, v->now, e);
}

static void take_verdict(struct delivery *d, struct delivery_channel *l)
{
    struct err e = ERR_INIT;
    struct verdict v = {l, d->clock.wall()};
    enum rc rc = store_write(d->store, verdict_tx, &v, &e);
    if (rc != RC_OK) {
        delivery_failed(d, rc, &e);
        return;
    }
    l->asks = l->answered = false;
    l->stopped = l->result.outcome != OUTCOME_DONE;
    if (l->stopped)
        l->ask_at = v.now + backoff_next(&l->asking);
    else
        log_info("%s accepts the bot's token again", l->driver.label);
}

static void on_answer(void *arg, const struct channel_result *r)
{
    struct delivery_channel *l = arg;
    l->result = *r;
    l->answered = true;
    delivery_run_soon(l->all);
}

static void ask(struct delivery_channel *l)
{
    const struct channel_action check = {.kind = ACTION_CHECK, .place = {"", ""}};
    l->asks = true;
    l->answered = false;
    l->driver.act(l->driver.self, &check, on_answer, l);
}

void refused_pass(struct delivery *d)
{
    for (size_t i = 0; i < d->channels_n; i++) {
        struct delivery_channel *l = &d->channels[i];
        if (l->stopped && !l->asks && l->ask_at <= d->clock.wall())
            ask(l);
        if (l->answered)
            take_verdict(d, l);
    }
}

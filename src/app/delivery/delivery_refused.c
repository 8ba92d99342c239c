/*
 * A channel whose server refuses our credentials. Nothing is sent; the server is asked again and again
 * whether it accepts them, with growing waits, because right credentials are refused for a time, too. The row
 * in channel_problem tells admins, and has the time of the next question.
 */
#include <string.h>

#include "app/delivery/delivery_private.h"

/* Stores the refusal, with the time of the next question if it is due now. */
static enum rc put_problem(
    struct db *db, const struct delivery_channel *ch, const char *detail, int64_t now, struct err *e)
{
    struct backoff copy = ch->asking;
    return store_channel_problem_set(db,
        &(struct channel_problem){.channel = ch->driver.name,
            .task = CHANNEL_SENDS,
            .error = detail,
            .at = now,
            .next_at = now + backoff_next(&copy)},
        e);
}

enum rc refused_tx(
    struct db *db, const struct delivery_channel *ch, const char *detail, int64_t now, struct err *e)
{
    return ch->stopped ? RC_OK /* an earlier action has stored it */ : put_problem(db, ch, detail, now, e);
}

void refused_stop(struct delivery_channel *ch, const char *detail)
{
    if (ch->stopped)
        return;
    int64_t wait = backoff_next(&ch->asking);
    log_error("%s refuses the bot's token; nothing is sent until it accepts it. It is asked in %lld s, then "
              "less often: %s",
        ch->driver.label, (long long)(wait / MS_PER_S), detail);
    ch->stopped = true;
    ch->ask_at = ch->all->clock.wall() + wait;
}

enum rc refused_sync(struct delivery *d, struct db *db, struct arena *a, struct err *e)
{
    struct channel_problem *list;
    size_t n;
    enum rc rc = store_channel_problems(db, a, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < d->channels_n; i++) {
        struct delivery_channel *ch = &d->channels[i];
        bool was = ch->stopped;
        ch->stopped = false;
        for (size_t k = 0; k < n; k++)
            if (strcmp(list[k].channel, ch->driver.name) == 0 && strcmp(list[k].task, CHANNEL_SENDS) == 0) {
                ch->stopped = true;
                ch->ask_at = list[k].next_at;
            }
        if (was && !ch->stopped) /* by an admin */
            backoff_reset(&ch->asking);
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
    const struct delivery_channel *ch = v->of;
    if (ch->result.outcome == OUTCOME_DONE)
        return store_channel_problem_clear(db, ch->driver.name, CHANNEL_SENDS, e);
    return put_problem(db, ch, ch->result.detail, v->now, e);
}

static void take_verdict(struct delivery *d, struct delivery_channel *ch)
{
    struct err e = ERR_INIT;
    struct verdict v = {ch, d->clock.wall()};
    enum rc rc = store_write(d->store, verdict_tx, &v, &e);
    if (rc != RC_OK) {
        delivery_failed(d, rc, &e);
        return;
    }
    ch->asks = ch->answered = false;
    ch->stopped = ch->result.outcome != OUTCOME_DONE;
    if (ch->stopped)
        ch->ask_at = v.now + backoff_next(&ch->asking);
    else
        log_info("%s accepts the bot's token again", ch->driver.label);
}

static void on_answer(void *arg, const struct channel_result *r)
{
    struct delivery_channel *ch = arg;
    ch->result = *r;
    ch->answered = true;
    delivery_run_soon(ch->all);
}

static void ask(struct delivery_channel *ch)
{
    const struct channel_action check = {.kind = ACTION_CHECK, .place = {"", ""}};
    ch->asks = true;
    ch->answered = false;
    ch->driver.act(ch->driver.self, &check, on_answer, ch);
}

void refused_pass(struct delivery *d)
{
    for (size_t i = 0; i < d->channels_n; i++) {
        struct delivery_channel *ch = &d->channels[i];
        if (ch->stopped && !ch->asks && ch->ask_at <= d->clock.wall())
            ask(ch);
        if (ch->answered)
            take_verdict(d, ch);
    }
}

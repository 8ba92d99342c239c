#include "app/telegram/telegram_poll.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/jobs/helper_notify.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "channel/channel.h"
#include "store/channel/inbox.h"
#include "store/channel/problem.h"

#define UPDATE_ID_SIZE 24 /* an int64 in digits */

enum phase { GET_ME, DELETE_WEBHOOK, GET_UPDATES, ENDED };

struct telegram_poll {
    struct telegram_poll_setup set;
    enum phase phase;
    struct telegram_call *call; /* NULL: none runs */
    struct loop_timer *timer;   /* until the next attempt */
    struct backoff retry;
    struct log_repeat failures;
    struct backoff asking; /* about a refused token; reset when updates were fetched */
    bool refused;          /* the token; the timer runs until the next getMe */
    bool stored;           /* that is in channel_problem */
    int64_t asked_at;      /* monotonic; when the current call began */
    bool empty;            /* the last getUpdates brought nothing */
    int64_t offset;        /* of the next getUpdates; 0: from the oldest update that is not confirmed */
    char *name;            /* that was told; NULL: none */
};

static void step(void *arg);

/* ---- a token that is refused ---- */

static enum rc put_problem_tx(struct db *db, void *arg, struct err *e)
{
    return store_channel_problem_set(db, arg, e);
}

static enum rc clear_problem_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return store_channel_problem_clear(db, TELEGRAM_CHANNEL, CHANNEL_FETCHES, e);
}

static void wait_for_token(struct telegram_poll *p, const struct telegram_answer *a)
{
    char error[TELEGRAM_DESCRIPTION_MAX + 16];
    struct err e = ERR_INIT;
    int64_t wait = backoff_next(&p->asking), now = clock_wall_ms();
    snprintf(error, sizeof error, "%d %s", a->code, a->description);
    if (!p->refused)
        log_error("Telegram refuses the bot's token; it is asked in %lld s, then less often: %s",
            (long long)(wait / MS_PER_S), error);
    struct channel_problem problem = {.channel = TELEGRAM_CHANNEL,
        .task = CHANNEL_FETCHES,
        .error = error,
        .at = now,
        .next_at = now + wait};
    p->stored = store_write(p->set.store, put_problem_tx, &problem, &e) == RC_OK;
    if (!p->stored)
        log_warn("Telegram: %s", e.text);
    p->refused = true;
    p->phase = GET_ME;
    loop_timer_set(p->timer, wait);
}

static enum rc token_accepted(struct telegram_poll *p, struct err *e)
{
    if (!p->refused)
        return RC_OK;
    enum rc rc = store_write(p->set.store, clear_problem_tx, NULL, e);
    if (rc != RC_OK)
        return rc;
    p->refused = p->stored = false;
    log_info("Telegram accepts the bot's token again");
    return RC_OK;
}

/* True when no row is there, or when its time has come. */
static bool is_question_due(struct telegram_poll *p)
{
    AUTO(arena) a = arena_new();
    struct channel_problem *list;
    struct err e = ERR_INIT;
    size_t n;
    struct db *db = store_read(p->set.store);
    enum rc rc = store_channel_problems(db, a, &list, &n, &e);
    store_read_done(p->set.store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        if (strcmp(list[i].channel, TELEGRAM_CHANNEL) == 0 && strcmp(list[i].task, CHANNEL_FETCHES) == 0)
            return list[i].next_at <= clock_wall_ms();
    return rc == RC_OK;
}

void telegram_poll_look(struct telegram_poll *p)
{
    if (p && p->refused && p->stored && !p->call && is_question_due(p))
        loop_timer_set(p->timer, 0);
}

/* ---- the bot ---- */

static enum rc put_bot_tx(struct db *db, void *arg, struct err *e)
{
    return store_channel_bot_put(db, arg, e);
}

static void tell_name(struct telegram_poll *p, const char *name)
{
    if (p->name && strcmp(p->name, name) == 0)
        return;
    free(p->name);
    p->name = xstrdup(name);
    p->set.named(p->set.arg, p->name);
}

static enum rc take_me(struct telegram_poll *p, const json_t *me, struct err *e)
{
    struct channel_bot bot;
    if (!telegram_read_me(me, p->set.settings, &bot))
        return err_set(e, RC_UPSTREAM, "getMe describes no bot");
    enum rc rc = store_write(p->set.store, put_bot_tx, &bot, e);
    if (rc == RC_OK)
        tell_name(p, bot.username);
    return rc == RC_OK ? token_accepted(p, e) : rc;
}

/* Reports the bot's name as it was stored at an earlier start, so that updates need not wait for Telegram. */
static void report_stored_name(struct telegram_poll *p)
{
    AUTO(arena) a = arena_new();
    struct channel_bot bot;
    struct err none = ERR_INIT; /* not reached yet */
    struct db *db = store_read(p->set.store);
    enum rc rc = store_channel_bot_get(db, a, TELEGRAM_CHANNEL, &bot, &none);
    store_read_done(p->set.store, db);
    if (rc == RC_OK && strcmp(bot.external_id, p->set.settings->bot) == 0)
        tell_name(p, bot.username);
}

/* ---- updates ---- */

struct taking {
    const struct telegram_poll *p;
    const json_t *updates;
    size_t new_ones;
    int64_t last;
};

static enum rc add_one(struct db *db, struct taking *t, const json_t *update, int64_t now, struct err *e)
{
    char id[UPDATE_ID_SIZE];
    int64_t number;
    bool is_new = false;
    if (!json_get_int(update, "update_id", &number))
        return err_set(e, RC_UPSTREAM, "an update has no id");
    snprintf(id, sizeof id, "%lld", (long long)number);
    AUTO_FREE char *body = json_dumps(update, JSON_COMPACT);
    if (!body)
        return err_set(e, RC_INTERNAL, "an update cannot be written as JSON");
    enum rc rc =
        store_inbox_add(db, TELEGRAM_CHANNEL, t->p->set.settings->bot, id, str_of(body), now, &is_new, e);
    t->new_ones += is_new;
    t->last = number > t->last ? number : t->last;
    return rc;
}

static enum rc add_all_tx(struct db *db, void *arg, struct err *e)
{
    struct taking *t = arg;
    int64_t now = clock_wall_ms();
    enum rc rc = RC_OK;
    t->new_ones = 0;
    t->last = 0;
    for (size_t i = 0; rc == RC_OK && i < json_array_size(t->updates); i++)
        rc = add_one(db, t, json_array_get(t->updates, i), now, e);
    return rc;
}

/* After an empty answer everything is confirmed, and the next call names no offset: after a week without
 * updates Telegram continues at a random number, which may be a lower one. */
static enum rc take_updates(struct telegram_poll *p, const json_t *updates, struct err *e)
{
    struct taking t = {.p = p, .updates = updates};
    if (!json_is_array(updates))
        return err_set(e, RC_UPSTREAM, "getUpdates answers without a list");
    p->empty = json_array_size(updates) == 0;
    if (p->empty) {
        p->offset = 0;
        return RC_OK;
    }
    enum rc rc = store_write(p->set.store, add_all_tx, &t, e);
    if (rc != RC_OK)
        return rc;
    p->offset = t.last + 1;
    if (t.new_ones)
        helper_notify(p->set.data_dir);
    return RC_OK;
}

/* ---- calls ---- */

static enum rc take(struct telegram_poll *p, const struct telegram_answer *a, struct err *e)
{
    enum rc rc = RC_OK;
    switch (p->phase) {
    case GET_ME: rc = take_me(p, a->result, e); break;
    case DELETE_WEBHOOK: break;
    case GET_UPDATES: return take_updates(p, a->result, e);
    case ENDED: return RC_OK;
    }
    if (rc == RC_OK)
        p->phase = p->set.settings->mode != CONFIG_TELEGRAM_POLL ? ENDED
                   : p->phase == GET_ME                          ? DELETE_WEBHOOK
                                                                 : GET_UPDATES;
    return rc;
}

static void wait_and_retry(struct telegram_poll *p, int64_t at_least_ms, const char *why)
{
    int64_t wait = backoff_next(&p->retry);
    log_repeat(&p->failures, LOG_WARN, "Telegram: %s", why);
    loop_timer_set(p->timer, wait > at_least_ms ? wait : at_least_ms);
}

static void refused(struct telegram_poll *p, const struct telegram_answer *a)
{
    struct err e = ERR_INIT;
    (void)telegram_answer_rc(a, &e);
    if (a->code == 401 || a->code == 404) {
        wait_for_token(p, a);
        return;
    }
    if (a->code == 409 && p->phase == GET_UPDATES)
        p->phase = DELETE_WEBHOOK; /* somebody may have set one */
    wait_and_retry(p, a->retry_after_s * MS_PER_S, e.text);
}

static void called(void *arg, enum rc rc, const struct telegram_answer *a, const struct err *why)
{
    struct telegram_poll *p = arg;
    struct err e = ERR_INIT;
    enum phase was = p->phase;
    p->call = NULL;
    if (rc == RC_OK && a->code != 200) {
        refused(p, a);
        return;
    }
    if (rc == RC_OK && (rc = take(p, a, &e)) != RC_OK)
        why = &e;
    if (rc != RC_OK) {
        wait_and_retry(p, 0, why->text);
        return;
    }
    /* A reset after deleteWebhook alone would keep the wait short while another program fetches, too (409).
     */
    if (was == GET_UPDATES || p->phase == ENDED) {
        log_repeat_end(&p->failures, "the requests to Telegram");
        backoff_reset(&p->retry);
        backoff_reset(&p->asking);
    }
    int64_t early = p->asked_at + TELEGRAM_POLL_GAP_MS - clock_mono_ms();
    if (was == GET_UPDATES && p->empty && early > 0)
        loop_timer_set(p->timer, early); /* a server that does not wait for updates */
    else
        step(p);
}

static json_t *params_of(const struct telegram_poll *p)
{
    if (p->phase == DELETE_WEBHOOK)
        return json_pack("{s:b}", "drop_pending_updates", 0);
    if (p->phase != GET_UPDATES)
        return json_object();
    json_t *params = json_pack("{s:i, s:i, s:o}", "timeout", TELEGRAM_POLL_WAIT_S, "limit",
        TELEGRAM_POLL_LIMIT, "allowed_updates", telegram_allowed_updates());
    if (p->offset)
        json_object_set_new(params, "offset", json_integer(p->offset));
    return params;
}

static void step(void *arg)
{
    static const char *const methods[] = {
        [GET_ME] = "getMe", [DELETE_WEBHOOK] = "deleteWebhook", [GET_UPDATES] = "getUpdates"};
    struct telegram_poll *p = arg;
    struct err e = ERR_INIT;
    if (p->phase == ENDED)
        return;
    const struct telegram_api api = telegram_api_of(p->set.settings);
    AUTO(json_t) params = params_of(p);
    p->asked_at = clock_mono_ms();
    const struct telegram_request r = {.method = methods[p->phase],
        .params = params,
        .wait_s = p->phase == GET_UPDATES ? TELEGRAM_POLL_WAIT_S : 0,
        .called = called,
        .arg = p};
    enum rc rc = telegram_call_start(p->set.http, &api, &r, &p->call, &e);
    if (rc != RC_OK) {
        p->call = NULL;
        wait_and_retry(p, 0, e.text);
    }
}

struct telegram_poll *telegram_poll_new(const struct telegram_poll_setup *s)
{
    struct telegram_poll *p = xcalloc(1, sizeof *p);
    *p = (struct telegram_poll){.set = *s, .retry = TELEGRAM_POLL_RETRY, .asking = CHANNEL_REFUSED_RETRY};
    p->timer = loop_timer_new(s->loop, step, p);
    report_stored_name(p);
    step(p);
    return p;
}

void telegram_poll_free(struct telegram_poll *p)
{
    if (!p)
        return;
    telegram_call_cancel(p->call);
    loop_timer_free(p->timer);
    free(p->name);
    free(p);
}

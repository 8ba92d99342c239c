/* The turn of a schedule that is due: its order, its end, and the delivery of the answer. */
#include <stdio.h>
#include <string.h>

#include "app/account/settings.h"
#include "app/reminding/reminding_private.h"
#include "base/said.h"
#include "store/channel/chat.h"
#include "store/message/message.h"
#include "store/message/turn_order.h"

#define RETRY_FACTOR 3

/* One per attempt. */
static void client_id_of(int64_t due_id, int attempt, char out[REMINDING_CLIENT_ID_SIZE])
{
    snprintf(out, REMINDING_CLIENT_ID_SIZE, "schedule:%lld:%d", (long long)due_id, attempt);
}

/* Orders the turn of `d`: the first with the text, further ones as another answer to the question. */
static enum rc order(struct db *db, struct arena *a, const struct reminder_delivery *d, const char *session,
    struct str text, int64_t answer_id, int64_t now, struct err *e)
{
    char client_id[REMINDING_CLIENT_ID_SIZE];
    (void)a;
    client_id_of(d->due_id, d->attempt, client_id);
    struct turn_order o = {.owner = d->owner,
        .session = session,
        .kind = answer_id ? ORDER_REGENERATE : ORDER_SEND,
        .message_id = answer_id,
        .text = text,
        .client_id = client_id,
        .channel = REMINDING_SCHEDULE,
        .purpose = ORDER_SCHEDULE,
        .purpose_id = d->reminder_id,
        .created_at = now};
    return store_turn_order_add(db, &o, e);
}

/* Without a session the schedule gets one of its own. */
static enum rc session_of(
    struct db *db, struct arena *a, const struct reminder *r, int64_t now, struct session *out, struct err *e)
{
    enum rc rc = r->session ? store_session_get(db, a, r->owner, r->session, out, e) : RC_NOT_FOUND;
    if (rc != RC_NOT_FOUND)
        return rc;
    rc = reminding_new_session(db, a, r->owner, r->text, now, out, e);
    struct reminder changed = *r;
    changed.session_id = rc == RC_OK ? out->id : 0;
    return rc == RC_OK ? store_reminder_change(db, &changed, e) : rc;
}

enum rc reminding_order(struct db *db, struct arena *a, const struct reminder_fired *f,
    const struct locale *l, struct reminding_step *out, struct err *e)
{
    const struct reminder *r = &f->r;
    struct session s;
    bool runs;
    int64_t skipped;
    enum rc rc = store_reminder_delivery_runs(db, r->owner, r->id, &runs, e);
    if (rc != RC_OK)
        return rc;
    if (runs) {
        rc = store_reminder_due_answer(db, r->owner, r->id, REMINDER_DUE_DONE, l->now, &skipped, e);
        return rc == RC_OK ? store_reminder_delivery_reopen(db, r->owner, r->id, e) : rc;
    }
    struct reminder_delivery d = {
        .due_id = f->due.id, .owner = r->owner, .reminder_id = r->id, .step = DELIVERY_ASKED};
    rc = session_of(db, a, r, l->now, &s, e);
    d.session_id = rc == RC_OK ? s.id : 0;
    if (rc == RC_OK)
        rc = store_reminder_delivery_add(db, &d, e);
    if (rc == RC_OK)
        rc = order(db, a, &d, s.pub, r->text, 0, l->now, e);
    out->ordered = true;
    return rc;
}

/* ---- the end of its turn ---- */

/* The state of one delivery, read by follow(). */
struct run {
    struct reminder_delivery *d;
    struct session s;
    struct locale l;
    struct reminder r;
    struct turn_order order;
    bool ordered; /* the order is there: it waits, or was refused */
    struct message answer;
};

static enum rc read_order(struct db *db, struct arena *a, struct run *run, struct err *e)
{
    char client_id[REMINDING_CLIENT_ID_SIZE];
    struct turn_order *refused;
    size_t n;
    client_id_of(run->d->due_id, run->d->attempt, client_id);
    enum rc rc = store_turn_order_by_client(db, a, run->d->owner, client_id, &run->order, e);
    run->ordered = rc == RC_OK;
    if (rc != RC_NOT_FOUND)
        return rc;
    rc = store_turn_orders_refused(db, a, ORDER_SCHEDULE, &refused, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && !run->ordered; i++) {
        run->ordered = refused[i].owner == run->d->owner && strcmp(refused[i].client_id, client_id) == 0;
        run->order = refused[i];
    }
    return rc;
}

/* The question and the end of its newest answer; the user may have gone on below it. RC_NOT_FOUND: the order
 * was withdrawn, or they were deleted. */
static enum rc read_answer(struct db *db, struct arena *a, struct run *run, struct err *e)
{
    struct reminder_delivery *d = run->d;
    enum rc rc = RC_OK;
    int64_t end = 0;
    if (!d->asked_id) {
        char client_id[REMINDING_CLIENT_ID_SIZE];
        struct message asked;
        client_id_of(d->due_id, d->attempt, client_id);
        rc = store_message_by_client(db, a, d->owner, client_id, &asked, e);
        d->asked_id = rc == RC_OK ? asked.id : 0;
    }
    if (rc == RC_OK)
        rc = store_message_answer_end(db, d->owner, d->asked_id, &end, e);
    return rc == RC_OK ? store_message_get(db, a, d->owner, end, &run->answer, e) : rc;
}

/* A private chat that shows the session gets the answer as it grows (app/delivery/delivery.h). */
static enum rc is_shown(
    struct db *db, struct arena *a, int64_t owner, int64_t session_id, bool *out, struct err *e)
{
    struct channel_chat *chats;
    size_t n;
    enum rc rc = store_channel_chats_private(db, a, owner, &chats, &n, e);
    *out = false;
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        *out = *out || chats[i].session_id == session_id;
    return rc;
}

/* Without an answer: pages show nothing. */
static enum rc forget(struct db *db, const struct reminder_delivery *d, int64_t now, struct err *e)
{
    int64_t answered;
    enum rc rc =
        store_reminder_due_answer(db, d->owner, d->reminder_id, REMINDER_DUE_DONE, now, &answered, e);
    return rc == RC_OK ? store_reminder_delivery_delete(db, d->due_id, e) : rc;
}

static enum rc deliver(struct db *db, struct arena *a, struct run *run, struct str markdown, struct err *e)
{
    const struct reminder_delivery *d = run->d;
    const char *late = d->attempt ? reminding_late_words(a, &run->l, d->due_at, run->l.now, 0) : NULL;
    bool shown = false;
    enum rc rc = is_shown(db, a, d->owner, run->s.id, &shown, e);
    if (late)
        markdown = str_of(arena_printf(a, "%s\n\n%.*s", late, STR_FMT(markdown)));
    if (rc == RC_OK && !shown)
        rc = reminding_post(db, a, run->d->owner, &run->l, markdown, 0, e);
    return rc == RC_OK ? store_reminder_delivery_delete(db, run->d->due_id, e) : rc;
}

/* Says in the session and in the chats that it did not run, or not yet. */
static enum rc say(struct db *db, struct arena *a, struct run *run, const char *key, const char *which,
    const char *why, struct err *e)
{
    char client_id[REMINDING_CLIENT_ID_SIZE];
    const struct lang *l = run->l.lang;
    const char *words = why ? said_words(a, l, why) : lang_text(l, "reminding.no_answer");
    struct str name = run->r.text;
    name = str_trim(str_cut(&name, '\n'));
    struct str markdown = str_of(arena_printf(
        a, "%s\n\n%s", lang_fill(a, l, key, LANG_ARGS({"text", arena_strndup(a, name.s, name.len)})), words));
    snprintf(client_id, sizeof client_id, "schedule:%lld:%s", (long long)run->d->due_id, which);
    enum rc rc = reminding_write(db, &run->s, markdown, client_id, run->l.now, e);
    return rc == RC_OK ? reminding_post(db, a, run->d->owner, &run->l, markdown, 0, e) : rc;
}

static enum rc give_up(struct db *db, struct arena *a, struct run *run, const char *why, struct err *e)
{
    enum rc rc = say(db, a, run, "reminding.not_run", "end", why, e);
    return rc == RC_OK ? forget(db, run->d, run->l.now, e) : rc;
}

static int64_t retry_wait(int attempt)
{
    int64_t wait = REMINDING_RETRY_MS;
    for (int i = 0; i < attempt && wait < REMINDING_WAIT_MAX_MS; i++)
        wait *= RETRY_FACTOR;
    return wait < REMINDING_WAIT_MAX_MS ? wait : REMINDING_WAIT_MAX_MS;
}

/* Once more, later, or never. `why` is stored text (base/said.h); NULL: unknown. */
static enum rc try_again(struct db *db, struct arena *a, struct run *run, const char *why, struct err *e)
{
    struct reminder_delivery *d = run->d;
    enum rc rc = RC_OK;
    if (run->r.paused_at)
        return forget(db, d, run->l.now, e);
    if (d->attempt + 1 >= REMINDING_ATTEMPTS_MAX)
        return give_up(db, a, run, why, e);
    d->step = DELIVERY_RETRY;
    d->run_at = run->l.now + retry_wait(d->attempt++);
    if (d->attempt == REMINDING_ATTEMPTS)
        rc = say(db, a, run, "reminding.not_yet", "later", why, e);
    return rc == RC_OK ? store_reminder_delivery_change(db, d, e) : rc;
}

static enum rc ended(
    struct db *db, struct arena *a, struct run *run, struct reminding_step *out, struct err *e)
{
    const struct message *m = &run->answer;
    if (m->role != ROLE_ASSISTANT || m->status == MESSAGE_STOPPED)
        return forget(db, run->d, run->l.now, e);
    out->posted = true;
    if (m->status == MESSAGE_DONE)
        return deliver(db, a, run, m->text, e);
    return m->lasting ? give_up(db, a, run, m->error, e) : try_again(db, a, run, m->error, e);
}

static enum rc order_again(
    struct db *db, struct arena *a, struct run *run, struct reminding_step *out, struct err *e)
{
    int64_t answer = 0;
    enum rc rc = RC_OK;
    if (run->d->asked_id && (rc = read_answer(db, a, run, e)) == RC_OK)
        answer = run->answer.id;
    run->d->step = DELIVERY_ASKED;
    if (rc == RC_OK)
        rc = order(db, a, run->d, run->s.pub, run->r.text, answer, run->l.now, e);
    if (rc == RC_OK)
        rc = store_reminder_delivery_change(db, run->d, e);
    out->ordered = true;
    return rc;
}

static enum rc follow(
    struct db *db, struct arena *a, struct run *run, struct reminding_step *out, struct err *e)
{
    if (run->d->step == DELIVERY_RETRY)
        return order_again(db, a, run, out, e);
    enum rc rc = read_order(db, a, run, e);
    if (rc != RC_OK || run->s.running_turns || (run->ordered && !run->order.error))
        return rc;
    if (run->ordered) {
        rc = store_turn_order_delete(db, run->order.id, e);
        out->posted = true;
        return rc == RC_OK ? try_again(db, a, run, run->order.error, e) : rc;
    }
    rc = read_answer(db, a, run, e);
    return rc == RC_OK ? ended(db, a, run, out, e) : rc;
}

enum rc reminding_follow(struct db *db, struct arena *a, struct reminder_delivery *d, int64_t now,
    struct reminding_step *out, struct err *e)
{
    struct run run = {.d = d};
    enum rc rc = store_session_by_id(db, a, d->owner, d->session_id, &run.s, e);
    if (rc == RC_OK)
        rc = store_reminder_get(db, a, d->owner, d->reminder_id, &run.r, e);
    if (rc == RC_OK)
        rc = settings_locale_in(db, a, d->owner, now, &run.l, e);
    if (rc == RC_OK)
        rc = follow(db, a, &run, out, e);
    return rc == RC_NOT_FOUND ? forget(db, d, now, e) : rc; /* it was deleted or withdrawn */
}

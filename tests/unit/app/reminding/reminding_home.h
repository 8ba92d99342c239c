/* Shared by the tests of reminders and schedules: a store with a user who has a session and a Telegram chat.
 */
#ifndef ALFRED_TESTS_APP_REMINDING_HOME_H
#define ALFRED_TESTS_APP_REMINDING_HOME_H

#include "app/store_rig.h"

#include <stdio.h>

#include "app/reminding/reminding.h"
#include "store/account/setting.h"
#include "store/account/user.h"
#include "store/channel/chat.h"
#include "store/channel/identity.h"
#include "store/channel/outbox.h"
#include "store/message/message.h"
#include "store/message/turn.h"
#include "store/message/turn_order.h"
#include "store/reminder_delivery.h"
#include "store/session/session.h"

#define NOW INT64_C(1795182361000) /* 2026-11-20T13:46:01Z, a Friday */

struct home {
    struct store *store;
    struct arena *a;
    int64_t session_id;
    struct reminding_step step;
};

__attribute__((unused)) static enum rc user_tx(struct db *db, void *arg, struct err *e)
{
    struct home *h = arg;
    int64_t id;
    const struct channel_identity ann = {
        .channel = "telegram", .external_id = "7", .name = "Ann", .user_id = 1};
    const struct channel_chat chat = {
        .channel = "telegram", .chat = "7", .thread = "", .sender = "7", .owner = 1};
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    if (rc == RC_OK)
        rc = store_user_set_time_zone(db, 1, "Europe/Berlin", e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_a", NULL, NULL, NOW, &h->session_id, e);
    if (rc == RC_OK)
        rc = store_channel_identity_put(db, &ann, NOW, e);
    return rc == RC_OK ? store_channel_chat_add(db, &chat, NOW, &id, e) : rc;
}

__attribute__((unused)) static struct home home(void)
{
    struct home h = {.a = arena_new()};
    h.store = rig_store(user_tx, &h);
    return h;
}

__attribute__((unused)) static void leave(struct home *h)
{
    store_free(h->store);
    arena_free(h->a);
}

__attribute__((unused)) static struct reminder add(struct home *h, const char *kind, const char *session,
    const char *text, const char *start, const char *rule)
{
    struct reminder r;
    struct reminder_input w = {.owner = 1,
        .kind = kind,
        .text = str_of(text),
        .start = str_of(start),
        .rule = str_of(rule),
        .zone = "Europe/Berlin",
        .session = session,
        .now = NOW};
    assert_ok(reminders_add(h->store, &w, h->a, &r, NULL));
    return r;
}

__attribute__((unused)) static void step_at(struct home *h, int64_t now)
{
    assert_ok(reminding_step(h->store, now, &h->step, NULL));
}

/* The texts of a session, oldest first, with lines between. */
__attribute__((unused)) static const char *texts(struct home *h, const char *session)
{
    struct session s;
    struct message *m;
    size_t n;
    const char *all = "";
    struct db *db = store_read(h->store);
    assert_ok(store_session_get(db, h->a, 1, session, &s, NULL));
    assert_ok(store_message_path(
        db, h->a, &(struct path_query){.owner = 1, .session_id = s.id, .head = s.head_id}, &m, &n, NULL));
    store_read_done(h->store, db);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(h->a, "%s%s%.*s", all, i ? "|" : "", STR_FMT(m[i].text));
    return all;
}

/* Of the posts that wait, oldest first. */
__attribute__((unused)) static const char *posts(struct home *h)
{
    struct outbox_row *rows;
    size_t n;
    const char *all = "";
    struct db *db = store_read(h->store);
    assert_ok(store_outbox_list(db, h->a, OUTBOX_READY, 100, &rows, &n, NULL));
    store_read_done(h->store, db);
    for (size_t i = 0; i < n; i++)
        all = arena_printf(h->a, "%s%s%lld bytes", all, i ? "|" : "", (long long)rows[i].size);
    return all;
}

__attribute__((unused)) static size_t shown(struct home *h)
{
    struct reminder_due *list;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_due_shown(db, h->a, 1, 100, &list, &n, NULL));
    store_read_done(h->store, db);
    return n;
}

struct turn_tx {
    int64_t session_id, parent_id, turn_id, asked_id, reply_id;
    const char *client_id, *text;
    enum message_status status; /* of the end */
};

__attribute__((unused)) static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct turn_tx *t = arg;
    struct message asked = {.session_id = t->session_id,
        .parent_id = t->parent_id,
        .role = ROLE_USER,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = STR("?"),
        .client_id = t->client_id,
        .created_at = NOW};
    enum rc rc = store_message_add(db, 1, &asked, e);
    struct message reply = {.session_id = t->session_id,
        .parent_id = asked.id,
        .role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .channel = "web",
        .created_at = NOW};
    if (rc == RC_OK)
        rc = store_message_add(db, 1, &reply, e);
    struct turn_row row = {.owner = 1,
        .session_id = t->session_id,
        .asked_id = asked.id,
        .reply_id = reply.id,
        .pub = t->parent_id ? "trn_b" : "trn_a",
        .runner = "r",
        .started_at = NOW};
    t->asked_id = asked.id;
    t->reply_id = reply.id;
    return rc == RC_OK ? store_turn_add(db, &row, &t->turn_id, e) : rc;
}

__attribute__((unused)) static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct turn_tx *t = arg;
    struct message reply = {.id = t->reply_id, .status = t->status, .text = str_of(t->text), .ended_at = NOW};
    enum rc rc = store_message_finish(db, 1, &reply, e);
    return rc == RC_OK ? store_turn_end(db, 1, t->turn_id, t->status, NOW, e) : rc;
}

#endif

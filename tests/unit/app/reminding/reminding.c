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

static enum rc user_tx(struct db *db, void *arg, struct err *e)
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

static struct home home(void)
{
    struct home h = {.a = arena_new()};
    h.store = rig_store(user_tx, &h);
    return h;
}

static void leave(struct home *h)
{
    store_free(h->store);
    arena_free(h->a);
}

static struct reminder add(struct home *h, const char *kind, const char *session, const char *text,
    const char *start, const char *rule)
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

static void step_at(struct home *h, int64_t now)
{
    assert_ok(reminding_step(h->store, now, &h->step, NULL));
}

/* The texts of a session, oldest first, with lines between. */
static const char *texts(struct home *h, const char *session)
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
static const char *posts(struct home *h)
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

static size_t shown(struct home *h)
{
    struct reminder_due *list;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_due_shown(db, h->a, 1, 100, &list, &n, NULL));
    store_read_done(h->store, db);
    return n;
}

/* ---- reminders ---- */

TEST(a_reminder_is_delivered_once_to_session_chat_and_pages)
{
    struct home h = home();
    struct reminder r = add(&h, NULL, "ses_a", "Call the bank", "2026-11-20T17:00", "");
    step_at(&h, r.next_at - 1);
    assert_int_equal(h.step.next_at, r.next_at);
    assert_string_equal(texts(&h, "ses_a"), "");
    step_at(&h, r.next_at);
    assert_true(h.step.posted);
    assert_int_equal(h.step.next_at, INT64_MAX);
    assert_string_equal(texts(&h, "ses_a"), "**Reminder:** Call the bank");
    assert_string_equal(posts(&h), "27 bytes");
    assert_int_equal(shown(&h), 1);
    step_at(&h, r.next_at + 1);
    assert_false(h.step.posted);
    assert_string_equal(texts(&h, "ses_a"), "**Reminder:** Call the bank");
    assert_string_equal(posts(&h), "27 bytes");
    leave(&h);
}

TEST(a_reminder_makes_its_session_unread)
{
    struct home h = home();
    struct session s;
    struct reminder r = add(&h, NULL, "ses_a", "Call the bank", "2026-11-20T17:00", "");
    step_at(&h, r.next_at);
    struct db *db = store_read(h.store);
    assert_ok(store_session_get(db, h.a, 1, "ses_a", &s, NULL));
    store_read_done(h.store, db);
    assert_true(s.active_at > s.seen_at);
    leave(&h);
}

TEST(what_was_missed_is_told_once_with_its_number)
{
    struct home h = home();
    add(&h, NULL, "ses_a", "Stretch", "2026-11-21T08:00", "FREQ=DAILY");
    step_at(&h, NOW + 20 * MS_PER_DAY); /* 10 December, 14:46 there */
    assert_string_equal(texts(&h, "ses_a"),
        "**Reminder:** Stretch\n\nIt was due 20 times while Alfred was off, last today at 08:00.");
    assert_int_equal(shown(&h), 1);
    leave(&h);
}

TEST(a_chat_that_cannot_be_reached_gets_the_newest_of_a_series)
{
    struct home h = home();
    struct reminder r = add(&h, NULL, "ses_a", "Stretch", "2026-11-20T17:00", "FREQ=HOURLY");
    add(&h, NULL, "ses_a", "Call the bank", "2026-11-20T17:30", "");
    for (int i = 0; i < 8; i++)
        step_at(&h, r.next_at + i * MS_PER_H);
    assert_string_equal(posts(&h), "49 bytes|21 bytes");
    leave(&h);
}

TEST(a_late_reminder_says_when_it_was_due)
{
    struct home h = home();
    add(&h, NULL, "ses_a", "Call the bank", "2026-11-20T17:00", "");
    step_at(&h, NOW + MS_PER_DAY);
    assert_string_equal(texts(&h, "ses_a"), "**Reminder:** Call the bank\n\nDue: yesterday at 17:00.");
    leave(&h);
}

TEST(eight_o_clock_stays_eight_o_clock_across_the_clock_change)
{
    struct home h = home();
    struct reminder r = add(&h, NULL, "ses_a", "Stretch", "2027-03-27T08:00", "FREQ=DAILY");
    step_at(&h, r.next_at);
    assert_int_equal(h.step.next_at, r.next_at + 23 * MS_PER_H);
    step_at(&h, h.step.next_at);
    assert_string_equal(texts(&h, "ses_a"), "**Reminder:** Stretch|**Reminder:** Stretch");
    leave(&h);
}

/* The programs end and start again with the same database. */
static void restart(struct home *h, const char *path)
{
    struct err e = ERR_INIT;
    store_free(h->store);
    h->store = NULL;
    if (store_open(path, 1, &h->store, &e) != RC_OK)
        fail_msg("%s", e.text);
}

static const char *database(struct home *h)
{
    struct rows q;
    const char *path = NULL;
    struct db *db = store_read(h->store);
    enum rc rc = db_query(db, &q, "SELECT file FROM pragma_database_list WHERE name = 'main'", NO_ARGS, NULL);
    if (rc == RC_OK && rows_next(&q))
        path = arena_strdup(h->a, rows_text(&q, 0));
    assert_ok(rows_done(&q, rc, NULL));
    store_read_done(h->store, db);
    return path;
}

TEST(off_during_both_clock_changes_a_reminder_is_told_once_and_keeps_its_hour)
{
    static const struct {
        const char *start;
        int64_t told, gap; /* hours from the first time to its telling, and on to the next time */
        const char *text;
    } table[] = {
        /* 28 March 2027, 02:00 -> 03:00: 08:00 comes an hour early */
        {"2027-03-27T08:00", 2 * 24 + 2, 24 - 3,
            "**Reminder:** Stretch|**Reminder:** Stretch\n\nIt was due 2 times while Alfred was off, "
            "last today at 08:00."},
        /* 31 October 2027, 03:00 -> 02:00: an hour later */
        {"2027-10-30T08:00", 2 * 24 + 2, 24 - 1,
            "**Reminder:** Stretch|**Reminder:** Stretch\n\nIt was due 2 times while Alfred was off, "
            "last today at 08:00."},
        /* an hour that is twice there on that day */
        {"2027-10-30T02:30", 24 + 2, 24 - 1,
            "**Reminder:** Stretch|**Reminder:** Stretch\n\nDue: today at 02:30."},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct home h = home();
        const char *path = database(&h);
        struct reminder r = add(&h, NULL, "ses_a", "Stretch", table[i].start, "FREQ=DAILY");
        step_at(&h, r.next_at);
        restart(&h, path);
        step_at(&h, r.next_at + table[i].told * MS_PER_H);
        if (strcmp(texts(&h, "ses_a"), table[i].text) != 0)
            fail_msg("%s: %s", table[i].start, texts(&h, "ses_a"));
        int64_t next = h.step.next_at - (r.next_at + table[i].told * MS_PER_H);
        if (next != table[i].gap * MS_PER_H)
            fail_msg("%s: %lld h", table[i].start, (long long)(next / MS_PER_H));
        restart(&h, path); /* and nothing is told again */
        step_at(&h, r.next_at + table[i].told * MS_PER_H + 1);
        assert_string_equal(texts(&h, "ses_a"), table[i].text);
        leave(&h);
    }
}

TEST(without_its_session_a_reminder_goes_to_the_session_of_reminders)
{
    struct home h = home();
    struct session s;
    int64_t id;
    struct reminder first = add(&h, NULL, NULL, "One", "2026-11-20T17:00", "");
    struct reminder second = add(&h, NULL, NULL, "Two", "2026-11-20T18:00", "");
    step_at(&h, first.next_at);
    step_at(&h, second.next_at);
    struct db *db = store_read(h.store);
    assert_ok(store_reminder_session(db, 1, &id, NULL));
    assert_ok(store_session_by_id(db, h.a, 1, id, &s, NULL));
    store_read_done(h.store, db);
    assert_string_equal(s.title, "Reminders");
    assert_string_equal(texts(&h, s.pub), "**Reminder:** One|**Reminder:** Two");
    leave(&h);
}

static enum rc german_tx(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    return store_setting_set(db, 1, SETTING_LANGUAGE, "de", e);
}

TEST(a_reminder_speaks_the_language_of_its_owner)
{
    struct home h = home();
    assert_ok(store_write(h.store, german_tx, NULL, NULL));
    struct reminder r = add(&h, NULL, "ses_a", "Bank anrufen", "2026-11-20T17:00", "");
    step_at(&h, r.next_at);
    assert_string_equal(texts(&h, "ses_a"), "**Erinnerung:** Bank anrufen");
    leave(&h);
}

/* ---- turns ---- */

struct turn_tx {
    int64_t session_id, parent_id, turn_id, asked_id, reply_id;
    const char *client_id, *text;
    enum message_status status; /* of the end */
};

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
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

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct turn_tx *t = arg;
    struct message reply = {.id = t->reply_id, .status = t->status, .text = str_of(t->text), .ended_at = NOW};
    enum rc rc = store_message_finish(db, 1, &reply, e);
    return rc == RC_OK ? store_turn_end(db, 1, t->turn_id, t->status, NOW, e) : rc;
}

TEST(a_message_waits_for_the_end_of_a_running_turn)
{
    struct home h = home();
    struct reminder r = add(&h, NULL, "ses_a", "Call the bank", "2026-11-20T17:00", "");
    struct turn_tx t = {.session_id = h.session_id, .text = "!", .status = MESSAGE_DONE};
    assert_ok(store_write(h.store, begin_tx, &t, NULL));
    step_at(&h, r.next_at);
    assert_true(h.step.waits);
    assert_string_equal(texts(&h, "ses_a"), "?|");
    assert_string_equal(posts(&h), "27 bytes");
    assert_int_equal(shown(&h), 1);
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, r.next_at + 1);
    assert_false(h.step.waits);
    assert_string_equal(texts(&h, "ses_a"), "?|!|**Reminder:** Call the bank");
    leave(&h);
}

/* ---- schedules ---- */

static struct turn_order order(struct home *h)
{
    struct turn_order *list;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(store_turn_orders_ready(db, h->a, 10, &list, &n, NULL));
    store_read_done(h->store, db);
    return n ? list[0] : (struct turn_order){0};
}

struct order_tx {
    int64_t id;
    const char *error; /* NULL: its turn begins */
};

static enum rc order_tx(struct db *db, void *arg, struct err *e)
{
    const struct order_tx *o = arg;
    return o->error ? store_turn_order_refuse(db, o->id, o->error, e) : store_turn_order_delete(db, o->id, e);
}

/* The program `stream` starts the order. */
static struct turn_tx start(struct home *h)
{
    struct turn_order o = order(h);
    struct session s;
    struct db *db = store_read(h->store);
    assert_ok(store_session_get(db, h->a, 1, o.session, &s, NULL));
    store_read_done(h->store, db);
    struct turn_tx t = {.session_id = s.id, .client_id = o.client_id, .status = MESSAGE_DONE};
    assert_ok(store_write(h->store, order_tx, &(struct order_tx){.id = o.id}, NULL));
    assert_ok(store_write(h->store, begin_tx, &t, NULL));
    return t;
}

TEST(a_schedule_asks_its_text_and_delivers_the_answer)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "FREQ=DAILY");
    step_at(&h, r.next_at);
    assert_true(h.step.ordered);
    assert_true(str_is(order(&h).text, "Sum up"));
    assert_string_equal(order(&h).session, "ses_a");
    assert_int_equal(shown(&h), 0);
    struct turn_tx t = start(&h);
    step_at(&h, r.next_at + 1);
    assert_string_equal(posts(&h), "");
    t.text = "You have 3 tasks.";
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, r.next_at + 2);
    assert_string_equal(posts(&h), "17 bytes");
    assert_int_equal(shown(&h), 1);
    assert_false(h.step.waits);
    leave(&h);
}

TEST(a_schedule_delivers_its_own_answer_although_the_user_goes_on)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "FREQ=DAILY");
    step_at(&h, r.next_at);
    struct turn_tx t = start(&h);
    t.text = "You have 3 tasks.";
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    struct turn_tx next = {.session_id = h.session_id,
        .parent_id = t.reply_id,
        .text = "It is the answer to another question.",
        .status = MESSAGE_DONE};
    assert_ok(store_write(h.store, begin_tx, &next, NULL));
    step_at(&h, r.next_at + 1);
    assert_ok(store_write(h.store, end_tx, &next, NULL));
    step_at(&h, r.next_at + 2);
    assert_string_equal(posts(&h), "17 bytes");
    leave(&h);
}

TEST(a_schedule_that_still_runs_is_not_started_again)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "FREQ=DAILY");
    step_at(&h, r.next_at);
    start(&h);
    step_at(&h, r.next_at + MS_PER_DAY);
    assert_false(h.step.ordered);
    assert_int_equal(order(&h).id, 0);
    leave(&h);
}

TEST(a_schedule_without_a_session_gets_one_and_keeps_it)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, NULL, "Sum up\nin short", "2026-11-21T07:00", "FREQ=DAILY");
    struct session s;
    step_at(&h, r.next_at);
    const char *pub = order(&h).session;
    struct db *db = store_read(h.store);
    assert_ok(store_session_get(db, h.a, 1, pub, &s, NULL));
    assert_ok(store_reminder_get(db, h.a, 1, r.id, &r, NULL));
    store_read_done(h.store, db);
    assert_string_equal(s.title, "Sum up");
    assert_string_equal(r.session, s.pub);
    leave(&h);
}

/* Refuses the order that waits, if there is one. */
static bool refuse(struct home *h)
{
    struct order_tx o = {.id = order(h).id, .error = "No model."};
    if (o.id)
        assert_ok(store_write(h->store, order_tx, &o, NULL));
    return o.id != 0;
}

TEST(a_refused_schedule_is_said_once_and_tried_again_for_hours)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "FREQ=HOURLY");
    int64_t now = r.next_at;
    int asked = 0, steps = 0;
    step_at(&h, now);
    for (; steps < 1000 && asked < REMINDING_ATTEMPTS_MAX; steps++) {
        asked += refuse(&h);
        step_at(&h, now);
        if (asked == REMINDING_ATTEMPTS_MAX - 1)
            assert_string_equal(posts(&h), "92 bytes");
        now = h.step.next_at;
        step_at(&h, now);
    }
    assert_in_range(now - r.next_at, 15 * MS_PER_H, 20 * MS_PER_H);
    assert_string_equal(texts(&h, "ses_a"),
        "The schedule “Sum up” has not run yet. Alfred tries again for the next hours.\n\nNo model.|"
        "The schedule “Sum up” did not run.\n\nNo model.");
    leave(&h);
}

TEST(after_an_outage_an_hourly_schedule_has_one_answer_with_its_time)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T01:00", "FREQ=HOURLY");
    int64_t now = r.next_at;
    step_at(&h, now);
    while (now < r.next_at + 8 * MS_PER_H) {
        refuse(&h);
        step_at(&h, now);
        now = h.step.next_at;
        step_at(&h, now);
    }
    while (!order(&h).id)
        step_at(&h, now = h.step.next_at);
    struct turn_tx t = start(&h);
    t.text = "You have 3 tasks.";
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, now + 1);
    assert_string_equal(posts(&h), "92 bytes|39 bytes"); /* "Due: today at 01:00." */
    assert_int_equal(shown(&h), 1);
    assert_int_equal(order(&h).id, 0);
    leave(&h);
}

TEST(a_schedule_that_is_paused_is_not_tried_again)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "FREQ=DAILY");
    int64_t at = r.next_at;
    step_at(&h, at);
    assert_ok(reminders_pause(h.store, 1, r.id, true, at, h.a, &r, NULL));
    refuse(&h);
    step_at(&h, at);
    assert_string_equal(posts(&h), "");
    assert_int_equal(h.step.next_at, INT64_MAX);
    leave(&h);
}

TEST(that_a_schedule_did_not_run_is_said_after_the_turn_that_runs_in_its_session)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "");
    struct turn_tx t = {.session_id = h.session_id, .text = "!", .status = MESSAGE_DONE};
    int64_t now = r.next_at;
    step_at(&h, now);
    for (int i = 1; i < REMINDING_ATTEMPTS_MAX; i++) {
        refuse(&h);
        step_at(&h, now += MS_PER_H); /* plans another attempt */
        step_at(&h, now += MS_PER_H); /* and orders it */
    }
    refuse(&h);
    assert_ok(store_write(h.store, begin_tx, &t, NULL)); /* the user's own */
    step_at(&h, now += MS_PER_H);
    assert_true(h.step.waits);
    assert_string_equal(posts(&h), "92 bytes");
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, now + 1);
    assert_false(h.step.waits);
    assert_string_equal(texts(&h, "ses_a"), "?|!|The schedule “Sum up” did not run.\n\nNo model.");
    assert_string_equal(posts(&h), "92 bytes|49 bytes");
    assert_int_equal(shown(&h), 0);
    assert_int_equal(h.step.next_at, INT64_MAX);
    leave(&h);
}

TEST(a_failed_answer_of_a_schedule_is_made_again)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "");
    step_at(&h, r.next_at);
    struct turn_tx t = start(&h);
    t.text = "";
    t.status = MESSAGE_FAILED;
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, r.next_at + 1);
    assert_int_equal(h.step.next_at, r.next_at + 1 + REMINDING_RETRY_MS);
    step_at(&h, h.step.next_at);
    assert_int_equal(order(&h).kind, ORDER_REGENERATE);
    assert_int_equal(order(&h).message_id, t.reply_id);
    leave(&h);
}

TEST(a_stopped_schedule_is_over)
{
    struct home h = home();
    struct reminder r = add(&h, REMINDER_PROMPT, "ses_a", "Sum up", "2026-11-21T07:00", "");
    step_at(&h, r.next_at);
    struct turn_tx t = start(&h);
    t.text = "";
    t.status = MESSAGE_STOPPED;
    assert_ok(store_write(h.store, end_tx, &t, NULL));
    step_at(&h, r.next_at + 1);
    assert_string_equal(posts(&h), "");
    assert_int_equal(shown(&h), 0);
    assert_false(h.step.waits);
    assert_int_equal(h.step.next_at, INT64_MAX);
    leave(&h);
}

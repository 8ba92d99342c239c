#include "reminding_home.h"

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

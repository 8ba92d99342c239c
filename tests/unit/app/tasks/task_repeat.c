/* Tasks with a time of day and with a repetition. */
#include "tasks_rig.h"

#include "app/reminder/reminder.h"
#include "codec/calendar/recurrence.h"
#include "store/reminder.h"

static struct task add_timed(struct home *h, const char *due, const char *time, const char *rule)
{
    struct task_input w = {.owner = 1,
        .text = STR("Water the plants"),
        .due = str_of(due),
        .time = str_of(time),
        .rule = str_of(rule),
        .zone = "Europe/Berlin",
        .now = h->now};
    struct task t;
    struct err e = ERR_INIT;
    if (tasks_add(h->store, &w, h->a, &t, &e) != RC_OK)
        fail_msg("%s", e.text);
    return t;
}

static struct task done(struct home *h, int64_t id, bool is)
{
    struct task t;
    assert_ok(tasks_set_done(h->store, 1, id, is, h->now, h->a, &t, NULL));
    return t;
}

static struct task get(struct home *h, int64_t id)
{
    struct task t = {0};
    struct db *db = store_read(h->store);
    assert_ok(store_task_get(db, h->a, 1, id, &t, NULL));
    store_read_done(h->store, db);
    return t;
}

static int64_t fires(struct home *h)
{
    int64_t at;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_next_at(db, &at, NULL));
    store_read_done(h->store, db);
    return at;
}

TEST(a_task_with_a_time_is_told_then)
{
    struct home h = home(); /* Friday, 20 November 2026, 13:46 UTC */
    struct task t = add_timed(&h, "2026-12-01", "17:00", "");
    assert_string_equal(t.due, "2026-12-01");
    assert_string_equal(t.start, "2026-12-01T17:00");
    assert_true(fires(&h) == recurrence_wall("2026-12-01T16:00"));
    struct task_input w = {.owner = 1, .id = t.id, .due = STR("2026-12-02"), .now = h.now};
    assert_ok(tasks_change(h.store, &w, h.a, &t, NULL));
    assert_true(fires(&h) == recurrence_wall("2026-12-02T16:00"));
    done(&h, t.id, true);
    assert_true(fires(&h) == INT64_MAX);
    done(&h, t.id, false);
    assert_true(fires(&h) == recurrence_wall("2026-12-02T16:00"));
    assert_ok(tasks_delete(h.store, 1, t.id, h.now, NULL));
    assert_true(fires(&h) == INT64_MAX);
    assert_ok(tasks_restore(h.store, 1, t.id, NULL));
    assert_true(fires(&h) == recurrence_wall("2026-12-02T16:00"));
    w = (struct task_input){.owner = 1, .id = t.id, .time = STR(""), .now = h.now};
    assert_ok(tasks_change(h.store, &w, h.a, &t, NULL));
    assert_null(t.start);
    assert_true(fires(&h) == INT64_MAX);
    t = add_timed(&h, "", "08:00", ""); /* it is 14:46 there */
    assert_string_equal(t.due, "2026-11-21");
    t = add_timed(&h, "2020-01-01", "08:00", ""); /* overdue: nothing to tell */
    assert_true(fires(&h) == recurrence_wall("2026-11-21T07:00"));
    leave(&h);
}

TEST(a_form_that_changes_no_time_keeps_the_snooze)
{
    struct home h = home();
    struct task t = add_timed(&h, "2026-11-20", "15:00", "");
    struct reminder r;
    h.now = recurrence_wall("2026-11-20T14:01");
    int64_t until = h.now + 10 * 60000;
    struct db *db = store_read(h.store);
    assert_ok(store_reminder_of_task(db, h.a, 1, t.id, &r, NULL));
    store_read_done(h.store, db);
    assert_ok(reminders_snooze(h.store, 1, r.id, until, h.now, h.a, &r, NULL));
    struct task_input w = {.owner = 1,
        .id = t.id,
        .text = STR("Water all plants"),
        .due = STR("2026-11-20"),
        .time = STR("15:00"),
        .rule = STR(""),
        .zone = "Europe/Berlin",
        .now = h.now};
    assert_ok(tasks_change(h.store, &w, h.a, &t, NULL));
    assert_string_equal(t.start, "2026-11-20T15:00");
    assert_true(fires(&h) == until);
    w.time = STR("18:00");
    assert_ok(tasks_change(h.store, &w, h.a, &t, NULL));
    assert_true(fires(&h) == recurrence_wall("2026-11-20T17:00"));
    leave(&h);
}

TEST(a_task_that_repeats_opens_again_when_it_is_done)
{
    struct home h = home();
    struct task t = add_timed(&h, "2026-11-18", "08:00", "FREQ=WEEKLY;BYDAY=MO");
    assert_string_equal(t.due, "2026-11-23"); /* the first Monday */
    struct task first = done(&h, t.id, true);
    struct task next = get(&h, first.next_id);
    assert_string_equal(next.due, "2026-11-30");
    assert_string_equal(next.text.s, "Water the plants");
    assert_string_equal(next.rule, "FREQ=WEEKLY;BYDAY=MO");
    assert_null(get(&h, t.id).rule);
    assert_true(fires(&h) == recurrence_wall("2026-11-30T07:00"));
    done(&h, t.id, true); /* a second time: nothing */
    assert_int_equal(get(&h, t.id).next_id, next.id);

    t = done(&h, t.id, false); /* undone: as before */
    assert_string_equal(t.rule, "FREQ=WEEKLY;BYDAY=MO");
    assert_int_equal(t.next_id, 0);
    struct task gone;
    struct db *db = store_read(h.store);
    assert_rc(store_task_get(db, h.a, 1, next.id, &gone, NULL), RC_NOT_FOUND);
    store_read_done(h.store, db);
    assert_true(fires(&h) == recurrence_wall("2026-11-23T07:00"));

    h.now = recurrence_wall("2027-01-20T12:00"); /* overdue by weeks: the next one is in the future */
    first = done(&h, t.id, true);
    assert_string_equal(get(&h, first.next_id).due, "2027-01-25");
    leave(&h);
}

TEST(a_repetition_without_a_time_tells_nothing_and_may_end)
{
    struct home h = home();
    struct task t = add_timed(&h, "2026-11-20", "", "FREQ=DAILY;COUNT=2");
    assert_true(fires(&h) == INT64_MAX);
    t = done(&h, t.id, true);
    assert_string_equal(get(&h, t.next_id).due, "2026-11-21");
    t = done(&h, t.next_id, true);
    assert_int_equal(t.next_id, 0);
    struct task_input w = {.owner = 1, .text = STR("x"), .time = STR("25:00"), .now = h.now};
    assert_rc(tasks_add(h.store, &w, h.a, &t, NULL), RC_BAD_INPUT);
    w = (struct task_input){.owner = 1, .text = STR("x"), .rule = STR("FREQ=HOURLY"), .now = h.now};
    assert_rc(tasks_add(h.store, &w, h.a, &t, NULL), RC_BAD_INPUT);
    w = (struct task_input){.owner = 1, .text = STR("x"), .rule = STR("nonsense"), .now = h.now};
    assert_rc(tasks_add(h.store, &w, h.a, &t, NULL), RC_BAD_INPUT);
    leave(&h);
}

static struct task change(struct home *h, int64_t id, struct task_input w)
{
    struct task t;
    w.owner = 1;
    w.id = id;
    w.zone = "Europe/Berlin";
    w.now = h->now;
    assert_ok(tasks_change(h->store, &w, h->a, &t, NULL));
    return t;
}

TEST(a_series_goes_on_when_only_its_hour_changes)
{
    struct home h = home();
    struct task t = add_timed(&h, "2026-11-20", "18:00", "FREQ=DAILY;COUNT=4");
    t = done(&h, t.id, true);
    t = change(&h, t.next_id, (struct task_input){.time = STR("19:00")});
    assert_string_equal(t.due, "2026-11-21");
    assert_string_equal(t.start, "2026-11-20T19:00"); /* of the series */
    assert_true(fires(&h) == recurrence_wall("2026-11-21T18:00"));
    /* A form sends all fields. */
    t = change(&h, t.id,
        (struct task_input){.text = STR("Water"),
            .due = STR("2026-11-21"),
            .time = STR("20:00"),
            .rule = STR("FREQ=DAILY;COUNT=4")});
    assert_string_equal(t.due, "2026-11-21");
    assert_true(fires(&h) == recurrence_wall("2026-11-21T19:00"));
    t = done(&h, t.id, true);
    t = done(&h, t.next_id, true);
    t = get(&h, t.next_id);
    assert_string_equal(t.due, "2026-11-23");
    h.now = recurrence_wall("2026-11-25T12:00"); /* the last one is overdue */
    t = change(&h, t.id, (struct task_input){.time = STR("07:00")});
    assert_string_equal(t.due, "2026-11-23");
    assert_true(fires(&h) == INT64_MAX);
    assert_int_equal(done(&h, t.id, true).next_id, 0);
    leave(&h);
}

TEST(another_day_or_rule_begins_another_series)
{
    struct home h = home();
    struct task t = add_timed(&h, "2026-11-20", "18:00", "FREQ=DAILY;COUNT=2");
    t = done(&h, t.id, true);
    t = change(&h, t.next_id, (struct task_input){.due = STR("2026-11-25")});
    assert_string_equal(t.start, "2026-11-25T18:00");
    t = done(&h, t.id, true);
    assert_string_equal(get(&h, t.next_id).due, "2026-11-26");
    t = change(&h, t.next_id, (struct task_input){.rule = STR("FREQ=DAILY;COUNT=3")});
    assert_string_equal(t.start, "2026-11-26T18:00");
    assert_string_equal(t.due, "2026-11-26");
    leave(&h);
}

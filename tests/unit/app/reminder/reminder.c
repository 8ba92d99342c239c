#include "migrated.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"
#include "codec/calendar/recurrence.h"
#include "store/account/user.h"
#include "store/reminder_delivery.h"
#include "store/session/session.h"

#define ZONE "Europe/Berlin"

struct home {
    char path[256];
    struct store *store;
    struct arena *a;
};

static int64_t at(const char *utc)
{
    return recurrence_wall(utc);
}

static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    int64_t id;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", 1, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_a", NULL, NULL, 1, &id, e);
    return rc == RC_OK ? store_user_add(db, "bob", USER_MEMBER, "x", 1, &id, e) : rc;
}

static struct home home(void)
{
    static int n;
    struct home h = {.a = arena_new()};
    snprintf(h.path, sizeof h.path, "%s/%d.db", unit_tmp(), n++);
    assert_ok(store_open(unit_migrated(h.path), 1, &h.store, NULL));
    assert_ok(store_write(h.store, users_tx, NULL, NULL));
    return h;
}

static void leave(struct home *h)
{
    store_free(h->store);
    arena_free(h->a);
}

/* As after a restart, or the end by a signal. */
static void reopen(struct home *h)
{
    store_free(h->store);
    assert_ok(store_open(h->path, 1, &h->store, NULL));
}

static struct reminder_input input(const char *text, const char *start, const char *rule, const char *now)
{
    return (struct reminder_input){.owner = 1,
        .text = str_of(text),
        .start = str_of(start),
        .rule = str_of(rule),
        .zone = ZONE,
        .now = at(now)};
}

static struct reminder add(struct home *h, const char *start, const char *rule, const char *now)
{
    struct reminder_input w = input("Call Anna", start, rule, now);
    struct reminder r;
    struct err e = ERR_INIT;
    if (reminders_add(h->store, &w, h->a, &r, &e) != RC_OK)
        fail_msg("%s %s: %s", start, rule, e.text);
    return r;
}

static void refused(struct home *h, struct reminder_input w, enum rc want, const char *key)
{
    struct reminder r;
    struct err e = ERR_INIT;
    enum rc rc = reminders_add(h->store, &w, h->a, &r, &e);
    if (rc != want || !str_starts(str_of(e.said), str_of(key)))
        fail_msg("%.40s %s: %s %s, not %s", w.text.s, w.start.s, rc_name(rc), e.said, key);
}

static const char *utc(struct home *h, int64_t when)
{
    char *text = arena_alloc(h->a, RECURRENCE_START_SIZE);
    if (!when)
        return "never";
    recurrence_local(when, text);
    return text;
}

struct firing {
    struct home *h;
    int64_t now;
    struct reminder_fired *list;
    size_t n;
};

static enum rc fire_tx(struct db *db, void *arg, struct err *e)
{
    struct firing *f = arg;
    return reminders_fire_in(db, f->h->a, f->now, &f->list, &f->n, e);
}

static struct firing fire(struct home *h, const char *now)
{
    struct firing f = {.h = h, .now = at(now)};
    assert_ok(store_write(h->store, fire_tx, &f, NULL));
    return f;
}

static size_t open_dues(struct home *h)
{
    struct reminder_due *list;
    size_t n;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_due_shown(db, h->a, 1, 10, &list, &n, NULL));
    store_read_done(h->store, db);
    return n;
}

static int64_t next_of_all(struct home *h)
{
    int64_t next;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_next_at(db, &next, NULL));
    store_read_done(h->store, db);
    return next;
}

static struct reminder get(struct home *h, int64_t id)
{
    struct reminder r;
    struct db *db = store_read(h->store);
    assert_ok(store_reminder_get(db, h->a, 1, id, &r, NULL));
    store_read_done(h->store, db);
    return r;
}

TEST(a_reminder_fires_once_at_its_local_time)
{
    struct home h = home();
    struct reminder r = add(&h, "2026-12-01T17:00", "", "2026-11-22T10:00");
    assert_string_equal(utc(&h, r.next_at), "2026-12-01T16:00");
    assert_true(next_of_all(&h) == r.next_at);
    assert_int_equal(fire(&h, "2026-12-01T15:59").n, 0);
    struct firing f = fire(&h, "2026-12-01T16:00");
    assert_int_equal(f.n, 1);
    assert_false(f.list[0].late);
    assert_int_equal(f.list[0].due.missed, 0);
    assert_int_equal(f.list[0].r.fires_at, 0);
    assert_true(f.list[0].r.open_due == f.list[0].due.id);
    reopen(&h);
    assert_int_equal(fire(&h, "2026-12-01T16:00").n, 0);
    assert_int_equal(fire(&h, "2027-12-01T16:00").n, 0);
    assert_int_equal(open_dues(&h), 1);
    assert_true(next_of_all(&h) == INT64_MAX);
    leave(&h);
}

TEST(what_was_missed_is_told_once_as_late)
{
    struct home h = home();
    add(&h, "2026-03-20T08:00", "FREQ=DAILY", "2026-03-19T10:00");
    add(&h, "2026-03-21T08:00", "", "2026-03-19T10:00");
    reopen(&h);
    struct firing f = fire(&h, "2026-04-08T20:00");
    assert_int_equal(f.n, 2);
    assert_true(f.list[0].late && f.list[1].late);
    assert_int_equal(f.list[0].due.missed, 19);
    assert_string_equal(utc(&h, f.list[0].due.due_at), "2026-04-08T06:00"); /* summer time */
    assert_string_equal(utc(&h, f.list[0].r.next_at), "2026-04-09T06:00");
    assert_string_equal(utc(&h, f.list[1].due.due_at), "2026-03-21T07:00");
    assert_int_equal(f.list[1].due.missed, 0);
    leave(&h);
}

static enum rc clock_back_tx(struct db *db, void *arg, struct err *e)
{
    return reminders_clock_back_in(db, *(int64_t *)arg, e);
}

TEST(what_was_told_while_the_clock_was_ahead_is_told_at_its_time)
{
    struct home h = home();
    struct reminder daily = add(&h, "2026-03-20T08:00", "FREQ=DAILY", "2026-03-19T10:00");
    struct reminder thrice = add(&h, "2026-03-20T09:00", "FREQ=DAILY;COUNT=3", "2026-03-19T10:00");
    struct reminder past = add(&h, "2026-03-20T10:00", "", "2026-03-19T10:00");
    struct reminder once = add(&h, "2026-03-21T10:00", "", "2026-03-19T10:00");
    struct reminder done = add(&h, "2026-03-21T10:00", "", "2026-03-19T10:00");
    assert_int_equal(fire(&h, "2036-03-20T00:00").n, 5);
    assert_ok(reminders_done(h.store, 1, done.id, at("2036-03-20T00:00"), h.a, &done, NULL));
    int64_t now = at("2026-03-20T12:00");
    assert_ok(store_write(h.store, clock_back_tx, &now, NULL));
    assert_string_equal(utc(&h, get(&h, daily.id).next_at), "2026-03-21T07:00");
    assert_string_equal(utc(&h, get(&h, thrice.id).next_at), "2026-03-21T08:00");
    assert_string_equal(utc(&h, get(&h, once.id).next_at), "2026-03-21T09:00");
    assert_int_equal(get(&h, past.id).next_at, 0);
    assert_int_equal(get(&h, done.id).next_at, 0);

    /* A small correction repeats nothing. */
    assert_int_equal(fire(&h, "2026-03-21T07:00").n, 1);
    now = at("2026-03-21T06:59");
    assert_ok(store_write(h.store, clock_back_tx, &now, NULL));
    assert_string_equal(utc(&h, get(&h, daily.id).next_at), "2026-03-22T07:00");
    leave(&h);
}

static struct reminder put_off(struct home *h, int64_t id, const char *until, const char *now)
{
    struct reminder r;
    assert_ok(reminders_snooze(h->store, 1, id, at(until), at(now), h->a, &r, NULL));
    return r;
}

TEST(what_was_put_off_and_told_while_the_clock_was_ahead_is_told_at_its_time)
{
    struct home h = home();
    struct reminder once = add(&h, "2026-03-20T10:00", "", "2026-03-19T10:00");
    struct reminder daily = add(&h, "2026-03-20T10:00", "FREQ=DAILY", "2026-03-19T10:00");
    struct reminder done = add(&h, "2026-03-20T10:00", "", "2026-03-19T10:00");
    struct reminder ahead = add(&h, "2026-03-20T10:00", "", "2026-03-19T10:00");
    assert_int_equal(fire(&h, "2026-03-20T09:00").n, 4);
    put_off(&h, once.id, "2026-03-20T12:00", "2026-03-20T09:30");
    put_off(&h, daily.id, "2026-03-20T12:00", "2026-03-20T09:30");
    put_off(&h, done.id, "2026-03-20T12:00", "2026-03-20T09:30");
    put_off(&h, ahead.id, "2036-03-20T12:00", "2036-03-20T09:30");
    assert_int_equal(fire(&h, "2026-03-20T20:00").n, 3);
    assert_ok(reminders_done(h.store, 1, done.id, at("2026-03-20T20:00"), h.a, &done, NULL));
    assert_int_equal(fire(&h, "2036-03-20T12:00").n, 2); /* and an occurrence of the series */

    int64_t now = at("2026-03-20T10:00");
    assert_ok(store_write(h.store, clock_back_tx, &now, NULL));
    assert_string_equal(utc(&h, get(&h, once.id).snooze_at), "2026-03-20T12:00");
    assert_string_equal(utc(&h, get(&h, daily.id).next_at), "2026-03-21T09:00");
    assert_int_equal(get(&h, done.id).snooze_at, 0);
    assert_int_equal(get(&h, ahead.id).snooze_at, 0);
    struct firing f = fire(&h, "2026-03-20T12:00");
    assert_int_equal(f.n, 1);
    assert_true(f.list[0].snoozed);
    leave(&h);
}

TEST(without_free_descriptors_a_series_waits_and_keeps_its_hour)
{
    struct home h = home();
    struct reminder r = add(&h, "2026-03-20T08:00", "FREQ=DAILY", "2026-03-19T10:00");
    struct firing f = {.h = &h, .now = at("2026-03-20T07:00")};
    struct rlimit usual, none;
    getrlimit(RLIMIT_NOFILE, &usual);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = usual.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    enum rc rc = store_write(h.store, fire_tx, &f, NULL);
    setrlimit(RLIMIT_NOFILE, &usual);
    assert_rc(rc, RC_UNAVAILABLE);
    assert_int_equal(get(&h, r.id).next_at, f.now);
    assert_int_equal(fire(&h, "2026-03-20T07:00").n, 1);
    assert_string_equal(utc(&h, get(&h, r.id).next_at), "2026-03-21T07:00");
    leave(&h);
}

TEST(a_series_keeps_its_hour_across_both_clock_changes)
{
    static const char *const want[] = {"2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"};
    static const char *const autumn[] = {"2026-10-24T00:30", "2026-10-25T00:30", "2026-10-26T01:30"};
    struct home h = home();
    struct reminder spring = add(&h, "2026-03-28T02:30", "FREQ=DAILY;COUNT=3", "2026-03-27T10:00");
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(utc(&h, spring.next_at), want[i]);
        reopen(&h);
        struct firing f = fire(&h, want[i]);
        assert_int_equal(f.n, 1);
        spring = f.list[0].r;
    }
    assert_int_equal(spring.next_at, 0); /* COUNT has ended */
    struct reminder fall = add(&h, "2026-10-24T02:30", "FREQ=DAILY", "2026-10-23T10:00");
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(utc(&h, fall.next_at), autumn[i]);
        struct firing f = fire(&h, autumn[i]);
        assert_int_equal(f.n, 1);
        fall = f.list[0].r;
    }
    leave(&h);
}

TEST(a_new_occurrence_answers_the_one_before)
{
    struct home h = home();
    add(&h, "2026-12-01T08:00", "FREQ=DAILY", "2026-11-22T10:00");
    fire(&h, "2026-12-01T07:00");
    fire(&h, "2026-12-02T07:00");
    assert_int_equal(open_dues(&h), 1);
    leave(&h);
}

TEST(snooze_tells_again_and_done_ends)
{
    struct home h = home();
    int64_t until;
    struct reminder r = add(&h, "2026-12-01T17:00", "", "2026-11-22T10:00");
    fire(&h, "2026-12-01T16:00");
    assert_true(reminders_snooze_until(STR("10m"), NULL, at("2026-12-01T16:01"), &until));
    assert_ok(reminders_snooze(h.store, 1, r.id, until, at("2026-12-01T16:01"), h.a, &r, NULL));
    assert_string_equal(utc(&h, r.fires_at), "2026-12-01T16:11");
    assert_int_equal(open_dues(&h), 0);
    assert_int_equal(fire(&h, "2026-12-01T16:10").n, 0);
    struct firing f = fire(&h, "2026-12-01T16:11");
    assert_int_equal(f.n, 1);
    assert_true(f.list[0].snoozed);
    assert_ok(reminders_done(h.store, 1, r.id, at("2026-12-01T16:12"), h.a, &r, NULL));
    assert_int_equal(r.open_due, 0);
    assert_int_equal(r.fires_at, 0);

    /* A series goes on; the snooze is beside it. */
    r = add(&h, "2026-12-02T08:00", "FREQ=DAILY", "2026-12-01T16:12");
    fire(&h, "2026-12-02T07:00");
    assert_ok(
        reminders_snooze(h.store, 1, r.id, at("2026-12-02T08:00"), at("2026-12-02T07:01"), h.a, &r, NULL));
    assert_string_equal(utc(&h, r.fires_at), "2026-12-02T08:00");
    f = fire(&h, "2026-12-02T08:00");
    assert_int_equal(f.n, 1);
    assert_string_equal(utc(&h, f.list[0].r.fires_at), "2026-12-03T07:00");

    /* One that is done before its time does not fire. */
    r = add(&h, "2026-12-24T17:00", "", "2026-12-02T10:00");
    assert_ok(reminders_done(h.store, 1, r.id, at("2026-12-03T16:12"), h.a, &r, NULL));
    assert_int_equal(r.fires_at, 0);
    leave(&h);
}

TEST(a_snooze_is_a_length_or_tomorrow_morning)
{
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, ZONE);
    int64_t now = at("2026-10-24T20:00"), until;
    assert_true(reminders_snooze_until(STR(" 1h "), z, now, &until));
    assert_true(until == now + MS_PER_H);
    assert_true(reminders_snooze_until(STR("2d"), z, now, &until));
    assert_true(until == now + 2 * MS_PER_DAY);
    assert_true(reminders_snooze_until(STR("tomorrow"), z, now, &until));
    assert_true(until == at("2026-10-25T08:00")); /* 09:00 winter time */
    static const char *const bad[] = {
        "", "m", "0m", "-1h", "10", "10x", "400d", "9999999999999999999m", "now"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(reminders_snooze_until(str_of(bad[i]), z, now, &until));
}

TEST(what_is_due_while_paused_is_not_told)
{
    struct home h = home();
    struct reminder r = add(&h, "2026-12-01T08:00", "FREQ=DAILY", "2026-11-22T10:00"),
                    once = add(&h, "2026-12-01T08:00", "", "2026-11-22T10:00");
    assert_ok(reminders_pause(h.store, 1, r.id, true, at("2026-11-23T10:00"), h.a, &r, NULL));
    assert_ok(reminders_pause(h.store, 1, once.id, true, at("2026-11-23T10:00"), h.a, &once, NULL));
    assert_int_equal(r.fires_at, 0);
    assert_int_equal(fire(&h, "2026-12-05T12:00").n, 0);
    assert_ok(reminders_pause(h.store, 1, r.id, false, at("2026-12-05T12:00"), h.a, &r, NULL));
    assert_ok(reminders_pause(h.store, 1, once.id, false, at("2026-12-05T12:00"), h.a, &once, NULL));
    assert_string_equal(utc(&h, r.fires_at), "2026-12-06T07:00");
    assert_int_equal(once.fires_at, 0);
    leave(&h);
}

TEST(a_deleted_reminder_is_silent_until_it_is_restored)
{
    struct home h = home();
    struct reminder r = add(&h, "2026-12-01T17:00", "", "2026-11-22T10:00");
    assert_ok(reminders_delete(h.store, 1, r.id, at("2026-11-22T10:01"), NULL));
    assert_rc(reminders_delete(h.store, 1, r.id, at("2026-11-22T10:01"), NULL), RC_NOT_FOUND);
    assert_int_equal(fire(&h, "2026-12-01T16:00").n, 0);
    assert_rc(reminders_restore(h.store, 2, r.id, h.a, &r, NULL), RC_NOT_FOUND);
    assert_ok(reminders_restore(h.store, 1, r.id, h.a, &r, NULL));
    assert_int_equal(fire(&h, "2026-12-01T16:00").n, 1);
    leave(&h);
}

TEST(a_change_moves_the_time)
{
    struct home h = home();
    struct reminder r = add(&h, "2026-12-01T17:00", "", "2026-11-22T10:00");
    struct reminder_input w = {.owner = 1, .id = r.id, .now = at("2026-11-22T11:00")};
    w.text = STR("Call Anna and Ben");
    assert_ok(reminders_change(h.store, &w, h.a, &r, NULL));
    assert_string_equal(r.text.s, "Call Anna and Ben");
    assert_string_equal(utc(&h, r.next_at), "2026-12-01T16:00");
    w = (struct reminder_input){.owner = 1, .id = r.id, .rule = STR("FREQ=WEEKLY"), .now = w.now};
    assert_ok(reminders_change(h.store, &w, h.a, &r, NULL));
    assert_string_equal(r.rule, "FREQ=WEEKLY");
    w = (struct reminder_input){
        .owner = 1, .id = r.id, .start = STR("2026-07-01T08:00"), .zone = "UTC", .now = w.now};
    assert_ok(reminders_change(h.store, &w, h.a, &r, NULL));
    assert_string_equal(utc(&h, r.next_at), "2026-11-25T08:00");
    w = (struct reminder_input){.owner = 1, .id = r.id, .rule = STR(""), .now = w.now};
    assert_rc(reminders_change(h.store, &w, h.a, &r, NULL), RC_BAD_INPUT); /* once, in July: passed */
    w.owner = 2;
    assert_rc(reminders_change(h.store, &w, h.a, &r, NULL), RC_NOT_FOUND);
    leave(&h);
}

TEST(bad_input_is_refused_with_a_sentence)
{
    struct home h = home();
    const char *now = "2026-11-22T10:00";
    char *text = arena_alloc(h.a, REMINDER_TEXT_CHARS_MAX + 2);
    memset(text, 'x', REMINDER_TEXT_CHARS_MAX + 1);
    text[REMINDER_TEXT_CHARS_MAX + 1] = '\0';
    refused(&h, input(" \n", "2026-12-01T17:00", "", now), RC_BAD_INPUT, "reminder.empty");
    refused(&h, input(text, "2026-12-01T17:00", "", now), RC_BAD_INPUT, "reminder.too_long");
    refused(&h, input("\xff", "2026-12-01T17:00", "", now), RC_BAD_INPUT, "form.text_no_utf8");
    refused(&h, input("a", "2026-12-01", "", now), RC_BAD_INPUT, "reminder.bad_time");
    refused(&h, input("a", "tomorrow", "", now), RC_BAD_INPUT, "reminder.bad_time");
    refused(&h, input("a", "2026-11-22T10:58", "", now), RC_BAD_INPUT, "reminder.past");
    refused(&h, input("a", "9999-12-31T23:59", "", now), RC_BAD_INPUT, "reminder.far");
    refused(&h, input("a", "9999-12-31T23:59", "FREQ=DAILY", now), RC_BAD_INPUT, "reminder.far");
    refused(&h, input("a", "2026-12-01T17:00", "FREQ=SECONDLY", now), RC_BAD_INPUT, "reminder.too_often");
    refused(&h, input("a", "2026-12-01T17:00", "FREQ=MINUTELY;INTERVAL=4", now), RC_BAD_INPUT,
        "reminder.too_often");
    refused(&h, input("a", "2026-12-01T17:00", "whenever", now), RC_BAD_INPUT, "reminder.bad_rule");
    struct reminder_input w = input("a", "2026-12-01T17:00", "FREQ=MINUTELY;INTERVAL=10", now);
    w.kind = REMINDER_PROMPT;
    refused(&h, w, RC_BAD_INPUT, "reminder.too_often");
    w = input("a", "2026-12-01T17:00", "", now);
    w.zone = "Europe/Nowhere";
    refused(&h, w, RC_BAD_INPUT, "reminder.no_zone");
    w = input("a", "2026-12-01T17:00", "", now);
    w.session = "ses_foreign";
    refused(&h, w, RC_NOT_FOUND, "");
    add(&h, "2026-11-22T11:00", "", now); /* the running minute */
    leave(&h);
}

TEST(a_user_has_a_limited_number_of_schedules)
{
    struct home h = home();
    struct reminder_input w = input("Summarise", "2026-12-01T07:00", "FREQ=DAILY", "2026-11-22T10:00");
    struct reminder r;
    w.kind = REMINDER_PROMPT;
    w.session = "ses_a";
    for (int i = 0; i < SCHEDULES_MAX; i++)
        assert_ok(reminders_add(h.store, &w, h.a, &r, NULL));
    assert_string_equal(r.session, "ses_a");
    refused(&h, w, RC_CONFLICT, "reminder.too_many_schedules");
    w.owner = 2;
    w.session = NULL;
    assert_ok(reminders_add(h.store, &w, h.a, &r, NULL));
    leave(&h);
}

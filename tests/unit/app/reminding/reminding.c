#include "reminding_home.h"

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

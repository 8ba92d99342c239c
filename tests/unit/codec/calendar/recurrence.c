#include "unit.h"

#include "codec/calendar/recurrence.h"

#define DAY INT64_C(86400000)

static int64_t utc(const char *local)
{
    return recurrence_wall(local);
}

static const char *shown(struct arena *a, int64_t at)
{
    char *text = arena_alloc(a, RECURRENCE_START_SIZE);
    if (!at)
        return "never";
    recurrence_local(at, text);
    return text;
}

TEST(a_start_is_a_time_of_the_calendar)
{
    static const char *const good[][2] = {{"2026-12-01T17:00", "2026-12-01T17:00"},
        {" 2026-12-01 17:00:59 ", "2026-12-01T17:00"}, {"2028-02-29T00:00", "2028-02-29T00:00"},
        {"2026-12-01", "2026-12-01"}};
    static const char *const bad[] = {"", "2026-02-29T10:00", "2026-12-01T24:00", "2026-12-01T17:60",
        "2026-12-01T17", "2026-12-01T17:00Z", "2026-12-01T17:00:60", "2026-12-01T17:00:5", "1.12.2026",
        "2026-13-01", "0000-01-01T00:00", "2026-12-01X17:00", "2026-12-01T17:00+01:00"};
    char out[RECURRENCE_START_SIZE];
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        assert_true(recurrence_start(str_of(good[i][0]), out));
        assert_string_equal(out, good[i][1]);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (recurrence_start(str_of(bad[i]), out))
            fail_msg("taken: %s", bad[i]);
}

TEST(the_first_occurrence_is_the_start_unless_the_rule_leaves_it_out)
{
    AUTO(arena) a = arena_new();
    static const struct {
        const char *start, *rule, *first;
    } rows[] = {{"2027-03-01T09:00", NULL, "2027-03-01T09:00"},
        {"2027-03-01T09:00", "FREQ=DAILY;COUNT=2", "2027-03-01T09:00"},
        {"2027-03-28T02:30", "FREQ=DAILY", "2027-03-28T02:30"}, /* skipped by the clock, and no other rule */
        {"2027-03-28T02:30", "FREQ=WEEKLY;BYDAY=SU", "2027-03-28T02:30"},
        {"2027-03-01T09:00", "FREQ=WEEKLY;BYDAY=TU,TH", "2027-03-02T09:00"},
        {"2027-03-03T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", "2027-03-16T09:00"},
        {"2027-03-01T09:00", "FREQ=DAILY;BYHOUR=8", "2027-03-02T08:00"},
        {"2027-03-02T09:00", "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=1", "2027-04-01T09:00"},
        {"2027-03-02T09:00", "FREQ=DAILY;BYMONTH=5;UNTIL=20270401T000000", "2027-03-02T09:00"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct recurrence r = {rows[i].start, rows[i].rule, time_zone_load(a, "Europe/Berlin")};
        char first[RECURRENCE_START_SIZE];
        assert_int_equal(recurrence_first(&r, first, NULL), RC_OK);
        assert_string_equal(first, rows[i].first);
    }
}

TEST(a_local_time_keeps_its_hour_across_a_clock_change)
{
    static const struct {
        const char *zone, *local, *utc;
    } rows[] = {
        {"Europe/Berlin", "2026-03-28T08:00", "2026-03-28T07:00"},
        {"Europe/Berlin", "2026-03-29T08:00", "2026-03-29T06:00"},
        {"Europe/Berlin", "2026-03-29T01:59", "2026-03-29T00:59"},
        {"Europe/Berlin", "2026-03-29T02:00", "2026-03-29T01:00"}, /* skipped: 03:00 summer time */
        {"Europe/Berlin", "2026-03-29T02:30", "2026-03-29T01:00"},
        {"Europe/Berlin", "2026-03-29T03:00", "2026-03-29T01:00"},
        {"Europe/Berlin", "2026-03-29T03:01", "2026-03-29T01:01"},
        {"Europe/Berlin", "2026-10-25T01:59", "2026-10-24T23:59"},
        {"Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30"}, /* twice: the first */
        {"Europe/Berlin", "2026-10-25T03:00", "2026-10-25T02:00"},
        {"America/New_York", "2026-03-08T02:30", "2026-03-08T07:00"},
        {"America/New_York", "2026-11-01T01:30", "2026-11-01T05:30"},
        {"Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:30"}, /* half an hour */
        {"Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00"},        /* a whole day was skipped */
        {"America/Sao_Paulo", "2018-11-04T00:00", "2018-11-04T03:00"},   /* midnight was skipped */
        {"Africa/Cairo", "2026-04-24T00:00", "2026-04-23T22:00"},
        {"Asia/Beirut", "2026-03-29T00:00", "2026-03-28T22:00"},
        {"Asia/Kolkata", "2026-01-01T05:30", "2026-01-01T00:00"},
        {"Europe/Berlin", "2060-03-28T02:30", "2060-03-28T01:00"},
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct time_zone *z = time_zone_load(a, rows[i].zone);
        assert_non_null(z);
        const char *got = shown(a, recurrence_at(z, recurrence_wall(rows[i].local)));
        if (strcmp(got, rows[i].utc) != 0)
            fail_msg("%s %s: %s", rows[i].zone, rows[i].local, got);
    }
}

TEST(a_rule_gives_its_next_occurrence)
{
    static const struct {
        const char *start, *rule, *after, *next; /* `after` in UTC; `next` in UTC */
    } rows[] = {
        {"2026-12-01T17:00", NULL, "2026-11-22T10:00", "2026-12-01T16:00"},
        {"2026-12-01T17:00", NULL, "2026-12-01T16:00", "never"},
        {"2026-12-01T17:00", "", "2026-12-01T15:59", "2026-12-01T16:00"},
        {"2026-11-02T08:00", "FREQ=DAILY", "2026-11-22T10:00", "2026-11-23T07:00"},
        {"2026-11-02T08:00", "FREQ=DAILY", "2026-11-23T06:59", "2026-11-23T07:00"},
        {"2026-11-02T08:00", "FREQ=DAILY", "2026-11-23T07:00", "2026-11-24T07:00"},
        {"2026-11-02T08:00", "FREQ=DAILY", "2020-01-01T00:00", "2026-11-02T07:00"},
        {"2026-11-02T08:00", "FREQ=WEEKLY;BYDAY=MO", "2026-11-22T10:00", "2026-11-23T07:00"},
        {"2026-11-04T08:00", "FREQ=WEEKLY;BYDAY=MO", "2026-11-04T00:00",
            "2026-11-09T07:00"}, /* starts on Wednesday */
        {"2026-11-02T07:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "2026-11-20T10:00", "2026-11-23T06:30"},
        {"2026-11-02T08:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-11-03T00:00", "2026-11-16T07:00"},
        {"2026-01-31T09:00", "FREQ=MONTHLY", "2026-02-01T00:00", "2026-03-31T07:00"}, /* no 31 February */
        {"2026-01-01T09:00", "FREQ=MONTHLY;BYMONTHDAY=1", "2026-02-01T08:00", "2026-03-01T08:00"},
        {"2026-01-31T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1", "2026-02-01T00:00", "2026-02-28T08:00"},
        {"2024-02-29T09:00", "FREQ=YEARLY", "2024-03-01T00:00", "2028-02-29T08:00"},
        {"2026-11-26T12:00", "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2026-11-27T00:00", "2027-11-25T11:00"},
        {"2026-11-02T08:00", "FREQ=DAILY;COUNT=3", "2026-11-03T08:00", "2026-11-04T07:00"},
        {"2026-11-02T08:00", "FREQ=DAILY;COUNT=3", "2026-11-04T07:00", "never"},
        {"2026-11-02T08:00", "FREQ=DAILY;UNTIL=20261104T080000", "2026-11-03T08:00", "2026-11-04T07:00"},
        {"2026-11-02T08:00", "FREQ=DAILY;UNTIL=20261104T075959", "2026-11-03T08:00", "never"},
        {"2026-11-02T08:00", "FREQ=HOURLY;INTERVAL=6", "2026-11-22T10:00", "2026-11-22T13:00"},
        /* across the changes of the clock */
        {"2026-03-01T08:00", "FREQ=DAILY", "2026-03-28T08:00", "2026-03-29T06:00"},
        {"2026-03-01T02:30", "FREQ=DAILY", "2026-03-28T12:00", "2026-03-29T01:00"},
        {"2026-03-01T02:30", "FREQ=DAILY", "2026-03-29T01:00", "2026-03-30T00:30"},
        {"2026-10-01T02:30", "FREQ=DAILY", "2026-10-24T12:00", "2026-10-25T00:30"},
        {"2026-10-01T02:30", "FREQ=DAILY", "2026-10-25T00:30", "2026-10-26T01:30"},
        {"2026-03-29T00:00", "FREQ=MINUTELY;INTERVAL=15", "2026-03-29T00:45", "2026-03-29T01:00"},
        {"2026-03-29T00:00", "FREQ=MINUTELY;INTERVAL=15", "2026-03-29T01:00", "2026-03-29T01:15"},
    };
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct recurrence r = {rows[i].start, rows[i].rule, z};
        int64_t next = -1;
        assert_int_equal(recurrence_next(&r, utc(rows[i].after), &next, NULL), RC_OK);
        if (strcmp(shown(a, next), rows[i].next) != 0)
            fail_msg("%s %s after %s: %s", rows[i].start, rows[i].rule, rows[i].after, shown(a, next));
    }
}

/* libical can begin in the middle of a series; the result is that of walking from the start. */
TEST(a_late_start_gives_the_same_occurrences)
{
    static const char *const rules[] = {"FREQ=DAILY", "FREQ=DAILY;INTERVAL=3",
        "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", "FREQ=WEEKLY;INTERVAL=5", "FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR",
        "FREQ=MONTHLY;BYMONTHDAY=13,31", "FREQ=MONTHLY;INTERVAL=5", "FREQ=YEARLY",
        "FREQ=YEARLY;INTERVAL=2;BYMONTH=3,10;BYDAY=SU", "FREQ=HOURLY;INTERVAL=7",
        "FREQ=MINUTELY;INTERVAL=1445", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
        "FREQ=DAILY;BYMONTH=1;BYHOUR=7,19", "FREQ=WEEKLY;WKST=SU;INTERVAL=2;BYDAY=SU,MO"};
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
        struct recurrence whole = {"2024-01-31T08:00", rules[i], z};
        int64_t at = utc("2024-01-01T00:00"), last, before, n = 0;
        bool within_days = strstr(rules[i], "HOURLY") || strstr(rules[i], "MINUTELY");
        int64_t end = utc(within_days ? "2026-01-01T00:00" : "2031-01-01T00:00");
        /* recurrence_missed() from the start walks everything once. */
        for (int64_t probe = utc("2024-03-01T00:00"); probe < end; probe += 97 * DAY + 3600000) {
            int64_t next;
            assert_int_equal(recurrence_next(&whole, probe, &next, NULL), RC_OK);
            assert_int_equal(recurrence_missed(&whole, at, next, &last, &before, NULL), RC_OK);
            if (last != next)
                fail_msg(
                    "%s after %s: %s, not %s", rules[i], shown(a, probe), shown(a, next), shown(a, last));
            assert_int_equal(recurrence_missed(&whole, at, next - 1, &last, &n, NULL), RC_OK);
            assert_true(last <= probe);
            assert_int_equal(before, n + (last != 0));
        }
    }
}

TEST(what_was_missed_is_counted)
{
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    struct recurrence daily = {"2026-03-01T08:00", "FREQ=DAILY", z}, once = {"2026-03-01T08:00", NULL, z};
    int64_t last, before;
    assert_int_equal(
        recurrence_missed(&daily, utc("2026-03-20T07:00"), utc("2026-04-09T07:00"), &last, &before, NULL),
        RC_OK);
    assert_string_equal(shown(a, last), "2026-04-09T06:00");
    assert_int_equal(before, 19);
    assert_int_equal(
        recurrence_missed(&daily, utc("2026-03-20T07:00"), utc("2026-03-21T06:59"), &last, &before, NULL),
        RC_OK);
    assert_int_equal(last, 0);
    assert_int_equal(
        recurrence_missed(&once, utc("2026-02-20T07:00"), utc("2026-04-01T00:00"), &last, &before, NULL),
        RC_OK);
    assert_string_equal(shown(a, last), "2026-03-01T07:00");
    assert_int_equal(before, 0);
}

TEST(a_rule_is_normalised)
{
    static const char *const rows[][2] = {
        {"freq=weekly;byday=mo", "FREQ=WEEKLY;BYDAY=MO"},
        {"RRULE:FREQ=DAILY;INTERVAL=2;", "FREQ=DAILY;INTERVAL=2"},
        {"FREQ=DAILY;UNTIL=20271231", "FREQ=DAILY;UNTIL=20271231T235959"},
        {"FREQ=DAILY;UNTIL=20270701T100000Z", "FREQ=DAILY;UNTIL=20270701T120000"},
        {"FREQ=DAILY;UNTIL=20270701T100000", "FREQ=DAILY;UNTIL=20270701T100000"},
        {" FREQ=MONTHLY;BYMONTHDAY=-1 ", "FREQ=MONTHLY;BYMONTHDAY=-1"},
        {"FREQ=MINUTELY;INTERVAL=5", "FREQ=MINUTELY;INTERVAL=5"},
    };
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct recurrence r = {"2026-12-01T17:00", rows[i][0], z};
        const char *rule;
        struct err e = ERR_INIT;
        enum rc rc = recurrence_check(a, &r, 300000, utc("2026-11-22T10:00"), &rule, &e);
        if (rc != RC_OK || strcmp(rule, rows[i][1]) != 0)
            fail_msg("%s: %s", rows[i][0], rc == RC_OK ? rule : e.text);
    }
}

TEST(an_exported_rule_ends_in_utc)
{
    static const char *const rows[][2] = {
        {"FREQ=DAILY;UNTIL=20271231T235959", "FREQ=DAILY;UNTIL=20271231T225959Z"},
        {"FREQ=DAILY;UNTIL=20270701T000000;BYDAY=MO", "FREQ=DAILY;UNTIL=20270630T220000Z;BYDAY=MO"},
        {"UNTIL=20270701T100000;FREQ=DAILY", "UNTIL=20270701T080000Z;FREQ=DAILY"},
        {"FREQ=DAILY;COUNT=2", "FREQ=DAILY;COUNT=2"},
    };
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        assert_string_equal(recurrence_export(a, rows[i][0], z), rows[i][1]);
}

TEST(a_bad_rule_is_refused_with_a_sentence)
{
    static const struct {
        const char *rule, *key;
    } rows[] = {
        {"", "reminder.bad_rule"},
        {"daily", "reminder.bad_rule"},
        {"FREQ=", "reminder.bad_rule"},
        {"INTERVAL=2", "reminder.bad_rule"},
        {"FREQ=DAILY;FREQ=DAILY", "reminder.bad_rule"},
        {"FREQ=DAILY;INTERVAL=0", "reminder.bad_rule"},
        {"FREQ=DAILY;INTERVAL=-1", "reminder.bad_rule"},
        {"FREQ=DAILY;INTERVAL=99999", "reminder.bad_rule"},
        {"FREQ=DAILY;COUNT=0", "reminder.bad_rule"},
        {"FREQ=DAILY;COUNT=100000", "reminder.bad_rule"},
        {"FREQ=DAILY;COUNT=2;UNTIL=20271231", "reminder.bad_rule"},
        {"FREQ=DAILY;UNTIL=20270230", "reminder.bad_rule"},
        {"FREQ=DAILY;UNTIL=tomorrow", "reminder.bad_rule"},
        {"FREQ=WEEKLY;BYDAY=XX", "reminder.bad_rule"},
        {"FREQ=WEEKLY;BYDAY=MO,", "reminder.bad_rule"},
        {"FREQ=MONTHLY;BYMONTHDAY=32", "reminder.bad_rule"},
        {"FREQ=DAILY;BYSECOND=1,2", "reminder.bad_rule"},
        {"RSCALE=CHINESE;FREQ=YEARLY", "reminder.bad_rule"},
        {"FREQ=DAILY;X-A=1", "reminder.bad_rule"},
        {"FREQ=DAILY\nFREQ=DAILY", "reminder.bad_rule"},
        {"FREQ=SECONDLY", "reminder.too_often"},
        {"FREQ=SECONDLY;INTERVAL=999", "reminder.too_often"},
        {"FREQ=MINUTELY", "reminder.too_often"},
        {"FREQ=MINUTELY;INTERVAL=4", "reminder.too_often"},
        {"FREQ=DAILY;BYHOUR=8;BYMINUTE=0,1", "reminder.too_often"},
        {"FREQ=YEARLY;BYHOUR=8;BYMINUTE=0,1,2", "reminder.too_often"},
        {"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "reminder.never"},
        {"FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "reminder.never"},
        {"FREQ=MINUTELY;INTERVAL=5;BYMONTH=2;BYMONTHDAY=30", "reminder.bad_rule"},
        {"FREQ=MINUTELY;INTERVAL=5;BYMINUTE=3", "reminder.bad_rule"},
        {"INTERVAL=10;FREQ=SECONDLY", "reminder.too_often"},
        {"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30,31;BYHOUR=1,2,3,4,5,6;BYMINUTE=1,11,21,31,41,51",
            "reminder.never"},
        {"FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;BYMONTH=6", "reminder.never"},
        {"FREQ=DAILY;UNTIL=20200101", "reminder.never"},
        {"FREQ=YEARLY;INTERVAL=60;BYMONTH=1;BYMONTHDAY=1", "reminder.never"},
    };
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    char *huge = arena_alloc(a, 5000);
    memset(huge, 'A', 4999);
    huge[4999] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct recurrence r = {"2026-12-01T17:00", rows[i].rule, z};
        const char *rule;
        struct err e = ERR_INIT;
        int64_t began = clock_cpu_us();
        enum rc rc = recurrence_check(a, &r, 300000, utc("2026-11-22T10:00"), &rule, &e);
        int64_t cost = clock_cpu_us() - began; /* without a bound a rule that never matches takes 20 s */
        if (cost > 2000000)
            fail_msg("%s: %lld us", rows[i].rule, (long long)cost);
        if (rc != RC_BAD_INPUT || !str_starts(str_of(e.said), str_of(rows[i].key)))
            fail_msg("%s: %d %s", rows[i].rule, rc, e.said);
    }
    struct recurrence r = {"2026-12-01T17:00", huge, z};
    const char *rule;
    struct err e = ERR_INIT;
    assert_int_equal(recurrence_check(a, &r, 300000, utc("2026-11-22T10:00"), &rule, &e), RC_BAD_INPUT);
    assert_true(str_starts(str_of(e.said), STR("reminder.long_rule")));
}

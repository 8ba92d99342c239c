#include "unit.h"

#include "codec/calendar/recurrence.h"
#include "codec/when/when.h"

struct row {
    const char *text, *start, *rule, *rest; /* start NULL: no time */
};

static void check(const char *now, const struct row *rows, size_t n)
{
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < n; i++) {
        struct when w = {0};
        struct str rest = STR("");
        bool found = when_find(a, str_of(rows[i].text), recurrence_wall(now), &w, &rest);
        if (!found && !rows[i].start)
            continue;
        if (!found || !rows[i].start || strcmp(w.start, rows[i].start) != 0 ||
            strcmp(w.rule, rows[i].rule) != 0 || strcmp(rest.s, rows[i].rest) != 0)
            print_error(
                "at %s \"%s\": %s %s \"%s\"\n", now, rows[i].text, found ? w.start : "none", w.rule, rest.s),
                fail();
    }
}

TEST(an_hour_is_the_next_one_at_which_people_are_awake)
{
    static const struct row morning[] = {
        {"call Anna at five", "2026-11-20T17:00", "", "call Anna"},
        {"at 5", "2026-11-20T17:00", "", ""},
        {"at 8 water the plants", "2026-11-20T20:00", "", "water the plants"},
        {"at 11", "2026-11-20T11:00", "", ""},
        {"at 10", "2026-11-21T10:00", "", ""},
        {"at noon eat", "2026-11-20T12:00", "", "eat"},
        {"at 12", "2026-11-20T12:00", "", ""},
        {"at 5am", "2026-11-21T05:00", "", ""},
        {"at 5 p.m. call", "2026-11-20T17:00", "", "call"},
        {"at 17:30", "2026-11-20T17:30", "", ""},
        {"at 07:30", "2026-11-21T07:30", "", ""},
        {"at half past seven", "2026-11-20T19:30", "", ""},
        {"um halb acht", "2026-11-20T19:30", "", ""},
        {"um viertel nach fünf Tee", "2026-11-20T17:15", "", "Tee"},
        {"at quarter to six", "2026-11-20T17:45", "", ""},
        {"um 17 Uhr 30 los", "2026-11-20T17:30", "", "los"},
        {"um fünf", "2026-11-20T17:00", "", ""},
        {"5:30pm tea", "2026-11-20T17:30", "", "tea"},
        {"at five o'clock", "2026-11-20T17:00", "", ""},
        {"Anna um fünf anzurufen", "2026-11-20T17:00", "", "Anna anzurufen"},
        {"um acht nach Hause zu gehen", "2026-11-20T20:00", "", "nach Hause zu gehen"},
        {"den Müll morgen früh rauszubringen", "2026-11-21T09:00", "", "den Müll rauszubringen"},
        {"call ten men at 5 garden", NULL, NULL, NULL},
        {"at five to five call", "2026-11-20T16:55", "", "call"},
        {"at ten past four call", "2026-11-20T16:10", "", "call"},
        {"um 20 nach 8", "2026-11-20T20:20", "", ""},
        {"um fünf vor acht", "2026-11-20T19:55", "", ""},
        {"at 10 to call", "2026-11-21T10:00", "", "call"},
        {"um 10 vor dem Haus", "2026-11-21T10:00", "", "vor dem Haus"},
        {"at nine thirty call", "2026-11-20T21:30", "", "call"},
        {"um neun Uhr dreißig Zahnarzt", "2026-11-20T21:30", "", "Zahnarzt"},
        {"um neun Uhr zwei Eier", "2026-11-20T21:00", "", "zwei Eier"},
        {"at 18h sing", "2026-11-20T18:00", "", "sing"},
    };
    static const struct row evening[] = {
        {"at five", "2026-11-21T17:00", "", ""},
        {"at 8", "2026-11-20T20:00", "", ""},
        {"um 9 Uhr", "2026-11-20T21:00", "", ""},
    };
    static const struct row night[] = {
        {"at 6", "2026-11-20T18:00", "", ""},
        {"at 7", "2026-11-20T07:00", "", ""},
    };
    static const struct row after_midnight[] = {
        {"tonight at 12", "2026-11-21T00:00", "", ""},
        {"tonight at 1:30", "2026-11-21T01:30", "", ""},
        {"heute Nacht um 2", "2026-11-21T02:00", "", ""},
        {"heute Nacht um 0:30", "2026-11-21T00:30", "", ""},
        {"heute Abend um 22 Uhr", "2026-11-20T22:00", "", ""},
        {"tomorrow night at 12", "2026-11-22T00:00", "", ""},
        {"this evening at 6", "2026-11-20T18:00", "", ""},
        {"every night at 2", "2026-11-21T02:00", "FREQ=DAILY", ""},
        {"um Mitternacht", "2026-11-21T00:00", "", ""},
        {"um Mittag", "2026-11-21T12:00", "", ""},
    };
    static const struct row before_two[] = {{"heute Nacht um 2", "2026-11-20T02:00", "", ""}};
    check("2026-11-20T19:30", after_midnight, ARRAY_LEN(after_midnight));
    check("2026-11-20T01:00", before_two, ARRAY_LEN(before_two));
    check("2026-11-20T10:00", morning, ARRAY_LEN(morning));
    check("2026-11-20T18:00", evening, ARRAY_LEN(evening));
    check("2026-11-20T05:00", night, ARRAY_LEN(night));
}

TEST(a_day_without_an_hour_is_in_the_morning)
{
    static const struct row rows[] = {
        {"tell me tomorrow morning about it", NULL, NULL, NULL}, /* in the middle */
        {"tomorrow morning to call Anna", "2026-11-21T09:00", "", "call Anna"},
        {"call Anna tomorrow", "2026-11-21T09:00", "", "call Anna"},
        {"morgen früh Müll rausbringen", "2026-11-21T09:00", "", "Müll rausbringen"},
        {"morgen früh um 6", "2026-11-21T06:00", "", ""},
        {"heute Abend Anna anrufen", "2026-11-20T19:00", "", "Anna anrufen"},
        {"heute morgen", "2026-11-20T09:00", "", ""},
        {"tonight read", "2026-11-20T19:00", "", "read"},
        {"tonight at 8", "2026-11-20T20:00", "", ""},
        {"tomorrow at 8", "2026-11-21T08:00", "", ""},
        {"tomorrow at 5", "2026-11-21T17:00", "", ""},
        {"at 5 tomorrow", "2026-11-21T17:00", "", ""},
        {"übermorgen um 15 Uhr Zahnarzt", "2026-11-22T15:00", "", "Zahnarzt"},
        {"the day after tomorrow at noon", "2026-11-22T12:00", "", ""},
        {"on Monday at 9 stand-up", "2026-11-23T09:00", "", "stand-up"},
        {"Friday at 9", "2026-11-27T09:00", "", ""}, /* it is 10 on a Friday */
        {"Friday at 16:00", "2026-11-20T16:00", "", ""},
        {"next Friday at 16:00", "2026-11-27T16:00", "", ""},
        {"am Montag um 8 Anna schreiben", "2026-11-23T08:00", "", "Anna schreiben"},
        {"um 8 am Montag", "2026-11-23T08:00", "", ""},
        {"pay rent on 1 December at 18:00", "2026-12-01T18:00", "", "pay rent"},
        {"on December 1st, 2027", "2027-12-01T09:00", "", ""},
        {"am 24.12. um 17:00 Bescherung", "2026-12-24T17:00", "", "Bescherung"},
        {"am 24.12.2027", "2027-12-24T09:00", "", ""},
        {"am 3. März anrufen", "2027-03-03T09:00", "", "anrufen"},
        {"2026-12-01 17:00 call", "2026-12-01T17:00", "", "call"},
        {"next week", "2026-11-27T09:00", "", ""},
        {"on the 15th at 10 pay", "2026-12-15T10:00", "", "pay"},
        {"on the 20th at 11", "2026-11-20T11:00", "", ""},
        {"on the 20th", "2026-12-20T09:00", "", ""},
        {"on the 31st", "2026-12-31T09:00", "", ""},
        {"am 15. um 9 Miete", "2026-12-15T09:00", "", "Miete"},
        {"on the 32nd", NULL, NULL, NULL},
        {"today", "2026-11-20T12:00", "", ""},
    };
    check("2026-11-20T10:00", rows, ARRAY_LEN(rows)); /* a Friday */
}

TEST(a_distance_is_from_now)
{
    static const struct row rows[] = {
        {"in 20 minutes take out the cake", "2026-11-20T10:20", "", "take out the cake"},
        {"take out the cake in 20 minutes", "2026-11-20T10:20", "", "take out the cake"},
        {"in an hour", "2026-11-20T11:00", "", ""},
        {"in half an hour", "2026-11-20T10:30", "", ""},
        {"in einer halben Stunde Tee", "2026-11-20T10:30", "", "Tee"},
        {"in zwei Stunden", "2026-11-20T12:00", "", ""},
        {"in 5min", "2026-11-20T10:05", "", ""},
        {"in 2h", "2026-11-20T12:00", "", ""},
        {"in 3 days", "2026-11-23T09:00", "", ""},
        {"in zwei Wochen um 15:00", "2026-12-04T15:00", "", ""},
        {"in 3 months", "2027-02-20T09:00", "", ""},
        {"in zwanzig Minuten", "2026-11-20T10:20", "", ""},
        {"in 1.5 hours walk", "2026-11-20T11:30", "", "walk"},
        {"in 2,5 Stunden Tee", "2026-11-20T12:30", "", "Tee"},
        {"in an hour and a half walk", "2026-11-20T11:30", "", "walk"},
        {"in two and a half hours", "2026-11-20T12:30", "", ""},
        {"in anderthalb Stunden", "2026-11-20T11:30", "", ""},
        {"in zweieinhalb Stunden", "2026-11-20T12:30", "", ""},
        {"in an hour and ten minutes", "2026-11-20T11:10", "", ""},
        {"in 1.5 days", NULL, NULL, NULL},
    };
    check("2026-11-20T10:00", rows, ARRAY_LEN(rows));
}

TEST(a_repetition_is_a_rule)
{
    static const struct row rows[] = {
        {"every Monday at 8", "2026-11-23T08:00", "FREQ=WEEKLY;BYDAY=MO", ""},
        {"jeden Montag um 8 Blumen gießen", "2026-11-23T08:00", "FREQ=WEEKLY;BYDAY=MO", "Blumen gießen"},
        {"water the plants every Monday at 8", "2026-11-23T08:00", "FREQ=WEEKLY;BYDAY=MO",
            "water the plants"},
        {"every weekday at 7:30", "2026-11-23T07:30", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", ""},
        {"werktags um 17:00", "2026-11-20T17:00", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", ""},
        {"every day at noon", "2026-11-20T12:00", "FREQ=DAILY", ""},
        {"every morning at 7 summarise my tasks", "2026-11-21T07:00", "FREQ=DAILY", "summarise my tasks"},
        {"jeden Morgen um 7", "2026-11-21T07:00", "FREQ=DAILY", ""},
        {"every evening read", "2026-11-20T19:00", "FREQ=DAILY", "read"},
        {"täglich um 8", "2026-11-21T08:00", "FREQ=DAILY", ""},
        {"every Tuesday and Thursday at 6pm", "2026-11-24T18:00", "FREQ=WEEKLY;BYDAY=TU,TH", ""},
        {"jeden Montag, Mittwoch und Freitag um 9", "2026-11-23T09:00", "FREQ=WEEKLY;BYDAY=MO,WE,FR", ""},
        {"montags um 8", "2026-11-23T08:00", "FREQ=WEEKLY;BYDAY=MO", ""},
        {"on Mondays", "2026-11-23T09:00", "FREQ=WEEKLY;BYDAY=MO", ""},
        {"every other Friday", "2026-11-27T09:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR", ""},
        {"every 2 hours drink", "2026-11-20T12:00", "FREQ=HOURLY;INTERVAL=2", "drink"},
        {"alle 30 Minuten trinken", "2026-11-20T10:30", "FREQ=MINUTELY;INTERVAL=30", "trinken"},
        {"alle zwei Wochen", "2026-11-21T09:00", "FREQ=WEEKLY;INTERVAL=2", ""},
        {"on the first of each month", "2026-12-01T09:00", "FREQ=MONTHLY;BYMONTHDAY=1", ""},
        {"pay rent on the 1st of every month at 10", "2026-12-01T10:00", "FREQ=MONTHLY;BYMONTHDAY=1",
            "pay rent"},
        {"am ersten jedes Monats Miete zahlen", "2026-12-01T09:00", "FREQ=MONTHLY;BYMONTHDAY=1",
            "Miete zahlen"},
        {"am 15. jeden Monats", "2026-12-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=15", ""},
        {"on the last day of every month", "2026-11-30T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1", ""},
        {"every first Monday of the month at 9", "2026-12-07T09:00", "FREQ=MONTHLY;BYDAY=1MO", ""},
        {"am letzten Freitag im Monat", "2026-11-27T09:00", "FREQ=MONTHLY;BYDAY=-1FR", ""},
        {"every 24 December", "2026-12-24T09:00", "FREQ=YEARLY", ""},
        {"every month", "2026-11-21T09:00", "FREQ=MONTHLY", ""},
        {"every weekend at 10", "2026-11-21T10:00", "FREQ=WEEKLY;BYDAY=SA,SU", ""},
        {"backup weekly", "2026-11-21T09:00", "FREQ=WEEKLY", "backup"},
        {"every two weeks on Tuesday at 18:00", "2026-11-24T18:00", "FREQ=WEEKLY;INTERVAL=2", ""},
        {"alle zwei Wochen dienstags um 18 Uhr Müll", "2026-11-24T18:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU",
            "Müll"},
        {"dienstags alle zwei Wochen um 18 Uhr", "2026-11-24T18:00", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", ""},
        {"every month on the 1st at 9 pay rent", "2026-12-01T09:00", "FREQ=MONTHLY;BYMONTHDAY=1", "pay rent"},
        {"jeden Monat am 15. um 9", "2026-12-15T09:00", "FREQ=MONTHLY;BYMONTHDAY=15", ""},
        {"every month on the last day", "2026-11-30T09:00", "FREQ=MONTHLY;BYMONTHDAY=-1", ""},
        {"every month on the last Friday at 16:00", "2026-11-27T16:00", "FREQ=MONTHLY;BYDAY=-1FR", ""},
    };
    check("2026-11-20T10:00", rows, ARRAY_LEN(rows));
}

TEST(words_without_a_time_are_left_alone)
{
    static const struct row rows[] = {
        {"", NULL, NULL, NULL},
        {"call Anna", NULL, NULL, NULL},
        {"weekly report", NULL, NULL, NULL},
        {"morning run", NULL, NULL, NULL},
        {"buy 3 eggs", NULL, NULL, NULL},
        {"meet at 5 places to see", NULL, NULL, NULL},
        {"5 eggs", NULL, NULL, NULL},
        {"every", NULL, NULL, NULL},
        {"at", NULL, NULL, NULL},
        {"at 25", NULL, NULL, NULL},
        {"at 17:61", NULL, NULL, NULL},
        {"on 30 February 2027", NULL, NULL, NULL},
        {"in minutes", NULL, NULL, NULL},
    };
    check("2026-11-20T10:00", rows, ARRAY_LEN(rows));
}

TEST(a_day_that_a_month_lacks_is_its_last)
{
    static const struct row rows[] = {
        {"in a month", "2027-02-28T09:00", "", ""},
        {"on the 31st of each month at 18:00", "2027-01-31T18:00", "FREQ=MONTHLY;BYMONTHDAY=31", ""},
    };
    check("2027-01-31T10:00", rows, ARRAY_LEN(rows));
}

static const char *start_at(struct arena *a, const char *utc, const char *text)
{
    const struct time_zone *berlin = time_zone_load(a, "Europe/Berlin");
    int64_t now = recurrence_wall(utc);
    struct when w;
    struct str rest;
    assert_true(when_find(a, str_of(text), time_zone_wall(berlin, now), &w, &rest));
    when_set_moment(&w, berlin, now);
    return arena_strdup(a, w.start);
}

TEST(a_length_of_time_is_exact_across_a_clock_change)
{
    AUTO(arena) a = arena_new();
    static const struct {
        const char *utc, *text, *start;
    } cases[] = {{"2027-03-27T23:00", "in 8 hours", "2027-03-28T09:00"},
        {"2027-03-28T00:50", "in 20 minutes", "2027-03-28T03:10"},
        {"2026-10-24T22:00", "in 8 hours", "2026-10-25T07:00"},
        {"2026-10-24T22:00", "every 8 hours", "2026-10-25T07:00"},
        {"2026-10-25T00:10", "in 20 minutes", "2026-10-25T02:30"},
        /* The second 02:10 and 02:30 have no name. */
        {"2026-10-25T00:50", "in 20 minutes", "2026-10-25T03:00"},
        {"2026-10-25T01:10", "in 20 Minuten", "2026-10-25T03:00"},
        {"2026-10-25T01:50", "in 20 minutes", "2026-10-25T03:10"},
        {"2026-10-24T22:00", "at 8", "2026-10-25T08:00"},
        {"2026-10-24T22:00", "tomorrow", "2026-10-26T09:00"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(start_at(a, cases[i].utc, cases[i].text), cases[i].start);
}

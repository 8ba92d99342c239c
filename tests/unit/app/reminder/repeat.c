#include "unit.h"

#include "app/reminder/repeat.h"

static void words_are(const char *code, const char *rule, const char *start, const char *expected)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(repeat_words(a, lang_find(str_of(code)), rule, start), expected);
}

TEST(a_rule_is_told_in_words)
{
    static const struct {
        const char *rule, *english, *german;
    } cases[] = {
        {"FREQ=DAILY", "every day at 08:00", "jeden Tag um 08:00"},
        {"FREQ=DAILY;INTERVAL=3", "every 3 days at 08:00", "alle 3 Tage um 08:00"},
        {"FREQ=WEEKLY", "every Tuesday at 08:00", "jeden Dienstag um 08:00"},
        {"FREQ=WEEKLY;BYDAY=SU,MO", "every Monday and Sunday at 08:00", "jeden Montag und Sonntag um 08:00"},
        {"FREQ=WEEKLY;BYDAY=MO,WE,FR", "every Monday, Wednesday and Friday at 08:00",
            "jeden Montag, Mittwoch und Freitag um 08:00"},
        {"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "every weekday at 08:00", "montags bis freitags um 08:00"},
        {"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "every 2 weeks on Monday at 08:00",
            "alle 2 Wochen am Montag um 08:00"},
        {"FREQ=MONTHLY", "every month on day 1 at 08:00", "jeden Monat am 1. um 08:00"},
        {"FREQ=MONTHLY;BYMONTHDAY=15", "every month on day 15 at 08:00", "jeden Monat am 15. um 08:00"},
        {"FREQ=MONTHLY;BYMONTHDAY=-1", "on the last day of every month at 08:00",
            "am letzten Tag jedes Monats um 08:00"},
        {"FREQ=YEARLY", "every year on 1 December at 08:00", "jedes Jahr am 1. Dezember um 08:00"},
        {"FREQ=DAILY;COUNT=5", "every day at 08:00, 5 times", "jeden Tag um 08:00, 5-mal"},
        {"FREQ=DAILY;UNTIL=20270501T215959Z", "every day at 08:00, until 1 May 2027",
            "jeden Tag um 08:00, bis 1. Mai 2027"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        words_are("en", cases[i].rule, "2026-12-01T08:00", cases[i].english);
        words_are("de", cases[i].rule, "2026-12-01T08:00", cases[i].german);
    }
}

TEST(a_rule_without_words_is_shown_itself)
{
    words_are(
        "en", "FREQ=MONTHLY;BYDAY=1MO", "2026-12-01T08:00", "repeats by the rule FREQ=MONTHLY;BYDAY=1MO");
    words_are(
        "en", "FREQ=DAILY;BYHOUR=8,20", "2026-12-01T08:00", "repeats by the rule FREQ=DAILY;BYHOUR=8,20");
}

TEST(a_day_without_an_hour_has_none_in_its_words)
{
    words_are("en", "FREQ=WEEKLY", "2026-12-01", "every Tuesday");
}

TEST(what_does_not_repeat_has_no_words)
{
    assert_null(repeat_words(NULL, lang_english(), NULL, "2026-12-01T08:00"));
}

TEST(a_choice_is_found_again_in_its_rule)
{
    for (size_t i = 0; strcmp(repeat_choices[i], REPEAT_CUSTOM) != 0; i++) {
        struct str rule = repeat_rule(str_of(repeat_choices[i]), STR("X"));
        assert_string_equal(repeat_choice(rule.s), repeat_choices[i]);
    }
    assert_string_equal(repeat_choice("FREQ=DAILY;INTERVAL=2"), REPEAT_CUSTOM);
    assert_true(str_is(repeat_rule(STR("custom"), STR("FREQ=DAILY;INTERVAL=2")), "FREQ=DAILY;INTERVAL=2"));
    assert_null(repeat_rule(STR("hourly"), STR("X")).s);
}

#include "unit.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/humanize.h"

/* Friday, 20 November 2026, 13:46:01 UTC */
#define NOW INT64_C(1795182361000)

static struct arena *a;
static struct locale at_now = {.now = NOW};

__attribute__((constructor)) static void setup(void)
{
    setenv("TZ", "UTC", 1);
    tzset();
    a = arena_new();
    at_now.lang = lang_english();
}

static const char *ago(int64_t ms)
{
    return humanize_ago(a, &at_now, NOW - ms);
}

TEST(sizes_are_short_and_rounded_down)
{
    assert_string_equal(humanize_number(a, at_now.lang, 1204), "1,204");
    assert_string_equal(humanize_tokens(a, at_now.lang, 999), "999");
    assert_string_equal(humanize_tokens(a, at_now.lang, 32768), "32k");
    assert_string_equal(humanize_tokens(a, at_now.lang, 999999), "999k");
    assert_string_equal(humanize_tokens(a, at_now.lang, 1000000), "1M");
    assert_string_equal(humanize_tokens(a, at_now.lang, 1599999), "1.5M");
}

#define BYTES(n, round) humanize_bytes(a, at_now.lang, n, LANG_ROUND_##round)

TEST(sizes_in_bytes_have_the_unit_that_people_expect)
{
    const int64_t kb = 1024, mb = 1024 * kb, gb = 1024 * mb;
    assert_string_equal(BYTES(0, UP), "0 bytes");
    assert_string_equal(BYTES(1, DOWN), "1 byte");
    assert_string_equal(BYTES(1023, UP), "1,023 bytes");
    assert_string_equal(BYTES(kb + 1, UP), "2\xC2\xA0KB");
    assert_string_equal(BYTES(2 * kb - 1, DOWN), "1\xC2\xA0KB");
    assert_string_equal(BYTES(mb - 1, DOWN), "1,023\xC2\xA0KB");
    assert_string_equal(BYTES(mb - 1, UP), "1\xC2\xA0MB");
    assert_string_equal(BYTES(mb, DOWN), "1\xC2\xA0MB");
    assert_string_equal(BYTES(mb + 1, UP), "1.1\xC2\xA0MB");
    assert_string_equal(BYTES(1600 * kb, DOWN), "1.5\xC2\xA0MB");
    assert_string_equal(BYTES(10 * mb - 1, DOWN), "9.9\xC2\xA0MB");
    assert_string_equal(BYTES(10 * mb - 1, UP), "10\xC2\xA0MB");
    assert_string_equal(BYTES(25 * mb + 1, UP), "26\xC2\xA0MB");
    assert_string_equal(BYTES(10 * gb, DOWN), "10\xC2\xA0GB");
    assert_string_equal(BYTES(2048 * gb, DOWN), "2,048\xC2\xA0GB");
    assert_string_equal(BYTES(INT64_MAX, UP), "8,589,934,592\xC2\xA0GB");
    assert_string_equal(humanize_bytes(a, lang_find(STR("de")), mb * 3 / 2, LANG_ROUND_UP), "1,5\xC2\xA0MB");
}

TEST(a_moment_is_told_as_people_tell_it)
{
    assert_string_equal(humanize_exact(a, &at_now, NOW), "20 November 2026, 13:46");
    assert_string_equal(ago(0), "just now");
    assert_string_equal(ago(59 * MS_PER_S), "just now");
    assert_string_equal(ago(MS_PER_MIN), "1 minute ago");
    assert_string_equal(ago(59 * MS_PER_MIN), "59 minutes ago");
    assert_string_equal(ago(MS_PER_H), "1 hour ago");
    assert_string_equal(ago(13 * MS_PER_H), "13 hours ago");
    assert_string_equal(ago(14 * MS_PER_H), "yesterday");
    assert_string_equal(ago(37 * MS_PER_H), "yesterday");
    assert_string_equal(ago(38 * MS_PER_H), "2 days ago");
    assert_string_equal(ago(6 * MS_PER_DAY), "6 days ago");
    assert_string_equal(ago(7 * MS_PER_DAY), "13 November");
    assert_string_equal(ago(366 * MS_PER_DAY), "19 November 2025");
}

TEST(shortly_after_midnight_an_hour_ago_is_not_yesterday)
{
    int64_t midnight = NOW - 13 * MS_PER_H - 46 * MS_PER_MIN - MS_PER_S;
    struct locale l = {.lang = lang_english(), .now = midnight + MS_PER_H};
    assert_string_equal(humanize_ago(a, &l, midnight - MS_PER_H), "2 hours ago");
}

TEST(a_clock_that_was_set_back_harms_nothing)
{
    assert_string_equal(ago(-5 * MS_PER_DAY), "just now");
    assert_string_equal(humanize_day_group(a, &at_now, NOW + 5 * MS_PER_DAY), "Today");
}

TEST(sessions_are_grouped_by_calendar_days)
{
    assert_string_equal(humanize_day_group(a, &at_now, NOW), "Today");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 13 * MS_PER_H), "Today");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 14 * MS_PER_H), "Yesterday");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 2 * MS_PER_DAY), "Previous 7 days");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 7 * MS_PER_DAY), "Previous 7 days");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 8 * MS_PER_DAY), "Previous 30 days");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 30 * MS_PER_DAY), "Previous 30 days");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 31 * MS_PER_DAY), "October");
    assert_string_equal(humanize_day_group(a, &at_now, NOW - 366 * MS_PER_DAY), "November 2025");
}

TEST(times_are_in_the_zone_of_the_reader)
{
    struct locale l = {
        .lang = lang_english(), .zone = time_zone_load(a, "Pacific/Kiritimati"), .now = NOW}; /* UTC+14 */
    assert_string_equal(humanize_exact(a, &l, NOW), "21 November 2026, 03:46");
    assert_string_equal(humanize_ago(a, &l, NOW - 7 * MS_PER_H), "yesterday");
    assert_string_equal(humanize_ago(a, &l, NOW - 20 * MS_PER_DAY), "1 November");
    assert_string_equal(humanize_day_group(a, &l, NOW - 13 * MS_PER_H), "Yesterday");
}

/* Every date is compared with that of a locale that keeps none. */
static void words_agree(const struct locale *kept, int64_t at)
{
    const struct locale plain = {.lang = kept->lang, .zone = kept->zone, .now = kept->now};
    assert_string_equal(humanize_ago(a, kept, at), humanize_ago(a, &plain, at));
    assert_string_equal(humanize_exact(a, kept, at), humanize_exact(a, &plain, at));
    assert_string_equal(humanize_moment(a, kept, at), humanize_moment(a, &plain, at));
    assert_string_equal(humanize_day_group(a, kept, at), humanize_day_group(a, &plain, at));
}

TEST(a_moment_to_come_is_told_in_seconds_minutes_or_by_the_clock)
{
    const struct locale l = {
        .lang = lang_find(STR("en")), .zone = time_zone_load(a, "Europe/Berlin"), .now = NOW};
    assert_string_equal(humanize_until(a, &l, NOW + 38 * MS_PER_S), "in 38 seconds");
    assert_string_equal(humanize_until(a, &l, NOW + 28 * MS_PER_MIN), "in 28 minutes");
    assert_string_equal(humanize_until(a, &l, NOW + 3 * MS_PER_H), "today at 17:46");
    assert_string_equal(humanize_until(a, &l, NOW + 1438 * MS_PER_MIN), "tomorrow at 14:44");
}

TEST(dates_in_a_row_are_right)
{
    struct locale l = {.lang = lang_find(STR("de")),
        .zone = time_zone_load(a, "Europe/Berlin"),
        .now = NOW,
        .dates = date_words_new(a)};
    const char *first = humanize_exact(a, &l, NOW - 20 * MS_PER_DAY);
    assert_string_equal(first, "31. Oktober 2026, 14:46");
    assert_string_equal(
        humanize_exact(a, &l, NOW - 20 * MS_PER_DAY - 5 * MS_PER_H), "31. Oktober 2026, 09:46");
    assert_string_equal(first, "31. Oktober 2026, 14:46");
    assert_string_equal(humanize_ago(a, &l, NOW - 20 * MS_PER_DAY), "31. Oktober");
    for (int64_t back = -2 * MS_PER_DAY; back < 800 * MS_PER_DAY; back += 5 * MS_PER_H + 7 * MS_PER_MIN)
        words_agree(&l, NOW - back);
    words_agree(&l, NOW - 365 * MS_PER_DAY); /* the same day of another year */
    words_agree(&l, NOW);
    l.now = NOW + 3 * MS_PER_DAY;
    words_agree(&l, NOW);
}

TEST(times_and_numbers_are_in_the_language_of_the_reader)
{
    const struct locale l = {.lang = lang_find(STR("de")), .now = NOW};
    const struct tm day = {.tm_year = 126, .tm_mon = 11, .tm_mday = 4, .tm_wday = 5};
    assert_string_equal(humanize_ago(a, &l, NOW - 1000), "gerade eben");
    assert_string_equal(humanize_ago(a, &l, NOW - MS_PER_MIN), "vor 1 Minute");
    assert_string_equal(humanize_ago(a, &l, NOW - 2 * MS_PER_H), "vor 2 Stunden");
    assert_string_equal(humanize_ago(a, &l, NOW - MS_PER_DAY), "gestern");
    assert_string_equal(humanize_ago(a, &l, NOW - 20 * MS_PER_DAY), "31. Oktober");
    assert_string_equal(humanize_ago(a, &l, NOW - 366 * MS_PER_DAY), "19. November 2025");
    assert_string_equal(humanize_exact(a, &l, NOW), "20. November 2026, 13:46");
    assert_string_equal(humanize_day_group(a, &l, NOW - 8 * MS_PER_DAY), "Letzte 30 Tage");
    assert_string_equal(humanize_day_group(a, &l, NOW - 250 * MS_PER_DAY), "März");
    assert_string_equal(humanize_day(a, l.lang, &day, WITHOUT_YEAR), "Freitag, 4. Dezember");
    assert_string_equal(humanize_day(a, l.lang, &day, WITH_YEAR), "Freitag, 4. Dezember 2026");
    assert_string_equal(humanize_number(a, l.lang, 1204567), "1.204.567");
    assert_string_equal(humanize_tokens(a, l.lang, 1500000), "1,5M");
    assert_string_equal(humanize_agent(a, l.lang, "Firefox/140.0 (X11; Linux)"), "Firefox auf Linux");
}

TEST(devices_are_named_by_browser_and_system)
{
    static const struct {
        const char *agent, *words;
    } known[] = {
        {"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"},
        {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
         "Safari/537.36",
            "Chrome on Windows"},
        {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
         "Safari/537.36 Edg/140.0.0.0",
            "Edge on Windows"},
        {"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
         "Version/18.0 Safari/605.1.15",
            "Safari on macOS"},
        {"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
         "Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari on iPhone"},
        {"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
         "Mobile Safari/537.36",
            "Chrome on Android"},
        {"curl/8.5.0", "curl"},
        {"", ""},
        {"something that nobody knows and that goes on and on", "something that nobody knows and that goe"},
    };
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        assert_string_equal(humanize_agent(a, at_now.lang, known[i].agent), known[i].words);
}

TEST(text_for_a_sentence_is_isolated_unless_it_is_ascii)
{
    assert_string_equal(humanize_isolated(a, "plain (1)"), "plain (1)");
    assert_string_equal(humanize_isolated(a, ""), "");
    assert_string_equal(humanize_isolated(a, "\xD7\x90!"), "\xE2\x81\xA8\xD7\x90!\xE2\x81\xA9");
    assert_string_equal(humanize_isolated(a, "caf\xC3\xA9\xE2\x80\x8F"),
        "\xE2\x81\xA8"
        "caf\xC3\xA9\xE2\x80\x8F\xE2\x81\xA9");
}

TEST(isolated_text_cannot_end_its_isolation)
{
    assert_string_equal(humanize_isolated(a, "a\xE2\x81\xA9\xE2\x80\xAE"
                                             "b\xE2\x80\xAA\xE2\x81\xA6"),
        "\xE2\x81\xA8"
        "ab\xE2\x81\xA9");
}

TEST(a_line_has_single_blanks_and_nothing_invisible)
{
    assert_string_equal(humanize_line(a, STR("\n a\t\u00A0b\u202Ec\U000E0041d "), 100).s, "a b c d");
    assert_string_equal(humanize_line(a, STR("a\u00E4\u00E4"), 4).s, "a\u00E4");
    assert_string_equal(humanize_line(a, STR(" \n"), 100).s, "");
}

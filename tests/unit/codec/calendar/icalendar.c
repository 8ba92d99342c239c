#include "unit.h"

#include "base/clock.h"
#include "codec/calendar/icalendar.h"

#define NOON_OF_2026 INT64_C(1767268800000) /* 1 January, 12:00 UTC */

static void line_is(const char *name, struct str value, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_line(&out, name, value);
    assert_string_equal(out.s, expected);
}

static void text_is(struct str value, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_text(&out, "SUMMARY", value);
    assert_string_equal(out.s, expected);
}

TEST(icalendar_escapes_text_and_no_other_value)
{
    text_is(STR("a,b;c\\d\r\ne"), "SUMMARY:a\\,b\\;c\\\\d\\ne\r\n");
    line_is("RRULE", STR("FREQ=WEEKLY;BYDAY=MO,TU"), "RRULE:FREQ=WEEKLY;BYDAY=MO,TU\r\n");
}

TEST(icalendar_text_cannot_begin_a_line)
{
    text_is(STR("a\rEND:VCALENDAR\x01\x7F"), "SUMMARY:aEND:VCALENDAR\r\n");
    line_is("X", STR("a\r\nEND:VCALENDAR"), "X:aEND:VCALENDAR\r\n");
}

static size_t longest_line(const char *s)
{
    size_t longest = 0;
    for (const char *end; (end = strstr(s, "\r\n")); s = end + 2)
        if ((size_t)(end - s) > longest)
            longest = (size_t)(end - s);
    assert_int_equal(*s, '\0');
    return longest;
}

TEST(icalendar_folds_lines_between_characters)
{
    char line[400] = "";
    for (size_t i = 0; i < 60; i++)
        strcat(line, i % 3 ? "\xC3\xBC" : "\xE2\x82\xAC");
    AUTO_STRBUF out, plain;
    strbuf_init(&out, 4096);
    strbuf_init(&plain, 4096);
    icalendar_text(&out, "SUMMARY", str_of(line));
    assert_in_range(longest_line(out.s), ICALENDAR_LINE_MAX - 3, ICALENDAR_LINE_MAX);
    for (size_t i = 0; i < out.len; i++) {
        if (strncmp(out.s + i, "\r\n ", 3) == 0)
            i += 2;
        else
            strbuf_addc(&plain, out.s[i]);
        if (out.s[i] == ' ')
            assert_int_not_equal((unsigned char)out.s[i + 1] & 0xC0, 0x80);
    }
    AUTO_STRBUF whole;
    strbuf_init(&whole, 4096);
    strbuf_addf(&whole, "SUMMARY:%s\r\n", line);
    assert_string_equal(plain.s, whole.s);
}

TEST(icalendar_keeps_a_line_that_fits)
{
    char value[ICALENDAR_LINE_MAX];
    memset(value, 'x', sizeof value);
    struct str fits = {value, ICALENDAR_LINE_MAX - strlen("X:")};
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_line(&out, "X", fits);
    assert_int_equal(out.len, ICALENDAR_LINE_MAX + 2);
    strbuf_clear(&out);
    fits.len++;
    icalendar_line(&out, "X", fits);
    assert_int_equal(out.len, ICALENDAR_LINE_MAX + 1 + strlen("\r\n \r\n"));
}

TEST(icalendar_writes_moments_in_utc)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_moment(&out, "DTSTART", NOON_OF_2026 + 5 * MS_PER_MIN + 7);
    assert_string_equal(out.s, "DTSTART:20260101T120500Z\r\n");
}

TEST(icalendar_zone_has_the_changes_of_its_clock)
{
    AUTO(arena) a = arena_new();
    const struct time_zone *z = time_zone_load(a, "Europe/Berlin");
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_zone(&out, "Europe/Berlin", z, NOON_OF_2026, NOON_OF_2026 + 360 * MS_PER_DAY);
    assert_string_equal(out.s,
        "BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin\r\n"
        "BEGIN:STANDARD\r\nDTSTART:20260101T130000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\n"
        "END:STANDARD\r\n"
        "BEGIN:DAYLIGHT\r\nDTSTART:20260329T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r\n"
        "END:DAYLIGHT\r\n"
        "BEGIN:STANDARD\r\nDTSTART:20261025T030000\r\nTZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\n"
        "END:STANDARD\r\n"
        "END:VTIMEZONE\r\n");
}

TEST(icalendar_zone_of_the_west_has_negative_offsets)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    icalendar_zone(
        &out, "America/St_Johns", time_zone_load(a, "America/St_Johns"), NOON_OF_2026, NOON_OF_2026);
    assert_non_null(strstr(out.s, "TZOFFSETTO:-0330\r\n"));
}

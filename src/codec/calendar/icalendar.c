#include "codec/calendar/icalendar.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"

#define VALUE_MAX 64 /* of a time */

/* A continued line begins with a blank, which counts. A character of several bytes is not cut. */
static void fold(struct strbuf *out, struct str line)
{
    size_t room = ICALENDAR_LINE_MAX;
    while (line.len > room) {
        size_t cut = room;
        while (cut > 1 && ((unsigned char)line.s[cut] & 0xC0) == 0x80)
            cut--;
        strbuf_add(out, line.s, cut);
        strbuf_adds(out, "\r\n ");
        line.s += cut;
        line.len -= cut;
        room = ICALENDAR_LINE_MAX - 1;
    }
    strbuf_addstr(out, line);
    strbuf_adds(out, "\r\n");
}

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7F;
}

static void write_line(struct strbuf *out, const char *name, struct str value, bool text)
{
    AUTO_STRBUF line;
    strbuf_init(&line, out->cap);
    strbuf_adds(&line, name);
    strbuf_addc(&line, ':');
    for (size_t i = 0; i < value.len; i++) {
        char c = value.s[i];
        if (text && c == '\n')
            strbuf_adds(&line, "\\n");
        else if (text && (c == '\\' || c == ';' || c == ','))
            strbuf_add(&line, (const char[]){'\\', c}, 2);
        else if (!is_control(c))
            strbuf_addc(&line, c);
    }
    if (line.failed)
        out->failed = true;
    else
        fold(out, strbuf_str(&line));
}

void icalendar_line(struct strbuf *out, const char *name, struct str value)
{
    write_line(out, name, value, false);
}

void icalendar_text(struct strbuf *out, const char *name, struct str value)
{
    write_line(out, name, value, true);
}

/* `ends` is "Z" for UTC, "" for a local time. */
static void write_time(struct strbuf *out, const char *name, struct tm tm, const char *ends)
{
    char value[VALUE_MAX];
    snprintf(value, sizeof value, "%04d%02d%02dT%02d%02d%02d%s", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
        tm.tm_hour, tm.tm_min, tm.tm_sec, ends);
    icalendar_line(out, name, str_of(value));
}

void icalendar_moment(struct strbuf *out, const char *name, int64_t at)
{
    time_t s = (time_t)(at / MS_PER_S);
    struct tm tm = {0};
    gmtime_r(&s, &tm);
    write_time(out, name, tm, "Z");
}

/* ---- zones ---- */

static void write_offset(struct strbuf *out, const char *name, long s)
{
    char value[VALUE_MAX];
    int n =
        snprintf(value, sizeof value, "%c%02ld%02ld", s < 0 ? '-' : '+', labs(s) / 3600, labs(s) / 60 % 60);
    if (s % 60)
        snprintf(value + n, sizeof value - (size_t)n, "%02ld", labs(s) % 60);
    icalendar_line(out, name, str_of(value));
}

/* Writes the change of the offset at the moment `at`. DTSTART is in the local time before the change. */
static void observe(struct strbuf *out, int64_t at, long before, long after)
{
    const char *kind = after > before ? "DAYLIGHT" : "STANDARD";
    time_t s = (time_t)(at / MS_PER_S) + before;
    struct tm start = {0};
    gmtime_r(&s, &start);
    icalendar_line(out, "BEGIN", str_of(kind));
    write_time(out, "DTSTART", start, "");
    write_offset(out, "TZOFFSETFROM", before);
    write_offset(out, "TZOFFSETTO", after);
    icalendar_line(out, "END", str_of(kind));
}

static long offset_at(const struct time_zone *z, int64_t at)
{
    return time_zone_local(z, at).tm_gmtoff;
}

/* The first second of (from, until] with another offset than at `from`; there is one change at most. */
static int64_t change_between(const struct time_zone *z, int64_t from, int64_t until)
{
    long offset = offset_at(z, from);
    while (until - from > MS_PER_S) {
        int64_t middle = from + (until - from) / 2 / MS_PER_S * MS_PER_S;
        if (offset_at(z, middle) == offset)
            from = middle;
        else
            until = middle;
    }
    return until;
}

void icalendar_zone(
    struct strbuf *out, const char *name, const struct time_zone *z, int64_t from, int64_t until)
{
    from = from / MS_PER_S * MS_PER_S;
    long now = offset_at(z, from);
    icalendar_line(out, "BEGIN", STR("VTIMEZONE"));
    icalendar_line(out, "TZID", str_of(name));
    observe(out, from, now, now);
    for (int64_t day = from; day < until; day += MS_PER_DAY) {
        long then = offset_at(z, day + MS_PER_DAY);
        if (then != now)
            observe(out, change_between(z, day, day + MS_PER_DAY), now, then);
        now = then;
    }
    icalendar_line(out, "END", STR("VTIMEZONE"));
}

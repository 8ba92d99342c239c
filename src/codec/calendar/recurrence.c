/* Local times, and rules as text. */
#include "codec/calendar/recurrence_private.h"

#include <stdio.h>

#include "base/strbuf.h"

#define FIRST_YEAR   1970
#define LAST_YEAR    9999
#define INTERVAL_MAX 999

/* ---- local times ---- */

static bool number(struct str *s, size_t digits, char after, int64_t min, int64_t max, int64_t *out)
{
    if (s->len < digits || !str_to_int((struct str){s->s, digits}, min, max, out))
        return false;
    s->s += digits;
    s->len -= digits;
    if (!after)
        return true;
    if (s->len == 0 || *s->s != after)
        return false;
    s->s++;
    s->len--;
    return true;
}

static bool day_exists(int64_t year, int64_t month, int64_t day)
{
    struct tm tm = {.tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
    return timegm(&tm) != (time_t)-1 && tm.tm_mday == day;
}

bool recurrence_start(struct str text, char out[RECURRENCE_START_SIZE])
{
    int64_t year, month, day, hour, minute, second;
    struct str s = str_trim(text);
    if (!number(&s, 4, '-', FIRST_YEAR, LAST_YEAR, &year) || !number(&s, 2, '-', 1, 12, &month) ||
        !number(&s, 2, '\0', 1, 31, &day) || !day_exists(year, month, day))
        return false;
    if (s.len == 0) {
        snprintf(out, RECURRENCE_START_SIZE, "%04d-%02d-%02d", (int)year, (int)month, (int)day);
        return true;
    }
    if (*s.s != 'T' && *s.s != ' ')
        return false;
    s = str_from(s, 1);
    if (!number(&s, 2, ':', 0, 23, &hour) || !number(&s, 2, '\0', 0, 59, &minute))
        return false;
    if (s.len && (*s.s != ':' || s.len != 3 || !str_to_int((struct str){s.s + 1, 2}, 0, 59, &second)))
        return false;
    snprintf(out, RECURRENCE_START_SIZE, "%04d-%02d-%02dT%02d:%02d", (int)year, (int)month, (int)day,
        (int)hour, (int)minute);
    return true;
}

/* The calendar of a stored start. */
static struct tm start_tm(const char *start)
{
    struct tm tm = {0};
    int64_t n;
    struct str s = str_of(start);
    if (number(&s, 4, '-', FIRST_YEAR, LAST_YEAR, &n))
        tm.tm_year = (int)n - 1900;
    if (number(&s, 2, '-', 1, 12, &n))
        tm.tm_mon = (int)n - 1;
    if (number(&s, 2, '\0', 1, 31, &n))
        tm.tm_mday = (int)n;
    if (s.len) {
        s = str_from(s, 1);
        if (number(&s, 2, ':', 0, 23, &n))
            tm.tm_hour = (int)n;
        if (number(&s, 2, '\0', 0, 59, &n))
            tm.tm_min = (int)n;
    }
    return tm;
}

int64_t recurrence_wall(const char *start)
{
    struct tm tm = start_tm(start);
    return (int64_t)timegm(&tm) * MS_PER_S;
}

void recurrence_local(int64_t wall, char out[RECURRENCE_START_SIZE])
{
    time_t s = (time_t)(wall / MS_PER_S);
    struct tm tm;
    if (!gmtime_r(&s, &tm) || strftime(out, RECURRENCE_START_SIZE, "%Y-%m-%dT%H:%M", &tm) == 0)
        out[0] = '\0';
}

/* Tries the offsets of a day earlier and of a day later: they differ when a clock change is near. */
int64_t recurrence_at(const struct time_zone *z, int64_t wall)
{
    int64_t early = time_zone_wall(z, wall - MS_PER_DAY) - (wall - MS_PER_DAY),
            late = time_zone_wall(z, wall + MS_PER_DAY) - (wall + MS_PER_DAY);
    int64_t low = wall - (early > late ? early : late), high = wall - (early > late ? late : early);
    if (time_zone_wall(z, low) == wall)
        return low;
    if (time_zone_wall(z, high) == wall)
        return high;
    /* the clock skips this time: finds the first moment at which it shows a later one */
    while (low + MS_PER_S < high) {
        int64_t middle = low + (high - low) / MS_PER_S / 2 * MS_PER_S;
        if (time_zone_wall(z, middle) > wall)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* ---- the text of a rule ---- */

enum part_name {
    P_FREQ,
    P_INTERVAL,
    P_COUNT,
    P_UNTIL,
    P_BYMONTH,
    P_BYWEEKNO,
    P_BYYEARDAY,
    P_BYMONTHDAY,
    P_BYDAY,
    P_BYHOUR,
    P_BYMINUTE,
    P_BYSETPOS,
    P_WKST
};
enum part_kind { PART_WORD, PART_NUMBER, PART_UNTIL, PART_NUMBERS, PART_DAYS };

static const struct part {
    const char *name;
    enum part_kind kind;
    int min, max;  /* of a number, without its sign */
    bool negative; /* numbers may have a sign */
} parts[] = {
    [P_FREQ] = {"FREQ", PART_WORD, 0, 0, false},
    [P_INTERVAL] = {"INTERVAL", PART_NUMBER, 1, INTERVAL_MAX, false},
    [P_COUNT] = {"COUNT", PART_NUMBER, 1, RECURRENCE_COUNT_MAX, false},
    [P_UNTIL] = {"UNTIL", PART_UNTIL, 0, 0, false},
    [P_BYMONTH] = {"BYMONTH", PART_NUMBERS, 1, 12, false},
    [P_BYWEEKNO] = {"BYWEEKNO", PART_NUMBERS, 1, 53, true},
    [P_BYYEARDAY] = {"BYYEARDAY", PART_NUMBERS, 1, 366, true},
    [P_BYMONTHDAY] = {"BYMONTHDAY", PART_NUMBERS, 1, 31, true},
    [P_BYDAY] = {"BYDAY", PART_DAYS, 1, 53, true},
    [P_BYHOUR] = {"BYHOUR", PART_NUMBERS, 0, 23, false},
    [P_BYMINUTE] = {"BYMINUTE", PART_NUMBERS, 0, 59, false},
    [P_BYSETPOS] = {"BYSETPOS", PART_NUMBERS, 1, 366, true},
    [P_WKST] = {"WKST", PART_DAYS, 0, 0, false},
};

enum rc recurrence_bad_rule(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "reminder.bad_rule");
}

static bool is_number(struct str s, const struct part *p)
{
    int64_t n;
    if (p->negative && s.len && (*s.s == '-' || *s.s == '+'))
        s = str_from(s, 1);
    return str_to_int(s, p->min, p->max, &n);
}

static bool is_weekday(struct str s, const struct part *p)
{
    static const char *const days[] = {"MO", "TU", "WE", "TH", "FR", "SA", "SU"};
    if (s.len < 2 || !STR_IN(str_from(s, s.len - 2), days))
        return false;
    return s.len == 2 || (p->max && is_number((struct str){s.s, s.len - 2}, p));
}

/* "20261231", "20261231T170000" with or without "Z": the end of the day, or the local time of it. */
static bool read_until(struct str s, const struct time_zone *z, int64_t *wall)
{
    int64_t year, month, day, hour = 23, minute = 59, second = 59;
    bool utc = s.len == 16 && s.s[15] == 'Z';
    if (utc)
        s.len--;
    if (!number(&s, 4, '\0', FIRST_YEAR, LAST_YEAR, &year) || !number(&s, 2, '\0', 1, 12, &month) ||
        !number(&s, 2, '\0', 1, 31, &day) || !day_exists(year, month, day))
        return false;
    if (s.len) {
        if (*s.s != 'T')
            return false;
        s = str_from(s, 1);
        if (!number(&s, 2, '\0', 0, 23, &hour) || !number(&s, 2, '\0', 0, 59, &minute) ||
            !number(&s, 2, '\0', 0, 59, &second) || s.len)
            return false;
    }
    struct tm tm = {.tm_year = (int)year - 1900,
        .tm_mon = (int)month - 1,
        .tm_mday = (int)day,
        .tm_hour = (int)hour,
        .tm_min = (int)minute,
        .tm_sec = (int)second};
    *wall = (int64_t)timegm(&tm) * MS_PER_S;
    if (utc)
        *wall = time_zone_wall(z, *wall);
    return true;
}

static void add_until(struct strbuf *to, int64_t wall)
{
    char text[sizeof "20261231T170000"];
    time_t s = (time_t)(wall / MS_PER_S);
    struct tm tm;
    if (gmtime_r(&s, &tm) && strftime(text, sizeof text, "%Y%m%dT%H%M%S", &tm) > 0)
        strbuf_adds(to, text);
}

static bool is_value(const struct part *p, struct str value)
{
    static const char *const frequencies[] = {
        "SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY"};
    if (p->kind == PART_WORD)
        return STR_IN(value, frequencies);
    if (p->kind == PART_NUMBER)
        return is_number(value, p);
    while (value.s) {
        struct str one = str_cut(&value, ',');
        if (p->kind == PART_DAYS ? !is_weekday(one, p) : !is_number(one, p))
            return false;
        if (p->kind == PART_DAYS && !p->max && value.s)
            return false; /* WKST is one day */
    }
    return true;
}

/* Appends one part to `to`. `seen`: a bit for each row of `parts`. */
static enum rc read_part(
    struct str text, const struct time_zone *z, unsigned *seen, struct strbuf *to, struct err *e)
{
    struct str value = text, name = str_cut(&value, '=');
    size_t i = 0;
    while (i < ARRAY_LEN(parts) && !str_is(name, parts[i].name))
        i++;
    if (i == ARRAY_LEN(parts) || *seen & 1U << i || value.len == 0)
        return recurrence_bad_rule(e);
    *seen |= 1U << i;
    if (to->len)
        strbuf_addc(to, ';');
    strbuf_addf(to, "%s=", parts[i].name);
    int64_t wall;
    if (parts[i].kind == PART_UNTIL) {
        if (!read_until(value, z, &wall))
            return recurrence_bad_rule(e);
        add_until(to, wall);
        return RC_OK;
    }
    if (!is_value(&parts[i], value))
        return recurrence_bad_rule(e);
    strbuf_addstr(to, value);
    return RC_OK;
}

/* Parts that choose days would make libical step through years by minutes. */
static bool fit_together(const char *rule, unsigned seen)
{
    bool within_days = strstr(rule, "FREQ=HOURLY") || strstr(rule, "FREQ=MINUTELY");
    unsigned allowed = 1U << P_FREQ | 1U << P_INTERVAL | 1U << P_COUNT | 1U << P_UNTIL | 1U << P_BYDAY |
                       1U << P_BYHOUR | 1U << P_WKST;
    return seen & 1U << P_FREQ && !(seen & 1U << P_COUNT && seen & 1U << P_UNTIL) &&
           (!within_days || !(seen & ~allowed));
}

enum rc recurrence_normalise(
    struct arena *a, struct str text, const struct time_zone *z, const char **out, struct err *e)
{
    AUTO_STRBUF b;
    char upper[RECURRENCE_RULE_MAX];
    unsigned seen = 0;
    enum rc rc = RC_OK;
    strbuf_init(&b, RECURRENCE_RULE_MAX);
    text = str_trim(text);
    if (text.len >= sizeof upper)
        return err_say(e, RC_BAD_INPUT, "reminder.long_rule", arg_int("max", RECURRENCE_RULE_MAX));
    for (size_t i = 0; i < text.len; i++)
        upper[i] = text.s[i] >= 'a' && text.s[i] <= 'z' ? (char)(text.s[i] - 'a' + 'A') : text.s[i];
    struct str rest = {upper, text.len};
    if (str_starts(rest, STR("RRULE:")))
        rest = str_from(rest, 6);
    while (rc == RC_OK && rest.s && rest.len)
        rc = read_part(str_cut(&rest, ';'), z, &seen, &b, e);
    if (rc == RC_OK && !fit_together(b.s, seen))
        rc = recurrence_bad_rule(e);
    if (rc == RC_OK && b.failed)
        rc = err_say(e, RC_BAD_INPUT, "reminder.long_rule", arg_int("max", RECURRENCE_RULE_MAX));
    if (rc == RC_OK)
        *out = arena_strdup(a, b.s);
    return rc;
}

const char *recurrence_export(struct arena *a, const char *rule, const struct time_zone *z)
{
    const char *name = strstr(rule, "UNTIL=");
    if (!name)
        return rule;
    AUTO_STRBUF b;
    int64_t wall;
    struct str rest = str_of(name + strlen("UNTIL=")), value = str_cut(&rest, ';');
    if (!read_until(value, z, &wall))
        return rule;
    strbuf_init(&b, strlen(rule) + sizeof "Z");
    strbuf_addstr(&b, (struct str){rule, (size_t)(value.s - rule)});
    add_until(&b, recurrence_at(z, wall));
    strbuf_addc(&b, 'Z');
    strbuf_adds(&b, value.s + value.len);
    return arena_strdup(a, b.s);
}

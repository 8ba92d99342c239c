#include "codec/calendar/recurrence.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/calendar/ical_load.h"

#define STEPS_MAX    100000 /* occurrences that one call looks at */
#define CHECKED_MAX  400    /* occurrences whose distance is checked */
#define FIRST_YEAR   1970
#define LAST_YEAR    9999
#define INTERVAL_MAX 999
#define SHORT_YEARS  2 /* the same for rules by hours and minutes */
#define YEAR_MS      (366 * MS_PER_DAY)

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

/* The two candidates are by the offsets before and after a clock change nearby. */
int64_t recurrence_at(const struct time_zone *z, int64_t wall)
{
    int64_t early = time_zone_wall(z, wall - MS_PER_DAY) - (wall - MS_PER_DAY),
            late = time_zone_wall(z, wall + MS_PER_DAY) - (wall + MS_PER_DAY);
    int64_t low = wall - (early > late ? early : late), high = wall - (early > late ? late : early);
    if (time_zone_wall(z, low) == wall)
        return low;
    if (time_zone_wall(z, high) == wall)
        return high;
    while (low + MS_PER_S < high) { /* skipped: the first moment at which the clock shows more */
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

static enum rc bad_rule(struct err *e)
{
    return err_say(e, RC_BAD_INPUT, "reminder.bad_rule");
}

static bool is_word(struct str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(s, words[i]))
            return true;
    return false;
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
    if (s.len < 2 || !is_word((struct str){s.s + s.len - 2, 2}, days, ARRAY_LEN(days)))
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
        return is_word(value, frequencies, ARRAY_LEN(frequencies));
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
        return bad_rule(e);
    *seen |= 1U << i;
    if (to->len)
        strbuf_addc(to, ';');
    strbuf_addf(to, "%s=", parts[i].name);
    int64_t wall;
    if (parts[i].kind == PART_UNTIL) {
        if (!read_until(value, z, &wall))
            return bad_rule(e);
        add_until(to, wall);
        return RC_OK;
    }
    if (!is_value(&parts[i], value))
        return bad_rule(e);
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

static enum rc normalise(
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
        rc = bad_rule(e);
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

/* ---- occurrences ---- */

static struct icaltimetype ical_time(int64_t wall)
{
    time_t s = (time_t)(wall / MS_PER_S);
    struct tm tm = {0};
    gmtime_r(&s, &tm);
    return (struct icaltimetype){.year = tm.tm_year + 1900,
        .month = tm.tm_mon + 1,
        .day = tm.tm_mday,
        .hour = tm.tm_hour,
        .minute = tm.tm_min,
        .second = tm.tm_sec};
}

struct walk {
    icalrecur_iterator *i;
    struct icalrecurrencetype rule;
    int steps;
};

static void walk_end(struct walk *w)
{
    if (w->i)
        icalrecur_iterator_free(w->i);
    free(w->rule.rscale);
    *w = (struct walk){0};
}

static bool is_within_days(const struct icalrecurrencetype *rule)
{
    return rule->freq == ICAL_HOURLY_RECURRENCE || rule->freq == ICAL_MINUTELY_RECURRENCE;
}

/* The start of the series by hours or minutes, moved by whole steps to `from` or a little earlier. */
static int64_t moved(const struct icalrecurrencetype *rule, int64_t start, int64_t from)
{
    int64_t step = (rule->freq == ICAL_HOURLY_RECURRENCE ? MS_PER_H : MS_PER_MIN) * rule->interval;
    return from > start ? start + (from - start) / step * step : start;
}

/* Begins at the occurrences from the local time `from` on, or a little earlier. libical stops looking at
 * UNTIL: a rule without any occurrence would cost it the time of centuries. icalrecur_iterator_set_start()
 * takes a wrong interval of hours and minutes, so such a series begins later instead. */
static enum rc walk_begin(struct walk *w, const struct recurrence *r, int64_t from, struct err *e)
{
    *w = (struct walk){0};
    enum rc rc = ical_load(e);
    if (rc != RC_OK)
        return rc;
    int64_t start = recurrence_wall(r->start), begin = from > start ? from : start;
    w->rule = icalrecurrencetype_from_string(r->rule);
    if (w->rule.freq == ICAL_NO_RECURRENCE)
        return bad_rule(e);
    bool days = !is_within_days(&w->rule), whole = w->rule.count != 0;
    if (!whole && w->rule.until.year == 0)
        w->rule.until = ical_time(begin + (days ? RECURRENCE_YEARS_MAX + 1 : SHORT_YEARS) * YEAR_MS);
    w->i = icalrecur_iterator_new(
        w->rule, ical_time(whole || days ? start : moved(&w->rule, start, from))); /* NULL: no occurrence */
    if (w->i && !whole && days && from > start)
        icalrecur_iterator_set_start(w->i, ical_time(from));
    return RC_OK;
}

/* The next local time; false: no more. */
static bool walk_next(struct walk *w, int64_t *wall)
{
    if (!w->i || w->steps++ >= STEPS_MAX)
        return false;
    struct icaltimetype t = icalrecur_iterator_next(w->i);
    if (t.year == 0)
        return false;
    struct tm tm = {.tm_year = t.year - 1900,
        .tm_mon = t.month - 1,
        .tm_mday = t.day,
        .tm_hour = t.hour,
        .tm_min = t.minute,
        .tm_sec = t.second};
    *wall = (int64_t)timegm(&tm) * MS_PER_S;
    return true;
}

static bool has_rule(const struct recurrence *r)
{
    return r->rule && *r->rule;
}

enum rc recurrence_next(const struct recurrence *r, int64_t after, int64_t *out, struct err *e)
{
    *out = 0;
    if (!has_rule(r)) {
        int64_t at = recurrence_at(r->zone, recurrence_wall(r->start));
        *out = at > after ? at : 0;
        return RC_OK;
    }
    struct walk w;
    int64_t wall, from = time_zone_wall(r->zone, after) - MS_PER_DAY;
    enum rc rc = walk_begin(&w, r, from, e);
    while (rc == RC_OK && !*out && walk_next(&w, &wall)) {
        int64_t at = recurrence_at(r->zone, wall);
        *out = at > after ? at : 0;
    }
    walk_end(&w);
    return rc;
}

enum rc recurrence_missed(
    const struct recurrence *r, int64_t after, int64_t now, int64_t *last, int64_t *before, struct err *e)
{
    *last = *before = 0;
    if (!has_rule(r)) {
        int64_t at = recurrence_at(r->zone, recurrence_wall(r->start));
        *last = at > after && at <= now ? at : 0;
        return RC_OK;
    }
    struct walk w;
    int64_t wall, from = time_zone_wall(r->zone, after) - MS_PER_DAY;
    enum rc rc = walk_begin(&w, r, from, e);
    while (rc == RC_OK && walk_next(&w, &wall)) {
        int64_t at = recurrence_at(r->zone, wall);
        if (at > now)
            break;
        if (at <= after || at == *last)
            continue;
        *before += *last != 0;
        *last = at;
    }
    walk_end(&w);
    return rc;
}

/* ---- the check ---- */

static enum rc too_often(int64_t gap_ms, struct err *e)
{
    if (gap_ms >= MS_PER_DAY)
        return err_say(e, RC_BAD_INPUT, "reminder.once_a_day");
    return err_say(e, RC_BAD_INPUT, "reminder.too_often", arg_int("n", gap_ms / MS_PER_MIN));
}

/* Local distances, so that a clock change does not count. */
static enum rc check_gaps(const struct recurrence *r, int64_t gap_ms, struct err *e)
{
    struct walk w;
    int64_t wall, before = 0, start = recurrence_wall(r->start);
    enum rc rc = walk_begin(&w, r, start, e);
    for (int i = 0; rc == RC_OK && i < CHECKED_MAX && walk_next(&w, &wall); i++) {
        if (i && wall - before < gap_ms)
            rc = too_often(gap_ms, e);
        before = wall;
    }
    walk_end(&w);
    return rc;
}

enum rc recurrence_check(struct arena *a, const struct recurrence *r, int64_t gap_ms, int64_t now,
    const char **rule, struct err *e)
{
    struct recurrence own = *r;
    int64_t next;
    enum rc rc = normalise(a, str_of(r->rule), r->zone, &own.rule, e);
    if (rc == RC_OK && strstr(own.rule, "FREQ=SECONDLY"))
        rc = too_often(gap_ms, e);
    if (rc == RC_OK)
        rc = check_gaps(&own, gap_ms, e);
    if (rc == RC_OK)
        rc = recurrence_next(&own, now, &next, e);
    if (rc == RC_OK && (!next || next > now + RECURRENCE_YEARS_MAX * YEAR_MS))
        rc = err_say(e, RC_BAD_INPUT, "reminder.never", arg_int("years", RECURRENCE_YEARS_MAX));
    *rule = own.rule;
    return rc;
}

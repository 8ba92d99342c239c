/* Occurrences of rules, by libical, and the check of a rule. */
#include <stdlib.h>
#include <string.h>

#include "codec/calendar/ical_load.h"
#include "codec/calendar/recurrence_private.h"

#define STEPS_MAX   100000 /* occurrences that one call looks at */
#define CHECKED_MAX 400    /* occurrences whose distance is checked */
#define SHORT_YEARS 2      /* RECURRENCE_YEARS_MAX of rules by hours and minutes */
#define YEAR_MS     (366 * MS_PER_DAY)

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
        return recurrence_bad_rule(e);
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

/* Parts that can leave out the start. */
static bool chooses(const char *rule)
{
    return strncmp(rule, "BY", 2) == 0 || strstr(rule, ";BY");
}

enum rc recurrence_first(const struct recurrence *r, char out[RECURRENCE_START_SIZE], struct err *e)
{
    int64_t wall = recurrence_wall(r->start);
    enum rc rc = RC_OK;
    if (has_rule(r) && chooses(r->rule)) {
        struct walk w;
        rc = walk_begin(&w, r, wall, e);
        if (rc == RC_OK)
            (void)walk_next(&w, &wall);
        walk_end(&w);
    }
    recurrence_local(wall, out);
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
    enum rc rc = recurrence_normalise(a, str_of(r->rule), r->zone, &own.rule, e);
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

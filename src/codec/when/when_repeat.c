/* The expressions of repetitions. Words are folded: "früh" is "fruh". */
#include "codec/when/when_private.h"

#define WORKDAYS 0x3EU
#define WEEKEND  0x41U

static void set_rule(struct when_parts *p, enum when_freq f, int interval, unsigned days)
{
    p->freq = f;
    p->interval = interval;
    p->weekdays = days;
}

/* "Monday", "Monday and Thursday", "Montag, Mittwoch und Freitag" from word `i`. */
static size_t weekday_list(
    const struct when_words *w, size_t i, int (*one)(const struct when_words *, size_t), unsigned *days)
{
    size_t n = 0, again = 0;
    *days = 0;
    for (int found; (found = one(w, i + n + again)) >= 0;) {
        *days |= 1U << found;
        n += again + 1;
        again = (size_t)when_is(w, i + n, "and|und");
        again += (size_t)when_is(w, i + n + again, "every|each|jeden");
    }
    return n;
}

/* "first of each month", "15th of the month", "first Monday of every month", "letzten Freitag im Monat" */
static size_t in_month(const struct when_words *w, size_t i, bool every, struct when_parts *p)
{
    int which = when_ordinal(w, i);
    size_t n = 1;
    if (!which)
        return 0;
    int wd = when_weekday(w, i + n);
    if (wd >= 0 || when_is(w, i + n, "day|tag"))
        n++;
    size_t end = n;
    while (when_is(w, i + end, "of|im|in|des|the|each|every|a|jedes|jeden|jedem|eines"))
        end++;
    bool of_month = end > n && when_is(w, i + end, "month|monat|monats");
    if (!of_month && !(every && n == 1 && when_month(w, i + 1) < 0 && (which > 9 || which < 0)))
        return 0;
    if (wd >= 0 && (which > 5))
        return 0;
    set_rule(p, FREQ_MONTHS, 1, wd >= 0 ? 1U << wd : 0);
    if (wd >= 0)
        p->nth = which;
    else
        p->monthday = which;
    return of_month ? end + 1 : n;
}

/* Behind "every": "day", "other week", "2 hours", "Monday and Thursday", "weekday", "morning", "24 December"
 */
static size_t every(const struct when_words *w, size_t i, struct when_parts *p)
{
    size_t n = in_month(w, i, true, p);
    int interval = 1, found;
    unsigned days;
    if (n)
        return n;
    if (when_is(w, i, "other|second|zweiten|zweite|zweites|2nd"))
        interval = 2, n = 1;
    else if ((found = when_number(w, i)) > 0 && when_unit(w, i + 1))
        interval = found, n = 1;
    enum when_freq u = when_unit(w, i + n);
    if (u) {
        set_rule(p, u, interval, 0);
        return n + 1;
    }
    size_t listed = weekday_list(w, i + n, when_weekday, &days);
    if (listed) {
        set_rule(p, FREQ_WEEKS, interval, days);
        return n + listed;
    }
    if (n)
        return 0;
    if (when_is(w, i, "weekday|weekdays|workday|workdays|werktag|wochentag|arbeitstag|werktage|wochentage")) {
        set_rule(p, FREQ_WEEKS, 1, WORKDAYS);
        return 1;
    }
    if (when_is(w, i, "weekend|wochenende")) {
        set_rule(p, FREQ_WEEKS, 1, WEEKEND);
        return 1;
    }
    enum day_part at = when_is(w, i, "morgen") ? PART_MORNING : when_part_of(w, i);
    if (at) {
        p->part = at;
        set_rule(p, FREQ_DAYS, 1, 0);
        return 1;
    }
    n = when_date(w, i, p);
    if (n)
        set_rule(p, FREQ_YEARS, 1, 0);
    return n;
}

/* Behind a rule: "every two weeks, Tuesdays", "dienstags alle zwei Wochen", "every month on the 1st", "jeden
 * Monat am letzten Freitag". */
static size_t refinement(const struct when_words *w, size_t i, struct when_parts *p)
{
    unsigned days;
    size_t n = 0;
    int number = when_number(w, i + 1), which = when_ordinal(w, i), weekday = when_weekday(w, i + 1);
    bool again = when_is(w, i, "every|alle") && number > 0 && number <= NUMBER_MAX;
    if (p->freq == FREQ_WEEKS && !p->weekdays && (n = weekday_list(w, i, when_weekdays, &days))) {
        p->weekdays = days;
        return n;
    }
    if (p->freq == FREQ_WEEKS && p->weekdays && p->interval == 1 && again &&
        when_unit(w, i + 2) == FREQ_WEEKS) {
        p->interval = number;
        return 3;
    }
    if (p->freq != FREQ_MONTHS || p->weekdays || p->monthday || !which || when_month(w, i + 1) >= 0)
        return 0;
    if (weekday >= 0 && which <= 5) {
        p->nth = which;
        p->weekdays = 1U << weekday;
        return 2;
    }
    bool day = when_is(w, i + 1, "day|tag");
    if (weekday >= 0 || (which < 0 && !day))
        return 0;
    p->monthday = which;
    return 1 + (size_t)day;
}

size_t when_repetition(const struct when_words *w, size_t i, bool begins, struct when_parts *p, bool *weak)
{
    unsigned days;
    if (p->freq)
        return refinement(w, i, p);
    if (when_is(w, i, "every|each|jeden|jede|jedes|jeder|alle")) {
        size_t n = every(w, i + 1, p);
        return n ? n + 1 : 0;
    }
    size_t n = in_month(w, i, false, p);
    if (!n && (n = weekday_list(w, i, when_weekdays, &days)))
        set_rule(p, FREQ_WEEKS, 1, days);
    if (n)
        return n;
    int found = when_index_of(
        w, i, "hourly|stundlich,daily|taglich,weekly|wochentlich,monthly|monatlich,yearly|annually|jahrlich");
    if (found >= 0) {
        *weak = begins;
        set_rule(p, (enum when_freq)(FREQ_HOURS + found), 1, 0);
        return 1;
    }
    if (when_is(w, i, "weekdays|werktags|wochentags")) {
        set_rule(p, FREQ_WEEKS, 1, WORKDAYS);
        return 1;
    }
    if (when_is(w, i, "weekends")) {
        set_rule(p, FREQ_WEEKS, 1, WEEKEND);
        return 1;
    }
    return 0;
}

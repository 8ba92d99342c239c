#include "app/reminder/repeat.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/humanize.h"
#include "base/strbuf.h"

#define WEEK        7
#define WEEKDAYS    0x3E /* Monday to Friday, as bits from Sunday */
#define NUMBER_MAX  100000
#define MONTHS_LAST (-1)

const char *const repeat_choices[] = {
    "never", "daily", "weekdays", "weekly", "monthly", "yearly", REPEAT_CUSTOM, NULL};
static const char *const rules[] = {
    "", "FREQ=DAILY", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY"};

struct str repeat_rule(struct str choice, struct str custom)
{
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (str_is(choice, repeat_choices[i]))
            return str_of(rules[i]);
    return str_is(choice, REPEAT_CUSTOM) ? custom : (struct str){0};
}

const char *repeat_choice(const char *rule)
{
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        if (strcmp(rule ? rule : "", rules[i]) == 0)
            return repeat_choices[i];
    return REPEAT_CUSTOM;
}

/* ---- words ---- */

/* The parts of a rule that can be put into words. */
struct parts {
    struct str freq;
    int64_t interval, count, month_day; /* 0: not given; month_day MONTHS_LAST: the last */
    unsigned days;                      /* 1 << weekday, from Sunday */
    struct str until;
    bool more; /* it has parts that the words do not tell */
};

static bool read_days(struct str list, unsigned *out)
{
    static const char *const names[WEEK] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    while (list.s) {
        struct str day = str_cut(&list, ',');
        size_t i = 0;
        while (i < WEEK && !str_is(day, names[i]))
            i++;
        if (i == WEEK)
            return false; /* "1MO": the first of a month */
        *out |= 1u << i;
    }
    return true;
}

static void read_part(struct str name, struct str value, struct parts *p)
{
    if (str_is(name, "FREQ"))
        p->freq = value;
    else if (str_is(name, "INTERVAL"))
        p->more |= !str_to_int(value, 1, NUMBER_MAX, &p->interval);
    else if (str_is(name, "COUNT"))
        p->more |= !str_to_int(value, 1, NUMBER_MAX, &p->count);
    else if (str_is(name, "UNTIL"))
        p->until = value;
    else if (str_is(name, "BYDAY"))
        p->more |= !read_days(value, &p->days);
    else if (str_is(name, "BYMONTHDAY"))
        p->more |= !str_to_int(value, MONTHS_LAST, 31, &p->month_day);
    else if (!str_is(name, "WKST"))
        p->more = true;
}

static struct parts read_rule(const char *rule)
{
    struct parts p = {0};
    struct str rest = str_of(rule);
    while (rest.s) {
        struct str value = str_cut(&rest, ';');
        struct str name = str_cut(&value, '=');
        read_part(name, value, &p);
    }
    if (!p.interval)
        p.interval = 1;
    return p;
}

/* "Monday", "Monday and Thursday", "Monday, Tuesday and Friday"; the week begins with Monday. */
static const char *days_words(struct arena *a, const struct lang *l, unsigned days)
{
    static const char *const names[WEEK] = {"time.sunday", "time.monday", "time.tuesday", "time.wednesday",
        "time.thursday", "time.friday", "time.saturday"};
    const char *words = NULL, *last = NULL;
    for (size_t i = 1; i <= WEEK; i++) {
        if (!(days & 1u << i % WEEK))
            continue;
        if (last)
            words = words ? arena_printf(a, "%s, %s", words, last) : last;
        last = lang_text(l, names[i % WEEK]);
    }
    return words ? lang_fill(a, l, "repeat.and", LANG_ARGS({"first", words}, {"last", last})) : last;
}

/* `once` for each one, `many` for each n-th. */
static const char *every(struct arena *a, const struct lang *l, const struct parts *p, const char *once,
    const char *many, const struct lang_arg *args)
{
    return p->interval == 1 ? lang_fill(a, l, once, args) : lang_count(a, l, many, p->interval, args);
}

static const char *weekly(
    struct arena *a, const struct lang *l, const struct parts *p, const struct tm *start)
{
    unsigned days = p->days ? p->days : 1u << start->tm_wday;
    if (days == WEEKDAYS && p->interval == 1)
        return lang_text(l, "repeat.weekdays");
    return every(a, l, p, "repeat.weekly", "repeat.weeks", LANG_ARGS({"days", days_words(a, l, days)}));
}

static const char *monthly(
    struct arena *a, const struct lang *l, const struct parts *p, const struct tm *start)
{
    if (p->days)
        return NULL;
    if (p->month_day == MONTHS_LAST)
        return every(a, l, p, "repeat.month_end", "repeat.months_end", NULL);
    int64_t day = p->month_day ? p->month_day : start->tm_mday;
    const char *number = arena_printf(a, "%lld", (long long)day);
    return every(a, l, p, "repeat.monthly", "repeat.months", LANG_ARGS({"day", number}));
}

static const char *yearly(
    struct arena *a, const struct lang *l, const struct parts *p, const struct tm *start)
{
    return p->days || p->month_day ? NULL
                                   : every(a, l, p, "repeat.yearly", "repeat.years",
                                         LANG_ARGS({"date", humanize_date(a, l, start, WITHOUT_YEAR)}));
}

static const char *base_words(
    struct arena *a, const struct lang *l, const struct parts *p, const struct tm *start)
{
    if (p->more)
        return NULL;
    if (str_is(p->freq, "DAILY") && !p->days && !p->month_day)
        return every(a, l, p, "repeat.daily", "repeat.days", NULL);
    if (str_is(p->freq, "WEEKLY") && !p->month_day)
        return weekly(a, l, p, start);
    if (str_is(p->freq, "MONTHLY"))
        return monthly(a, l, p, start);
    return str_is(p->freq, "YEARLY") ? yearly(a, l, p, start) : NULL;
}

/* "20270501T215959Z" */
static const char *until_words(struct arena *a, const struct lang *l, struct str until)
{
    struct tm tm = {0};
    return strptime(arena_strndup(a, until.s, until.len), "%Y%m%d", &tm)
               ? lang_fill(a, l, "repeat.until", LANG_ARGS({"date", humanize_date(a, l, &tm, WITH_YEAR)}))
               : "";
}

const char *repeat_words(struct arena *a, const struct lang *l, const char *rule, const char *start)
{
    struct tm tm = {0};
    if (!rule || !*rule)
        return NULL;
    const char *rest = strptime(start, "%Y-%m-%d", &tm);
    struct parts p = read_rule(rule);
    const char *words = rest ? base_words(a, l, &p, &tm) : NULL;
    if (!words)
        return lang_fill(a, l, "repeat.rule", LANG_ARGS({"rule", rule}));
    if (*rest == 'T')
        words = lang_fill(a, l, "repeat.at", LANG_ARGS({"words", words}, {"time", rest + 1}));
    if (p.count)
        words = arena_printf(a, "%s%s", words, lang_count(a, l, "repeat.times", p.count, NULL));
    if (p.until.len)
        words = arena_printf(a, "%s%s", words, until_words(a, l, p.until));
    return words;
}

const char *repeat_time_words(struct arena *a, const struct lang *l, const char *rule, const char *start)
{
    struct tm tm = {0};
    const char *words = repeat_words(a, l, rule, start);
    if (words || !strptime(start, "%Y-%m-%dT%H:%M", &tm))
        return words ? words : start;
    return lang_fill(a, l, "repeat.at",
        LANG_ARGS({"words", humanize_date(a, l, &tm, WITH_YEAR)}, {"time", strchr(start, 'T') + 1}));
}

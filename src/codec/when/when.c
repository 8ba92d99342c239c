/*
 * A run is a sequence of expressions with connecting words between them. The words that are the time are the
 * longest run at the beginning of the text and the longest at its end. A run in the middle is not read: it
 * would take "at 5" from "meet at 5 places to see".
 */
#include "codec/when/when_private.h"

#include <assert.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "codec/calendar/recurrence.h"

#define WORDS_MAX      512 /* of the text; a longer text has no time */
#define RUN_MAX        24  /* words */
#define JOINS_MAX      3
#define SEARCH_DAYS    800 /* the first day of a rule is within this */
#define HALF_DAY       12
#define MONTHS_MAX     93  /* days in which every day of a month from 1 to 31 occurs */
#define LEAP_YEARS_MAX 9   /* of these one has 29 February, also around 2100 */
#define TWICE_MAX      180 /* at most so many minutes occur twice when a clock is set back */

static_assert(WHEN_START_SIZE == RECURRENCE_START_SIZE, "a local time");

static const struct when_parts nothing = {
    .hour = -1, .ahead = -1, .weekday = -1, .minutes = -1, .interval = 1};

/* True for a word that can stand before an expression. */
static bool joins(const struct when_words *w, size_t i)
{
    static const char *const words[] = {"at", "on", "by", "the", "from", "starting", "beginning", "until",
        "till", "due", "for", "and", "um", "am", "im", "ab", "von", "vom", "gegen", "zum", "den", "dem",
        "der", "bis", "fur", "und", "around", "about"};
    return STR_IN(str_of(w->t[i].word), words);
}

/* Reads a run that begins at word `from`. Returns the place of the first word behind it, or `from` when there
 * is no run. */
static size_t run(const struct when_words *w, size_t from, struct when_parts *p)
{
    size_t at = from;
    int found = 0;
    bool weak = false, one_weak = false;
    for (;;) {
        size_t next = at, n = 0;
        for (int i = 0; i <= JOINS_MAX && next < w->n; i++) {
            n = when_expression(w, next, found == 0, p, &weak);
            if (n || !joins(w, next))
                break;
            next++;
        }
        if (!n || next - from > RUN_MAX)
            break;
        one_weak = found++ == 0 && weak;
        at = next + n;
    }
    if (one_weak && found == 1 && at < w->n) {
        *p = nothing;
        return from;
    }
    return at;
}

/* ---- the time ---- */

static struct tm calendar(int64_t s)
{
    struct tm tm = {0};
    time_t t = (time_t)s;
    gmtime_r(&t, &tm);
    return tm;
}

static int part_hour(enum day_part p)
{
    static const int hours[] = {[PART_MORNING] = WHEN_MORNING,
        [PART_NOON] = WHEN_NOON,
        [PART_AFTERNOON] = WHEN_AFTERNOON,
        [PART_EVENING] = WHEN_EVENING,
        [PART_NIGHT] = WHEN_WAKING_TO - 1,
        [PART_MIDNIGHT] = 0};
    return hours[p];
}

/* The second of the day for an hour of 12 that may be either half; `after`: it must be later than that. */
static int waking(int hour, int minute, int after)
{
    int best = -1;
    for (int h = hour % HALF_DAY; h < 2 * HALF_DAY; h += HALF_DAY) {
        int s = (h * 60 + minute) * S_PER_MIN;
        if (h >= WHEN_WAKING_FROM && h < WHEN_WAKING_TO && s > after && best < 0)
            best = s;
    }
    return best;
}

/* "Tonight at 12", "heute Nacht um 2". */
static bool is_after_midnight(const struct when_parts *p)
{
    return !p->freq && p->ahead >= 0 && (p->part == PART_EVENING || p->part == PART_NIGHT) &&
           (p->hour == HALF_DAY || p->hour < WHEN_NIGHT_TO);
}

/* The second of the day. `today`: seconds of today that have passed, -1 when it is another day. */
static int second_of_day(const struct when_parts *p, int today)
{
    int hour = p->hour;
    if (hour < 0 && p->part)
        return part_hour(p->part) * S_PER_H;
    if (hour < 0)
        return WHEN_MORNING * S_PER_H;
    if (is_after_midnight(p)) {
        int s = (hour % HALF_DAY * 60 + p->minute) * S_PER_MIN;
        return p->ahead == 0 && s > today ? s : s + S_PER_DAY;
    }
    if (p->sure)
        return (hour * 60 + p->minute) * S_PER_MIN;
    bool late = p->part == PART_AFTERNOON || p->part == PART_EVENING || (p->part == PART_NIGHT && hour > 5) ||
                (p->part == PART_NOON && hour < 4);
    if (p->part == PART_MORNING || p->part == PART_NIGHT || late)
        return ((hour % HALF_DAY + (late ? HALF_DAY : 0)) * 60 + p->minute) * S_PER_MIN;
    int s = waking(hour, p->minute, today);
    if (s < 0)
        s = waking(hour, p->minute, -1);
    return s < 0 ? (hour * 60 + p->minute) * S_PER_MIN : s;
}

static int days_in(int year, int month)
{
    struct tm tm = {.tm_year = year - 1900, .tm_mon = month + 1, .tm_mday = 0};
    (void)timegm(&tm);
    return tm.tm_mday;
}

static bool fits_rule(const struct when_parts *p, const struct tm *tm)
{
    int last = days_in(tm->tm_year + 1900, tm->tm_mon);
    if (p->monthday)
        return tm->tm_mday == (p->monthday < 0 ? last : p->monthday);
    if (p->weekdays && !(p->weekdays & 1U << tm->tm_wday))
        return false;
    if (p->nth > 0)
        return (tm->tm_mday - 1) / 7 + 1 == p->nth;
    return p->nth == 0 || tm->tm_mday + 7 > last;
}

/* These set `day` (seconds at midnight), which is today, to the day that the words name. False: no such day.
 */

/* "in two months": the last day of a month that is too short. */
static bool months_ahead(const struct when_parts *p, int64_t now, int64_t *day)
{
    struct tm today = calendar(now);
    int mon = today.tm_mon + p->months, year = today.tm_year + 1900 + mon / 12,
        last = days_in(year, mon % 12);
    struct tm tm = {
        .tm_year = year - 1900, .tm_mon = mon % 12, .tm_mday = today.tm_mday < last ? today.tm_mday : last};
    *day = timegm(&tm);
    return true;
}

/* "on the 12th" */
static bool next_monthday(const struct when_parts *p, int64_t now, int64_t *day)
{
    for (int i = 0; i < MONTHS_MAX; i++, *day += S_PER_DAY)
        if (calendar(*day).tm_mday == p->date && *day + second_of_day(p, -1) > now)
            return true;
    return false;
}

/* "12 May", maybe with a year */
static bool next_date(const struct when_parts *p, int64_t now, int64_t *day)
{
    int year = p->year ? p->year : calendar(now).tm_year + 1900;
    int years = p->year ? 1 : LEAP_YEARS_MAX;
    for (int i = 0; i < years; i++, year++) {
        struct tm tm = {.tm_year = year - 1900, .tm_mon = p->month, .tm_mday = p->date};
        int64_t at = timegm(&tm);
        if (tm.tm_mday == p->date && (p->year || at + second_of_day(p, -1) > now)) {
            *day = at;
            return true;
        }
    }
    return false;
}

static bool next_weekday(const struct when_parts *p, int64_t now, int64_t *day)
{
    int ahead = (p->weekday - calendar(now).tm_wday + 7) % 7;
    bool gone = ahead == 0 && (p->next || *day + second_of_day(p, -1) <= now);
    *day += (int64_t)(gone ? 7 : ahead) * S_PER_DAY;
    return true;
}

static bool find_day(const struct when_parts *p, int64_t now, int64_t *day)
{
    if (p->ahead >= 0) {
        *day += (int64_t)p->ahead * S_PER_DAY;
        return true;
    }
    if (p->months)
        return months_ahead(p, now, day);
    if (p->date)
        return p->month == WHEN_ANY_MONTH ? next_monthday(p, now, day) : next_date(p, now, day);
    return p->weekday < 0 || next_weekday(p, now, day);
}

/* The length of time that the words name; -1: none. */
static int64_t minutes_ahead(const struct when_parts *p)
{
    if (p->minutes >= 0)
        return p->minutes;
    bool counts = (p->freq == FREQ_MINUTES || p->freq == FREQ_HOURS) && p->hour < 0 && !p->part;
    return counts ? (int64_t)p->interval * (p->freq == FREQ_HOURS ? 60 : 1) : -1;
}

/* The minute that many minutes after `now`. */
static int64_t after_minutes(int64_t now, int64_t minutes)
{
    return ((now + S_PER_MIN - 1) / S_PER_MIN + minutes) * S_PER_MIN;
}

static bool compute(const struct when_parts *p, int64_t now, int64_t *out)
{
    int64_t midnight = now / S_PER_DAY * S_PER_DAY, day = midnight, ahead = minutes_ahead(p);
    if (ahead >= 0) {
        *out = after_minutes(now, ahead);
        return true;
    }
    bool has_day = p->ahead >= 0 || p->months || p->date || p->weekday >= 0;
    if (!find_day(p, now, &day))
        return false;
    int today = (int)(now - midnight);
    *out = day + second_of_day(p, p->weekday < 0 && day == midnight ? today : -1);
    if (p->freq) {
        for (int i = 0; i < SEARCH_DAYS; i++, day += S_PER_DAY) {
            struct tm tm = calendar(day);
            *out = day + second_of_day(p, -1);
            if (*out > now && fits_rule(p, &tm))
                return true;
        }
        return false;
    }
    if (*out > now)
        return true;
    bool no_hour = p->hour < 0 && !p->part;
    if (no_hour && p->ahead == 0)
        *out = (now / S_PER_H + 2) * S_PER_H; /* "today": the hour after the next */
    else if (!has_day)
        *out = midnight + S_PER_DAY + second_of_day(p, -1);
    return true;
}

static void write_rule(const struct when_parts *p, char out[WHEN_RULE_SIZE])
{
    static const char *const names[] = {[FREQ_MINUTES] = "MINUTELY",
        [FREQ_HOURS] = "HOURLY",
        [FREQ_DAYS] = "DAILY",
        [FREQ_WEEKS] = "WEEKLY",
        [FREQ_MONTHS] = "MONTHLY",
        [FREQ_YEARS] = "YEARLY"};
    static const char *const days[] = {"SU", "MO", "TU", "WE", "TH", "FR", "SA"};
    out[0] = '\0';
    if (!p->freq)
        return;
    size_t n = (size_t)snprintf(out, WHEN_RULE_SIZE, "FREQ=%s", names[p->freq]);
    if (p->interval > 1)
        n += (size_t)snprintf(out + n, WHEN_RULE_SIZE - n, ";INTERVAL=%d", p->interval);
    if (p->monthday)
        n += (size_t)snprintf(out + n, WHEN_RULE_SIZE - n, ";BYMONTHDAY=%d", p->monthday);
    const char *sep = ";BYDAY=";
    for (int k = 1; k <= 7; k++) /* Monday first */
        if (p->weekdays & 1U << k % 7) {
            n += (size_t)snprintf(out + n, WHEN_RULE_SIZE - n, "%s", sep);
            if (p->nth)
                n += (size_t)snprintf(out + n, WHEN_RULE_SIZE - n, "%d", p->nth);
            n += (size_t)snprintf(out + n, WHEN_RULE_SIZE - n, "%s", days[k % 7]);
            sep = ",";
        }
}

/* ---- the text ---- */

/* The end of the text without a German infinitive: "Anna um fünf anzurufen", "um acht nach Hause zu gehen".
 */
static size_t before_infinitive(const struct when_words *w)
{
    static const char *const endings[] = {"en", "rn", "ln"};
    struct str last = str_of(w->t[w->n - 1].word);
    if (w->n < 3 || last.len < 4 || !STR_IN(((struct str){last.s + last.len - 2, 2}), endings))
        return w->n;
    bool apart = str_is(str_of(w->t[w->n - 2].word), "zu");
    return apart || strstr(last.s, "zu") ? w->n - 1 - (size_t)apart : w->n;
}

static struct str trim_marks(struct str s)
{
    s = str_trim(s);
    while (s.len && strchr(",;:.- ", s.s[0]))
        s = str_from(s, 1);
    while (s.len && strchr(",;- ", s.s[s.len - 1]))
        s.len--;
    return str_trim(s);
}

/* A small letter of German. */
static bool begins_small(struct str s)
{
    static const char *const umlauts[] = {"ä", "ö", "ü"};
    for (size_t i = 0; i < ARRAY_LEN(umlauts); i++)
        if (str_starts(s, str_of(umlauts[i])))
            return true;
    return s.len && s.s[0] >= 'a' && s.s[0] <= 'z';
}

/* Only nouns have a capital letter. A single word is one in any case. */
struct str when_noun(struct str s)
{
    static const char *const articles[] = {"den", "die", "das"};
    struct str noun = s, first = str_cut(&noun, ' '), after = noun;
    for (size_t i = 0; noun.len && i < ARRAY_LEN(articles); i++)
        if (str_eq_nocase(first, str_of(articles[i])))
            return begins_small(noun) && str_cut(&after, ' ').len < noun.len ? s : noun;
    return s;
}

/* Without the word that led from the time to the subject: "at five to call", "morgen daran, zu ...". */
static struct str without_lead(struct str s)
{
    static const char *const leads[] = {"to", "that", "about", "of", "daran", "an", "dass"};
    struct str rest = s, first = str_cut(&rest, ' ');
    while (first.len && first.s[first.len - 1] == ',')
        first.len--;
    for (size_t i = 0; rest.s && i < ARRAY_LEN(leads); i++)
        if (str_eq_nocase(first, str_of(leads[i])))
            return str_is(str_of(leads[i]), "an") ? when_noun(trim_marks(rest)) : trim_marks(rest);
    return s;
}

bool when_find(struct arena *a, struct str text, int64_t wall, struct when *out, struct str *rest)
{
    struct when_words w = {.t = ARENA_ARRAY(a, struct term, WORDS_MAX), .end = text.s + text.len};
    struct when_parts p = nothing, both;
    struct str left = text;
    while (w.n < WORDS_MAX && term_next(&left, &w.t[w.n]))
        w.n++;
    if (w.n == 0 || w.n == WORDS_MAX)
        return false;
    size_t begin = run(&w, 0, &p), tail = before_infinitive(&w), end = w.n;
    for (size_t from = begin; from < tail && end == w.n; from++) {
        both = p;
        if (from + RUN_MAX >= tail && run(&w, from, &both) == tail) {
            end = from;
            p = both;
        }
    }
    int64_t at, now = wall / MS_PER_S;
    if ((begin == 0 && end == w.n) || !compute(&p, now, &at))
        return false;
    struct tm tm = calendar(at);
    if (tm.tm_year > 8099 || strftime(out->start, sizeof out->start, "%Y-%m-%dT%H:%M", &tm) == 0)
        return false;
    write_rule(&p, out->rule);
    out->has_hour = p.hour >= 0 || p.part || p.minutes >= 0;
    out->minutes = minutes_ahead(&p);
    const char *from = begin ? w.t[begin - 1].source.s + w.t[begin - 1].source.len : text.s;
    const char *to = end < w.n ? w.t[end].source.s : text.s + text.len;
    struct str subject = begin == w.n ? STR("") : trim_marks((struct str){from, (size_t)(to - from)});
    struct str verb = {w.t[w.n - 1].source.s, 0};
    if (end < w.n && tail < w.n)
        verb = (struct str){w.t[tail].source.s, (size_t)(text.s + text.len - w.t[tail].source.s)};
    if (begin)
        subject = without_lead(subject);
    *rest = str_of(arena_printf(a, "%.*s%s%.*s", (int)subject.len, subject.s,
        subject.len && verb.len ? " " : "", (int)verb.len, verb.s));
    return true;
}

void when_set_moment(struct when *w, const struct time_zone *zone, int64_t now)
{
    if (w->minutes < 0)
        return;
    int64_t at = after_minutes(now / MS_PER_S, w->minutes) * MS_PER_S;
    for (int i = 0; i < TWICE_MAX && recurrence_at(zone, time_zone_wall(zone, at)) != at; i++)
        at += MS_PER_MIN;
    recurrence_local(time_zone_wall(zone, at), w->start);
}

#include "llm/offline/offline_due.h"

#include <time.h>

#include "base/clock.h"
#include "base/mem.h"

#define WORDS_MAX  8 /* "due on the 1st of december 2026" */
#define DAYS_MAX   3650
#define WEEK       7
#define YEAR_SHIFT 1900

/* The words of a phrase, without punctuation. */
struct words {
    struct str w[WORDS_MAX];
    size_t n;
};

static bool is_mark(char c)
{
    return c == ',' || c == ';' || c == '.' || c == '!' || c == '?';
}

static bool split(struct str s, struct words *out)
{
    out->n = 0;
    while (s.s) {
        struct str word = str_cut(&s, ' ');
        while (word.len && is_mark(word.s[word.len - 1]))
            word.len--;
        if (word.len == 0)
            continue;
        if (out->n == WORDS_MAX)
            return false;
        out->w[out->n++] = word;
    }
    return out->n > 0;
}

static bool is(struct str word, const char *text)
{
    return str_eq_nocase(word, str_of(text));
}

static int index_in(struct str word, const char *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (is(word, list[i]))
            return i;
    return -1;
}

static struct tm local(int64_t now_ms)
{
    time_t s = (time_t)(now_ms / MS_PER_S);
    struct tm tm;
    gmtime_r(&s, &tm);
    return tm;
}

static bool write_day(struct tm tm, char out[OFFLINE_DAY_SIZE])
{
    return timegm(&tm) != (time_t)-1 && strftime(out, OFFLINE_DAY_SIZE, "%Y-%m-%d", &tm) > 0;
}

static bool in_days(int64_t now_ms, int days, char out[OFFLINE_DAY_SIZE])
{
    struct tm tm = local(now_ms);
    tm.tm_mday += days;
    return write_day(tm, out);
}

/* False: the day does not exist. */
static bool on_date(struct tm tm, int year, int month, int day, char out[OFFLINE_DAY_SIZE])
{
    tm.tm_year = year - YEAR_SHIFT;
    tm.tm_mon = month;
    tm.tm_mday = day;
    struct tm same = tm;
    return timegm(&same) != (time_t)-1 && same.tm_mday == day && same.tm_mon == month && write_day(tm, out);
}

static bool iso(struct str word, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    int64_t y, m, d;
    return word.len == OFFLINE_DAY_SIZE - 1 && word.s[4] == '-' && word.s[7] == '-' &&
           str_to_int((struct str){word.s, 4}, YEAR_SHIFT, 9999, &y) &&
           str_to_int((struct str){word.s + 5, 2}, 1, 12, &m) &&
           str_to_int((struct str){word.s + 8, 2}, 1, 31, &d) &&
           on_date(local(now_ms), (int)y, (int)m - 1, (int)d, out);
}

/* "1", "1st" */
static bool day_number(struct str word, int64_t *out)
{
    static const char *const endings[] = {"st", "nd", "rd", "th"}; /* "1." has lost its full stop */
    if (word.len > 2 && index_in((struct str){word.s + word.len - 2, 2}, endings, ARRAY_LEN(endings)) >= 0)
        word.len -= 2;
    return str_to_int(word, 1, 31, out);
}

/* "1 december", "1st of december 2026", "december 1st", "december 1 2026" */
static bool month_day(const struct words *p, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    static const char *const months[] = {"january", "february", "march", "april", "may", "june", "july",
        "august", "september", "october", "november", "december"};
    static const char *const monate[] = {"januar", "februar", "märz", "april", "mai", "juni", "juli",
        "august", "september", "oktober", "november", "dezember"};
    struct str w[WORDS_MAX];
    size_t n = 0;
    int64_t day, year = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!is(p->w[i], "of") && !is(p->w[i], "the"))
            w[n++] = p->w[i];
    if (n == 3 && !str_to_int(w[2], YEAR_SHIFT, 9999, &year))
        return false;
    if (n < 2 || n > 3)
        return false;
    int month = index_in(w[0], months, ARRAY_LEN(months));
    bool first = month >= 0;
    if (!first)
        month = index_in(w[1], months, ARRAY_LEN(months));
    if (month < 0)
        month = index_in(w[1], monate, ARRAY_LEN(monate));
    if (month < 0 || !day_number(w[first ? 1 : 0], &day))
        return false;
    struct tm tm = local(now_ms);
    bool gone = month < tm.tm_mon || (month == tm.tm_mon && day < tm.tm_mday);
    int then = year ? (int)year : tm.tm_year + YEAR_SHIFT + gone;
    return on_date(tm, then, month, (int)day, out);
}

static bool weekday(const struct words *p, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    static const char *const days[] = {
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
    static const char *const tage[] = {
        "sonntag", "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag"};
    bool next = p->n == 2 && (is(p->w[0], "next") || is(p->w[0], "nächsten")),
         this = p->n == 2 && is(p->w[0], "this");
    if (p->n > 2 || (p->n == 2 && !next && !this))
        return false;
    int day = index_in(p->w[p->n - 1], days, ARRAY_LEN(days));
    if (day < 0)
        day = index_in(p->w[p->n - 1], tage, ARRAY_LEN(tage));
    if (day < 0)
        return false;
    int ahead = (day - local(now_ms).tm_wday + WEEK) % WEEK;
    return in_days(now_ms, next && ahead == 0 ? WEEK : ahead, out);
}

/* "in 3 days", "in a week" */
static bool distance(const struct words *p, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    static const char *const numbers[] = {
        "a", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
    int64_t n;
    if (p->n != 3 || !is(p->w[0], "in"))
        return false;
    int word = index_in(p->w[1], numbers, ARRAY_LEN(numbers));
    if (word >= 0)
        n = word ? word : 1;
    else if (!str_to_int(p->w[1], 0, DAYS_MAX, &n))
        return false;
    if (is(p->w[2], "day") || is(p->w[2], "days"))
        return in_days(now_ms, (int)n, out);
    if (is(p->w[2], "week") || is(p->w[2], "weeks"))
        return in_days(now_ms, (int)n * WEEK, out);
    return false;
}

static bool named(const struct words *p, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    if (p->n == 1 && (is(p->w[0], "today") || is(p->w[0], "tonight") || is(p->w[0], "heute")))
        return in_days(now_ms, 0, out);
    if (p->n == 1 && (is(p->w[0], "tomorrow") || is(p->w[0], "morgen")))
        return in_days(now_ms, 1, out);
    if (p->n == 1 && is(p->w[0], "übermorgen"))
        return in_days(now_ms, 2, out);
    if (p->n == 3 && is(p->w[0], "day") && is(p->w[1], "after") && is(p->w[2], "tomorrow"))
        return in_days(now_ms, 2, out);
    if (p->n == 2 && is(p->w[0], "next") && is(p->w[1], "week"))
        return in_days(now_ms, WEEK, out);
    return p->n == 1 && iso(p->w[0], now_ms, out);
}

/* Words that connect a day with the task: "by", "due on the". */
static bool joins(struct str word)
{
    static const char *const words[] = {
        "by", "on", "due", "until", "till", "before", "for", "the", "bis", "am", "zum", "den"};
    return index_in(word, words, ARRAY_LEN(words)) >= 0;
}

bool offline_day(struct str s, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    struct words p;
    if (!split(s, &p))
        return false;
    size_t skip = 0;
    while (skip + 1 < p.n && joins(p.w[skip]))
        skip++;
    struct words rest = {.n = p.n - skip};
    for (size_t i = 0; i < rest.n; i++)
        rest.w[i] = p.w[skip + i];
    return named(&rest, now_ms, out) || weekday(&rest, now_ms, out) || distance(&rest, now_ms, out) ||
           month_day(&rest, now_ms, out);
}

bool offline_due(struct str *s, int64_t now_ms, char out[OFFLINE_DAY_SIZE])
{
    size_t starts[WORDS_MAX], n = 0; /* starts of the last words, from the end backwards */
    struct str text = str_trim(*s);
    for (size_t i = text.len; i-- > 1 && n < WORDS_MAX;)
        if (text.s[i - 1] == ' ' && text.s[i] != ' ')
            starts[n++] = i;
    while (n-- > 0) /* the longest first: "by" belongs to its day */
        if (offline_day((struct str){text.s + starts[n], text.len - starts[n]}, now_ms, out)) {
            *s = str_trim((struct str){text.s, starts[n]});
            while (s->len && is_mark(s->s[s->len - 1]))
                s->len--;
            return s->len > 0;
        }
    return false;
}

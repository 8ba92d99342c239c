#include "base/humanize.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "base/utf8.h"

#define NUMBER_MAX 64 /* bytes with separators */
#define FIRST_TAG  0xE0000u
#define LAST_TAG   0xE007Fu

static const char *const months[] = {"time.january", "time.february", "time.march", "time.april", "time.may",
    "time.june", "time.july", "time.august", "time.september", "time.october", "time.november",
    "time.december"};
static const char *const weekdays[] = {"time.sunday", "time.monday", "time.tuesday", "time.wednesday",
    "time.thursday", "time.friday", "time.saturday"};

/* Dates, with {weekday}, {day}, {month}, {year} and {time}. */
enum date_form {
    EXACT,
    TODAY_AT,
    TOMORROW_AT,
    YESTERDAY_AT,
    DATE,
    DATE_YEAR,
    WEEKDAY_DATE,
    WEEKDAY_DATE_YEAR,
    GROUP_MONTH,
    FORMS
};
static const char *const forms[FORMS] = {
    [EXACT] = "time.exact",
    [TODAY_AT] = "time.today_at",
    [TOMORROW_AT] = "time.tomorrow_at",
    [YESTERDAY_AT] = "time.yesterday_at",
    [DATE] = "time.date",
    [DATE_YEAR] = "time.date_year",
    [WEEKDAY_DATE] = "time.weekday_date",
    [WEEKDAY_DATE_YEAR] = "time.weekday_date_year",
    [GROUP_MONTH] = "time.group_month",
};

#define TIME_LEN 5 /* "04:52" */

struct date_words {
    struct arena *arena;
    int64_t now; /* of `today`; 0: not known yet */
    struct tm today;
    int64_t at; /* of `then`, the newest time that was asked for; 0: none yet */
    struct tm then;
    /* the newest date of each form */
    struct {
        int year, yday;
        struct str text; /* .s NULL: none yet */
        size_t time_at;  /* offset of the time; SIZE_MAX: it has none */
    } kept[FORMS];
};

struct date_words *date_words_new(struct arena *a)
{
    struct date_words *d = ARENA_NEW(a, struct date_words);
    d->arena = a;
    return d;
}

/* Writes at least `width` digits. Pages show a date per row, and printf took most of its time. */
static char *put_number(char *out, int n, int width)
{
    char digits[12], *at = digits + sizeof digits;
    for (; n > 0 || width > 0; n /= 10, width--)
        *--at = (char)('0' + n % 10);
    size_t len = (size_t)(digits + sizeof digits - at);
    memcpy(out, at, len);
    return out + len;
}

/* Writes TIME_LEN bytes. */
static void put_time(char *out, const struct tm *tm)
{
    char *minutes = put_number(out, tm->tm_hour, 2);
    *minutes = ':';
    put_number(minutes + 1, tm->tm_min, 2);
}

static const char *date_new(
    struct arena *a, const struct lang *l, enum date_form form, const struct tm *tm, const char *time)
{
    char day[16], year[16];
    *put_number(day, tm->tm_mday, 1) = '\0';
    *put_number(year, tm->tm_year + 1900, 1) = '\0';
    return lang_fill(a, l, forms[form],
        LANG_ARGS({"weekday", lang_text(l, weekdays[tm->tm_wday])}, {"day", day},
            {"month", lang_text(l, months[tm->tm_mon])}, {"year", year}, {"time", time}));
}

static const char *date(struct arena *a, const struct locale *l, enum date_form form, const struct tm *tm)
{
    char time[TIME_LEN + 1] = "";
    put_time(time, tm);
    struct date_words *d = l->dates;
    if (!d)
        return date_new(a, l->lang, form, tm, time);
    __auto_type kept = &d->kept[form];
    if (!kept->text.s || kept->year != tm->tm_year || kept->yday != tm->tm_yday) {
        kept->text = str_of(date_new(d->arena, l->lang, form, tm, time));
        const char *at = strstr(kept->text.s, time); /* nothing else in a date has a colon between digits */
        kept->time_at = at ? (size_t)(at - kept->text.s) : SIZE_MAX;
        kept->year = tm->tm_year;
        kept->yday = tm->tm_yday;
    }
    char *copy = arena_strndup(a, kept->text.s, kept->text.len);
    if (kept->time_at != SIZE_MAX)
        memcpy(copy + kept->time_at, time, TIME_LEN);
    return copy;
}

static struct tm today_of(const struct locale *l)
{
    struct date_words *d = l->dates;
    if (!d || d->now != l->now) {
        struct tm today = time_zone_local(l->zone, l->now);
        if (!d)
            return today;
        d->today = today;
        d->now = l->now;
    }
    return d->today;
}

/* A page shows most times in two forms. */
static struct tm local_time(const struct locale *l, int64_t at)
{
    struct date_words *d = l->dates;
    if (!d || !at)
        return time_zone_local(l->zone, at);
    if (d->at != at)
        d->then = time_zone_local(l->zone, at);
    d->at = at;
    return d->then;
}

/* A year that begins in March has its leap day at the end
 * (https://howardhinnant.github.io/date_algorithms.html#days_from_civil). */
static long day_number(const struct tm *tm)
{
    long year = tm->tm_year + 1900 - (tm->tm_mon < 2), month = (tm->tm_mon + 10) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + tm->tm_mday;
}

long humanize_day_number(const struct time_zone *z, int64_t at)
{
    struct tm tm = time_zone_local(z, at);
    return day_number(&tm);
}

const char *humanize_number(struct arena *a, const struct lang *l, int64_t n)
{
    AUTO_STRBUF out;
    strbuf_init(&out, NUMBER_MAX);
    lang_add_number(&out, l, n < 0 ? 0 : n);
    return arena_strdup(a, out.s);
}

const char *humanize_bytes(struct arena *a, const struct lang *l, int64_t n, enum lang_round round)
{
    AUTO_STRBUF out;
    strbuf_init(&out, NUMBER_MAX);
    lang_add_bytes(&out, l, n, round);
    return arena_strdup(a, out.s);
}

const char *humanize_tokens(struct arena *a, const struct lang *l, int64_t n)
{
    if (n >= 1000000)
        return n % 1000000 < 100000 ? arena_printf(a, "%lldM", (long long)(n / 1000000))
                                    : arena_printf(a, "%lld%s%lldM", (long long)(n / 1000000),
                                          lang_decimal(l), (long long)(n % 1000000 / 100000));
    return n >= 1000 ? arena_printf(a, "%lldk", (long long)(n / 1000)) : humanize_number(a, l, n);
}

const char *humanize_exact(struct arena *a, const struct locale *l, int64_t at)
{
    struct tm tm = local_time(l, at);
    return date(a, l, EXACT, &tm);
}

const char *humanize_moment(struct arena *a, const struct locale *l, int64_t at)
{
    struct tm tm = local_time(l, at);
    struct tm today = today_of(l);
    long days = day_number(&tm) - day_number(&today);
    return date(a, l,
        days == 0    ? TODAY_AT
        : days == 1  ? TOMORROW_AT
        : days == -1 ? YESTERDAY_AT
                     : EXACT,
        &tm);
}

const char *humanize_until(struct arena *a, const struct locale *l, int64_t at)
{
    int64_t ms = at - l->now;
    if (ms < 2 * MS_PER_MIN)
        return lang_count(a, l->lang, "time.in_seconds", ms / MS_PER_S, NULL);
    if (ms < 2 * MS_PER_H)
        return lang_count(a, l->lang, "time.in_minutes", ms / MS_PER_MIN, NULL);
    return humanize_moment(a, l, at);
}

const char *humanize_date(
    struct arena *a, const struct lang *l, const struct tm *day, enum humanize_year year)
{
    return date_new(a, l, year == WITH_YEAR ? DATE_YEAR : DATE, day, "");
}

const char *humanize_day(struct arena *a, const struct lang *l, const struct tm *day, enum humanize_year year)
{
    return date_new(a, l, year == WITH_YEAR ? WEEKDAY_DATE_YEAR : WEEKDAY_DATE, day, "");
}

#define YEAR_DIGITS 4

const char *humanize_iso_day(struct arena *a, const struct lang *l, const char *day, const char *now)
{
    struct tm tm = {0};
    enum humanize_year year = strncmp(day, now, YEAR_DIGITS) == 0 ? WITHOUT_YEAR : WITH_YEAR;
    return strptime(day, "%Y-%m-%d", &tm) ? humanize_day(a, l, &tm, year) : day;
}

const char *humanize_ago(struct arena *a, const struct locale *l, int64_t at)
{
    int64_t ms = l->now - at;
    if (ms < MS_PER_MIN)
        return lang_text(l->lang, "time.just_now");
    if (ms < MS_PER_H)
        return lang_count(a, l->lang, "time.minutes_ago", ms / MS_PER_MIN, NULL);
    struct tm then = local_time(l, at), today = today_of(l);
    long days = day_number(&today) - day_number(&then);
    if (days == 0 || ms < 6 * MS_PER_H)
        return lang_count(a, l->lang, "time.hours_ago", ms / MS_PER_H, NULL);
    if (days == 1)
        return lang_text(l->lang, "time.yesterday");
    if (days < 7)
        return lang_count(a, l->lang, "time.days_ago", days, NULL);
    return date(a, l, then.tm_year == today.tm_year ? DATE : DATE_YEAR, &then);
}

const char *humanize_day_group(struct arena *a, const struct locale *l, int64_t at)
{
    struct tm then = local_time(l, at), today = today_of(l);
    long days = day_number(&today) - day_number(&then);
    if (days <= 0)
        return lang_text(l->lang, "time.group_today");
    if (days == 1)
        return lang_text(l->lang, "time.group_yesterday");
    if (days <= 7)
        return lang_text(l->lang, "time.group_7_days");
    if (days <= 30)
        return lang_text(l->lang, "time.group_30_days");
    if (then.tm_year == today.tm_year)
        return lang_text(l->lang, months[then.tm_mon]);
    return date(a, l, GROUP_MONTH, &then);
}

struct word {
    const char *mark, *name;
};

/* The first matching mark decides: most browsers also name older ones. */
static const struct word browsers[] = {{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"},
    {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}, {"curl/", "curl"}};
static const struct word systems[] = {{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"},
    {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"CrOS", "ChromeOS"}, {"Linux", "Linux"}};

static const char *find_word(const char *s, const struct word *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strstr(s, words[i].mark))
            return words[i].name;
    return NULL;
}

const char *humanize_agent(struct arena *a, const struct lang *l, const char *user_agent)
{
    const char *browser = find_word(user_agent, browsers, ARRAY_LEN(browsers));
    const char *system = find_word(user_agent, systems, ARRAY_LEN(systems));
    if (browser && system)
        return lang_fill(a, l, "time.device", LANG_ARGS({"browser", browser}, {"system", system}));
    if (browser || system)
        return browser ? browser : system;
    return arena_strndup(a, user_agent, strnlen(user_agent, 40));
}

const char *humanize_isolated(struct arena *a, const char *text)
{
    const char *c = text;
    while (*c && (unsigned char)*c < 0x80)
        c++;
    if (!*c)
        return text;
    char *copy = arena_strdup(a, text);
    utf8_drop_directional(copy, strlen(copy));
    return arena_printf(a, "\xE2\x81\xA8%s\xE2\x81\xA9", copy); /* U+2068, U+2069 */
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || c == 0xA0 || utf8_is_control(c) || (c >= FIRST_TAG && c <= LAST_TAG);
}

struct str humanize_line(struct arena *a, struct str text, size_t max)
{
    AUTO_STRBUF to;
    strbuf_init(&to, text.len);
    bool blank = false;
    for (struct str rest = text; rest.len && to.len <= max;) {
        uint32_t c = utf8_next(&rest, NULL);
        if (is_blank(c)) {
            blank = to.len > 0;
            continue;
        }
        if (blank)
            strbuf_addc(&to, ' ');
        blank = false;
        strbuf_addcp(&to, c);
    }
    return arena_str(a, utf8_head(strbuf_str(&to), max));
}

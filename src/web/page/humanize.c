#include "web/page/humanize.h"

#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"

static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"};

/* A year that begins in March has its leap day at the end
 * (https://howardhinnant.github.io/date_algorithms.html#days_from_civil). */
long humanize_day_number(const struct time_zone *z, int64_t at)
{
    struct tm tm = time_zone_local(z, at);
    long year = tm.tm_year + 1900 - (tm.tm_mon < 2), month = (tm.tm_mon + 10) % 12;
    return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + tm.tm_mday;
}

const char *humanize_number(struct arena *a, int64_t n)
{
    char digits[32], out[48];
    int len = 0, at = 0;
    uint64_t u = n < 0 ? 0 : (uint64_t)n;
    do
        digits[len++] = (char)('0' + u % 10);
    while (u /= 10);
    while (len > 0) {
        out[at++] = digits[--len];
        if (len && len % 3 == 0)
            out[at++] = ',';
    }
    out[at] = '\0';
    return arena_printf(a, "%s", out);
}

const char *humanize_count(struct arena *a, int64_t n, const char *one, const char *many)
{
    return arena_printf(a, "%s %s", humanize_number(a, n), n == 1 ? one : many);
}

const char *humanize_size(struct arena *a, int64_t n)
{
    if (n >= 1000000)
        return n % 1000000 < 100000 ? arena_printf(a, "%lldM", (long long)(n / 1000000))
                                    : arena_printf(a, "%lld.%lldM", (long long)(n / 1000000),
                                          (long long)(n % 1000000 / 100000));
    return n >= 1000 ? arena_printf(a, "%lldk", (long long)(n / 1000)) : humanize_number(a, n);
}

const char *humanize_exact(struct arena *a, const struct locale *l, int64_t at)
{
    struct tm tm = time_zone_local(l->zone, at);
    return arena_printf(
        a, "%d %s %d, %02d:%02d", tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min);
}

const char *humanize_ago(struct arena *a, const struct locale *l, int64_t at)
{
    int64_t ms = l->now - at;
    if (ms < MS_PER_MIN)
        return "just now";
    if (ms < MS_PER_H)
        return arena_printf(a, "%s ago", humanize_count(a, ms / MS_PER_MIN, "minute", "minutes"));
    long days = humanize_day_number(l->zone, l->now) - humanize_day_number(l->zone, at);
    if (days == 0 || ms < 6 * MS_PER_H)
        return arena_printf(a, "%s ago", humanize_count(a, ms / MS_PER_H, "hour", "hours"));
    if (days == 1)
        return "yesterday";
    if (days < 7)
        return arena_printf(a, "%ld days ago", days);
    struct tm then = time_zone_local(l->zone, at), today = time_zone_local(l->zone, l->now);
    if (then.tm_year == today.tm_year)
        return arena_printf(a, "%d %s", then.tm_mday, months[then.tm_mon]);
    return arena_printf(a, "%d %s %d", then.tm_mday, months[then.tm_mon], then.tm_year + 1900);
}

const char *humanize_day_group(struct arena *a, const struct locale *l, int64_t at)
{
    long days = humanize_day_number(l->zone, l->now) - humanize_day_number(l->zone, at);
    if (days <= 0)
        return "Today";
    if (days == 1)
        return "Yesterday";
    if (days <= 7)
        return "Previous 7 days";
    if (days <= 30)
        return "Previous 30 days";
    struct tm then = time_zone_local(l->zone, at);
    if (then.tm_year == time_zone_local(l->zone, l->now).tm_year)
        return months[then.tm_mon];
    return arena_printf(a, "%s %d", months[then.tm_mon], then.tm_year + 1900);
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

const char *humanize_agent(struct arena *a, const char *user_agent)
{
    const char *browser = find_word(user_agent, browsers, ARRAY_LEN(browsers));
    const char *system = find_word(user_agent, systems, ARRAY_LEN(systems));
    if (browser && system)
        return arena_printf(a, "%s on %s", browser, system);
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

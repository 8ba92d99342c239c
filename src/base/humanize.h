/* Numbers, times and devices in words of the reader's language. A time `at` is of the wall clock, in ms;
 * words are relative to the reader's `now`, dates are in the reader's time zone. The texts are in the arena.
 */
#ifndef ALFRED_BASE_HUMANIZE_H
#define ALFRED_BASE_HUMANIZE_H

#include "base/locale.h"
#include "base/mem.h"

#include <stdint.h>

/* A cache for the member `dates` of a struct locale, for its language and zone. The rows of a page often fall
 * on few days, so a date reuses the words of the last date of the same day. Used by one thread. */
struct date_words *date_words_new(struct arena *a);

/* "just now", "2 hours ago", "yesterday", "12 March", "12 March 2024" */
const char *humanize_ago(struct arena *a, const struct locale *l, int64_t at);
/* "20 November 2026, 14:46" */
const char *humanize_exact(struct arena *a, const struct locale *l, int64_t at);
/* "today at 17:00", "tomorrow at 08:30", "20 November 2026, 14:46" */
const char *humanize_moment(struct arena *a, const struct locale *l, int64_t at);
/* Of a moment to come: "in 38 seconds", "in 28 minutes", then as humanize_moment(). */
const char *humanize_until(struct arena *a, const struct locale *l, int64_t at);
enum humanize_year { WITHOUT_YEAR, WITH_YEAR };
/* "4 December", "4 December 2026" */
const char *humanize_date(
    struct arena *a, const struct lang *l, const struct tm *day, enum humanize_year year);
/* "Friday, 4 December", "Friday, 4 December 2026"; `day` has its weekday. */
const char *humanize_day(
    struct arena *a, const struct lang *l, const struct tm *day, enum humanize_year year);
/* humanize_day() of a text like "2026-12-04". `now` is such a text, too, maybe with a time after it: the year
 * is left out when both have the same one. A `day` of another form is returned as it is. */
const char *humanize_iso_day(struct arena *a, const struct lang *l, const char *day, const char *now);
const char *humanize_number(struct arena *a, const struct lang *l, int64_t n); /* "1,204"; 0 if negative */
/* lang_add_bytes() */
const char *humanize_bytes(struct arena *a, const struct lang *l, int64_t n, enum lang_round round);
/* A number of tokens, rounded down: "950", "128k", "1M", "1.5M". */
const char *humanize_tokens(struct arena *a, const struct lang *l, int64_t n);
/* "Today", "Yesterday", "Previous 7 days", "Previous 30 days", "March", "March 2024" */
const char *humanize_day_group(struct arena *a, const struct locale *l, int64_t at);
long humanize_day_number(const struct time_zone *z, int64_t at); /* days since a fixed day */
/* "Firefox on Linux"; the beginning of the text when unknown */
const char *humanize_agent(struct arena *a, const struct lang *l, const char *user_agent);

/* A text of a user or model for the middle of a sentence where no element is possible: an attribute, the
 * title of a page. Unicode's isolates surround it (UAX #9). Its own directional formatting characters,
 * which could end them, are removed. ASCII is unchanged. */
const char *humanize_isolated(struct arena *a, const char *text);

/* A text as one line of at most `max` bytes with single blanks, without control characters and the tags of
 * Unicode (U+E0000), which models read as ASCII and people do not see. */
struct str humanize_line(struct arena *a, struct str text, size_t max);

#endif

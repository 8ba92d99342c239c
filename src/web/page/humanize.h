/* Numbers, times and devices in English words. Times are relative to the reader's `now`, dates are in the
 * reader's time zone. */
#ifndef ALFRED_WEB_PAGE_HUMANIZE_H
#define ALFRED_WEB_PAGE_HUMANIZE_H

#include "base/mem.h"
#include "base/locale.h"

#include <stdint.h>

const char *humanize_ago(struct arena *a, const struct locale *l,
    int64_t at); /* "just now", "2 hours ago", "yesterday", "12 March", "12 March 2024" */
const char *humanize_exact(
    struct arena *a, const struct locale *l, int64_t at); /* "20 November 2026, 14:46" */
const char *humanize_number(struct arena *a, int64_t n);  /* "1,204" */
const char *humanize_size(struct arena *a, int64_t n);    /* rounded down: "950", "128k", "1M", "1.5M" */
const char *humanize_count(
    struct arena *a, int64_t n, const char *one, const char *many); /* "1 message", "1,204 messages" */
const char *humanize_day_group(struct arena *a, const struct locale *l,
    int64_t at); /* "Today", "Yesterday", "Previous 7 days", "Previous 30 days", "March", "March 2024" */
long humanize_day_number(const struct time_zone *z, int64_t at); /* days since a fixed day */
const char *humanize_agent(
    struct arena *a, const char *user_agent); /* "Firefox on Linux"; the beginning of the text when unknown */

/* A text of a user or model for the middle of a sentence where no element is possible: an attribute, the
 * title of a page. Unicode's isolates surround it (UAX #9). Its own directional formatting characters,
 * which could end them, are removed. ASCII is unchanged. */
const char *humanize_isolated(struct arena *a, const char *text);

#endif

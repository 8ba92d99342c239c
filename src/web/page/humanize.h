/* Numbers, times and devices in words, as people say them. English; relative to `now`, dates in the server's
 * time zone. */
#ifndef ALFRED_WEB_PAGE_HUMANIZE_H
#define ALFRED_WEB_PAGE_HUMANIZE_H

#include "base/mem.h"

#include <stdint.h>

const char *humanize_ago(struct arena *a, int64_t at,
    int64_t now); /* "just now", "2 hours ago", "yesterday", "12 March", "12 March 2024" */
const char *humanize_exact(struct arena *a, int64_t at); /* "20 November 2026, 14:46" */
const char *humanize_number(struct arena *a, int64_t n); /* "1,204" */
const char *humanize_size(struct arena *a, int64_t n);   /* rounded down: "950", "128k", "1M", "1.5M" */
const char *humanize_count(
    struct arena *a, int64_t n, const char *one, const char *many); /* "1 message", "1,204 messages" */
const char *humanize_day_group(struct arena *a, int64_t at,
    int64_t now); /* "Today", "Yesterday", "Previous 7 days", "Previous 30 days", "March", "March 2024" */
long humanize_day_number(int64_t at); /* days since some day, by the calendar of the server's time zone */
const char *humanize_agent(
    struct arena *a, const char *user_agent); /* "Firefox on Linux"; the start of it when unknown */

/* The text of a person or a model for the middle of a sentence, where no element can be put around it: in an
 * attribute, in the title of a page. Unicode's isolates stand around it (UAX #9), and its own directional
 * formatting characters, which could end them, are left out. ASCII stays as it is. */
const char *humanize_isolated(struct arena *a, const char *text);

#endif

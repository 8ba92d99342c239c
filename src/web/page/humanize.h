/* Numbers, times and devices in words, as people say them. English; relative to `now`, dates in the server's
 * time zone. */
#ifndef ALFRED_WEB_WORDS_H
#define ALFRED_WEB_WORDS_H

#include "base/mem.h"

#include <stdint.h>

const char *words_ago(struct arena *a, int64_t at,
    int64_t now); /* "just now", "2 hours ago", "yesterday", "12 March", "12 March 2024" */
const char *words_exact(struct arena *a, int64_t at); /* "20 November 2026, 14:46" */
const char *words_number(struct arena *a, int64_t n); /* "1,204" */
const char *words_size(struct arena *a, int64_t n);   /* rounded down: "950", "128k", "1M", "1.5M" */
const char *words_count(
    struct arena *a, int64_t n, const char *one, const char *many); /* "1 message", "1,204 messages" */
const char *words_day_group(struct arena *a, int64_t at,
    int64_t now); /* "Today", "Yesterday", "Previous 7 days", "Previous 30 days", "March", "March 2024" */
const char *words_agent(
    struct arena *a, const char *user_agent); /* "Firefox on Linux"; the start of it when unknown */

#endif

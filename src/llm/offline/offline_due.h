/*
 * Parses days in English words: "tomorrow", "by Friday", "next Monday", "in 3 days", "next week",
 * "2026-12-01", "on 1 December", "December 1st, 2027". They are relative to a moment, in the server's time
 * zone. A weekday is the next one, today included unless "next" is said. A date without a year is the next
 * such date.
 */
#ifndef ALFRED_LLM_OFFLINE_DUE_H
#define ALFRED_LLM_OFFLINE_DUE_H

#include <stdint.h>

#include "base/str.h"

#define OFFLINE_DAY_SIZE 11 /* "2026-12-01" and NUL */

/* True when all of `s` is a day. */
bool offline_day(struct str s, int64_t now_ms, char out[OFFLINE_DAY_SIZE]);
/* True when `*s` ends in a day, which is cut off with its connecting words ("by", "on"). The rest is never
 * empty. */
bool offline_due(struct str *s, int64_t now_ms, char out[OFFLINE_DAY_SIZE]);

#endif

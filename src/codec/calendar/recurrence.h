/*
 * Local times and recurrence rules (RFC 5545, RRULE). A rule is evaluated by libical in local time without a
 * zone; base/time_zone.h converts each occurrence to a moment. That is the same data by which all other times
 * are shown, and libical's own zones need a second database and lose the rules after 2037.
 *
 * 08:00 stays 08:00 across a clock change. A local time that the change skips is the first moment after the
 * gap. One that occurs twice is its first moment. Occurrences at the same moment count once.
 *
 * libical is loaded at the first rule (30 MB of libraries): a process that only has times without rules, or
 * none, does not pay for it.
 */
#ifndef ALFRED_CODEC_CALENDAR_RECURRENCE_H
#define ALFRED_CODEC_CALENDAR_RECURRENCE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/time_zone.h"

#define RECURRENCE_START_SIZE 17   /* "2026-12-01T17:00" and NUL */
#define RECURRENCE_RULE_MAX   250  /* bytes */
#define RECURRENCE_COUNT_MAX  1000 /* COUNT of a rule */
#define RECURRENCE_YEARS_MAX  50   /* a start or a next occurrence is at most this far away */

struct recurrence {
    const char *start; /* "2026-12-01T17:00", or a day: its occurrences are at 00:00 */
    const char *rule;  /* NULL or "": once */
    const struct time_zone *zone;
};

/* "2026-12-01T17:00", with seconds or a blank instead of the T, or a day: to its stored form without seconds.
 * False: no such time. */
bool recurrence_start(struct str text, char out[RECURRENCE_START_SIZE]);
/* A stored start as time_zone_wall() counts, and the reverse. */
int64_t recurrence_wall(const char *start);
void recurrence_local(int64_t wall, char out[RECURRENCE_START_SIZE]);
/* The moment of a local time. */
int64_t recurrence_at(const struct time_zone *z, int64_t wall);

/* Normalises a rule ("RRULE:freq=daily" to "FREQ=DAILY"), in the arena, and checks it: RC_BAD_INPUT with a
 * sentence (cannot be read, more often than `gap_ms`, no occurrence within RECURRENCE_YEARS_MAX of `now`, too
 * long). UNTIL is stored in local time; recurrence_export() converts it. */
enum rc recurrence_check(struct arena *a, const struct recurrence *r, int64_t gap_ms, int64_t now,
    const char **rule, struct err *e);

/* A stored rule for a calendar that has its start with a zone: RFC 5545, 3.3.10, wants UNTIL in UTC then. In
 * the arena, or the rule itself if it has no UNTIL. */
const char *recurrence_export(struct arena *a, const char *rule, const struct time_zone *z);

/* The local time of the first occurrence: the start, unless the rule leaves it out. A rule without such parts
 * does not load libical. RC_BAD_INPUT: not a rule. RC_UNAVAILABLE: libical is missing; `out` is the start. */
enum rc recurrence_first(const struct recurrence *r, char out[RECURRENCE_START_SIZE], struct err *e);
/* The first occurrence after `after`; 0: none. RC_BAD_INPUT: not a rule. RC_UNAVAILABLE: libical is missing.
 */
enum rc recurrence_next(const struct recurrence *r, int64_t after, int64_t *out, struct err *e);
/* The last occurrence after `after` and up to `now`, and the number of those before it; 0, 0: none. */
enum rc recurrence_missed(
    const struct recurrence *r, int64_t after, int64_t now, int64_t *last, int64_t *before, struct err *e);

#endif

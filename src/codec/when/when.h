/*
 * Times in natural language, English and German: "at five", "in 20 minutes", "tomorrow morning", "every
 * Monday at 8", "every weekday at 7:30", "on the first of each month", "jeden Montag um 8", "morgen früh".
 * The words may be at the beginning or the end of a sentence, or around its subject. The rest of the
 * sentence is returned.
 *
 * Rules for what is ambiguous:
 * - An hour from 1 to 12 without "am", "pm", "o'clock in the ..." or minutes as in "07:30" is the next such
 *   hour between WHEN_WAKING_FROM and WHEN_WAKING_TO: at 16:00 "at five" is 17:00 today, at 18:00 it is 17:00
 *   tomorrow. "At 6" at 05:00 is 18:00. With a day the same hours count: "tomorrow at 8" is 08:00, "tomorrow
 *   at 5" is 17:00.
 * - In the evening or night of a day, 12 and the hours before WHEN_NIGHT_TO are after midnight.
 * - A day without an hour is at WHEN_MORNING; "tonight" and "evening" are at WHEN_EVENING.
 * - A weekday is the next one; today only when its hour is still to come. A date without a year is the next.
 */
#ifndef ALFRED_CODEC_WHEN_WHEN_H
#define ALFRED_CODEC_WHEN_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/time_zone.h"

#define WHEN_START_SIZE  17 /* "2026-12-01T17:00" and NUL */
#define WHEN_RULE_SIZE   80
#define WHEN_WAKING_FROM 7 /* hours */
#define WHEN_WAKING_TO   22
#define WHEN_NIGHT_TO    5
#define WHEN_MORNING     9
#define WHEN_NOON        12
#define WHEN_AFTERNOON   15
#define WHEN_EVENING     19

struct when {
    char start[WHEN_START_SIZE]; /* local */
    char rule[WHEN_RULE_SIZE];   /* RRULE without the name; "": once */
    bool has_hour;               /* the words name an hour or a part of the day */
    int64_t minutes;             /* from now, when the words name a length of time; else -1 */
};

/* The noun phrase after the German "an", without its article: "Zahnarzt" of "den Zahnarzt". The article stays
 * before an adjective, whose ending depends on it: "den neuen Reifen". */
struct str when_noun(struct str s);

/* Finds the time in `text` and removes it: `rest`, in the arena, is what remains ("" if nothing). `wall` is
 * the local time now, as time_zone_wall() counts. False: there is no time; nothing is set. */
bool when_find(struct arena *a, struct str text, int64_t wall, struct when *out, struct str *rest);

/* Sets the start of a length of time ("in 8 hours") by the moment instead of the clock, which may change
 * meanwhile. Other times stay. A local time names an hour that the clock has twice only once: a moment of the
 * second one becomes the first moment after it. `now`: when the words were found. */
void when_set_moment(struct when *w, const struct time_zone *zone, int64_t now);

#endif

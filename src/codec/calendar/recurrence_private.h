/* Shared by recurrence.c (local times, rules as text) and recurrence_walk.c (occurrences). */
#ifndef ALFRED_CODEC_CALENDAR_RECURRENCE_PRIVATE_H
#define ALFRED_CODEC_CALENDAR_RECURRENCE_PRIVATE_H

#include "codec/calendar/recurrence.h"

/* RC_BAD_INPUT with the sentence for a rule that cannot be read. */
enum rc recurrence_bad_rule(struct err *e);
/* The stored form of a rule, in the arena. RC_BAD_INPUT with a sentence. */
enum rc recurrence_normalise(
    struct arena *a, struct str text, const struct time_zone *z, const char **out, struct err *e);

#endif

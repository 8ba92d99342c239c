/* A reminder or schedule in the API. */
#ifndef ALFRED_WEB_REMINDER_REMINDER_RESOURCE_H
#define ALFRED_WEB_REMINDER_REMINDER_RESOURCE_H

#include "base/locale.h"
#include "codec/view.h"
#include "store/reminder.h"

/* Adds to `v`: id, kind, text, task, session, at, zone, repeat, words, next_at, snoozed_until, paused, waits,
 * told_at, created_at, source. */
void reminder_resource(struct arena *a, struct view *v, const struct reminder *r, const struct locale *l);

#endif

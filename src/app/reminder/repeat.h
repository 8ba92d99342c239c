/*
 * The repetition of reminders and tasks: the choices of a form, and rules in words. The rule itself is RFC
 * 5545 text (codec/calendar/recurrence.h).
 */
#ifndef ALFRED_APP_REMINDER_REPEAT_H
#define ALFRED_APP_REMINDER_REPEAT_H

#include "base/locale.h"
#include "base/mem.h"

/* The values of a select, in its order: "never", "daily", "weekdays", "weekly", "monthly", "yearly",
 * "custom"; ends with NULL. */
extern const char *const repeat_choices[];
#define REPEAT_CUSTOM "custom"

/* The rule of a choice: "" for "never", `custom` for "custom". `.s` NULL: no such choice. */
struct str repeat_rule(struct str choice, struct str custom);
/* The choice of a rule; NULL or "": "never". */
const char *repeat_choice(const char *rule);

/* "every Monday at 08:00", "every weekday at 07:30, until 1 May 2027". `start` is local, "2026-12-01T17:00"
 * or a day. NULL without a rule. A rule without words of its own is returned as it is. */
const char *repeat_words(struct arena *a, const struct lang *l, const char *rule, const char *start);

/* The same; without a rule the date and the time: "4 December 2026 at 17:00". `start` has a time. */
const char *repeat_time_words(struct arena *a, const struct lang *l, const char *rule, const char *start);

#endif

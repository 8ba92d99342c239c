/*
 * Reminders and schedules. A reminder shows its text to the user at a local time, once or by a rule. A
 * schedule (REMINDER_PROMPT) sends its text to the model as a turn. Both are made by the user's own turns
 * (app/tools), by commands and on pages.
 *
 * A time is local in the zone that the user had when the reminder was made, and stays in that zone: a later
 * change of the user's zone moves no reminder. A local time that a clock change skips fires at the next
 * existing moment. A local time that occurs twice fires once, the first time (codec/calendar/recurrence.h).
 *
 * The helper fires them (reminders_fire_in()). Occurrences that became due while no helper ran are delivered
 * as one, with their number.
 */
#ifndef ALFRED_APP_REMINDER_REMINDER_H
#define ALFRED_APP_REMINDER_REMINDER_H

#include "base/clock.h"
#include "base/time_zone.h"
#include "store/reminder.h"

#define REMINDER_TEXT_CHARS_MAX 2000
#define REMINDERS_MAX           500 /* that will fire, of one user */
#define SCHEDULES_MAX           50
#define REMINDER_GAP_MS         (5 * MS_PER_MIN) /* least distance of two occurrences */
#define SCHEDULE_GAP_MS         (15 * MS_PER_MIN)
#define REMINDER_SNOOZE_MAX_MS  (366 * MS_PER_DAY)
#define REMINDERS_UNDO_MS       MS_PER_H         /* a deletion can be undone for this long */
#define REMINDER_LATE_MS        (2 * MS_PER_MIN) /* an occurrence that is delivered later is marked as late */
#define REMINDER_FIRE_MAX       100              /* in one transaction */
#define REMINDER_MORNING        "09:00"          /* "tomorrow" without an hour */

struct reminder_input {
    int64_t owner, id; /* id: reminders_change() only */
    const char *kind;  /* reminders_add() only; NULL: REMINDER_REMIND */
    struct str text;   /* .s NULL: unchanged */
    struct str start;  /* local: "2026-12-01T17:00"; .s NULL: unchanged */
    struct str rule;   /* "FREQ=WEEKLY;BYDAY=MO"; .s NULL: none, or unchanged; empty: none */
    const char *zone;  /* with `start` or `sets_zone`: name of the zone; NULL or "": that of the server */
    bool sets_zone;    /* reminders_change(): the zone changes although `start` does not */
    bool sets_paused;  /* reminders_change(): then it is paused or resumed (reminders_pause()), too */
    bool paused;
    const char *session; /* reminders_add(): public id of where it is delivered; NULL: none */
    int64_t session_id;  /* or this; 0: none */
    int64_t source_id;   /* reminders_add(): the user's message; 0: none */
    int64_t created_at;  /* reminders_add(), for imports: when it was made; 0: now */
    int64_t snooze_at;   /* reminders_add(), for imports: the end of a snooze; a reminder without a rule fires
                            then and not at `start`; 0: none */
    int64_t now;
};

/* RC_BAD_INPUT with a sentence (empty, too long, no such time, in the past, a bad rule, one that fires too
 * often, too far away or never), RC_CONFLICT (the user has the most allowed), RC_NOT_FOUND (id, session).
 * `out` lives in the arena. After the commit the helper must be woken (helper_notify()), as after every
 * function here that changes when something fires. */
enum rc reminders_add(
    struct store *s, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e);
/* All or nothing. At least one member must be set. */
enum rc reminders_change(
    struct store *s, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e);
/* Normalises text, start and rule of an input to their stored form, in the arena, with the failures of
 * reminders_add() that need no database. */
enum rc reminders_clean(struct arena *a, struct reminder_input *in, struct err *e);

/* Pauses or resumes. Occurrences during the pause are not delivered. */
enum rc reminders_pause(struct store *s, int64_t owner, int64_t id, bool paused, int64_t now, struct arena *a,
    struct reminder *out, struct err *e);
/* Answers the open occurrences. A task of the reminder is then done, too. A reminder that has not fired and
 * does not repeat ends. */
enum rc reminders_done(struct store *s, int64_t owner, int64_t id, int64_t now, struct arena *a,
    struct reminder *out, struct err *e);
/* The same, but nothing changes when no occurrence is open: a second answer to one must not end the next. */
enum rc reminders_done_if_open(struct store *s, int64_t owner, int64_t id, int64_t now, struct arena *a,
    struct reminder *out, struct err *e);
/* Answers the open occurrences; the reminder fires again at `until`. A paused reminder is resumed.
 * RC_BAD_INPUT: `until` has passed, or is more than a year away. */
enum rc reminders_snooze(struct store *s, int64_t owner, int64_t id, int64_t until, int64_t now,
    struct arena *a, struct reminder *out, struct err *e);
/* The moment of "10m", "1h", "2d", "tomorrow" (REMINDER_MORNING in the zone). False: no such word. */
bool reminders_snooze_until(struct str word, const struct time_zone *z, int64_t now, int64_t *until);

/* A deleted reminder can be restored until the hourly cleanup, an hour later at the earliest. RC_NOT_FOUND.
 */
enum rc reminders_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e);
enum rc reminders_restore(
    struct store *s, int64_t owner, int64_t id, struct arena *a, struct reminder *out, struct err *e);

/* The same in the caller's transaction. */
enum rc reminders_add_in(
    struct db *db, const struct reminder_input *in, struct arena *a, struct reminder *out, struct err *e);
enum rc reminders_restore_in(
    struct db *db, int64_t owner, int64_t id, struct arena *a, struct reminder *out, struct err *e);

/* ---- for the helper ---- */

struct reminder_fired {
    struct reminder r; /* as it is afterwards */
    struct reminder_due due;
    bool late;    /* due.due_at is REMINDER_LATE_MS or more before `now` */
    bool snoozed; /* it was delivered before */
};

/* In the caller's transaction: for each reminder that fires up to `now`, at most REMINDER_FIRE_MAX, adds its
 * occurrence and stores when it fires next. Open occurrences of the same reminder are answered by the new
 * one. One whose rule can no longer be read is paused, and is not in `out`. When `n` is REMINDER_FIRE_MAX
 * there may be more. A reminder fires once: a second call with the same `now` returns none. */
enum rc reminders_fire_in(
    struct db *db, struct arena *a, int64_t now, struct reminder_fired **out, size_t *n, struct err *e);
/* The clock was ahead and shows `now`: the next occurrence of a reminder that was told in between is the
 * first one after `now`, which would otherwise be left out. One that does not repeat, or was put off, is
 * told again at its time, unless it was answered. */
enum rc reminders_clock_back_in(struct db *db, int64_t now, struct err *e);

#endif

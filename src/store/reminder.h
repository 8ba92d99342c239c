/*
 * Reminders, which show a text to their user, and schedules, which send a text to the model as a turn. Both
 * fire at a local time, once or by a rule (RFC 5545). An id is (owner << 32) | n like a task's. A task's
 * time and repetition are the reminder with its task_id; then `text` is the task's.
 *
 * `start` is local in `zone`; `next_at` and `snooze_at` are computed from it by app/reminder and app/tasks.
 * A reminder fires at the earlier of both. A paused or deleted one does not fire. A delivered occurrence is
 * a row of reminder_due. Only the restoring function and the sweep find a deleted reminder.
 *
 * Every function names the owner, except those for the helper. A foreign row and an absent one are the same
 * RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_REMINDER_H
#define ALFRED_STORE_REMINDER_H

#include "store/store.h"

#define REMINDER_REMIND     "remind"
#define REMINDER_PROMPT     "prompt" /* a schedule: its text is sent as a turn */
#define REMINDER_START_SIZE 17       /* "2026-12-01T17:00" and NUL */
#define REMINDER_PAGE_MAX   600      /* rows of a list; above the limits of app/reminder */

struct reminder {
    int64_t id, owner;
    const char *kind;
    struct str text;            /* of the task, if it has one */
    int64_t task_id;            /* 0: none */
    int64_t session_id;         /* 0: none, or it was deleted */
    const char *session;        /* its public id; NULL: none, or it is in the trash; only read */
    int64_t source_id;          /* the user's message; 0: none */
    const char *source_session; /* public id of the message's session; NULL without a source; only read */
    bool source_in_trash;       /* only read */
    const char *zone;           /* "": the zone of the server */
    const char *start;          /* "2026-12-01T17:00"; a day only: it repeats a task and shows nothing */
    const char *rule;           /* RRULE without the name; NULL: once */
    int64_t next_at;            /* 0: none */
    int64_t snooze_at;          /* 0: none */
    int64_t fires_at;           /* the earlier of both; 0: none, or it is paused; only read */
    int64_t paused_at;          /* 0: not paused */
    int64_t told_at;            /* 0: never */
    int64_t created_at;
    int64_t changed_at; /* of time, rule or text, not of occurrences; at least created_at; only read */
    int64_t open_due;   /* the newest occurrence without an answer; 0: none; only read */
};

/* Sets r->id. A deleted reminder of the same task is removed. RC_NOT_FOUND: task, session or source is not
 * the owner's. */
enum rc store_reminder_add(struct db *db, struct reminder *r, struct err *e);
enum rc store_reminder_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct reminder *out, struct err *e);
/* RC_NOT_FOUND: the task has none. */
enum rc store_reminder_of_task(
    struct db *db, struct arena *a, int64_t owner, int64_t task_id, struct reminder *out, struct err *e);
/* Stores all members that are not only read, by r->owner and r->id. The caller has read task, session and
 * source from this row, or has checked that they are the owner's. */
enum rc store_reminder_change(struct db *db, const struct reminder *r, struct err *e);
/* The owner's reminders whose start has a time, without those of done tasks: first those that will fire, in
 * the order of their next times, then the others, newest first. `kind` NULL: all kinds. */
enum rc store_reminder_list(struct db *db, struct arena *a, int64_t owner, const char *kind, int limit,
    struct reminder **out, size_t *n, struct err *e);
/* The number of the owner's reminders of that kind that will fire or are paused. */
enum rc store_reminder_count(struct db *db, int64_t owner, const char *kind, int64_t *n, struct err *e);

/* Removes it. This cannot be undone. */
enum rc store_reminder_remove(struct db *db, int64_t owner, int64_t id, struct err *e);
/* Marks as deleted, which can be undone. */
enum rc store_reminder_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
enum rc store_reminder_restore(struct db *db, int64_t owner, int64_t id, struct err *e);
/* The reminders that were deleted after `since`, newest first, without those of tasks. */
enum rc store_reminder_deleted(struct db *db, struct arena *a, int64_t owner, int64_t since, int limit,
    struct reminder **out, size_t *n, struct err *e);

/* ---- occurrences ---- */

#define REMINDER_DUE_DONE    "done"
#define REMINDER_DUE_SNOOZED "snoozed"

/* One without an answer: its state is "open". */
struct reminder_due {
    int64_t id, owner, reminder_id;
    int64_t due_at, told_at;
    int64_t missed; /* earlier occurrences that it replaces */
};

/* Sets d->id. */
enum rc store_reminder_due_add(struct db *db, struct reminder_due *d, struct err *e);
enum rc store_reminder_due_at(struct db *db, int64_t owner, int64_t id, int64_t *at, struct err *e);
/* Answers all open ones of the reminder. `answered`: their number. */
enum rc store_reminder_due_answer(struct db *db, int64_t owner, int64_t reminder_id, const char *state,
    int64_t now, int64_t *answered, struct err *e);

/* ---- for the helper: of all users ---- */

/* When the next one fires; INT64_MAX: none. */
enum rc store_reminder_next_at(struct db *db, int64_t *at, struct err *e);
/* The reminders of enabled users that fire up to `now`, in the order of their times. */
enum rc store_reminder_firing(
    struct db *db, struct arena *a, int64_t now, int limit, struct reminder **out, size_t *n, struct err *e);
/* The reminders that were told after `now`. */
enum rc store_reminder_told_after(
    struct db *db, struct arena *a, int64_t now, struct reminder **out, size_t *n, struct err *e);
/* Removes reminders that were deleted before one time, and occurrences that were answered before another. */
enum rc store_reminder_sweep(
    struct db *db, int64_t deleted_before, int64_t answered_before, int64_t *removed, struct err *e);

#endif

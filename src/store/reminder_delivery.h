/*
 * Deliveries of due reminders that take more than one transaction (app/reminding/reminding.h). Each belongs
 * to a row of reminder_due and waits for the end of a turn, or of a comparison.
 */
#ifndef ALFRED_STORE_REMINDER_DELIVERY_H
#define ALFRED_STORE_REMINDER_DELIVERY_H

#include "store/reminder.h"

enum delivery_step {
    DELIVERY_MESSAGE, /* its message waits until no turn of the session runs and no comparison is open */
    DELIVERY_ASKED,   /* of a schedule: a turn was ordered */
    DELIVERY_RETRY    /* of a schedule: a turn is ordered again at `run_at` */
};

struct reminder_delivery {
    int64_t due_id, owner;
    int64_t reminder_id, due_at, told_at, missed; /* of the occurrence; only read */
    enum delivery_step step;
    int64_t session_id;
    int64_t asked_id; /* the question of a schedule; 0: not known yet */
    int attempt;      /* from 0 */
    int64_t run_at;   /* DELIVERY_RETRY */
};

enum rc store_reminder_delivery_add(struct db *db, const struct reminder_delivery *d, struct err *e);
/* Stores step, asked_id, attempt and run_at. */
enum rc store_reminder_delivery_change(struct db *db, const struct reminder_delivery *d, struct err *e);
enum rc store_reminder_delivery_delete(struct db *db, int64_t due_id, struct err *e);
/* The deliveries of all users, oldest first, without those that are retried later than `now`, and without
 * messages for sessions with an open comparison: the user's choice wakes the helper. */
enum rc store_reminder_deliveries(struct db *db, struct arena *a, int64_t now, int limit,
    struct reminder_delivery **out, size_t *n, struct err *e);
/* The time of the next retry; INT64_MAX: none. */
enum rc store_reminder_delivery_next_at(struct db *db, int64_t *at, struct err *e);
/* The clock was set back by `ms` and shows `now`: retries wait no longer than before. */
enum rc store_reminder_delivery_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e);
/* True when a turn of the reminder was ordered and has not ended. */
enum rc store_reminder_delivery_runs(
    struct db *db, int64_t owner, int64_t reminder_id, bool *out, struct err *e);

/* The occurrence whose turn was ordered and has not ended has no answer any more: that of a later occurrence,
 * which was skipped, is not its own. */
enum rc store_reminder_delivery_reopen(struct db *db, int64_t owner, int64_t reminder_id, struct err *e);

/* The occurrences that a page shows: open ones that need nothing more, the oldest first. */
enum rc store_reminder_due_shown(struct db *db, struct arena *a, int64_t owner, int limit,
    struct reminder_due **out, size_t *n, struct err *e);

/* The session for reminders whose own session is gone. RC_NOT_FOUND: none, or it is in the trash. */
enum rc store_reminder_session(struct db *db, int64_t owner, int64_t *session_id, struct err *e);
enum rc store_reminder_session_set(struct db *db, int64_t owner, int64_t session_id, struct err *e);

#endif

/*
 * Tasks: the to-do list of a user. An id is (owner << 32) | n like a memory's. A task that was deleted is not
 * there for any of these functions but the restoring ones and the sweep.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_TASK_H
#define ALFRED_STORE_TASK_H

#include "store/store.h"

#define TASK_PAGE_MAX 200
#define TASK_DAY_SIZE 11 /* "2026-12-01" and its NUL */

struct task {
    int64_t id;
    struct str text;
    const char *due;   /* a day, YYYY-MM-DD; NULL without one */
    int64_t source_id; /* the user's message that it comes from; 0: made by hand, or the message is gone */
    const char *source_session; /* public id of its session; NULL without a source; only read */
    int64_t created_at;
    int64_t done_at; /* 0: open */
};

/* Gives t->id. A source that is not the owner's is RC_NOT_FOUND. */
enum rc store_task_add(struct db *db, int64_t owner, struct task *t, struct err *e);
enum rc store_task_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct task *out, struct err *e);
/* Text and due day of t->id. */
enum rc store_task_change(struct db *db, int64_t owner, const struct task *t, struct err *e);
/* Done since `done_at`, or open again (0). One that is done already keeps its time. */
enum rc store_task_set_done(struct db *db, int64_t owner, int64_t id, int64_t done_at, struct err *e);

/* The key after which a list continues: the values of its last task. */
struct task_key {
    const char *due; /* of an open one; NULL: without a day */
    int64_t done_at; /* of a done one */
    int64_t id;      /* 0: from the start */
};
/* The open ones: by day, those without one last, then the oldest first. */
enum rc store_task_open(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e);
/* The done ones, newest first. */
enum rc store_task_done(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e);
/* How many are open. The caller limits how many an owner may have, so counting them stays cheap. */
enum rc store_task_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e);

/* Deletes so that it can be undone. */
enum rc store_task_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* All done ones at once; `removed` counts them. */
enum rc store_task_clear_done(struct db *db, int64_t owner, int64_t now, int64_t *removed, struct err *e);
/* Those deleted after `since`, newest first. */
enum rc store_task_deleted(struct db *db, struct arena *a, int64_t owner, int64_t since, int limit,
    struct task **out, size_t *n, struct err *e);
/* RC_NOT_FOUND when it is not deleted, or swept. */
enum rc store_task_restore(struct db *db, int64_t owner, int64_t id, struct err *e);
/* The done ones that were cleared at `deleted_at`; RC_NOT_FOUND when there are none. */
enum rc store_task_restore_cleared(struct db *db, int64_t owner, int64_t deleted_at, struct err *e);
/* Everybody's that were deleted before that. */
enum rc store_task_sweep(struct db *db, int64_t deleted_before, int64_t *removed, struct err *e);

#endif

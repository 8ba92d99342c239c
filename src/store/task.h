/*
 * Tasks: the to-do list of a user. An id is (owner << 32) | n like a memory's. Only the restoring functions
 * and the sweep find a deleted task.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_TASK_H
#define ALFRED_STORE_TASK_H

#include "store/store.h"

#define TASK_PAGE_MAX 200
#define TASK_DAY_SIZE 11 /* "2026-12-01" and NUL */

struct task {
    int64_t id;
    struct str text;
    const char *due;            /* a day, YYYY-MM-DD; NULL: none */
    int64_t source_id;          /* the user's source message; 0: made by hand, or the message was deleted */
    const char *source_session; /* public id of its session; NULL without a source; only read */
    bool source_in_trash;       /* only read */
    int64_t created_at;
    int64_t changed_at; /* of text, day or state; at least created_at; only read */
    int64_t done_at;    /* 0: open */
    int64_t next_id;    /* of a done one that repeats: the task that was opened in its place; 0: none */
    /* Of its reminder (store/reminder.h); only read. */
    int64_t reminder_id; /* 0: none */
    const char *start;   /* local, with or without an hour; NULL: none */
    const char *rule;    /* how it repeats; NULL: once */
    const char *zone;    /* of `start`; NULL without it, "": the server's */
};

/* Sets t->id. RC_NOT_FOUND: the source is not the owner's. */
enum rc store_task_add(struct db *db, int64_t owner, struct task *t, struct err *e);
enum rc store_task_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct task *out, struct err *e);
/* Stores text and due day of t->id. */
enum rc store_task_change(struct db *db, int64_t owner, const struct task *t, struct err *e);
/* Sets `done_at`; 0: open again. A task that is done keeps its time. */
enum rc store_task_set_done(struct db *db, int64_t owner, int64_t id, int64_t done_at, struct err *e);

/* Sets next_id. */
enum rc store_task_set_next(struct db *db, int64_t owner, int64_t id, int64_t next_id, struct err *e);

/* The place after which a list continues: values of its last task. */
struct task_key {
    const char *due; /* day of an open task; NULL: none */
    int64_t done_at; /* when a done task was done */
    int64_t id;      /* 0: from the start */
};
/* The open tasks: by day, then those without a day, the oldest first. */
enum rc store_task_open(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e);
/* The done tasks, newest first. */
enum rc store_task_done(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e);
/* The number of open tasks. The caller limits it per owner, so counting stays cheap. */
enum rc store_task_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e);

/* Marks as deleted, which can be undone. */
enum rc store_task_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* Marks all done tasks as deleted. `removed`: their number. */
enum rc store_task_clear_done(struct db *db, int64_t owner, int64_t now, int64_t *removed, struct err *e);
/* The tasks that were deleted after `since`, newest first. */
enum rc store_task_deleted(struct db *db, struct arena *a, int64_t owner, int64_t since, int limit,
    struct task **out, size_t *n, struct err *e);
/* RC_NOT_FOUND: not deleted, or already removed by the sweep. */
enum rc store_task_restore(struct db *db, int64_t owner, int64_t id, struct err *e);
/* Restores the done tasks that were cleared at `deleted_at`. RC_NOT_FOUND: none. */
enum rc store_task_restore_cleared(struct db *db, int64_t owner, int64_t deleted_at, struct err *e);
/* Removes the tasks of all users that were deleted before that time. */
enum rc store_task_sweep(struct db *db, int64_t deleted_before, int64_t *removed, struct err *e);

#endif

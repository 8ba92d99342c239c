/* Shared by tasks.c and task_repeat.c. All in the caller's transaction. */
#ifndef ALFRED_APP_TASKS_TASKS_PRIVATE_H
#define ALFRED_APP_TASKS_TASKS_PRIVATE_H

#include "app/tasks/tasks.h"

/* The time of day of a start; "": none. */
struct str task_time(const char *start);
/* Brings the reminder of a stored task into line with `in`. A task with a time or a rule but without a
 * due day gets the first such day. RC_BAD_INPUT with a sentence. */
enum rc task_set_time(
    struct db *db, struct arena *a, const struct task_input *in, const struct task *t, struct err *e);
/* After it was done: ends its reminder, or opens the next occurrence. */
enum rc task_close_time(
    struct db *db, struct arena *a, int64_t owner, const struct task *t, int64_t now, struct err *e);
/* After it was opened again: takes the next occurrence back. */
enum rc task_reopen_time(
    struct db *db, struct arena *a, int64_t owner, const struct task *t, int64_t now, struct err *e);

#endif

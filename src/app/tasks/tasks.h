/*
 * The to-do list. Tasks are made by the user's own turns (the tools of app/tools/tools_tasks.c) and on the
 * page. Untrusted text cannot create one. A text is one line: white space of any kind becomes single blanks.
 *
 * A due day is a calendar day in the user's time zone. "Overdue" and "today" are relative to the day of
 * `now` there.
 *
 * A task can have a time, at which the user is reminded, and can repeat. Both are stored as its reminder
 * (store/reminder.h). When a repeating task is done, the next occurrence opens as a new task, which gets the
 * reminder. When the done task is opened again, the new task is deleted and the reminder returns
 * (task_repeat.c).
 */
#ifndef ALFRED_APP_TASKS_TASKS_H
#define ALFRED_APP_TASKS_TASKS_H

#include "base/clock.h"
#include "base/time_zone.h"
#include "store/task.h"

#define TASK_TEXT_CHARS_MAX  500
#define TASKS_OPEN_MAX       2000 /* open tasks of one user */
#define TASKS_UNDO_MS        MS_PER_H /* a deletion can be undone for this long; then the sweep removes the text */
#define TASK_QUERY_CHARS_MAX 200
#define TASK_REPEAT_MS       MS_PER_DAY     /* least distance of two occurrences */
#define TASKS_SEARCHED_MAX   TASKS_OPEN_MAX /* done tasks, newest first, that a query searches */

struct task_input {
    int64_t owner, id;  /* id: tasks_change() only */
    struct str text;    /* .s NULL: unchanged */
    struct str due;     /* .s NULL: none, or unchanged; empty: none */
    struct str time;    /* "17:00"; .s NULL: none, or unchanged; empty: none */
    struct str rule;    /* RFC 5545 (codec/calendar/recurrence.h); .s NULL: none, or unchanged; empty: none */
    const char *zone;   /* with time or rule: name of the user's zone; NULL or "": the server's */
    const char *begins; /* tasks_set_time_in(): the start of the series of an import; NULL: the due day */
    int64_t source_id;  /* tasks_add(): the user's message */
    bool sets_done;     /* tasks_change(): then the task becomes done or open (tasks_set_done()), too */
    bool done;
    int64_t now;
};

/* RC_BAD_INPUT with a sentence (empty, too long, no such day or time, a rule that cannot be read, fires too
 * often or never), RC_CONFLICT (TASKS_OPEN_MAX are open). `out` lives in the arena. */
enum rc tasks_add(
    struct store *s, const struct task_input *in, struct arena *a, struct task *out, struct err *e);
/* Normalises text and due day (NULL: none) to their stored form, in the arena. RC_BAD_INPUT as above. */
enum rc tasks_clean(struct arena *a, struct str *text, const char **due, struct err *e);
/* All or nothing. The same failures, and RC_NOT_FOUND. At least one member must be set. */
enum rc tasks_change(
    struct store *s, const struct task_input *in, struct arena *a, struct task *out, struct err *e);
/* Marks as done or open. One that repeats opens its next occurrence: out->next_id. RC_CONFLICT: too many are
 * open. The helper must be woken after changes of tasks with a time. */
enum rc tasks_set_done(struct store *s, int64_t owner, int64_t id, bool done, int64_t now, struct arena *a,
    struct task *out, struct err *e);

/* A deleted task can be restored until the hourly cleanup, an hour later at the earliest. RC_NOT_FOUND. */
enum rc tasks_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e);
enum rc tasks_restore(struct store *s, int64_t owner, int64_t id, struct err *e);

/* The same in the caller's transaction. */
enum rc tasks_add_in(
    struct db *db, const struct task_input *in, struct arena *a, struct task *out, struct err *e);
/* Sets time and rule for a stored task. RC_BAD_INPUT: nothing was changed. */
enum rc tasks_set_time_in(
    struct db *db, const struct task_input *in, struct arena *a, const struct task *t, struct err *e);
enum rc tasks_set_done_in(struct db *db, int64_t owner, int64_t id, bool done, int64_t now, struct arena *a,
    struct task *out, struct err *e);
enum rc tasks_restore_in(struct db *db, int64_t owner, int64_t id, struct err *e);
/* Removes all done tasks. `removed` is their number. The same `now` restores them together. */
enum rc tasks_clear_done(struct store *s, int64_t owner, int64_t now, int64_t *removed, struct err *e);
enum rc tasks_restore_cleared(struct store *s, int64_t owner, int64_t cleared_at, struct err *e);

/* ---- reading ---- */

enum tasks_show { TASKS_OPEN, TASKS_DONE, TASKS_ALL };
bool tasks_show_of(struct str word, enum tasks_show *out); /* "open", "done", "all"; false: none of them */

/* The key of a place in a list, as text ("open:2026-12-01:4294967297", "done:1700...:..."). */
#define TASKS_KEY_MAX 64

struct tasks_page {
    struct task *rows;
    size_t n;
    const char *next; /* the key to continue with; NULL at the end */
};
/* Open tasks by day, then done ones, newest first. `after` "" or NULL: from the start. RC_BAD_INPUT: not a
 * key. */
enum rc tasks_list(struct db *db, struct arena *a, int64_t owner, enum tasks_show show, const char *after,
    int limit, struct tasks_page *out, struct err *e);

/* The tasks whose text contains every word of `query` (by its stem), in the order of tasks_list(), at most
 * `limit`. One with exactly the words of the query is the only result. `more`: there are others. */
enum rc tasks_find(struct db *db, struct arena *a, int64_t owner, enum tasks_show show, struct str query,
    size_t limit, struct tasks_page *out, bool *more, struct err *e);

/* ---- days ---- */

enum task_when { TASK_OVERDUE, TASK_TODAY, TASK_TOMORROW, TASK_LATER, TASK_NO_DAY };

bool tasks_day_valid(struct str day); /* a calendar day as YYYY-MM-DD */
/* The day that is `days` after `now`, in local time. */
void tasks_day(const struct time_zone *z, int64_t now, int days, char out[TASK_DAY_SIZE]);
/* `due` NULL: TASK_NO_DAY */
enum task_when tasks_when(const char *due, const struct time_zone *z, int64_t now);
const char *tasks_when_name(enum task_when w); /* "overdue", "today", "tomorrow", "later", "no day" */

#endif

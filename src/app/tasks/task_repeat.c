/* The time of a task and its repetition: its reminder. */
#include "app/tasks/tasks_private.h"

#include <assert.h>
#include <stdio.h>

#include "codec/calendar/recurrence.h"
#include "store/reminder.h"

#define DAY_LEN  ((size_t)TASK_DAY_SIZE - 1)
#define TIME_LEN 5 /* "17:00" */

static_assert(REMINDER_START_SIZE == RECURRENCE_START_SIZE, "a stored start");

static enum rc series(struct arena *a, const struct reminder *r, struct recurrence *out, struct err *e)
{
    *out = (struct recurrence){.start = r->start, .rule = r->rule};
    return time_zone_read(a, r->zone, &out->zone, e);
}

static bool has_time(const struct reminder *r)
{
    return strlen(r->start) > DAY_LEN;
}

struct str task_time(const char *start)
{
    return start && strlen(start) > DAY_LEN ? str_of(start + DAY_LEN + 1) : STR("");
}

/* The start on a day with the hour of the reminder. */
static const char *start_on(struct arena *a, const char *day, struct str time)
{
    return time.len ? arena_printf(a, "%sT%.*s", day, (int)time.len, time.s) : arena_strdup(a, day);
}

/* The moment of an occurrence. */
static int64_t moment_on(struct arena *a, const struct reminder *r, const char *day)
{
    return recurrence_at(time_zone_load(a, r->zone), recurrence_wall(start_on(a, day, task_time(r->start))));
}

/* When the reminder fires after `now`; without an hour never. */
static enum rc set_next(struct arena *a, struct reminder *r, int64_t now, struct err *e)
{
    struct recurrence c;
    enum rc rc = series(a, r, &c, e);
    r->next_at = r->snooze_at = 0;
    return rc == RC_OK && has_time(r) ? recurrence_next(&c, now, &r->next_at, e) : rc;
}

static enum rc store_day(struct db *db, int64_t owner, const struct task *t, const char *day, struct err *e)
{
    struct task own = *t;
    own.due = day;
    return store_task_change(db, owner, &own, e);
}

/* The day of the first occurrence from the start on. */
static enum rc first_day(struct arena *a, const struct reminder *r, const char **day, struct err *e)
{
    struct recurrence c;
    char local[RECURRENCE_START_SIZE];
    enum rc rc = series(a, r, &c, e);
    if (rc != RC_OK)
        return rc;
    int64_t at, start = recurrence_at(c.zone, recurrence_wall(r->start));
    rc = recurrence_next(&c, start - 1, &at, e);
    recurrence_local(time_zone_wall(c.zone, at ? at : start), local);
    *day = arena_strndup(a, local, DAY_LEN);
    return rc;
}

/* The first day of a series that must stay, because only the hour changes or the series is imported: with
 * another first day the occurrences of its COUNT would be counted anew. NULL: the series begins on the due
 * day. */
static const char *kept_day(
    struct arena *a, const struct task_input *in, const struct task *t, const struct reminder *r)
{
    const char *start = r->rule && !in->due.s && !in->rule.s ? r->start : in->begins;
    return t->due && start ? arena_printf(a, "%.*s", (int)DAY_LEN, start) : NULL;
}

/* Sets the start. `from`: its day; NULL: today, or tomorrow when the time has passed. */
static enum rc set_start(
    struct arena *a, struct reminder *r, struct str time, const char *from, int64_t now, struct err *e)
{
    char start[RECURRENCE_START_SIZE], day[TASK_DAY_SIZE];
    const struct time_zone *z;
    enum rc rc = time_zone_read(a, r->zone, &z, e);
    if (rc != RC_OK)
        return rc;
    if (*r->zone && !z)
        return err_say(e, RC_BAD_INPUT, "reminder.no_zone");
    tasks_day(z, now, 0, day);
    if (!recurrence_start(str_of(start_on(a, from ? from : day, time)), start) ||
        (time.len && strlen(start) != DAY_LEN + 1 + TIME_LEN))
        return err_say(e, RC_BAD_INPUT, "task.bad_time");
    r->start = arena_strdup(a, start);
    if (!from && time.len && recurrence_at(z, recurrence_wall(start)) <= now) {
        tasks_day(z, now, 1, day);
        r->start = start_on(a, day, time);
    }
    return RC_OK;
}

/* Checks the parts and computes the rest of `r`. `kept`: as of kept_day(). `day`: the due day, which may be
 * NULL; it becomes the first one of the series, unless that is kept. */
static enum rc compute(struct arena *a, struct reminder *r, struct str time, const char *kept,
    const char **day, int64_t now, struct err *e)
{
    enum rc rc = set_start(a, r, time, kept ? kept : *day, now, e);
    struct recurrence c;
    if (rc == RC_OK)
        rc = series(a, r, &c, e);
    if (rc != RC_OK)
        return rc;
    int64_t before = recurrence_at(c.zone, recurrence_wall(r->start)) - 1;
    if (r->rule) /* the last occurrence of a series that is kept may have passed */
        rc = recurrence_check(a, &c, TASK_REPEAT_MS, kept && before < now ? before : now, &r->rule, e);
    if (rc == RC_OK && !kept)
        rc = first_day(a, r, day, e);
    if (rc != RC_OK)
        return rc;
    int64_t at = moment_on(a, r, *day);
    return set_next(a, r, at > now ? at - 1 : now, e);
}

enum rc task_set_time(
    struct db *db, struct arena *a, const struct task_input *in, const struct task *t, struct err *e)
{
    struct reminder r = {.owner = in->owner,
        .kind = REMINDER_REMIND,
        .text = STR(""),
        .task_id = t->id,
        .source_id = t->source_id,
        .created_at = in->now};
    enum rc rc = store_reminder_of_task(db, a, in->owner, t->id, &r, e);
    bool had = rc == RC_OK;
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    if (!in->time.s && !in->rule.s && (!in->due.s || !had))
        return RC_OK;
    bool drops_day = in->due.s && !t->due && !in->time.s && !in->rule.s;
    if (drops_day)
        return store_reminder_remove(db, in->owner, r.id, e);
    struct str time = in->time.s ? str_trim(in->time) : task_time(r.start);
    const char *kept = kept_day(a, in, t, &r);
    if (in->rule.s)
        r.rule = str_trim(in->rule).len ? arena_strndup(a, in->rule.s, in->rule.len) : NULL;
    if (!time.len && !r.rule)
        return had ? store_reminder_remove(db, in->owner, r.id, e) : RC_OK;
    if (!had || in->time.s || in->rule.s)
        r.zone = in->zone ? in->zone : "";
    const char *day = t->due;
    rc = compute(a, &r, time, kept, &day, in->now, e);
    if (rc == RC_OK && (!t->due || strcmp(day, t->due) != 0))
        rc = store_day(db, in->owner, t, day, e);
    if (rc == RC_OK && t->done_at)
        r.next_at = 0;
    if (rc != RC_OK)
        return rc;
    return had ? store_reminder_change(db, &r, e) : store_reminder_add(db, &r, e);
}

/* The day after the one that was done and after today on which it is due again; NULL: the series has ended.
 */
static enum rc next_day(struct arena *a, const struct reminder *r, const struct task *t, int64_t now,
    const char **day, struct err *e)
{
    struct recurrence c;
    char local[RECURRENCE_START_SIZE];
    int64_t at = 0, done = now;
    *day = NULL;
    enum rc rc = series(a, r, &c, e);
    if (rc != RC_OK)
        return rc;
    if (t->due)
        done = moment_on(a, r, t->due);
    rc = recurrence_next(&c, done > now ? done : now, &at, e);
    if (rc == RC_OK && at) {
        recurrence_local(time_zone_wall(c.zone, at), local);
        *day = arena_strndup(a, local, DAY_LEN);
    }
    return rc;
}

enum rc task_close_time(
    struct db *db, struct arena *a, int64_t owner, const struct task *t, int64_t now, struct err *e)
{
    struct reminder r;
    const char *day = NULL;
    int64_t answered;
    enum rc rc = store_reminder_of_task(db, a, owner, t->id, &r, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = store_reminder_due_answer(db, owner, r.id, REMINDER_DUE_DONE, now, &answered, e);
    if (rc == RC_OK && r.rule)
        rc = next_day(a, &r, t, now, &day, e);
    if (rc != RC_OK)
        return rc;
    r.next_at = r.snooze_at = 0;
    if (day) {
        struct task next = {.text = t->text, .due = day, .created_at = now};
        rc = store_task_add(db, owner, &next, e);
        if (rc == RC_OK)
            rc = store_task_set_next(db, owner, t->id, next.id, e);
        r.task_id = next.id;
        r.next_at = has_time(&r) ? moment_on(a, &r, day) : 0;
    }
    return rc == RC_OK ? store_reminder_change(db, &r, e) : rc;
}

/* The next occurrence stays when the user has done or deleted it. */
enum rc task_reopen_time(
    struct db *db, struct arena *a, int64_t owner, const struct task *t, int64_t now, struct err *e)
{
    struct reminder r;
    struct task next = {0};
    int64_t from = t->next_id ? t->next_id : t->id;
    enum rc rc = t->next_id ? store_task_get(db, a, owner, t->next_id, &next, e) : RC_OK;
    if (rc == RC_OK && next.done_at)
        return RC_OK;
    if (rc == RC_OK)
        rc = store_reminder_of_task(db, a, owner, from, &r, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    r.task_id = t->id;
    rc = set_next(a, &r, now, e);
    if (rc == RC_OK)
        rc = store_reminder_change(db, &r, e);
    if (rc == RC_OK && t->next_id)
        rc = store_task_delete(db, owner, t->next_id, now, e);
    return rc == RC_OK ? store_task_set_next(db, owner, t->id, 0, e) : rc;
}

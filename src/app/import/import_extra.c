/* Stores what a conversation has besides its messages: summaries, compactions, facts, tasks and reminders. */
#include "app/import/import_private.h"

#include <string.h>

#include "app/reminder/reminder.h"
#include "app/tasks/tasks.h"
#include "base/clock.h"

/* The source message of a fact may be deleted as soon as the session is shown. */
static enum rc unless_gone(enum rc rc, struct err *e)
{
    if (rc != RC_NOT_FOUND)
        return rc;
    if (e)
        *e = (struct err)ERR_INIT;
    return RC_OK;
}

static enum rc add_memory(struct db *db, const struct import_save *s, struct import_extra *x, struct err *e)
{
    x->memory.source_id = import_id_of(s->c, x->first);
    enum rc rc = store_memory_add(db, s->t->owner, &x->memory, e);
    s->t->facts += rc == RC_OK;
    return unless_gone(rc, e);
}

/* Restores the pause and the snooze of a reminder that was just added. A snoozed reminder without a rule
 * fires only at the end of the snooze. */
static enum rc pause_and_snooze(
    struct db *db, const struct import_extra *x, struct reminder *r, struct err *e)
{
    if (!x->paused_at && !x->snooze_at)
        return RC_OK;
    r->paused_at = x->paused_at;
    r->snooze_at = x->snooze_at;
    r->next_at = x->snooze_at && !r->rule ? 0 : r->next_at;
    return store_reminder_change(db, r, e);
}

/* Adds the time and the repetition of a task. If the rule cannot be read, both are left out. */
static enum rc add_time(
    struct db *db, const struct import_save *s, const struct import_extra *x, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct task *t = &x->task;
    const char *time = strchr(t->start, 'T');
    struct reminder r;
    struct task_input in = {.owner = s->t->owner,
        .time = str_of(time ? time + 1 : ""),
        .rule = str_of(t->rule ? t->rule : ""),
        .zone = t->zone,
        .begins = t->rule ? t->start : NULL,
        .now = clock_wall_ms()};
    enum rc rc = tasks_set_time_in(db, &in, a, t, e);
    if (rc == RC_OK)
        rc = store_reminder_of_task(db, a, s->t->owner, t->id, &r, e);
    if (rc == RC_OK)
        rc = pause_and_snooze(db, x, &r, e);
    return rc == RC_BAD_INPUT ? RC_OK : unless_gone(rc, e);
}

/* A schedule would run a text of the file as if the user had typed it. It is paused until the user resumes
 * it.
 */
static void pause_schedule(const struct import_save *s, struct import_extra *x)
{
    if (x->paused_at || !x->reminder.kind || strcmp(x->reminder.kind, REMINDER_PROMPT) != 0)
        return;
    x->paused_at = s->t->created_at ? s->t->created_at : clock_wall_ms();
}

/* Leaves out a reminder whose time has passed or that exceeds the user's limit. */
static enum rc add_reminder(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct reminder *own = &x->reminder;
    struct reminder r;
    bool runs = !x->paused_at;
    struct reminder_input in = {.owner = s->t->owner,
        .kind = own->kind,
        .text = own->text,
        .start = str_of(own->start),
        .rule = str_of(own->rule ? own->rule : ""),
        .zone = own->zone,
        .session_id = session,
        .source_id = import_id_of(s->c, x->first),
        .created_at = own->created_at,
        .snooze_at = x->snooze_at,
        .now = clock_wall_ms()};
    pause_schedule(s, x);
    enum rc rc = reminders_add_in(db, &in, a, &r, e);
    if (rc == RC_OK)
        rc = pause_and_snooze(db, x, &r, e);
    s->t->facts += rc == RC_OK;
    s->t->paused += rc == RC_OK && runs && x->paused_at;
    return rc == RC_BAD_INPUT || rc == RC_CONFLICT ? RC_OK : unless_gone(rc, e);
}

static enum rc add_task(struct db *db, const struct import_save *s, struct import_extra *x, struct err *e)
{
    struct task *t = &x->task;
    t->source_id = import_id_of(s->c, x->first);
    enum rc rc = store_task_add(db, s->t->owner, t, e);
    if (rc == RC_OK && t->start && !t->done_at)
        rc = add_time(db, s, x, e);
    if (rc == RC_OK && t->done_at)
        rc = store_task_set_done(db, s->t->owner, t->id, t->done_at, e);
    s->t->facts += rc == RC_OK;
    return unless_gone(rc, e);
}

static enum rc add_summary(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e)
{
    struct summary *y = &x->summary;
    y->session_id = session;
    y->first_id = import_id_of(s->c, x->first);
    y->last_id = import_id_of(s->c, x->last);
    if (!y->first_id || !y->last_id || !y->text.len)
        return RC_OK;
    int64_t knows = import_id_of(s->c, s->c->summary_knows);
    y->known_id = knows ? knows : y->last_id;
    y->created_at = y->created_at ? y->created_at : s->c->active_at;
    return unless_gone(store_summary_add(db, s->t->owner, y, e), e);
}

static enum rc add_compaction(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e)
{
    struct compaction *y = &x->compaction;
    y->session_id = session;
    y->first_id = import_id_of(s->c, x->first);
    y->last_id = import_id_of(s->c, x->last);
    if (!y->first_id || !y->last_id || !y->text.s)
        return RC_OK;
    y->created_at = y->created_at ? y->created_at : s->c->active_at;
    return unless_gone(store_compaction_add(db, s->t->owner, y, e), e);
}

enum rc import_save_extra(
    struct db *db, const struct import_save *s, int64_t session, struct import_extra *x, struct err *e)
{
    bool known = x->skip;
    enum rc rc = known ? RC_OK : import_known_since(db, s->known, s->t->owner, x, &known, e);
    if (rc != RC_OK || known)
        return rc;
    switch (x->kind) {
    case EXTRA_SUMMARY: return add_summary(db, s, session, x, e);
    case EXTRA_COMPACTION: return add_compaction(db, s, session, x, e);
    case EXTRA_MEMORY: return add_memory(db, s, x, e);
    case EXTRA_TASK: return add_task(db, s, x, e);
    case EXTRA_REMINDER: return add_reminder(db, s, session, x, e);
    }
    return RC_OK;
}

/* The kinds of suggestions: what Keep and Undo do to a fact, a task or a session, and the words for it. */
#include "app/account/settings.h"
#include "app/memory/memory.h"
#include "app/reminder/reminder.h"
#include "app/session/workspace.h"
#include "app/suggestion/suggestion_private.h"
#include "app/tasks/tasks.h"
#include "app/trash/trash.h"
#include "store/session/session.h"

/* ---- facts ---- */

static enum rc get_memory(const struct suggestion_change *c, struct memory *m, struct err *e)
{
    return store_memory_get(c->db, c->a, c->owner, c->s->subject, c->now, m, e);
}

static enum rc text_of_memory(const struct suggestion_change *c, struct str *text, struct err *e)
{
    struct memory m = {0};
    enum rc rc = get_memory(c, &m, e);
    *text = m.text;
    return rc;
}

static enum rc remember(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    struct memory_input in = {.owner = c->owner,
        .text = s->text,
        .tags = str_of(s->tags),
        .permanent = s->permanent,
        .source_id = s->source_id,
        .now = c->now};
    struct memory m;
    bool known;
    enum rc rc = memory_add_in(c->db, &in, c->a, &m, &known, e);
    s->subject = rc == RC_OK && !known ? m.id : 0;
    s->text = STR("");
    return rc;
}

static enum rc clean_memory(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    const char *tags = s->tags;
    enum rc rc = memory_clean(c->a, &s->text, &tags, e);
    s->tags = s->tags ? tags : NULL; /* none, or unchanged */
    return rc;
}

static enum rc clean_changed_memory(const struct suggestion_change *c, struct err *e)
{
    struct str text = STR("-");
    if (c->s->text.len)
        return clean_memory(c, e);
    return c->s->tags ? memory_clean(c->a, &text, &c->s->tags, e) : RC_OK;
}

static enum rc forget(const struct suggestion_change *c, struct err *e)
{
    return store_memory_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc change_memory(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    struct memory_input in = {.owner = c->owner,
        .id = s->subject,
        .text = s->text.len ? s->text : (struct str){NULL, 0},
        .tags = str_of(s->tags),
        .now = c->now};
    struct memory m;
    enum rc rc = get_memory(c, &m, e);
    if (rc != RC_OK)
        return rc;
    s->prior_text = m.text;
    s->prior_tags = m.tags;
    return memory_change_in(c->db, &in, c->a, &m, e);
}

static enum rc unchange_memory(const struct suggestion_change *c, struct err *e)
{
    const struct suggestion *s = c->s;
    struct memory_input in = {.owner = c->owner,
        .id = s->subject,
        .text = s->prior_text,
        .tags = str_of(s->prior_tags),
        .now = c->now};
    struct memory m;
    return memory_change_in(c->db, &in, c->a, &m, e);
}

static bool is_changed_memory(const struct suggestion_change *c)
{
    struct memory m;
    return c->s->prior_text.s && get_memory(c, &m, NULL) == RC_OK &&
           (!c->s->text.len || str_eq(m.text, c->s->text));
}

static enum rc unforget(const struct suggestion_change *c, struct err *e)
{
    return memory_restore_in(c->db, c->owner, c->s->subject, c->now, e);
}

static bool has_memory(const struct suggestion_change *c)
{
    struct memory m;
    return get_memory(c, &m, NULL) == RC_OK;
}

static bool lacks_memory(const struct suggestion_change *c)
{
    return !has_memory(c);
}

/* ---- tasks ---- */

static enum rc text_of_task(const struct suggestion_change *c, struct str *text, struct err *e)
{
    struct task t = {0};
    enum rc rc = store_task_get(c->db, c->a, c->owner, c->s->subject, &t, e);
    *text = t.text;
    return rc;
}

static enum rc clean_task(const struct suggestion_change *c, struct err *e)
{
    return tasks_clean(c->a, &c->s->text, &c->s->due, e);
}

static enum rc add_task(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    struct task_input in = {
        .owner = c->owner, .text = s->text, .due = str_of(s->due), .source_id = s->source_id, .now = c->now};
    struct task t;
    enum rc rc = tasks_add_in(c->db, &in, c->a, &t, e);
    if (rc == RC_OK)
        s->subject = t.id;
    s->text = STR("");
    return rc;
}

static enum rc delete_task(const struct suggestion_change *c, struct err *e)
{
    return store_task_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc undelete_task(const struct suggestion_change *c, struct err *e)
{
    return tasks_restore_in(c->db, c->owner, c->s->subject, e);
}

static enum rc set_done(const struct suggestion_change *c, bool done, struct err *e)
{
    struct task t;
    return tasks_set_done_in(c->db, c->owner, c->s->subject, done, c->now, c->a, &t, e);
}

static enum rc complete_task(const struct suggestion_change *c, struct err *e)
{
    return set_done(c, true, e);
}

static enum rc reopen_task(const struct suggestion_change *c, struct err *e)
{
    return set_done(c, false, e);
}

static bool has_task(const struct suggestion_change *c)
{
    struct task t;
    return store_task_get(c->db, c->a, c->owner, c->s->subject, &t, NULL) == RC_OK;
}

static bool lacks_task(const struct suggestion_change *c)
{
    return !has_task(c);
}

static bool is_done_task(const struct suggestion_change *c)
{
    struct task t;
    return store_task_get(c->db, c->a, c->owner, c->s->subject, &t, NULL) == RC_OK && t.done_at;
}

/* ---- reminders ---- */

static enum rc get_reminder(const struct suggestion_change *c, struct reminder *r, struct err *e)
{
    return store_reminder_get(c->db, c->a, c->owner, c->s->subject, r, e);
}

static enum rc text_of_reminder(const struct suggestion_change *c, struct str *text, struct err *e)
{
    struct reminder r = {0};
    enum rc rc = get_reminder(c, &r, e);
    *text = r.text;
    return rc;
}

static struct reminder_input reminder_input_of(const struct suggestion_change *c)
{
    const struct suggestion *s = c->s;
    bool schedule = strcmp(s->kind, SUGGESTION_ADD_SCHEDULE) == 0;
    return (struct reminder_input){.owner = c->owner,
        .kind = schedule ? REMINDER_PROMPT : REMINDER_REMIND,
        .text = s->text,
        .start = str_of(s->due),
        .rule = str_of(s->rule),
        .zone = s->zone,
        .session_id = s->session_id,
        .source_id = s->source_id,
        .now = c->now};
}

static enum rc clean_reminder(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    struct reminder_input in = reminder_input_of(c);
    enum rc rc = reminders_clean(c->a, &in, e);
    if (rc == RC_OK) {
        s->text = in.text;
        s->due = in.start.s;
        s->rule = in.rule.len ? in.rule.s : NULL;
    }
    return rc;
}

static enum rc add_reminder(const struct suggestion_change *c, struct err *e)
{
    struct reminder_input in = reminder_input_of(c);
    struct reminder r;
    enum rc rc = reminders_add_in(c->db, &in, c->a, &r, e);
    if (rc == RC_OK)
        c->s->subject = r.id;
    c->s->text = STR("");
    return rc;
}

static enum rc delete_reminder(const struct suggestion_change *c, struct err *e)
{
    return store_reminder_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc undelete_reminder(const struct suggestion_change *c, struct err *e)
{
    struct reminder r;
    return reminders_restore_in(c->db, c->owner, c->s->subject, c->a, &r, e);
}

static bool has_reminder(const struct suggestion_change *c)
{
    struct reminder r;
    return get_reminder(c, &r, NULL) == RC_OK;
}

static bool lacks_reminder(const struct suggestion_change *c)
{
    return !has_reminder(c);
}

/* ---- sessions ---- */

static enum rc get_session(const struct suggestion_change *c, struct session *s, struct err *e)
{
    return store_session_by_id(c->db, c->a, c->owner, c->s->subject, s, e);
}

static enum rc text_of_session(const struct suggestion_change *c, struct str *text, struct err *e)
{
    struct session s = {0};
    enum rc rc = get_session(c, &s, e);
    *text = str_of(s.title ? s.title : lang_text(settings_lang_in(c->db, c->owner), "chat.new"));
    return rc;
}

static enum rc delete_session(const struct suggestion_change *c, struct err *e)
{
    struct session s;
    struct auth_client from = {.address = "", .now = c->now};
    enum rc rc = get_session(c, &s, e);
    return rc == RC_OK ? trash_session_in(c->db, c->owner, s.pub, &from, e) : rc;
}

static enum rc move_session(
    const struct suggestion_change *c, struct str name, struct str *prior, struct err *e)
{
    struct session s;
    enum rc rc = get_session(c, &s, e);
    if (rc != RC_OK)
        return rc;
    *prior = str_of(s.workspace ? s.workspace : "");
    const char *to = arena_strndup(c->a, name.s, name.len);
    return store_session_set_workspace(c->db, c->owner, s.pub, *to ? to : NULL, e);
}

static enum rc clean_workspace(const struct suggestion_change *c, struct err *e)
{
    const char *name;
    enum rc rc = workspace_name(c->a, c->s->text, &name, e);
    if (rc == RC_OK)
        c->s->text = str_of(name);
    return rc;
}

static enum rc set_workspace(const struct suggestion_change *c, struct err *e)
{
    return move_session(c, c->s->text, &c->s->prior_text, e);
}

static enum rc reset_workspace(const struct suggestion_change *c, struct err *e)
{
    struct str now;
    return move_session(c, c->s->prior_text, &now, e);
}

static bool is_in_workspace(const struct suggestion_change *c)
{
    struct session s;
    return c->s->prior_text.s && get_session(c, &s, NULL) == RC_OK &&
           str_eq_nocase(str_of(s.workspace ? s.workspace : ""), c->s->text);
}

/* ---- calls of tools ---- */

/* The turn that waits makes the call. */
static enum rc allow_call(const struct suggestion_change *c, struct err *e)
{
    (void)c, (void)e;
    return RC_OK;
}

/* ---- the table ---- */

static const struct suggestion_kind kinds[] = {
    {SUGGESTION_REMEMBER, false, clean_memory, text_of_memory, remember, forget, has_memory,
        "suggest.remember_question", "suggest.remember_keep", "suggest.remember_dismiss",
        "suggest.remember_done", "suggest.remember_dismissed", "suggest.remember_undone",
        "suggest.remember_keep_reply", "suggest.remember_dismiss_reply"},
    {SUGGESTION_CHANGE_MEMORY, true, clean_changed_memory, text_of_memory, change_memory, unchange_memory,
        is_changed_memory, "suggest.change_memory_question", "suggest.change_memory_keep",
        "suggest.change_memory_dismiss", "suggest.change_memory_done", "suggest.change_memory_dismissed",
        "suggest.change_memory_undone", "suggest.change_memory_keep_reply",
        "suggest.change_memory_dismiss_reply"},
    {SUGGESTION_FORGET, true, NULL, text_of_memory, forget, unforget, lacks_memory, "suggest.forget_question",
        "suggest.forget_keep", "suggest.forget_dismiss", "suggest.forget_done", "suggest.forget_dismissed",
        "suggest.forget_undone", "suggest.forget_keep_reply", "suggest.forget_dismiss_reply"},
    {SUGGESTION_ADD_TASK, false, clean_task, text_of_task, add_task, delete_task, has_task,
        "suggest.add_task_question", "suggest.add_task_keep", "suggest.add_task_dismiss",
        "suggest.add_task_done", "suggest.add_task_dismissed", "suggest.add_task_undone",
        "suggest.add_task_keep_reply", "suggest.add_task_dismiss_reply"},
    {SUGGESTION_COMPLETE_TASK, false, NULL, text_of_task, complete_task, reopen_task, is_done_task,
        "suggest.complete_task_question", "suggest.complete_task_keep", "suggest.complete_task_dismiss",
        "suggest.complete_task_done", "suggest.complete_task_dismissed", "suggest.complete_task_undone",
        "suggest.complete_task_keep_reply", "suggest.complete_task_dismiss_reply"},
    {SUGGESTION_DELETE_TASK, true, NULL, text_of_task, delete_task, undelete_task, lacks_task,
        "suggest.delete_task_question", "suggest.delete_task_keep", "suggest.delete_task_dismiss",
        "suggest.delete_task_done", "suggest.delete_task_dismissed", "suggest.delete_task_undone",
        "suggest.delete_task_keep_reply", "suggest.delete_task_dismiss_reply"},
    {SUGGESTION_ADD_REMINDER, false, clean_reminder, text_of_reminder, add_reminder, delete_reminder,
        has_reminder, "suggest.add_reminder_question", "suggest.add_reminder_keep",
        "suggest.add_reminder_dismiss", "suggest.add_reminder_done", "suggest.add_reminder_dismissed",
        "suggest.add_reminder_undone", "suggest.add_reminder_keep_reply",
        "suggest.add_reminder_dismiss_reply"},
    {SUGGESTION_ADD_SCHEDULE, false, clean_reminder, text_of_reminder, add_reminder, delete_reminder,
        has_reminder, "suggest.add_schedule_question", "suggest.add_schedule_keep",
        "suggest.add_schedule_dismiss", "suggest.add_schedule_done", "suggest.add_schedule_dismissed",
        "suggest.add_schedule_undone", "suggest.add_schedule_keep_reply",
        "suggest.add_schedule_dismiss_reply"},
    {SUGGESTION_DELETE_REMINDER, true, NULL, text_of_reminder, delete_reminder, undelete_reminder,
        lacks_reminder, "suggest.delete_reminder_question", "suggest.delete_reminder_keep",
        "suggest.delete_reminder_dismiss", "suggest.delete_reminder_done",
        "suggest.delete_reminder_dismissed", "suggest.delete_reminder_undone",
        "suggest.delete_reminder_keep_reply", "suggest.delete_reminder_dismiss_reply"},
    {SUGGESTION_DELETE_SESSION, true, NULL, text_of_session, delete_session, NULL, NULL,
        "suggest.delete_session_question", "suggest.delete_session_keep", "suggest.delete_session_dismiss",
        "suggest.delete_session_done", "suggest.delete_session_dismissed", NULL,
        "suggest.delete_session_keep_reply", "suggest.delete_session_dismiss_reply"},
    {SUGGESTION_WORKSPACE, false, clean_workspace, NULL, set_workspace, reset_workspace, is_in_workspace,
        "suggest.workspace_question", "suggest.workspace_keep", "suggest.workspace_dismiss",
        "suggest.workspace_done", "suggest.workspace_dismissed", "suggest.workspace_undone",
        "suggest.workspace_keep_reply", "suggest.workspace_dismiss_reply"},
    {SUGGESTION_CALL_TOOL, true, NULL, NULL, allow_call, NULL, NULL, "suggest.call_question",
        "suggest.call_keep", "suggest.call_dismiss", "suggest.call_done", "suggest.call_dismissed", NULL,
        "suggest.call_keep_reply", "suggest.call_dismiss_reply"},
};

const struct suggestion_kind *suggestion_kind_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

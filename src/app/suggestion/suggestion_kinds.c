/* The kinds of suggestions: what Keep and Undo do to a fact, a task or a session, and the words for it. */
#include "app/memory/memory.h"
#include "app/session/session_actions.h"
#include "app/session/workspace.h"
#include "app/suggestion/suggestion_private.h"
#include "app/tasks/tasks.h"
#include "store/session.h"

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
    struct memory_wish w = {.owner = c->owner,
        .text = s->text,
        .tags = str_of(s->tags),
        .permanent = s->permanent,
        .source_id = s->source_id,
        .now = c->now};
    struct memory m;
    bool known;
    enum rc rc = memory_add_in(c->db, &w, c->a, &m, &known, e);
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

static enum rc unremember(const struct suggestion_change *c, struct err *e)
{
    return store_memory_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc change_memory(const struct suggestion_change *c, struct err *e)
{
    struct suggestion *s = c->s;
    struct memory_wish w = {.owner = c->owner,
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
    return memory_change_in(c->db, &w, c->a, &m, e);
}

static enum rc unchange_memory(const struct suggestion_change *c, struct err *e)
{
    const struct suggestion *s = c->s;
    struct memory_wish w = {.owner = c->owner,
        .id = s->subject,
        .text = s->prior_text,
        .tags = str_of(s->prior_tags),
        .now = c->now};
    struct memory m;
    return memory_change_in(c->db, &w, c->a, &m, e);
}

static bool is_changed_memory(const struct suggestion_change *c)
{
    struct memory m;
    return c->s->prior_text.s && get_memory(c, &m, NULL) == RC_OK &&
           (!c->s->text.len || str_eq(m.text, c->s->text));
}

static enum rc forget(const struct suggestion_change *c, struct err *e)
{
    return store_memory_delete(c->db, c->owner, c->s->subject, c->now, e);
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
    struct task_wish w = {
        .owner = c->owner, .text = s->text, .due = str_of(s->due), .source_id = s->source_id, .now = c->now};
    struct task t;
    enum rc rc = tasks_add_in(c->db, &w, c->a, &t, e);
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

/* ---- sessions ---- */

static enum rc get_session(const struct suggestion_change *c, struct session *s, struct err *e)
{
    return store_session_by_id(c->db, c->a, c->owner, c->s->subject, s, e);
}

static enum rc text_of_session(const struct suggestion_change *c, struct str *text, struct err *e)
{
    struct session s = {0};
    enum rc rc = get_session(c, &s, e);
    *text = str_of(s.title ? s.title : "New chat");
    return rc;
}

static enum rc delete_session(const struct suggestion_change *c, struct err *e)
{
    struct session s;
    struct auth_client from = {.address = "", .now = c->now};
    enum rc rc = get_session(c, &s, e);
    return rc == RC_OK ? session_delete_in(c->db, c->owner, s.pub, &from, e) : rc;
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

/* ---- the table ---- */

static const struct suggestion_kind kinds[] = {
    {SUGGESTION_REMEMBER, false, clean_memory, text_of_memory, remember, unremember, has_memory, "Remember",
        "Keep", "Dismiss", "Kept in memory:", "Not kept in memory.", "Undone. It is not in memory any more.",
        "Done. I will remember this:", "I do not keep this:"},
    {SUGGESTION_CHANGE_MEMORY, true, clean_changed_memory, text_of_memory, change_memory, unchange_memory,
        is_changed_memory, "Change in memory", "Change", "Leave it",
        "Changed in memory:", "The fact stays as it is.", "Undone. The fact is as it was.",
        "Done. I remember this now:", "I leave it as it is:"},
    {SUGGESTION_FORGET, true, NULL, text_of_memory, forget, unforget, lacks_memory, "Forget", "Forget",
        "Keep", "It is forgotten.", "Nothing is forgotten.", "Undone. It is in memory again.",
        "Done. I have forgotten this:", "I keep it:"},
    {SUGGESTION_ADD_TASK, false, clean_task, text_of_task, add_task, delete_task, has_task,
        "Add to your to-do list:", "Keep", "Dismiss", "On your to-do list:", "Not put on your to-do list.",
        "Undone. It is not on your to-do list any more.",
        "Done. It is on your to-do list:", "I do not put it on your to-do list:"},
    {SUGGESTION_COMPLETE_TASK, false, NULL, text_of_task, complete_task, reopen_task, is_done_task,
        "Mark as done:", "Mark as done", "Dismiss", "Marked as done:", "The task stays open.",
        "Undone. The task is open again.", "Done. This task is completed:", "The task stays open:"},
    {SUGGESTION_DELETE_TASK, true, NULL, text_of_task, delete_task, undelete_task, lacks_task,
        "Delete the task", "Delete task", "Keep", "The task is deleted.", "The task stays.",
        "Undone. The task is on your list again.", "Done. I have deleted this task:", "I keep the task:"},
    {SUGGESTION_DELETE_SESSION, true, NULL, text_of_session, delete_session, NULL, NULL,
        "Delete the chat and all its messages:", "Delete chat", "Keep", "The chat is deleted.",
        "The chat stays.", "", "Done. I have deleted this chat:", "I keep the chat:"},
    {SUGGESTION_WORKSPACE, false, clean_workspace, NULL, set_workspace, reset_workspace, is_in_workspace,
        "Put this chat into the workspace", "Move", "Dismiss", "This chat is in the workspace:",
        "The workspace stays as it is.", "Undone. The workspace is as it was.",
        "Done. This chat is in the workspace:", "I leave the workspace as it is:"},
};

const struct suggestion_kind *suggestion_kind_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

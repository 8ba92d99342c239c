#include "app/suggestion/suggestion.h"

#include "app/memory/memory.h"
#include "app/session/session_actions.h"
#include "app/session/workspace.h"
#include "app/tasks/tasks.h"
#include "base/strbuf.h"
#include "codec/markdown/markdown.h"
#include "store/session.h"

#define DECIDED "That has been decided already, or it has lapsed. Nothing was changed."
#define CHANGED "That cannot be undone any more: it has been changed or deleted meanwhile."

struct change {
    struct db *db;
    struct arena *a;
    int64_t owner, now;
    struct suggestion *s;
};

/* ---- facts ---- */

static enum rc get_memory(const struct change *c, struct memory *m, struct err *e)
{
    return store_memory_get(c->db, c->a, c->owner, c->s->subject, c->now, m, e);
}

static enum rc text_of_memory(const struct change *c, struct str *text, struct err *e)
{
    struct memory m = {0};
    enum rc rc = get_memory(c, &m, e);
    *text = m.text;
    return rc;
}

static enum rc remember(const struct change *c, struct err *e)
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

static enum rc clean_memory(const struct change *c, struct err *e)
{
    struct suggestion *s = c->s;
    const char *tags = s->tags;
    enum rc rc = memory_clean(c->a, &s->text, &tags, e);
    s->tags = s->tags ? tags : NULL; /* none, or unchanged */
    return rc;
}

static enum rc clean_changed_memory(const struct change *c, struct err *e)
{
    struct str text = STR("-");
    if (c->s->text.len)
        return clean_memory(c, e);
    return c->s->tags ? memory_clean(c->a, &text, &c->s->tags, e) : RC_OK;
}

static enum rc unremember(const struct change *c, struct err *e)
{
    return store_memory_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc change_memory(const struct change *c, struct err *e)
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

static enum rc unchange_memory(const struct change *c, struct err *e)
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

static bool is_changed_memory(const struct change *c)
{
    struct memory m;
    return c->s->prior_text.s && get_memory(c, &m, NULL) == RC_OK &&
           (!c->s->text.len || str_eq(m.text, c->s->text));
}

static enum rc forget(const struct change *c, struct err *e)
{
    return store_memory_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc unforget(const struct change *c, struct err *e)
{
    return memory_restore_in(c->db, c->owner, c->s->subject, c->now, e);
}

static bool has_memory(const struct change *c)
{
    struct memory m;
    return get_memory(c, &m, NULL) == RC_OK;
}

static bool lacks_memory(const struct change *c)
{
    return !has_memory(c);
}

/* ---- tasks ---- */

static enum rc text_of_task(const struct change *c, struct str *text, struct err *e)
{
    struct task t = {0};
    enum rc rc = store_task_get(c->db, c->a, c->owner, c->s->subject, &t, e);
    *text = t.text;
    return rc;
}

static enum rc clean_task(const struct change *c, struct err *e)
{
    return tasks_clean(c->a, &c->s->text, &c->s->due, e);
}

static enum rc add_task(const struct change *c, struct err *e)
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

static enum rc delete_task(const struct change *c, struct err *e)
{
    return store_task_delete(c->db, c->owner, c->s->subject, c->now, e);
}

static enum rc undelete_task(const struct change *c, struct err *e)
{
    return tasks_restore_in(c->db, c->owner, c->s->subject, e);
}

static enum rc set_done(const struct change *c, bool done, struct err *e)
{
    struct task t;
    return tasks_set_done_in(c->db, c->owner, c->s->subject, done, c->now, c->a, &t, e);
}

static enum rc complete_task(const struct change *c, struct err *e)
{
    return set_done(c, true, e);
}

static enum rc reopen_task(const struct change *c, struct err *e)
{
    return set_done(c, false, e);
}

static bool has_task(const struct change *c)
{
    struct task t;
    return store_task_get(c->db, c->a, c->owner, c->s->subject, &t, NULL) == RC_OK;
}

static bool lacks_task(const struct change *c)
{
    return !has_task(c);
}

static bool is_done_task(const struct change *c)
{
    struct task t;
    return store_task_get(c->db, c->a, c->owner, c->s->subject, &t, NULL) == RC_OK && t.done_at;
}

/* ---- sessions ---- */

static enum rc get_session(const struct change *c, struct session *s, struct err *e)
{
    return store_session_by_id(c->db, c->a, c->owner, c->s->subject, s, e);
}

static enum rc text_of_session(const struct change *c, struct str *text, struct err *e)
{
    struct session s = {0};
    enum rc rc = get_session(c, &s, e);
    *text = str_of(s.title ? s.title : "New chat");
    return rc;
}

static enum rc delete_session(const struct change *c, struct err *e)
{
    struct session s;
    struct auth_client from = {.address = "", .now = c->now};
    enum rc rc = get_session(c, &s, e);
    return rc == RC_OK ? session_delete_in(c->db, c->owner, s.pub, &from, e) : rc;
}

static enum rc move_session(const struct change *c, struct str name, struct str *prior, struct err *e)
{
    struct session s;
    enum rc rc = get_session(c, &s, e);
    if (rc != RC_OK)
        return rc;
    *prior = str_of(s.workspace ? s.workspace : "");
    const char *to = arena_strndup(c->a, name.s, name.len);
    return store_session_set_workspace(c->db, c->owner, s.pub, *to ? to : NULL, e);
}

static enum rc clean_workspace(const struct change *c, struct err *e)
{
    const char *name;
    enum rc rc = workspace_name(c->a, c->s->text, &name, e);
    if (rc == RC_OK)
        c->s->text = str_of(name);
    return rc;
}

static enum rc set_workspace(const struct change *c, struct err *e)
{
    return move_session(c, c->s->text, &c->s->prior_text, e);
}

static enum rc reset_workspace(const struct change *c, struct err *e)
{
    struct str now;
    return move_session(c, c->s->prior_text, &now, e);
}

static bool is_in_workspace(const struct change *c)
{
    struct session s;
    return c->s->prior_text.s && get_session(c, &s, NULL) == RC_OK &&
           str_eq_nocase(str_of(s.workspace ? s.workspace : ""), c->s->text);
}

/* ---- the table ---- */

struct kind {
    const char *name;
    bool asks;
    enum rc (*clean)(const struct change *c, struct err *e); /* the normalised text; NULL: no text */
    enum rc (*text)(const struct change *c, struct str *text,
        struct err *e); /* of the subject; NULL: the suggestion's own text */
    enum rc (*run)(const struct change *c, struct err *e);
    enum rc (*undo)(const struct change *c, struct err *e); /* NULL: cannot be undone */
    bool (*stands)(const struct change *c);                 /* not changed since */
    const char *question, *keep_label, *dismiss_label;
    const char *done, *dismissed, *undone;
    const char *keep_reply, *dismiss_reply; /* before the quoted text */
};

static const struct kind kinds[] = {
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

static const struct kind *kind_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static enum rc find_kind(const struct suggestion *s, const struct kind **out, struct err *e)
{
    *out = kind_of(s->kind);
    return *out ? RC_OK : err_set(e, RC_INTERNAL, "a suggestion of kind %s", s->kind);
}

bool suggestion_asks(const struct suggestion *s)
{
    const struct kind *k = kind_of(s->kind);
    return k && k->asks;
}

/* ---- called by tools ---- */

static enum rc carry_out(const struct change *c, const struct kind *k, struct err *e)
{
    enum rc rc = k->run(c, e);
    if (rc != RC_OK)
        return rc;
    c->s->state = SUGGESTION_DONE;
    c->s->settled_at = c->now;
    c->s->undo_until = k->asks && k->undo ? c->now + SUGGESTION_UNDO_MS : 0;
    return RC_OK;
}

static bool is_same(const struct change *c, const struct kind *k, const struct suggestion *before)
{
    struct str text = before->text;
    struct change other = *c;
    struct suggestion copy = *before;
    other.s = &copy;
    if (strcmp(before->kind, c->s->kind) != 0)
        return false;
    if (c->s->subject)
        return before->subject == c->s->subject && str_eq(text, c->s->text);
    return before->subject && k->text(&other, &text, NULL) == RC_OK && str_eq(text, c->s->text);
}

/* Searches the changes of the same message: `*same` is this very change, `*n` counts all. */
static enum rc find_before(const struct change *c, const struct kind *k, size_t *n, bool *same, struct err *e)
{
    struct suggestion *before = NULL;
    *n = 0;
    *same = false;
    if (!c->s->source_id)
        return RC_OK;
    enum rc rc = store_suggestion_of_source(c->db, c->a, c->owner, c->s->source_id, &before, n, e);
    for (size_t i = 0; rc == RC_OK && !*same && i < *n; i++)
        if (is_same(c, k, &before[i])) {
            *c->s = before[i];
            *same = true;
        }
    return rc;
}

static enum rc check_room(const struct change *c, const struct kind *k, struct err *e)
{
    struct suggestion *open;
    size_t n = 0, asked = 0;
    int64_t waiting = 0;
    enum rc rc =
        k->asks ? store_suggestion_of_session(c->db, c->a, c->owner, c->s->session_id, c->now, &open, &n, e)
                : store_suggestion_open_count(c->db, c->owner, &waiting, e);
    for (size_t i = 0; i < n; i++)
        asked += suggestion_asks(&open[i]);
    if (rc == RC_OK && asked >= SUGGESTION_QUESTIONS_MAX)
        return err_say(e, RC_CONFLICT,
            "%d questions wait for the user already. Ask nothing more before they "
            "are answered.",
            SUGGESTION_QUESTIONS_MAX);
    if (rc == RC_OK && waiting >= SUGGESTIONS_OPEN_MAX)
        return err_say(
            e, RC_CONFLICT, "%d suggestions wait for the user already. Make no more.", SUGGESTIONS_OPEN_MAX);
    return rc;
}

enum rc suggestion_put(struct db *db, struct arena *a, int64_t owner, struct suggestion *s, bool at_once,
    int64_t now, struct err *e)
{
    const struct kind *k;
    struct change c = {db, a, owner, now, s};
    size_t before = 0;
    bool same = false;
    s->created_at = now;
    enum rc rc = find_kind(s, &k, e);
    if (rc == RC_OK && k->clean)
        rc = k->clean(&c, e);
    if (rc == RC_OK && at_once && !k->asks)
        rc = find_before(&c, k, &before, &same, e);
    if (rc != RC_OK || same)
        return rc;
    if (at_once && !k->asks && before < SUGGESTION_AT_ONCE_MAX) {
        rc = carry_out(&c, k, e);
        bool new = rc == RC_OK && (s->subject || strcmp(s->kind, SUGGESTION_REMEMBER) != 0);
        return new ? store_suggestion_add(db, owner, s, e) : rc;
    }
    s->state = SUGGESTION_OPEN;
    s->lapses_at = k->asks ? now + SUGGESTION_QUESTION_MS : 0;
    if (s->subject)
        rc = store_suggestion_replace(db, owner, s->session_id, s->kind, s->subject, e);
    if (rc == RC_OK)
        rc = check_room(&c, k, e);
    if (rc == RC_OK)
        rc = store_suggestion_add(db, owner, s, e);
    return rc == RC_CONFLICT && e && !e->for_user
               ? err_say(e, rc,
                     "This was suggested before, and waits for the user or was dismissed. Do not "
                     "suggest it again.")
               : rc;
}

/* ---- decisions of the user ---- */

static enum rc keep(const struct change *c, const struct kind *k, struct err *e)
{
    enum rc rc = carry_out(c, k, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_CONFLICT, DECIDED);
    return rc == RC_OK ? store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_OPEN, e) : rc;
}

static enum rc dismiss(const struct change *c, struct err *e)
{
    c->s->state = SUGGESTION_DISMISSED;
    c->s->settled_at = c->now;
    return store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_OPEN, e);
}

static bool is_in_time(const struct change *c, const struct kind *k)
{
    const struct suggestion *s = c->s;
    return s->state == SUGGESTION_DONE && k->undo && s->subject && (!s->undo_until || c->now < s->undo_until);
}

static bool can_undo(const struct change *c, const struct kind *k)
{
    return is_in_time(c, k) && k->stands(c);
}

/* True when it was carried out here and has been changed elsewhere since. */
static bool is_overtaken(const struct change *c, const struct kind *k)
{
    return is_in_time(c, k) && !k->stands(c);
}

static enum rc undo(const struct change *c, const struct kind *k, struct err *e)
{
    if (!can_undo(c, k))
        return err_say(e, RC_CONFLICT, CHANGED);
    enum rc rc = k->undo(c, e);
    if (rc == RC_NOT_FOUND)
        return err_say(e, RC_CONFLICT, CHANGED);
    c->s->state = SUGGESTION_UNDONE;
    c->s->text = STR("");
    c->s->prior_text = (struct str){NULL, 0};
    c->s->prior_tags = NULL;
    return rc == RC_OK ? store_suggestion_set_state(c->db, c->owner, c->s, SUGGESTION_DONE, e) : rc;
}

enum rc suggestion_decide_in(struct db *db, struct arena *a, const struct suggestion_decision *d,
    int64_t message_id, struct suggestion *out, struct err *e)
{
    const struct kind *k;
    struct change c = {db, a, d->owner, d->now, out};
    enum rc rc = store_suggestion_get(db, a, d->owner, d->id, 0, out, e);
    if (rc == RC_OK)
        rc = find_kind(out, &k, e);
    if (rc != RC_OK)
        return rc;
    bool open = out->state == SUGGESTION_OPEN && (!out->lapses_at || d->now < out->lapses_at);
    if (d->verdict != SUGGESTION_UNDO && !open)
        return err_say(e, RC_CONFLICT, DECIDED);
    if (message_id)
        out->message_id = message_id;
    switch (d->verdict) {
    case SUGGESTION_KEEP: return keep(&c, k, e);
    case SUGGESTION_DISMISS: return dismiss(&c, e);
    case SUGGESTION_UNDO: return undo(&c, k, e);
    }
    return err_set(e, RC_INTERNAL, "a decision %d", (int)d->verdict);
}

struct decide {
    struct arena *a;
    const struct suggestion_decision *decision;
    struct suggestion *out;
};

static enum rc decide_tx(struct db *db, void *arg, struct err *e)
{
    const struct decide *d = arg;
    return suggestion_decide_in(db, d->a, d->decision, 0, d->out, e);
}

enum rc suggestion_decide(struct store *s, struct arena *a, const struct suggestion_decision *d,
    struct suggestion *out, struct err *e)
{
    return store_write(s, decide_tx, &(struct decide){a, d, out}, e);
}

struct keep_facts {
    int64_t owner, upto, now;
    size_t kept;
};

static enum rc keep_facts_tx(struct db *db, void *arg, struct err *e)
{
    struct keep_facts *f = arg;
    AUTO(arena) a = arena_new();
    struct suggestion *all;
    size_t n;
    f->kept = 0;
    enum rc rc = store_suggestion_list(
        db, a, f->owner, SUGGESTION_REMEMBER, f->now, SUGGESTIONS_OPEN_MAX, &all, &n, e);
    for (size_t i = n; rc == RC_OK && i > 0; i--) { /* in the order of their messages */
        struct suggestion_decision d = {f->owner, all[i - 1].id, SUGGESTION_KEEP, f->now};
        struct suggestion kept;
        if (d.id > f->upto)
            continue;
        rc = suggestion_decide_in(db, a, &d, 0, &kept, e);
        f->kept++;
    }
    return rc;
}

enum rc suggestion_keep_facts(
    struct store *s, int64_t owner, int64_t upto, int64_t now, size_t *kept, struct err *e)
{
    struct keep_facts f = {.owner = owner, .upto = upto, .now = now};
    enum rc rc = store_write(s, keep_facts_tx, &f, e);
    *kept = rc == RC_OK ? f.kept : 0;
    return rc;
}

/* ---- display ---- */

enum rc suggestion_look(struct db *db, struct arena *a, int64_t owner, const struct suggestion *s,
    int64_t now, struct suggestion_look *out, struct err *e)
{
    const struct kind *k;
    struct suggestion copy = *s;
    struct change c = {db, a, owner, now, &copy};
    enum rc rc = find_kind(s, &k, e);
    if (rc != RC_OK)
        return rc;
    *out = (struct suggestion_look){.asks = k->asks,
        .can_undo = can_undo(&c, k),
        .question = k->question,
        .keep_label = k->keep_label,
        .dismiss_label = k->dismiss_label,
        .done = k->done,
        .dismissed = k->dismissed,
        .undone = k->undone};
    if (s->subject && k->text) {
        rc = k->text(&c, &out->text, NULL);
        if (rc == RC_NOT_FOUND && s->state == SUGGESTION_OPEN)
            return err_set(e, rc, "the subject of a suggestion is deleted");
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return err_set(e, rc, "looking up the subject of a suggestion");
        if (rc == RC_NOT_FOUND)
            out->text = (struct str){NULL, 0};
    } else if (s->text.len) {
        out->text = s->text;
    }
    if (s->state == SUGGESTION_OPEN && strcmp(s->kind, SUGGESTION_CHANGE_MEMORY) == 0 && s->text.len)
        out->to = s->text;
    if (strcmp(s->kind, SUGGESTION_WORKSPACE) == 0 && !s->text.len) {
        out->question = "Take this chat out of its workspace";
        out->done = "This chat is in no workspace.";
    }
    if (s->state == SUGGESTION_DONE && strcmp(s->kind, SUGGESTION_REMEMBER) == 0 && !s->subject)
        out->done = "This was in memory already.";
    else if (is_overtaken(&c, k)) {
        out->done = "This has been changed or deleted meanwhile.";
        out->text = (struct str){NULL, 0};
    }
    return RC_OK;
}

const char *suggestion_reply(
    struct arena *a, const struct suggestion *s, const struct suggestion_look *l, bool keep)
{
    const struct kind *k = kind_of(s->kind);
    struct str text = keep && l->to.s ? l->to : l->text;
    AUTO_STRBUF quote;
    strbuf_init(&quote, MARKDOWN_ADDED_MAX * text.len + 1);
    if (text.s)
        markdown_add_text(&quote, text);
    return arena_printf(a, "%s\n\n> %s", keep ? k->keep_reply : k->dismiss_reply, quote.len ? quote.s : "");
}

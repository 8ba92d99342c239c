/* What the turn's model gets to read: the system prompt with the facts that matter and what the newest
 * compaction says, and the path to the question from there on. */
#include "app/compact.h"
#include "app/context.h"
#include "app/context_wish.h"
#include "app/memory.h"
#include "app/prompt.h"
#include "app/turn_private.h"
#include "app/workspace.h"
#include "app/working.h"

/* What stands for the older part of the path; id 0: nothing does. A question that is asked again never lies
 * behind a border: it has to be read. */
static enum rc read_compaction(
    struct db *db, struct turn *t, const struct turn_asked *asked, struct compaction *out, struct err *e)
{
    *out = (struct compaction){0};
    if (!asked->parent_id)
        return RC_OK;
    enum rc rc =
        store_compaction_on_path(db, t->arena, asked->owner, asked->session_id, asked->parent_id, out, NULL);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return err_set(e, rc, "look up of a compaction");
    if (!asked->text.s && out->last_id == asked->parent_id)
        *out = (struct compaction){0};
    t->compaction_id = out->id;
    return RC_OK;
}

/* The path to the question, and the question. */
static enum rc read_path(struct db *db, struct turn *t, const struct turn_asked *asked, int64_t border,
    struct message **out, size_t *n, struct err *e)
{
    struct message *path = NULL;
    enum rc rc = RC_OK;
    *n = 0;
    if (asked->parent_id)
        rc = store_message_path_below(
            db, t->arena, asked->owner, asked->session_id, asked->parent_id, border, &path, n, NULL, e);
    if (rc != RC_OK)
        return rc;
    *out = ARENA_ARRAY(t->arena, struct message, *n + 1);
    if (*n)
        memcpy(*out, path, *n * sizeof *path);
    if (asked->text.s)
        (*out)[(*n)++] = (struct message){.role = ROLE_USER,
            .text = {arena_strndup(t->arena, asked->text.s, asked->text.len), asked->text.len}};
    return RC_OK;
}

/* The facts that matter for the newest message, behind the system prompt. */
static enum rc add_memories(struct db *db, struct turn *t, const struct turn_asked *asked,
    const struct message *newest, struct str *prompt, struct err *e)
{
    struct memory_recalled r;
    enum rc rc = memory_recall(db, t->arena, asked->owner, newest->text, asked->now, &r, e);
    if (rc != RC_OK || r.n == 0)
        return rc;
    *prompt =
        str_of(arena_printf(t->arena, "%.*s%s%s", STR_FMT(*prompt), prompt->len ? "\n\n" : "", r.text.s));
    t->memories = r.ids;
    t->memories_n = r.n;
    return RC_OK;
}

static void add_block(struct turn *t, struct str block, struct str *prompt)
{
    if (block.len)
        *prompt =
            str_of(arena_printf(t->arena, "%.*s%s%s", STR_FMT(*prompt), prompt->len ? "\n\n" : "", block.s));
}

/* What the model asked for in the turn before takes the place of what would go in by itself. */
static enum rc add_wish(struct db *db, struct turn *t, const struct turn_asked *asked, struct message **path,
    size_t *n, struct str *prompt, struct err *e)
{
    struct context_wished w;
    struct context_wisher who = {.owner = asked->owner,
        .session_id = asked->session_id,
        .parent_id = asked->parent_id,
        .window = t->choice->window,
        .now = asked->now};
    enum rc rc = context_wish_read(db, t->arena, &who, *path, *n, &w, e);
    if (rc == RC_OK && !w.sets_memories)
        rc = add_memories(db, t, asked, &(*path)[*n - 1], prompt, e);
    if (rc != RC_OK)
        return rc;
    if (w.sets_memories) {
        t->memories = w.memories;
        t->memories_n = w.memories_n;
    }
    add_block(t, w.text, prompt);
    t->wished = w.present;
    *path += w.from;
    *n -= w.from;
    return RC_OK;
}

enum rc turn_read_context(struct db *db, struct turn *t, const struct turn_asked *asked, struct err *e)
{
    const struct config *c = t->en->set.config;
    struct message *path;
    size_t n, got;
    struct compaction compaction;
    struct context_frame frame = {.window = t->choice->window};
    struct str spoken_of;
    struct llm_message *built;
    enum rc rc = read_compaction(db, t, asked, &compaction, e);
    if (rc == RC_OK)
        rc = read_path(db, t, asked, compaction.last_id, &path, &n, e);
    if (rc == RC_OK)
        rc = prompt_load(t->arena, c, &frame.prompt, e);
    if (rc == RC_OK)
        add_block(t, workspace_prompt(t->arena, asked->workspace), &frame.prompt);
    if (rc == RC_OK)
        rc = add_wish(db, t, asked, &path, &n, &frame.prompt, e);
    if (rc == RC_OK)
        rc = working_prompt(db, t->arena, asked->owner, asked->session_id, asked->now, &spoken_of, e);
    if (rc != RC_OK)
        return rc;
    add_block(t, spoken_of, &frame.prompt);
    if (compaction.id)
        add_block(t, compact_block(t->arena, &compaction), &frame.prompt);
    frame.tools = t->tools = tools_offered(t->arena, &t->tools_n);
    frame.tools_n = t->tools_n;
    if ((rc = context_build(t->arena, c, &frame, path, n, &built, &got, &t->size, e)) != RC_OK)
        return rc;
    /* every step adds one message and one result per call */
    t->messages_room = got + 2 * (size_t)c->turn.tool_calls_max + 2;
    t->messages = ARENA_ARRAY(t->arena, struct llm_message, t->messages_room);
    memcpy(t->messages, built, got * sizeof *built);
    t->messages_n = got;
    return RC_OK;
}

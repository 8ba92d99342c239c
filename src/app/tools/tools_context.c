/* Tools that arrange the conversation: the contents of the next turn's context, and the workspace. */
#include "app/tools/tools_private.h"

#include "app/session/workspace.h"
#include "app/tools/context_override.h"
#include "store/memory/memory.h"

/* ---- set_context_preferences ---- */

struct override_tx {
    const struct tool_context *c;
    struct context_override override;
};

static enum rc override_tx(struct db *db, void *arg, struct err *e)
{
    struct override_tx *t = arg;
    const struct tool_context *c = t->c;
    AUTO(arena) a = arena_new();
    struct memory m;
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < t->override.memories_n; i++)
        rc = store_memory_get(db, a, c->owner, t->override.memories[i], c->now, &m, e);
    if (rc == RC_NOT_FOUND)
        return err_tell(e, rc, "There is no memory with this id.");
    return rc == RC_OK ? store_context_override_put(db, c->owner, c->session_id, &t->override, c->now, e)
                       : rc;
}

static enum rc take_memories(const json_t *args, struct context_override *p, struct err *e)
{
    const json_t *list = json_object_get(args, "memories");
    p->sets_memories = list != NULL;
    for (size_t i = 0; i < json_array_size(list) && i < CONTEXT_OVERRIDE_MEMORIES_MAX; i++) {
        const json_t *id = json_array_get(list, i);
        struct str text = {json_string_value(id), json_string_length(id)};
        if (!str_to_int(text, 1, INT64_MAX, &p->memories[p->memories_n++]))
            return err_tell(e, RC_NOT_FOUND, "There is no memory with this id.");
    }
    return RC_OK;
}

static enum rc take_range(const struct tool_context *c, const json_t *args, struct arena *a,
    struct context_override *p, struct view *result, struct err *e)
{
    struct tool_path path;
    size_t first, end;
    bool given = false;
    enum rc rc = tool_path_read(c, args, a, &path, e);
    if (rc == RC_OK)
        rc = tool_path_range(&path, args, &first, &end, &given, e);
    if (rc != RC_OK || !given)
        return rc;
    if (first == end)
        return err_tell(e, RC_CONFLICT, "This session has no earlier messages.");
    p->first_id = path.messages[first].id;
    p->last_id = path.messages[end - 1].id;
    view_int(result, "from", (int64_t)first + 1);
    view_int(result, "to", (int64_t)end);
    return RC_OK;
}

static enum rc set_context_preferences(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct override_tx t = {.c = c};
    struct context_override *p = &t.override;
    if (json_object_size(args) == 0)
        return err_tell(e, RC_BAD_INPUT, "Send at least one argument.");
    p->recent = tool_arg_int(args, "recent", CONTEXT_OVERRIDE_RECENT_ALWAYS);
    tool_arg_bool(args, "summaries", &p->summaries);
    enum rc rc = take_memories(args, p, e);
    if (rc == RC_OK)
        rc = take_range(c, args, a, p, result, e);
    if (rc == RC_OK)
        rc = store_write(c->store, override_tx, &t, e);
    if (rc != RC_OK)
        return rc;
    view_text(result, "status", "set");
    view_text(
        result, "note", "This applies to the context of the user's next message only, not to this answer.");
    return RC_OK;
}

/* ---- set_workspace ---- */

static enum rc get_session(const struct tool_context *c, struct arena *a, struct session *out, struct err *e)
{
    struct db *db = store_read(c->store);
    enum rc rc = store_session_by_id(db, a, c->owner, c->session_id, out, e);
    store_read_done(c->store, db);
    return rc;
}

static enum rc set_workspace(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct suggestion s = tool_suggestion(c, SUGGESTION_WORKSPACE);
    struct explicit_request asked;
    struct session session;
    const char *name;
    json_get_str(args, "name", &s.text);
    s.subject = c->session_id;
    enum rc rc = workspace_name(a, s.text, &name, e);
    if (rc == RC_OK)
        rc = get_session(c, a, &session, e);
    if (rc == RC_OK)
        rc = tool_request(c, a, &asked, e);
    if (rc != RC_OK)
        return rc;
    s.text = str_of(name);
    bool asks =
        *name ? explicit_request_stores(&asked, REQUEST_WORKSPACE, s.text) : asked.asks[REQUEST_WORKSPACE];
    bool same = str_eq_nocase(s.text, str_of(session.workspace ? session.workspace : ""));
    if (!same)
        rc = tool_do_or_suggest(c, a, &s, asks, e);
    if (rc == RC_OK)
        rc = get_session(c, a, &session, e);
    if (rc != RC_OK)
        return rc;
    view_text(result, "workspace", session.workspace);
    if (s.id && s.state == SUGGESTION_OPEN) {
        view_text(result, "suggested", name);
        tool_say_waits(result, &s);
    }
    return RC_OK;
}

/* clang-format off */
#define ARGS_CONTEXT \
    "\"memories\":{\"type\":\"array\",\"maxItems\":" TOOL_NUMBER(CONTEXT_OVERRIDE_MEMORIES_MAX) "," \
        "\"items\":{\"type\":\"string\",\"maxLength\":20}," \
        "\"description\":\"Ids of stored facts; an empty list for none.\"}," \
    "\"from\":{\"type\":\"string\",\"maxLength\":20," \
        "\"description\":\"The first message of the range: its position from 1 on, or its id.\"}," \
    "\"to\":{\"type\":\"string\",\"maxLength\":20," \
        "\"description\":\"The last message of the range.\"}," \
    "\"recent\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":" TOOL_NUMBER(OVERRIDE_RECENT_MAX) "," \
        "\"description\":\"The number of the newest messages. Their exchange is included from its start.\"}," \
    "\"summaries\":{\"type\":\"boolean\"," \
        "\"description\":\"Whether to include the summaries of this session.\"}"

static const struct tool rows[] = {
    {{"set_context_preferences",
         "Chooses what you read with the user's next message. "
         "It applies to that message only. "
         "You can choose stored facts instead of the ones chosen for you, a range of this conversation word for word, "
         "its summaries, and the number of the newest messages.",
         TOOL_OBJECT(ARGS_CONTEXT, "")},
        {"tool.chose_context", "note", NULL}, set_context_preferences, false, TOOL_CHANGES},
    {{"set_workspace",
         "Moves this conversation into one of the user's workspaces, which group sessions like projects. "
         "An empty name removes it from its workspace. "
         "It happens at once if the user's message begins by asking for it. "
         "Otherwise the user gets a suggestion.",
         TOOL_OBJECT("\"name\":{\"type\":\"string\",\"maxLength\":" TOOL_NUMBER(WORKSPACE_CHARS_MAX) "}",
             "\"name\"")},
        {"tool.workspace", "pin", "tool.workspace_asks"}, set_workspace, false, TOOL_CHANGES},
};
/* clang-format on */
const struct tool_group tools_context = {rows, ARRAY_LEN(rows), TOOL_SET_SESSIONS};

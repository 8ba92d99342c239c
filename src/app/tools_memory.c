/* The tools for memory. They run with the rights of the turn's owner; none of them deletes. */
#include "app/tools_private.h"

#include "app/confirm.h"
#include "app/memory.h"

#define SEARCH_HITS_DEFAULT 5
#define SEARCH_HITS_MAX     20

/* ---- arguments ---- */

/* Absent leaves `*out` as it is. */
static enum rc take_str(const json_t *args, const char *key, struct str *out, struct err *e)
{
    if (!json_object_get(args, key) || json_get_str(args, key, out))
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "\"%s\" must be a string.", key);
}

static enum rc take_bool(const json_t *args, const char *key, bool *out, struct err *e)
{
    const json_t *v = json_object_get(args, key);
    if (v && !json_is_boolean(v))
        return err_say(e, RC_BAD_INPUT, "\"%s\" must be true or false.", key);
    *out = v ? json_is_true(v) : *out;
    return RC_OK;
}

/* The list of strings as one line; .s stays NULL when it is absent. */
static enum rc take_tags(const json_t *args, struct arena *a, struct str *out, struct err *e)
{
    const json_t *list = json_object_get(args, "tags");
    if (!list)
        return RC_OK;
    if (!json_is_array(list) || json_array_size(list) > MEMORY_TAGS_MAX)
        return err_say(e, RC_BAD_INPUT, "\"tags\" must be a list of at most %d strings.", MEMORY_TAGS_MAX);
    const char *all = "";
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *tag = json_array_get(list, i);
        if (!json_is_string(tag) || json_string_length(tag) > MEMORY_TAGS_TEXT_MAX)
            return err_say(e, RC_BAD_INPUT, "\"tags\" must be a list of short strings.");
        all = arena_printf(a, "%s%s,", all, json_string_value(tag));
    }
    *out = str_of(all);
    return RC_OK;
}

static enum rc take_id(const json_t *args, int64_t *id, struct err *e)
{
    struct str text;
    if (!json_get_str(args, "id", &text))
        return err_say(e, RC_BAD_INPUT, "\"id\" must be the id of a memory, as a string.");
    return str_to_int(text, 1, INT64_MAX, id) ? RC_OK : err_set(e, RC_NOT_FOUND, "a malformed id");
}

/* A foreign one reads like an absent one. */
static enum rc say_absent(enum rc rc, struct err *e)
{
    return rc == RC_NOT_FOUND ? err_say(e, RC_NOT_FOUND, "There is no memory of that id.") : rc;
}

static void add_memory(struct view *v, struct arena *a, const struct memory *m)
{
    char at[CLOCK_RFC3339_SIZE];
    view_text(v, "id", arena_printf(a, "%lld", (long long)m->id));
    view_str(v, "text", m->text);
    view_text(v, "tags", m->tags);
    clock_rfc3339(m->created_at, at);
    view_text(v, "created", at);
    if (m->expires_at)
        clock_rfc3339(m->expires_at, at);
    view_text(v, "expires", m->expires_at ? at : NULL);
}

static enum rc refuse_paused(const struct tool_context *c, struct err *e)
{
    bool paused;
    struct db *db = store_read(c->store);
    enum rc rc = store_memory_paused(db, c->owner, &paused, e);
    store_read_done(c->store, db);
    if (rc == RC_OK && paused)
        return err_say(e, RC_CONFLICT, "The user has paused the memory.");
    return rc;
}

/* ---- the tools ---- */

enum rc tool_remember(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct memory_wish w = {.owner = c->owner, .source_id = c->asked_id, .now = c->now};
    struct memory m;
    bool merged;
    enum rc rc = refuse_paused(c, e);
    if (rc == RC_OK && !json_object_get(args, "text"))
        rc = err_say(e, RC_BAD_INPUT, "\"text\" is missing.");
    if (rc == RC_OK)
        rc = take_str(args, "text", &w.text, e);
    if (rc == RC_OK)
        rc = take_tags(args, a, &w.tags, e);
    if (rc == RC_OK)
        rc = take_bool(args, "permanent", &w.permanent, e);
    if (rc == RC_OK)
        rc = memory_add(c->store, &w, a, &m, &merged, e);
    if (rc != RC_OK)
        return rc;
    view_bool(result, "known_before", merged);
    add_memory(view_obj(result, "memory"), a, &m);
    return RC_OK;
}

/* Ranked by likeness; without a query the newest. */
static enum rc find(const struct tool_context *c, struct db *db, struct arena *a, struct str query,
    size_t limit, struct view *list, struct err *e)
{
    struct memory_hit *hits;
    struct memory *newest;
    size_t n;
    enum rc rc;
    if (str_trim(query).len) {
        rc = memory_rank(db, a, c->owner, query, c->now, limit, &hits, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++)
            add_memory(view_item(list), a, hits[i].memory);
        return rc;
    }
    struct memory_filter f = {.limit = (int)limit};
    rc = store_memory_list(db, a, c->owner, c->now, &f, &newest, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        add_memory(view_item(list), a, &newest[i]);
    return rc;
}

enum rc tool_search_memories(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct str query = STR("");
    int64_t top_k = SEARCH_HITS_DEFAULT;
    enum rc rc = refuse_paused(c, e);
    if (rc == RC_OK)
        rc = take_str(args, "query", &query, e);
    if (rc == RC_OK && query.len > (size_t)MEMORY_QUERY_CHARS_MAX * 4)
        rc = err_say(e, RC_BAD_INPUT, "The query may have at most %d characters.", MEMORY_QUERY_CHARS_MAX);
    if (rc == RC_OK && json_object_get(args, "top_k") &&
        (!json_get_int(args, "top_k", &top_k) || top_k < 1 || top_k > SEARCH_HITS_MAX))
        rc = err_say(e, RC_BAD_INPUT, "\"top_k\" must be a number from 1 to %d.", SEARCH_HITS_MAX);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(c->store);
    rc = find(c, db, a, query, (size_t)top_k, view_list(result, "memories"), e);
    store_read_done(c->store, db);
    return rc;
}

enum rc tool_update_memory(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct memory_wish w = {.owner = c->owner, .now = c->now};
    struct memory m;
    enum rc rc = refuse_paused(c, e);
    if (rc == RC_OK)
        rc = take_id(args, &w.id, e);
    if (rc == RC_OK)
        rc = take_str(args, "text", &w.text, e);
    if (rc == RC_OK)
        rc = take_tags(args, a, &w.tags, e);
    if (rc == RC_OK && !w.text.s && !w.tags.s)
        rc = err_say(e, RC_BAD_INPUT, "Send a \"text\", \"tags\" or both.");
    if (rc == RC_OK)
        rc = memory_change(c->store, &w, a, &m, e);
    if (rc == RC_OK)
        add_memory(view_obj(result, "memory"), a, &m);
    return say_absent(rc, e);
}

struct ask {
    const struct tool_context *c;
    struct arena *a;
    int64_t id;
    struct memory memory;
};

static enum rc ask_tx(struct db *db, void *arg, struct err *e)
{
    struct ask *k = arg;
    const struct tool_context *c = k->c;
    struct pending p = {
        .session_id = c->session_id, .action = CONFIRM_FORGET, .subject = k->id, .created_at = c->now};
    enum rc rc = store_memory_get(db, k->a, c->owner, k->id, c->now, &k->memory, e);
    return rc == RC_OK ? store_pending_put(db, c->owner, &p, e) : rc;
}

enum rc tool_forget(
    const struct tool_context *c, const json_t *args, struct arena *a, struct view *result, struct err *e)
{
    struct ask k = {.c = c, .a = a};
    enum rc rc = refuse_paused(c, e);
    if (rc == RC_OK)
        rc = take_id(args, &k.id, e);
    if (rc == RC_OK)
        rc = store_write(c->store, ask_tx, &k, e);
    if (rc == RC_OK) {
        view_text(result, "status", "waits for the user");
        view_text(result, "note",
            "Nothing is forgotten yet. The user is asked under your answer, with buttons, and may also say "
            "yes "
            "or no.");
        add_memory(view_obj(result, "memory"), a, &k.memory);
    }
    return say_absent(rc, e);
}

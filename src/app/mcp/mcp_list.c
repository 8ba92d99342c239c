/* A list is stored as {"tools": [{"name", "title", "description", "schema", "reads", "fault"}]}. The schema
 * is a text in it, so that a turn, which reads the list, need not write the schemas again. */
#include "app/mcp/mcp_list.h"

#include "base/clock.h"
#include "base/log.h"
#include "codec/view.h"

#define TOOL_BYTES_MAX ((size_t)64 * 1024) /* of one in a list: its caps, with escapes */

static const char *const fault_words[] = {[MCP_FINE] = "",
    [MCP_BAD_NAME] = "its name is empty, too long or has control characters",
    [MCP_BAD_SCHEMA] = "the schema of its arguments is not an object",
    [MCP_BIG_SCHEMA] = "the schema of its arguments is too long",
    [MCP_BAD_HEADERS] = "the schema of its arguments marks headers wrongly",
    [MCP_NEEDS_TASK] = "it only runs as a task of the protocol, which Alfred does not support"};

const char *mcp_fault_words(enum mcp_fault f)
{
    return fault_words[f];
}

const struct mcp_server_row *mcp_row_of(
    const struct mcp_server_row *rows, size_t n, const struct config_mcp *m)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].name, m->name) == 0 && strcmp(rows[i].url, m->url) == 0)
            return &rows[i];
    return NULL;
}

static const char *stored_list(struct arena *a, const struct mcp_tools *tools)
{
    AUTO_STRBUF out;
    strbuf_init(&out, (tools->n + 1) * TOOL_BYTES_MAX);
    struct view *root = view_new(a), *list = view_list(root, "tools");
    for (size_t i = 0; i < tools->n; i++) {
        const struct mcp_tool *t = &tools->list[i];
        struct view *v = view_item(list);
        view_text(v, "name", t->name);
        view_text(v, "title", t->title);
        view_text(v, "description", t->description);
        view_text(v, "schema", t->schema);
        view_bool(v, "reads", t->reads);
        view_int(v, "fault", t->fault);
    }
    view_json(root, &out);
    return arena_str(a, strbuf_str(&out)).s;
}

static const char *text_of(struct arena *a, const json_t *of, const char *key)
{
    struct str text = STR("");
    json_get_str(of, key, &text);
    return arena_str(a, text).s;
}

struct mcp_tools mcp_list_tools(struct arena *a, const char *stored)
{
    AUTO(json_t) json = NULL;
    const json_t *one;
    size_t i;
    struct mcp_tools out = {0};
    if (json_parse(str_of(stored), (MCP_TOOLS_MAX + 1) * TOOL_BYTES_MAX, &json, NULL) != RC_OK)
        return out;
    const json_t *list = json_object_get(json, "tools");
    out.list = ARENA_ARRAY(a, struct mcp_tool, json_array_size(list) + 1);
    json_array_foreach(list, i, one)
    {
        int64_t fault = MCP_FINE;
        json_get_int(one, "fault", &fault);
        out.list[out.n++] = (struct mcp_tool){.name = text_of(a, one, "name"),
            .title = text_of(a, one, "title"),
            .description = text_of(a, one, "description"),
            .schema = text_of(a, one, "schema"),
            .reads = json_is_true(json_object_get(one, "reads")),
            .fault = (enum mcp_fault)fault};
    }
    return out;
}

static enum rc put_tx(struct db *db, void *arg, struct err *e)
{
    return store_mcp_put(db, arg, e);
}

static struct mcp_server_row stored(struct store *store, struct arena *a, const struct config_mcp *m)
{
    struct mcp_server_row *rows, found = {.tools = ""};
    size_t n = 0;
    struct db *db = store_read(store);
    enum rc rc = store_mcp_read(db, a, &rows, &n, NULL);
    store_read_done(store, db);
    const struct mcp_server_row *row = rc == RC_OK ? mcp_row_of(rows, n, m) : NULL;
    if (row)
        found = *row;
    return found;
}

/* Logs what changed since the last time. `why`: the error in English. */
static void report(const struct config_mcp *m, const struct mcp_server_row *before,
    const struct mcp_server_row *now, const struct mcp_tools *tools, const char *why)
{
    bool had = before->listed_at && !before->failure;
    if (now->failure) {
        if (!before->failure)
            log_warn("[mcp.%s]: the list of tools could not be read: %s", m->name, why);
        return;
    }
    if (had && strcmp(before->tools, now->tools) == 0)
        return;
    log_info("[mcp.%s]: %zu tools%s", m->name, tools->n, tools->cut ? ", and more that are left out" : "");
    for (size_t i = 0; i < tools->n; i++)
        if (tools->list[i].fault != MCP_FINE)
            log_warn("[mcp.%s]: the tool \"%s\" is left out: %s", m->name, tools->list[i].name,
                fault_words[tools->list[i].fault]);
}

enum rc mcp_list_ask(const struct mcp_servers *s, size_t at, struct store *store, struct err *e)
{
    AUTO(arena) a = arena_new();
    const struct config_mcp *m = &s->config->mcp[at];
    struct mcp_server_row before = stored(store, a, m);
    struct mcp_link link = {.era = (enum mcp_era)before.era};
    struct mcp_tools tools;
    struct err why = ERR_INIT;
    struct mcp_server_row now = {.name = m->name, .url = m->url, .tools = ""};
    enum rc rc = mcp_tools_read(&s->list[at], s->allowed, s->allowed_n, &link, a, &tools, &why);
    now.asked_at = clock_wall_ms();
    now.era = link.era;
    if (rc == RC_OK)
        now.tools = stored_list(a, &tools);
    else
        now.failure = why.for_user ? err_stored(&why) : why.text;
    report(m, &before, &now, &tools, why.text);
    struct err fault = ERR_INIT;
    if (store_write_lazy(store, put_tx, &now, &fault) != RC_OK)
        log_warn("[mcp.%s]: the list of tools could not be saved: %s", m->name, fault.text);
    if (rc != RC_OK && e)
        *e = why;
    return rc;
}

#include "app/mcp/connected.h"

#include <stdio.h>

#include "store/account/user.h"

#define HASH_DIGITS 8

enum connected_why connected_why(const struct config_mcp *m, const struct mcp_tool *t)
{
    bool all = config_list_has(&m->tools, CONFIG_MCP_ALL);
    bool read = !m->tools.n || config_list_has(&m->tools, CONFIG_MCP_READ);
    if (t->fault != MCP_FINE)
        return CONNECTED_FAULT;
    if (all || (read && t->reads) || config_list_has(&m->tools, t->name))
        return CONNECTED_OFFERED;
    return read ? CONNECTED_CHANGES : CONNECTED_NOT_NAMED;
}

const struct connected_tool *connected_find(const struct connected_tools *all, const char *name)
{
    for (size_t i = 0; all && i < all->n; i++)
        if (strcmp(all->list[i].offer.name, name) == 0)
            return &all->list[i];
    return NULL;
}

/* A name that models can call. When characters were replaced, when it is too long, or when another tool has
 * it, a hash of the original name is its end, so that it does not depend on the other tools. */
static const char *offer_name(struct arena *a, const struct config_mcp *m, const char *tool, bool taken)
{
    char *name = arena_printf(a, "%s_%s", m->name, tool);
    uint64_t hash = str_hash(str_of(tool), str_hash(str_of(m->name), 0));
    bool changed = taken;
    for (char *p = name; *p; p++) {
        bool fits = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                    *p == '_' || *p == '-';
        changed |= !fits;
        *p = fits ? *p : '_';
    }
    if (!changed && strlen(name) <= LLM_NAME_MAX)
        return name;
    return arena_printf(a, "%.*s_%08x", LLM_NAME_MAX - HASH_DIGITS - 1, name, (unsigned)(hash & UINT32_MAX));
}

struct reading {
    struct arena *arena;
    const struct config *config;
    bool (*taken)(const char *name);
    struct connected_tool *list;
    struct connected_tools *out;
};

static void add(struct reading *r, size_t server, int era, const struct mcp_tool *t)
{
    const struct config_mcp *m = &r->config->mcp[server];
    const char *name = offer_name(r->arena, m, t->name, false);
    if (r->taken(name) || connected_find(r->out, name))
        name = offer_name(r->arena, m, t->name, true);
    if (connected_find(r->out, name))
        return;
    r->list[r->out->n++] = (struct connected_tool){.offer = {name, t->description, t->schema},
        .from = arena_printf(r->arena, "%s: %s", mcp_server_label(m), t->title),
        .server = server,
        .era = (enum mcp_era)era,
        .name = t->name,
        .reads = t->reads};
}

static void add_server(struct reading *r, size_t server, const struct mcp_server_row *row)
{
    const struct config_mcp *m = &r->config->mcp[server];
    struct mcp_tools tools = mcp_list_tools(r->arena, row->tools);
    for (size_t i = 0; i < tools.n && i < MCP_TOOLS_MAX; i++)
        if (connected_why(m, &tools.list[i]) == CONNECTED_OFFERED)
            add(r, server, row->era, &tools.list[i]);
}

/* The user's name; "" without a statement when no server needs it. */
static enum rc user_name(
    struct db *db, struct arena *a, const struct config *c, int64_t owner, const char **out, struct err *e)
{
    struct user user;
    bool needed = false;
    *out = "";
    for (size_t i = 0; i < c->mcp_n; i++)
        needed |= c->mcp[i].users.n > 0;
    enum rc rc = needed ? store_user_by_id(db, a, owner, &user, e) : RC_OK;
    if (needed && rc == RC_OK)
        *out = user.name;
    return rc;
}

enum rc connected_read(struct db *db, struct arena *a, const struct config *c, int64_t owner,
    bool (*taken)(const char *name), struct connected_tools *out, struct err *e)
{
    struct mcp_server_row *rows;
    const char *user;
    size_t n;
    *out = (struct connected_tools){0};
    if (!c->mcp_n)
        return RC_OK;
    enum rc rc = user_name(db, a, c, owner, &user, e);
    if (rc == RC_OK)
        rc = store_mcp_read(db, a, &rows, &n, e);
    if (rc != RC_OK)
        return rc;
    struct reading r = {.arena = a, .config = c, .taken = taken, .out = out};
    out->list = r.list = ARENA_ARRAY(a, struct connected_tool, n * MCP_TOOLS_MAX + 1);
    for (size_t s = 0; s < c->mcp_n; s++) {
        const struct mcp_server_row *row = mcp_row_of(rows, n, &c->mcp[s]);
        if (row && mcp_server_serves(&c->mcp[s], user))
            add_server(&r, s, row);
    }
    return RC_OK;
}

/* alfred mcp */
#include "cli/cli.h"

#include <stdio.h>

#include "app/mcp/connected.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/said.h"

static const char *const why_words[] = {[CONNECTED_OFFERED] = "offered",
    [CONNECTED_FAULT] = "not offered: ",
    [CONNECTED_CHANGES] = "not offered: it may change something, and `tools` has only \"read\"",
    [CONNECTED_NOT_NAMED] = "not offered: `tools` does not name it"};

static void print_tool(const struct config_mcp *m, const struct mcp_tool *t)
{
    enum connected_why why = connected_why(m, t);
    printf("  %-30s  %-7s  %s%s\n", t->name, t->reads ? "reads" : "changes", why_words[why],
        why == CONNECTED_FAULT ? mcp_fault_words(t->fault) : "");
}

/* `row` NULL: the server was never asked. */
static void print_server(struct arena *a, const struct config_mcp *m, const struct mcp_server_row *row)
{
    char at[CLOCK_RFC3339_SIZE];
    printf("%s at %s%s\n", m->name, m->url, m->enabled == CONFIG_YES ? "" : " (switched off)");
    if (m->enabled == CONFIG_NO)
        return;
    if (row && row->failure)
        printf("  failed: %s\n", said_words(a, lang_english(), row->failure));
    if (!row || !row->listed_at) {
        printf("  its list of tools was not read yet\n");
        return;
    }
    clock_rfc3339(row->listed_at, at);
    struct mcp_tools tools = mcp_list_tools(a, row->tools);
    printf("  %zu tools, read at %s\n", tools.n, at);
    for (size_t i = 0; i < tools.n; i++)
        print_tool(m, &tools.list[i]);
}

static enum rc print_all(struct cli *k, const char *name, size_t *failed, struct err *e)
{
    const struct config *c = k->config;
    struct mcp_server_row *rows;
    size_t n;
    struct db *db = store_read(k->store);
    enum rc rc = store_mcp_read(db, k->arena, &rows, &n, e);
    store_read_done(k->store, db);
    for (size_t i = 0; rc == RC_OK && i < c->mcp_n; i++) {
        const struct mcp_server_row *row = mcp_row_of(rows, n, &c->mcp[i]);
        if (name && strcmp(c->mcp[i].name, name) != 0)
            continue;
        print_server(k->arena, &c->mcp[i], row);
        *failed += row && row->failure && c->mcp[i].enabled == CONFIG_YES;
    }
    return rc;
}

static enum rc run(struct cli *k, const struct command_line *l, struct err *e)
{
    const struct config *c = k->config;
    const char *name = l->args[0];
    size_t failed = 0;
    log_init("alfred", LOG_ERROR); /* the list says what the request would log */
    if (!c->mcp_n)
        return err_tell(e, RC_NOT_FOUND, "No MCP server is set up. docs/mcp.md says how to connect one.");
    struct mcp_servers *made = NULL;
    enum rc rc = mcp_servers_new(c, &made, e);
    AUTO(mcp_servers) servers = made;
    if (rc != RC_OK)
        return rc;
    if (name) {
        size_t at = mcp_server_find(c, name);
        if (at == SIZE_MAX)
            return err_tell(e, RC_NOT_FOUND, "There is no enabled server [mcp.%.60s].", name);
        mcp_list_ask(servers, at, k->store, NULL); /* a failure is stored, and printed below */
    }
    rc = print_all(k, name, &failed, e);
    if (rc == RC_OK && failed)
        return err_tell(e, RC_UPSTREAM, "%zu of the servers did not answer the last time.", failed);
    return rc;
}

int cmd_mcp(const struct command_line *l)
{
    return cli_run(l, run);
}

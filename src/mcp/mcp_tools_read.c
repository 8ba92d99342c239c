/* Reads the whole list of a server: page after page, within MCP_LIST_MS. */
#include "mcp/mcp_tools.h"

#include <stdlib.h>

#include "base/clock.h"

struct reading {
    struct mcp_server server;
    int64_t until_ms;
    struct mcp_link *link;
    struct loop *loop;
    struct mcp_client *client;
    struct arena *arena;
    struct mcp_tools *out;
};

/* `*cursor` NULL: the first page; afterwards that of the next one, or NULL. */
static enum rc read_page(struct reading *r, const char **cursor, struct err *e)
{
    AUTO_FREE char *quoted = NULL;
    struct mcp_answer answer = {.err = ERR_INIT};
    const char *params = "";
    if (*cursor) {
        AUTO(json_t) text = json_string(*cursor);
        quoted = json_dumps(text, JSON_COMPACT | JSON_ENCODE_ANY);
        params = arena_printf(r->arena, "\"cursor\":%s", quoted);
    }
    int64_t left_ms = r->until_ms - clock_mono_ms();
    r->server.timeout_ms = left_ms > 0 ? (int)left_ms : 0;
    struct mcp_request q = {.server = &r->server,
        .link = r->link,
        .method = "tools/list",
        .params = str_of(params),
        .repeats = true};
    mcp_run(r->loop, r->client, &q, &answer);
    enum rc rc = answer.rc;
    if (rc != RC_OK && e)
        *e = answer.err;
    if (rc == RC_OK && mcp_tools_add(r->arena, answer.result, r->out, NULL) != RC_OK)
        rc = err_say(e, RC_UPSTREAM, "mcp.no_list", arg_text("server", r->server.label));
    struct str next = STR("");
    if (rc == RC_OK)
        json_get_str(answer.result, "nextCursor", &next);
    bool endless = next.len > MCP_CURSOR_MAX || (*cursor && str_is(next, *cursor));
    r->out->cut |= endless;
    *cursor = next.len && !endless ? arena_str(r->arena, next).s : NULL;
    mcp_answer_release(&answer);
    return rc;
}

enum rc mcp_tools_read(const struct mcp_server *s, const char *const *allowed, size_t allowed_n,
    struct mcp_link *link, struct arena *a, struct mcp_tools *out, struct err *e)
{
    AUTO(loop) l = NULL;
    AUTO(mcp_client) c = NULL; /* freed before the loop */
    const char *cursor = NULL;
    int pages = 0;
    *out = (struct mcp_tools){.list = ARENA_ARRAY(a, struct mcp_tool, MCP_TOOLS_MAX)};
    enum rc rc = loop_new(&l, e);
    if (rc != RC_OK)
        return rc;
    c = mcp_client_new(l, allowed, allowed_n);
    struct reading r = {.server = *s,
        .until_ms = clock_mono_ms() + MCP_LIST_MS,
        .link = link,
        .loop = l,
        .client = c,
        .arena = a,
        .out = out};
    do
        rc = read_page(&r, &cursor, e);
    while (rc == RC_OK && cursor && !out->cut && ++pages < MCP_PAGES_MAX);
    out->cut |= cursor != NULL;
    mcp_run_end(l, c, s, link);
    return rc;
}

#include "mcp/mcp_tools.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/humanize.h"
#include "base/utf8.h"

/* The bytes of `text` without control characters other than line ends and tabs, and without the tags of
 * Unicode, which people do not see. */
static const char *clean_text(struct arena *a, struct str text, size_t max)
{
    AUTO_STRBUF out;
    strbuf_init(&out, max);
    for (struct str rest = utf8_head(text, max); rest.len;) {
        uint32_t cp = utf8_next(&rest, NULL);
        if ((cp >= ' ' && cp != 0x7F && (cp < 0xE0000 || cp > 0xE007F)) || cp == '\n' || cp == '\t')
            strbuf_addcp(&out, cp);
    }
    return arena_str(a, strbuf_str(&out)).s;
}

static struct str member(const json_t *of, const char *key)
{
    struct str text = STR("");
    json_get_str(of, key, &text);
    return text;
}

static bool is_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (name.s[i] < ' ' || name.s[i] == 0x7F)
            return false;
    return name.len > 0 && name.len <= MCP_NAME_MAX;
}

static void take_schema(struct arena *a, const json_t *schema, struct mcp_tool *out)
{
    size_t n;
    AUTO_FREE char *text = NULL;
    if (!json_is_object(schema) || !str_is(member(schema, "type"), "object")) {
        out->fault = MCP_BAD_SCHEMA;
        return;
    }
    text = json_dumps(schema, JSON_COMPACT);
    if (!text || strlen(text) > MCP_SCHEMA_MAX)
        out->fault = MCP_BIG_SCHEMA;
    else if (!mcp_param_headers(a, schema, NULL, NULL, &n))
        out->fault = MCP_BAD_HEADERS;
    else
        out->schema = arena_strdup(a, text);
}

static struct mcp_tool read_tool(struct arena *a, const json_t *from)
{
    struct str name = member(from, "name"), title = member(from, "title");
    const json_t *notes = json_object_get(from, "annotations");
    struct mcp_tool t = {.schema = "", .fault = MCP_FINE};
    t.name = humanize_line(a, name, MCP_NAME_MAX).s;
    if (!title.len)
        title = member(notes, "title");
    t.title = humanize_line(a, title.len ? title : name, MCP_TITLE_MAX).s;
    t.description = clean_text(a, member(from, "description"), MCP_DESCRIPTION_MAX);
    t.reads = json_is_true(json_object_get(notes, "readOnlyHint"));
    if (!is_name(name) || strcmp(t.name, name.s) != 0)
        t.fault = MCP_BAD_NAME;
    else
        take_schema(a, json_object_get(from, "inputSchema"), &t);
    return t;
}

static bool is_known(const struct mcp_tools *all, const char *name)
{
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->list[i].name, name) == 0)
            return true;
    return false;
}

enum rc mcp_tools_add(struct arena *a, const json_t *page, struct mcp_tools *out, struct err *e)
{
    const json_t *tools = json_object_get(page, "tools"), *one;
    size_t i;
    if (!json_is_array(tools))
        return err_set(e, RC_UPSTREAM, "no list of tools");
    json_array_foreach(tools, i, one)
    {
        struct mcp_tool t = read_tool(a, one);
        if (out->n == MCP_TOOLS_MAX) {
            out->cut = true;
            break;
        }
        if (!is_known(out, t.name))
            out->list[out->n++] = t;
    }
    return RC_OK;
}

/* ---- the whole list ---- */

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
    struct str next = rc == RC_OK ? member(answer.result, "nextCursor") : STR("");
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

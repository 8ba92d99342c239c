#include "mcp/mcp_tools.h"

#include <stdlib.h>

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
        bool shown = !utf8_is_control(cp) && (cp < 0xE0000 || cp > 0xE007F);
        if (shown || cp == '\n' || cp == '\t')
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
    AUTO_FREE char *text = mcp_schema_text(schema);
    if (!text)
        out->fault = MCP_BAD_SCHEMA;
    else if (strlen(text) > MCP_SCHEMA_MAX)
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
    else if (str_is(member(json_object_get(from, "execution"), "taskSupport"), "required"))
        t.fault = MCP_NEEDS_TASK;
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

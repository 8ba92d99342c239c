/* Messages of an MCP server: whatever is read is within the caps; texts have no control characters. */
#include <stdlib.h>

#include "base/utf8.h"
#include "mcp/mcp_message.h"
#include "mcp/mcp_tools.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const char *text, size_t max)
{
    if (strlen(text) > max || !utf8_valid_text(str_of(text)))
        abort();
    for (struct str rest = str_of(text); rest.len;) {
        uint32_t cp = utf8_next(&rest, NULL);
        if (utf8_is_control(cp) && cp != '\n' && cp != '\t')
            abort();
    }
}

static void check_tools(const json_t *page)
{
    AUTO(arena) a = arena_new();
    struct mcp_tools t = {.list = ARENA_ARRAY(a, struct mcp_tool, MCP_TOOLS_MAX)};
    if (mcp_tools_add(a, page, &t, NULL) != RC_OK)
        return;
    if (t.n > MCP_TOOLS_MAX)
        abort();
    for (size_t i = 0; i < t.n; i++) {
        check_text(t.list[i].name, MCP_NAME_MAX);
        check_text(t.list[i].title, MCP_TITLE_MAX);
        check_text(t.list[i].description, MCP_DESCRIPTION_MAX);
        if (strlen(t.list[i].schema) > MCP_SCHEMA_MAX ||
            (t.list[i].fault == MCP_FINE) != (*t.list[i].schema != '\0'))
            abort();
    }
}

static void check_headers(const json_t *schema)
{
    AUTO(arena) a = arena_new();
    struct http_header out[MCP_PARAMS_MAX];
    size_t n;
    if (!mcp_param_headers(a, schema, json_object_get(schema, "default"), out, &n))
        return;
    for (size_t i = 0; i < n; i++)
        for (const char *p = out[i].value; *p; p++)
            if (*p < ' ' || *p > '~')
                abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(arena) a = arena_new();
    struct mcp_message m;
    struct str text;
    bool failed;
    if (mcp_message_read((struct str){(const char *)data, size}, &m, NULL) != RC_OK)
        return 0;
    if (m.kind == MCP_RESULT) {
        check_tools(m.result);
        check_headers(m.result);
        if (mcp_content(a, m.result, 1000, &text, &failed, NULL) == RC_OK && text.len > 1000)
            abort();
    }
    if (m.kind == MCP_REQUEST) {
        AUTO_STRBUF out;
        strbuf_init(&out, 1024);
        mcp_add_refusal(&out, &m);
        if (out.failed)
            abort();
    }
    mcp_message_release(&m);
    return 0;
}

#include "unit.h"

#include <stdlib.h>

#include "mcp/mcp_tools.h"

static json_t *json(const char *text)
{
    json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(v);
    return v;
}

static void schema_is(const char *from, const char *want)
{
    AUTO(json_t) v = json(from);
    AUTO_FREE char *text = mcp_schema_text(v);
    if (want)
        assert_string_equal(text, want);
    else
        assert_null(text);
}

TEST(mcp_schemas_get_the_form_that_providers_take)
{
    schema_is("{\"type\":\"object\"}", "{\"type\":\"object\",\"properties\":{}}");
    schema_is("{\"$schema\":\"x\",\"type\":\"object\",\"oneOf\":[],\"not\":{},\"properties\":{\"a\":{"
              "\"oneOf\":[]}},"
              "\"required\":[\"a\"]}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"oneOf\":[]}},\"required\":[\"a\"]}");
    schema_is("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\"}}}",
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{}}}}");
    schema_is("{\"type\":\"object\",\"properties\":{\"a b\":{}}}", NULL);
    schema_is("{\"type\":\"object\",\"properties\":{\"a\":true}}", NULL);
    schema_is("{\"type\":\"object\",\"properties\":[]}", NULL);
    schema_is("{\"type\":\"string\"}", NULL);
    schema_is("[]", NULL);
}

static void list_of(struct arena *a, const char *tools, struct mcp_tools *out)
{
    AUTO(json_t) page = json(arena_printf(a, "{\"tools\":%s}", tools));
    *out = (struct mcp_tools){.list = ARENA_ARRAY(a, struct mcp_tool, MCP_TOOLS_MAX)};
    assert_rc(mcp_tools_add(a, page, out, NULL), RC_OK);
}

#define SCHEMA "\"inputSchema\":{\"type\":\"object\"}"

TEST(mcp_lists_are_read_within_their_caps)
{
    AUTO(arena) a = arena_new();
    struct mcp_tools t;
    list_of(a,
        "[{\"name\":\"a\",\"title\":\"The \\n "
        "A\",\"description\":\"one\\u0007\\ntwo\",\"annotations\":{\"readOnlyHint\":"
        "true}," SCHEMA "},{\"name\":\"b\",\"annotations\":{\"title\":\"The B\"}," SCHEMA
        "},{\"name\":\"a\"," SCHEMA "},{\"name\":\"\"},{\"name\":\"x\\ny\"," SCHEMA "},{\"name\":\"c\"},7]",
        &t);
    assert_int_equal(t.n, 5); /* 7 has no name, like the one before it */
    assert_string_equal(t.list[0].title, "The A");
    assert_string_equal(t.list[0].description, "one\ntwo");
    assert_true(t.list[0].reads);
    assert_string_equal(t.list[1].title, "The B");
    assert_false(t.list[1].reads);
    assert_int_equal(t.list[2].fault, MCP_BAD_NAME);
    assert_int_equal(t.list[3].fault, MCP_BAD_NAME);
    assert_int_equal(t.list[4].fault, MCP_BAD_SCHEMA);

    list_of(a,
        "[{\"name\":\"a\",\"execution\":{\"taskSupport\":\"required\"}," SCHEMA
        "},{\"name\":\"b\",\"execution\":{\"taskSupport\":\"optional\"}," SCHEMA "}]",
        &t);
    assert_int_equal(t.list[0].fault, MCP_NEEDS_TASK);
    assert_int_equal(t.list[1].fault, MCP_FINE);

    AUTO_STRBUF many;
    strbuf_init(&many, 1024 * 1024);
    for (int i = 0; i <= MCP_TOOLS_MAX; i++)
        strbuf_addf(&many, "%s{\"name\":\"t%d\"," SCHEMA "}", i ? "," : "[", i);
    strbuf_addc(&many, ']');
    list_of(a, many.s, &t);
    assert_int_equal(t.n, MCP_TOOLS_MAX);
    assert_true(t.cut);

    AUTO_STRBUF big;
    strbuf_init(&big, 1024 * 1024);
    strbuf_adds(&big, "[{\"name\":\"big\",\"inputSchema\":{\"type\":\"object\",\"description\":\"");
    for (size_t i = 0; i < MCP_SCHEMA_MAX; i++)
        strbuf_addc(&big, 'x');
    strbuf_adds(&big, "\"}}]");
    list_of(a, big.s, &t);
    assert_int_equal(t.list[0].fault, MCP_BIG_SCHEMA);
    assert_string_equal(t.list[0].schema, "");
}

static void headers_are(const char *schema, const char *args, bool fine, const char *want)
{
    AUTO(arena) a = arena_new();
    AUTO(json_t) s = json(schema);
    AUTO(json_t) v = args ? json(args) : NULL;
    struct http_header out[MCP_PARAMS_MAX];
    size_t n = 0;
    const char *all = "";
    assert_int_equal(mcp_param_headers(a, s, v, out, &n), fine);
    for (size_t i = 0; fine && i < n; i++)
        all = arena_printf(a, "%s%s: %s\n", all, out[i].name, out[i].value);
    if (fine)
        assert_string_equal(all, want);
}

#define MARKED(type, mark) "{\"type\":\"" type "\",\"x-mcp-header\":\"" mark "\"}"
#define OBJECT(members)    "{\"type\":\"object\",\"properties\":{" members "}}"

TEST(mcp_arguments_become_headers)
{
    const char *schema = OBJECT("\"a\":" MARKED("string", "A") ",\"b\":" OBJECT("\"n\":" MARKED(
        "integer", "N") ",\"t\":" MARKED("boolean", "T")) ",\"c\":{\"enum\":[{\"x-mcp-header\":1}]}");
    headers_are(schema, "{\"a\":\"x\",\"b\":{\"n\":-7,\"t\":true}}", true,
        "Mcp-Param-A: x\nMcp-Param-N: -7\nMcp-Param-T: true\n");
    headers_are(schema, "{\"a\":null,\"b\":3}", true, "");
    headers_are(schema, "{\"b\":{\"n\":9007199254740992}}", true, "");
    headers_are(schema, "{\"a\":\"x\\r\\nEvil: 1\"}", true, "Mcp-Param-A: =?base64?eA0KRXZpbDogMQ==?=\n");
    headers_are(schema, NULL, true, "");
    headers_are(OBJECT("\"a\":" MARKED("number", "A")), NULL, false, "");
    headers_are(OBJECT("\"a\":" MARKED("string", "")), NULL, false, "");
    headers_are(OBJECT("\"a\":" MARKED("string", "A: b")), NULL, false, "");
    headers_are(OBJECT("\"a\":" MARKED("string", "A") ",\"b\":" MARKED("string", "a")), NULL, false, "");
    headers_are(OBJECT("\"a\":{\"type\":\"array\",\"items\":" MARKED("string", "A") "}"), NULL, false, "");
    headers_are(OBJECT("\"a\":{\"anyOf\":[" MARKED("string", "A") "]}"), NULL, false, "");
    headers_are("{\"type\":\"object\",\"x-mcp-header\":\"A\"}", NULL, false, "");
}

static const char *content_of(struct arena *a, const char *result, size_t room, bool failed)
{
    AUTO(json_t) v = json(result);
    struct str text;
    bool says_failed;
    assert_rc(mcp_content(a, v, room, &text, &says_failed, NULL), RC_OK);
    assert_int_equal(says_failed, failed);
    return text.s;
}

TEST(mcp_content_is_text_within_its_room)
{
    AUTO(arena) a = arena_new();
    struct str text;
    bool failed;
    assert_string_equal(
        content_of(a, "{\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}",
            100, false),
        "a\n\nb");
    assert_string_equal(
        content_of(a, "{\"content\":[{\"type\":\"text\",\"text\":\"a\"}],\"structuredContent\":1}", 9, false),
        "a");
    assert_string_equal(content_of(a, "{\"structuredContent\":[1]}", 9, false), "[1]");
    assert_string_equal(
        content_of(
            a, "{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"\u00E9\u00E9\"}]}", 3, true),
        "\u00E9");
    assert_string_equal(content_of(a, "{}", 9, false), "");
    AUTO(json_t) asks = json("{\"resultType\":\"input_required\"}");
    AUTO(json_t) other = json("{\"resultType\":\"task\"}");
    AUTO(json_t) bad = json("{\"content\":7}");
    assert_rc(mcp_content(a, asks, 9, &text, &failed, NULL), RC_UPSTREAM);
    assert_rc(mcp_content(a, other, 9, &text, &failed, NULL), RC_UPSTREAM);
    assert_rc(mcp_content(a, bad, 9, &text, &failed, NULL), RC_UPSTREAM);
}

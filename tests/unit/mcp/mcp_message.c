#include "unit.h"

#include "mcp/mcp_message.h"

static void read_as(const char *text, enum mcp_kind kind, struct mcp_message *out)
{
    assert_rc(mcp_message_read(str_of(text), out, NULL), RC_OK);
    assert_int_equal(out->kind, kind);
}

TEST(mcp_message_reads_the_four_kinds)
{
    struct mcp_message m;
    read_as("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", MCP_RESULT, &m);
    assert_int_equal(m.id, 7);
    mcp_message_release(&m);
    read_as("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32022,\"message\":\"no\",\"data\":{"
            "\"supported\":"
            "[\"2025-06-18\",\"2025-11-25\"]}}}",
        MCP_ERROR, &m);
    assert_int_equal(m.id, 0);
    assert_int_equal(m.code, MCP_WRONG_VERSION);
    assert_true(str_is(m.words, "no"));
    assert_string_equal(mcp_session_version(json_object_get(m.data, "supported")), "2025-11-25");
    assert_false(mcp_list_has(json_object_get(m.data, "supported"), MCP_STATELESS_VERSION));
    mcp_message_release(&m);
    read_as("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}", MCP_NOTIFICATION, &m);
    mcp_message_release(&m);
    read_as("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}", MCP_REQUEST, &m);
    AUTO_STRBUF out;
    strbuf_init(&out, 512);
    mcp_add_refusal(&out, &m);
    assert_string_equal(out.s, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}");
    mcp_message_release(&m);
}

TEST(mcp_message_refuses_what_is_none)
{
    static const char *const none[] = {"", "[]", "{}", "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[]}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"x\"}}",
        "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}"};
    struct mcp_message m;
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        assert_rc(mcp_message_read(str_of(none[i]), &m, NULL), RC_UPSTREAM);
}

TEST(mcp_requests_have_the_members_of_their_era)
{
    AUTO_STRBUF out;
    AUTO(json_t) json = NULL;
    strbuf_init(&out, 1024);
    mcp_add_request(&out, 3, "tools/list", STR(""), false);
    assert_string_equal(out.s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{}}");
    strbuf_clear(&out);
    mcp_add_request(&out, 4, "tools/call", STR("\"name\":\"x\""), true);
    assert_rc(json_parse(strbuf_str(&out), 1024, &json, NULL), RC_OK);
    const json_t *meta = json_object_get(json_object_get(json, "params"), "_meta");
    assert_string_equal(json_string_value(json_object_get(meta, "io.modelcontextprotocol/protocolVersion")),
        MCP_STATELESS_VERSION);
    assert_true(json_is_object(json_object_get(meta, "io.modelcontextprotocol/clientCapabilities")));
}

TEST(mcp_header_values_are_plain_or_base64)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(mcp_header_value(a, STR("us-west1")), "us-west1");
    assert_string_equal(
        mcp_header_value(a, STR("Hello, \xE4\xB8\x96\xE7\x95\x8C")), "=?base64?SGVsbG8sIOS4lueVjA==?=");
    assert_string_equal(mcp_header_value(a, STR(" padded ")), "=?base64?IHBhZGRlZCA=?=");
    assert_string_equal(mcp_header_value(a, STR("line1\nline2")), "=?base64?bGluZTEKbGluZTI=?=");
    assert_string_equal(
        mcp_header_value(a, STR("=?base64?literal?=")), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    assert_string_equal(mcp_header_value(a, STR("")), "");
}

#include "mcp/mcp_message.h"

#include <stdlib.h>

#include "base/version.h"
#include "codec/base64.h"

#define ID_MAX 128 /* bytes of the id of a server's request, as JSON */

/* Those with this transport. The newest first. */
static const char *const session_versions[] = {MCP_SESSION_VERSION, "2025-06-18", "2025-03-26"};

const char *mcp_session_version_of(struct str version)
{
    for (size_t i = 0; i < ARRAY_LEN(session_versions); i++)
        if (str_is(version, session_versions[i]))
            return session_versions[i];
    return NULL;
}

bool mcp_list_has(const json_t *list, const char *text)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one)
    {
        if (json_is_string(one) && strcmp(json_string_value(one), text) == 0)
            return true;
    }
    return false;
}

const char *mcp_session_version(const json_t *list)
{
    for (size_t i = 0; i < ARRAY_LEN(session_versions); i++)
        if (mcp_list_has(list, session_versions[i]))
            return session_versions[i];
    return NULL;
}

/* ---- reading ---- */

static enum rc no_message(struct err *e)
{
    return err_set(e, RC_UPSTREAM, "no message of MCP");
}

static bool is_id(const json_t *v)
{
    return json_is_string(v) || json_is_integer(v);
}

static enum rc read_error(const json_t *error, struct mcp_message *out, struct err *e)
{
    out->kind = MCP_ERROR;
    if (!json_get_int(error, "code", &out->code))
        return no_message(e);
    json_get_str(error, "message", &out->words);
    out->data = json_object_get(error, "data");
    return RC_OK;
}

static enum rc read_members(struct mcp_message *out, struct err *e)
{
    const json_t *id = json_object_get(out->json, "id"), *error = json_object_get(out->json, "error");
    struct str version = {0};
    if (!json_get_str(out->json, "jsonrpc", &version) || !str_is(version, "2.0"))
        return no_message(e);
    if (json_get_str(out->json, "method", &out->method)) {
        out->kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
        out->asked = id;
        return !id || is_id(id) ? RC_OK : no_message(e);
    }
    json_get_int(out->json, "id", &out->id);
    if (error)
        return read_error(error, out, e);
    out->kind = MCP_RESULT;
    out->result = json_object_get(out->json, "result");
    return json_is_object(out->result) ? RC_OK : no_message(e);
}

enum rc mcp_message_read(struct str text, struct mcp_message *out, struct err *e)
{
    *out = (struct mcp_message){0};
    if (json_values(text) > MCP_VALUES_MAX || json_parse(text, MCP_BODY_MAX, &out->json, NULL) != RC_OK)
        return no_message(e);
    enum rc rc = read_members(out, e);
    if (rc != RC_OK)
        mcp_message_release(out);
    return rc;
}

void mcp_message_release(struct mcp_message *m)
{
    json_decref(m->json);
    *m = (struct mcp_message){0};
}

/* ---- writing ---- */

void mcp_add_request(struct strbuf *out, int64_t id, const char *method, struct str params, bool stateless)
{
    static const char meta[] =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"" MCP_STATELESS_VERSION
        "\",\"io.modelcontextprotocol/clientInfo\":" MCP_CLIENT_INFO
        ",\"io.modelcontextprotocol/clientCapabilities\":{}}";
    strbuf_addf(
        out, "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"%s\",\"params\":{", (long long)id, method);
    strbuf_addstr(out, params);
    if (stateless && params.len)
        strbuf_addc(out, ',');
    if (stateless)
        strbuf_adds(out, meta);
    strbuf_adds(out, "}}");
}

void mcp_add_notification(struct strbuf *out, const char *method, struct str params)
{
    strbuf_addf(out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\"", method);
    if (params.len)
        strbuf_addf(out, ",\"params\":{%.*s}", STR_FMT(params));
    strbuf_addc(out, '}');
}

void mcp_add_refusal(struct strbuf *out, const struct mcp_message *request)
{
    AUTO_FREE char *id = json_dumps(request->asked, JSON_COMPACT | JSON_ENCODE_ANY);
    if (!id || strlen(id) > ID_MAX)
        return;
    strbuf_addf(out, "{\"jsonrpc\":\"2.0\",\"id\":%s,", id);
    strbuf_adds(out, str_is(request->method, "ping")
                         ? "\"result\":{}}"
                         : "\"error\":{\"code\":-32601,\"message\":\"Method not found\"}}");
}

const char *mcp_header_value(struct arena *a, struct str value)
{
    bool plain = !value.len || (value.s[0] > ' ' && value.s[value.len - 1] > ' ');
    for (size_t i = 0; i < value.len; i++)
        plain &= value.s[i] >= ' ' && value.s[i] < 0x7F;
    if (plain && !(str_starts(value, STR("=?base64?")) && value.s[value.len - 1] == '='))
        return arena_str(a, value).s;
    return arena_printf(a, "=?base64?%s?=", base64_of(a, value).s);
}

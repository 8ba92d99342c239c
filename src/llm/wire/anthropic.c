/*
 * Anthropic's messages API (https://docs.anthropic.com/en/api/messages-streaming). It differs from our
 * neutral request in three ways. The system prompt is separate. Roles must alternate, beginning with the
 * user, so consecutive messages of one role become blocks of one message. Tool results are blocks of a user
 * message. The API refuses blank text blocks, so none are sent.
 */
#include <stdlib.h>
#include <string.h>

#include "codec/json/json.h"
#include "llm/internal.h"
#include "llm/models.h"

#define TEMPERATURE_MOST 100 /* hundredths; the API refuses a higher one */
#define THINKING_TOP_P   950 /* thousandths; with thinking the API refuses a lower one */
#define SEARCHES_MAX     5   /* of the web, for one request */

/* ---- the request ---- */

/* The state of writing the messages: the open one. */
struct turns {
    struct strbuf *out;
    const char *role; /* NULL before the first */
    bool has_block;
};

static void begin_block(struct turns *t, const char *role)
{
    if (!t->role || strcmp(t->role, role) != 0) {
        strbuf_adds(t->out, t->role ? "]},{" : "{");
        llm_add_member(t->out, "role", str_of(role));
        strbuf_adds(t->out, ",\"content\":[");
        t->role = role;
        t->has_block = false;
    }
    strbuf_adds(t->out, t->has_block ? ",{" : "{");
    t->has_block = true;
}

/* Up to here the request is the same in the turns that follow: the API reads it from its cache then. */
#define CACHE_CONTROL ",\"cache_control\":{\"type\":\"ephemeral\"}"

static void end_block(struct turns *t, bool cached)
{
    strbuf_adds(t->out, cached ? CACHE_CONTROL "}" : "}");
}

static void add_text_block(struct turns *t, const char *role, struct str text, bool cached)
{
    if (str_trim(text).len == 0)
        return;
    begin_block(t, role);
    strbuf_adds(t->out, "\"type\":\"text\",");
    llm_add_member(t->out, "text", text);
    end_block(t, cached);
}

static void add_picture_block(struct turns *t, const struct llm_picture *p)
{
    begin_block(t, "user");
    strbuf_addf(t->out,
        "\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"%s\",\"data\":\"",
        p->media_type);
    strbuf_addstr(t->out, p->base64);
    strbuf_adds(t->out, "\"}}");
}

static void add_use_block(struct turns *t, const struct llm_tool_call *call)
{
    begin_block(t, "assistant");
    strbuf_adds(t->out, "\"type\":\"tool_use\",");
    llm_add_member(t->out, "id", str_of(call->id));
    strbuf_addc(t->out, ',');
    llm_add_member(t->out, "name", str_of(call->name));
    strbuf_adds(t->out, ",\"input\":");
    strbuf_adds(t->out, llm_sendable_args(call->args));
    strbuf_addc(t->out, '}');
}

static void add_result_block(struct turns *t, const struct llm_message *m, bool cached)
{
    begin_block(t, "user");
    strbuf_adds(t->out, "\"type\":\"tool_result\",");
    llm_add_member(t->out, "tool_use_id", str_of(m->call_id ? m->call_id : ""));
    strbuf_addc(t->out, ',');
    llm_add_member(t->out, "content", m->text);
    end_block(t, cached);
}

/* The newest message of the user: its aside is only for this request. */
static size_t newest_of_user(const struct llm_request *r)
{
    size_t i = r->messages_n;
    while (i > 0 && r->messages[i - 1].role != LLM_USER)
        i--;
    return i ? i - 1 : 0;
}

static bool has_call(const struct llm_message *m, struct str id)
{
    for (size_t i = 0; i < m->calls_n; i++)
        if (str_is(id, m->calls[i].id))
            return true;
    return false;
}

/* Adds the original blocks of an answer, which include its text and calls. A call over Alfred's limits has
 * no result, and the API refuses it. */
static bool add_blocks(struct turns *t, const struct llm_message *m)
{
    AUTO(json_t) list = NULL;
    size_t i;
    json_t *block;
    if (json_parse_within(m->opaque, LLM_BODY_MAX, LLM_PART_LIMITS, &list, NULL) != RC_OK ||
        !json_is_array(list))
        return false;
    json_array_foreach(list, i, block)
    {
        bool call = str_is(llm_json_str(block, "type"), "tool_use");
        if (call && !has_call(m, llm_json_str(block, "id")))
            continue;
        AUTO_FREE char *text = json_is_object(block) ? json_dumps(block, JSON_COMPACT) : NULL;
        if (!text)
            continue;
        begin_block(t, "assistant");
        strbuf_adds(t->out, text + 1); /* without the brace that is there already */
    }
    return true;
}

static void add_messages(struct strbuf *out, const struct llm_request *r)
{
    struct turns t = {.out = out};
    size_t newest = newest_of_user(r);
    for (size_t i = 0; i < r->messages_n; i++) {
        const struct llm_message *m = &r->messages[i];
        if (m->role == LLM_SYSTEM)
            continue;
        if (!t.role && m->role == LLM_ASSISTANT) /* the context was cut before it */
            add_text_block(&t, "user", STR("(The conversation goes on.)"), false);
        if (m->role == LLM_ASSISTANT && m->opaque.len && add_blocks(&t, m))
            continue;
        for (size_t k = 0; k < m->pictures_n; k++)
            add_picture_block(&t, &m->pictures[k]);
        if (m->role == LLM_TOOL)
            add_result_block(&t, m, i + 1 == r->messages_n);
        else
            add_text_block(&t, m->role == LLM_USER ? "user" : "assistant", m->text, i == newest);
        add_text_block(&t, "user", m->aside, false);
        for (size_t k = 0; k < m->calls_n; k++)
            add_use_block(&t, &m->calls[k]);
    }
    strbuf_adds(out, t.role ? "]}" : "");
}

static void add_system(struct strbuf *out, const struct llm_request *r)
{
    bool any = false;
    for (size_t i = 0; i < r->messages_n; i++) {
        const struct llm_message *m = &r->messages[i];
        if (m->role != LLM_SYSTEM || str_trim(m->text).len == 0)
            continue;
        strbuf_adds(out, any ? "},{\"type\":\"text\"," : ",\"system\":[{\"type\":\"text\",");
        llm_add_member(out, "text", m->text);
        any = true;
    }
    strbuf_adds(out, any ? CACHE_CONTROL "}]" : "");
}

/* The version of 2025-03-05 is that of all models; later ones also need the execution of code
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool). */
#define WEB_SEARCH "{\"type\":\"web_search_20250305\",\"name\":\"web_search\",\"max_uses\":%d}"

static void add_tools(struct strbuf *out, const struct llm_request *r)
{
    for (size_t i = 0; i < r->tools_n; i++) {
        strbuf_adds(out, i ? ",{" : ",\"tools\":[{");
        llm_add_member(out, "name", str_of(r->tools[i].name));
        strbuf_addc(out, ',');
        llm_add_member(out, "description", str_of(r->tools[i].description));
        strbuf_adds(out, ",\"input_schema\":");
        strbuf_adds(out, r->tools[i].schema);
        strbuf_addc(out, '}');
    }
    if (r->web_search)
        strbuf_addf(out, r->tools_n ? "," WEB_SEARCH : ",\"tools\":[" WEB_SEARCH, SEARCHES_MAX);
    strbuf_adds(out, r->tools_n || r->web_search ? "]" : "");
}

/* Members of a schema whose values are data. */
static bool is_data(const char *key)
{
    static const char *const keys[] = {"const", "enum", "default", "examples"};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* The API takes a schema only when each object in it excludes other members. What fits such a schema fits the
 * program's, too. */
static void close_objects(json_t *schema)
{
    size_t i;
    const char *key;
    json_t *v;
    if (str_is(llm_json_str(schema, "type"), "object") && !json_object_get(schema, "additionalProperties"))
        json_object_set_new(schema, "additionalProperties", json_false());
    json_array_foreach(schema, i, v)
    {
        close_objects(v);
    }
    json_object_foreach(schema, key, v)
    {
        if (!is_data(key))
            close_objects(v);
    }
}

static void add_format(struct strbuf *out, const struct llm_params *p)
{
    AUTO(json_t) schema = NULL;
    if (json_parse_within(str_of(p->format_schema), LLM_BODY_MAX, LLM_PART_LIMITS, &schema, NULL) == RC_OK)
        close_objects(schema);
    AUTO_FREE char *text = schema ? json_dumps(schema, JSON_COMPACT) : NULL;
    strbuf_adds(out, "\"format\":{\"type\":\"json_schema\",\"schema\":");
    strbuf_adds(out, text ? text : p->format_schema);
    strbuf_addc(out, '}');
}

/* A forced call excludes thinking. So do a temperature, and a top_p of less than THINKING_TOP_P. */
static void add_thinking(struct strbuf *out, const struct llm_request *r, const char *effort)
{
    const struct llm_params *p = &r->params;
    bool samples = r->sets_temperature || (p->sets_top_p && p->top_p < THINKING_TOP_P);
    bool low = effort && strcmp(effort, "low") == 0; /* titles and summaries ask for it */
    if (p->must_call && llm_model_can_stop_thinking(r->model))
        strbuf_adds(out, ",\"thinking\":{\"type\":\"disabled\"}");
    else if (!p->must_call && (effort && !low && !samples ? llm_model_can_think(r->model)
                                                          : llm_model_thinks_unasked(r->model)))
        strbuf_adds(out, ",\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"}");
}

static void add_output_config(struct strbuf *out, const struct llm_params *p, const char *effort)
{
    bool schema = p->format == LLM_FORMAT_SCHEMA;
    if (!effort && !schema)
        return;
    strbuf_adds(out, ",\"output_config\":{");
    if (effort)
        llm_add_member(out, "effort", str_of(effort));
    strbuf_adds(out, effort && schema ? "," : "");
    if (schema)
        add_format(out, p);
    strbuf_addc(out, '}');
}

static void add_tool_choice(struct strbuf *out, const struct llm_request *r)
{
    const struct llm_params *p = &r->params;
    if (r->tools_n && r->no_calls) { /* the API refuses a conversation with calls but without tools */
        strbuf_adds(out, ",\"tool_choice\":{\"type\":\"none\"}");
    } else if (p->must_call && p->named_tool) {
        strbuf_adds(out, ",\"tool_choice\":{\"type\":\"tool\",");
        llm_add_member(out, "name", str_of(p->named_tool));
        strbuf_addc(out, '}');
    } else if (p->must_call) {
        strbuf_adds(out, ",\"tool_choice\":{\"type\":\"any\"}");
    }
}

/* Tools, system and messages stand in the order of the prompt (prompt caches). */
static void write_body(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out)
{
    (void)p;
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(r->model));
    strbuf_adds(out, ",\"stream\":true,\"max_tokens\":");
    strbuf_addint(out, r->max_tokens > 0 ? r->max_tokens : llm_model_answer_limit(r->model));
    llm_add_temperature(out, r, TEMPERATURE_MOST);
    if (!r->sets_temperature) /* the API refuses both */
        llm_add_top_p(out, r);
    llm_add_stops(out, "stop_sequences", r);
    const char *effort = r->effort ? llm_model_effort("anthropic", r->model, r->effort) : NULL;
    add_thinking(out, r, effort);
    add_output_config(out, &r->params, effort);
    add_tools(out, r);
    add_system(out, r);
    strbuf_adds(out, ",\"messages\":[");
    add_messages(out, r);
    strbuf_addc(out, ']');
    add_tool_choice(out, r);
    strbuf_addc(out, '}');
}

/* ---- the answer ---- */

static void read_usage(struct llm_reading *in, const json_t *usage)
{
    const json_t *details = json_object_get(usage, "output_tokens_details");
    if (json_is_integer(json_object_get(usage, "input_tokens")))
        in->tokens.in = llm_json_tokens(usage, "input_tokens", 0) +
                        llm_json_tokens(usage, "cache_creation_input_tokens", 0) +
                        llm_json_tokens(usage, "cache_read_input_tokens", 0);
    in->tokens.cached = llm_json_tokens(usage, "cache_read_input_tokens", in->tokens.cached);
    in->tokens.out = llm_json_tokens(usage, "output_tokens", in->tokens.out);
    in->tokens.reasoning = llm_json_tokens(details, "thinking_tokens", in->tokens.reasoning);
}

static void read_stop(struct llm_reading *in, struct str reason)
{
    if (reason.len == 0)
        return;
    static const struct {
        const char *reason;
        enum llm_stop stop;
    } table[] = {{"max_tokens", LLM_STOP_LENGTH}, {"model_context_window_exceeded", LLM_STOP_WINDOW},
        {"refusal", LLM_STOP_REFUSED}, {"pause_turn", LLM_STOP_PAUSED}};
    in->finished = true;
    in->stop = LLM_STOP_DONE;
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_is(reason, table[i].reason))
            in->stop = table[i].stop;
}

/* Of a complete block: a web search, or the sources of a text, which become links behind it. */
static void read_complete(struct llm_reading *in, int64_t index)
{
    AUTO(json_t) block = llm_blocks_whole(&in->blocks, index);
    struct str type = llm_json_str(block, "type");
    if (str_is(type, "server_tool_use"))
        llm_emit_search(in->call, llm_json_str(json_object_get(block, "input"), "query"));
    AUTO_STRBUF sources;
    strbuf_init(&sources, LLM_SOURCES_BYTES_MAX);
    if (str_is(type, "text"))
        llm_add_sources(&sources, json_object_get(block, "citations"), llm_json_str(block, "text"));
    llm_emit_text(in->call, LLM_TEXT, strbuf_str(&sources));
}

/* Reads a block's start, or a whole block. */
static enum rc read_block(struct llm_reading *in, int64_t index, const json_t *block, struct err *e)
{
    struct str type = llm_json_str(block, "type");
    struct str text = llm_json_str(block, "text"), thinking = llm_json_str(block, "thinking");
    llm_blocks_start(&in->blocks, index, block);
    if (thinking.len)
        llm_emit_text(in->call, LLM_REASONING, thinking);
    if (text.len)
        llm_emit_text(in->call, LLM_TEXT, text);
    if (in->whole)
        read_complete(in, index);
    if (!str_is(type, "tool_use"))
        return RC_OK;
    struct llm_part *part = llm_calls_at(&in->calls, index, llm_json_str(block, "id"), true);
    if (!part)
        return err_say(e, RC_TOO_BIG, "provider.too_many_calls", arg_text("provider", in->call->p->s.name));
    llm_calls_name(part, llm_json_str(block, "name"));
    const json_t *input = json_object_get(block, "input");
    /* In a stream the start has an empty object here, and the content follows in pieces. */
    if (in->whole || json_object_size(input) > 0) {
        AUTO_FREE char *args = json_dumps(input, JSON_COMPACT);
        strbuf_adds(&part->args, args ? args : "");
    }
    return RC_OK;
}

static void read_delta(struct llm_reading *in, int64_t index, const json_t *delta)
{
    struct str type = llm_json_str(delta, "type");
    if (str_is(type, "text_delta")) {
        llm_emit_text(in->call, LLM_TEXT, llm_json_str(delta, "text"));
        llm_blocks_text(&in->blocks, index, "text", llm_json_str(delta, "text"));
    } else if (str_is(type, "thinking_delta")) {
        llm_emit_text(in->call, LLM_REASONING, llm_json_str(delta, "thinking"));
        llm_blocks_text(&in->blocks, index, "thinking", llm_json_str(delta, "thinking"));
    } else if (str_is(type, "signature_delta")) {
        llm_blocks_signature(&in->blocks, index, llm_json_str(delta, "signature"));
    } else if (str_is(type, "citations_delta")) {
        llm_blocks_citation(&in->blocks, index, json_object_get(delta, "citation"));
    } else if (str_is(type, "input_json_delta")) {
        llm_blocks_text(&in->blocks, index, "input", llm_json_str(delta, "partial_json"));
        for (size_t i = 0; i < in->calls.n; i++) /* a server's own tools have deltas too, but no part here */
            if (in->calls.list[i].index == index)
                strbuf_addstr(&in->calls.list[i].args, llm_json_str(delta, "partial_json"));
    }
}

static enum rc read_whole(struct llm_reading *in, const json_t *obj, struct err *e)
{
    const json_t *content = json_object_get(obj, "content");
    size_t i;
    json_t *block;
    if (!json_is_array(content))
        return llm_nonsense(in->call->p, e);
    json_array_foreach(content, i, block)
    {
        enum rc rc = read_block(in, (int64_t)i, block, e);
        if (rc)
            return rc;
    }
    read_usage(in, json_object_get(obj, "usage"));
    read_stop(in, llm_json_str(obj, "stop_reason"));
    in->finished = true;
    return RC_OK;
}

static enum rc read_event(struct llm_reading *in, const json_t *obj, struct err *e)
{
    struct str type = llm_json_str(obj, "type");
    int64_t index = llm_json_int(obj, "index", 0);
    if (str_is(type, "error") || json_is_object(json_object_get(obj, "error")))
        return llm_stream_error(in, obj, e);
    if (in->whole)
        return read_whole(in, obj, e);
    if (str_is(type, "message_start"))
        read_usage(in, json_object_get(json_object_get(obj, "message"), "usage"));
    else if (str_is(type, "content_block_start"))
        return read_block(in, index, json_object_get(obj, "content_block"), e);
    else if (str_is(type, "content_block_delta"))
        read_delta(in, index, json_object_get(obj, "delta"));
    else if (str_is(type, "content_block_stop"))
        read_complete(in, index);
    else if (str_is(type, "message_delta")) {
        read_usage(in, json_object_get(obj, "usage"));
        read_stop(in, llm_json_str(json_object_get(obj, "delta"), "stop_reason"));
    } else if (str_is(type, "message_stop"))
        in->over = true;
    return RC_OK; /* ping, and future events */
}

static const struct llm_wire wire = {
    .path = "/v1/messages",
    .write_body = write_body,
    .read = read_event,
};

static enum rc start(
    struct llm_provider *p, const struct llm_request *r, struct llm_call *call, struct err *e)
{
    (void)p;
    return llm_transport_start(&wire, r, call, e);
}

const struct llm_ops llm_anthropic_ops = {"anthropic", start, llm_transport_cancel};

/*
 * The responses API of OpenAI (https://platform.openai.com/docs/api-reference/responses), for models that
 * refuse tools with reasoning in chat completions. Nothing is stored at the provider (store: false).
 *
 * The API demands the reasoning of an answer that calls tools back with its calls. LLM_OPAQUE of such an
 * answer is the list of its items in their order: reasoning with its encrypted content, messages, and the ids
 * of the calls. The calls themselves are written from the neutral message.
 */
#include <stdlib.h>

#include "codec/json/json.h"
#include "llm/internal.h"
#include "llm/models.h"

#define TEMPERATURE_MOST 200 /* hundredths; the API refuses a higher one */
#define MAX_TOKENS_MIN   16  /* the API refuses less */

/* ---- the request ---- */

/* A list whose entries begin with add_item(). */
struct items {
    struct strbuf *out;
    bool any;
};

static void add_item(struct items *to, const char *type)
{
    strbuf_adds(to->out, to->any ? ",{" : "{");
    to->any = true;
    llm_add_member(to->out, "type", str_of(type));
}

static void add_next(struct strbuf *out, const char *key, struct str value)
{
    strbuf_addc(out, ',');
    llm_add_member(out, key, value);
}

/* A message is a list of parts only with pictures. */
static void add_parts(struct strbuf *out, const struct llm_message *m, struct str text)
{
    strbuf_adds(out, ",\"content\":[");
    for (size_t i = 0; i < m->pictures_n; i++) {
        strbuf_adds(out,
            i ? ",{\"type\":\"input_image\",\"image_url\":" : "{\"type\":\"input_image\",\"image_url\":");
        llm_add_data_url(out, &m->pictures[i]);
        strbuf_adds(out, ",\"detail\":\"auto\"}"); /* required by the API's types */
    }
    if (text.len) {
        strbuf_adds(out, ",{\"type\":\"input_text\"");
        add_next(out, "text", text);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static void add_text(struct items *to, const char *role, const struct llm_message *m)
{
    AUTO_STRBUF both;
    if (str_trim(m->text).len == 0 && str_trim(m->aside).len == 0 && !m->pictures_n)
        return;
    strbuf_init(&both, LLM_BODY_MAX);
    strbuf_addstr(&both, m->text);
    strbuf_adds(&both, m->text.len && m->aside.len ? "\n\n" : "");
    strbuf_addstr(&both, m->aside);
    to->out->failed |= both.failed;
    add_item(to, "message");
    add_next(to->out, "role", str_of(role));
    if (m->pictures_n)
        add_parts(to->out, m, strbuf_str(&both));
    else
        add_next(to->out, "content", strbuf_str(&both));
    strbuf_addc(to->out, '}');
}

static void add_call(struct items *to, const struct llm_tool_call *call)
{
    add_item(to, "function_call");
    add_next(to->out, "call_id", str_of(call->id));
    add_next(to->out, "name", str_of(call->name));
    add_next(to->out, "arguments", str_of(llm_sendable_args(call->args)));
    strbuf_addc(to->out, '}');
}

static void add_result(struct items *to, const struct llm_message *m)
{
    add_item(to, "function_call_output");
    add_next(to->out, "call_id", str_of(m->call_id ? m->call_id : ""));
    add_next(to->out, "output", m->text);
    strbuf_addc(to->out, '}');
}

static const struct llm_tool_call *call_of(const struct llm_message *m, const json_t *item)
{
    if (!str_is(llm_json_str(item, "type"), "function_call"))
        return NULL;
    for (size_t i = 0; i < m->calls_n; i++)
        if (str_is(llm_json_str(item, "call_id"), m->calls[i].id))
            return &m->calls[i];
    return NULL;
}

static bool is_reasoning(const json_t *item)
{
    return str_is(llm_json_str(item, "type"), "reasoning");
}

static bool is_sent_whole(const json_t *item)
{
    struct str type = llm_json_str(item, "type");
    return str_is(type, "message") || str_is(type, "web_search_call");
}

/* The API refuses reasoning without the item that followed it. A call over Alfred's limits is not sent. */
static bool is_followed(const json_t *items, size_t i, const struct llm_message *m)
{
    const json_t *next = json_array_get(items, i + 1);
    while (next && is_reasoning(next))
        next = json_array_get(items, ++i + 1);
    return next && (call_of(m, next) || is_sent_whole(next));
}

static bool has_all_calls(const json_t *items, const struct llm_message *m)
{
    size_t found = 0, i;
    json_t *item;
    json_array_foreach(items, i, item)
    {
        found += call_of(m, item) != NULL;
    }
    return found == m->calls_n;
}

/* Adds the answer as its kept items; false: they do not belong to this protocol or to these calls. */
static bool add_kept(struct items *to, const struct llm_message *m)
{
    AUTO(json_t) items = NULL;
    size_t i;
    json_t *item;
    if (json_parse_within(m->opaque, LLM_BODY_MAX, LLM_PART_LIMITS, &items, NULL) != RC_OK ||
        !json_is_array(items) || !has_all_calls(items, m))
        return false;
    json_array_foreach(items, i, item)
    {
        const struct llm_tool_call *call = call_of(m, item);
        bool whole = is_reasoning(item) ? is_followed(items, i, m) : is_sent_whole(item);
        AUTO_FREE char *text = whole ? json_dumps(item, JSON_COMPACT) : NULL;
        if (call)
            add_call(to, call);
        if (!text)
            continue;
        strbuf_adds(to->out, to->any ? "," : "");
        strbuf_adds(to->out, text);
        to->any = true;
    }
    return true;
}

static void add_input(struct strbuf *out, const struct llm_request *r)
{
    struct items to = {.out = out};
    strbuf_adds(out, ",\"input\":[");
    for (size_t i = 0; i < r->messages_n; i++) {
        const struct llm_message *m = &r->messages[i];
        if (m->role == LLM_SYSTEM)
            continue;
        if (m->role == LLM_TOOL)
            add_result(&to, m);
        else if (m->role == LLM_USER)
            add_text(&to, "user", m);
        if (m->role != LLM_ASSISTANT || (m->opaque.len && add_kept(&to, m)))
            continue;
        add_text(&to, "assistant", m);
        for (size_t k = 0; k < m->calls_n; k++)
            add_call(&to, &m->calls[k]);
    }
    strbuf_addc(out, ']');
}

static void add_instructions(struct strbuf *out, const struct llm_request *r)
{
    AUTO_STRBUF all;
    strbuf_init(&all, LLM_BODY_MAX);
    for (size_t i = 0; i < r->messages_n; i++) {
        if (r->messages[i].role != LLM_SYSTEM)
            continue;
        strbuf_adds(&all, all.len ? "\n\n" : "");
        strbuf_addstr(&all, r->messages[i].text);
    }
    out->failed |= all.failed;
    if (all.len)
        add_next(out, "instructions", strbuf_str(&all));
}

/* strict is true unless it is set, and refuses schemas with optional members. */
static void add_tools(struct strbuf *out, const struct llm_request *r)
{
    struct items to = {.out = out};
    size_t n = r->no_calls ? 0 : r->tools_n;
    bool any = n || r->web_search;
    strbuf_adds(out, any ? ",\"tools\":[" : "");
    for (size_t i = 0; i < n; i++) {
        add_item(&to, "function");
        add_next(out, "name", str_of(r->tools[i].name));
        add_next(out, "description", str_of(r->tools[i].description));
        strbuf_adds(out, ",\"parameters\":");
        strbuf_adds(out, r->tools[i].schema);
        strbuf_adds(out, ",\"strict\":false}");
    }
    if (r->web_search) {
        add_item(&to, "web_search");
        strbuf_addc(out, '}');
    }
    strbuf_adds(out, any ? "]" : "");
}

static void add_tool_choice(struct strbuf *out, const struct llm_params *p)
{
    if (p->must_call && p->named_tool) {
        strbuf_adds(out, ",\"tool_choice\":{\"type\":\"function\"");
        add_next(out, "name", str_of(p->named_tool));
        strbuf_addc(out, '}');
    } else if (p->must_call) {
        add_next(out, "tool_choice", STR("required"));
    }
}

static void add_format(struct strbuf *out, const struct llm_params *p)
{
    if (p->format == LLM_FORMAT_TEXT)
        return;
    strbuf_adds(out, ",\"text\":{\"format\":{");
    llm_add_member(out, "type", p->format == LLM_FORMAT_JSON ? STR("json_object") : STR("json_schema"));
    if (p->format == LLM_FORMAT_SCHEMA) {
        strbuf_addc(out, ',');
        llm_add_schema(out, p);
    }
    strbuf_adds(out, "}}");
}

/* Tools, instructions and input stand in the order of the prompt (prompt caches). */
static void write_body(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out)
{
    (void)p;
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(r->model));
    strbuf_adds(out, r->form.whole ? ",\"stream\":false" : ",\"stream\":true");
    strbuf_adds(out, ",\"store\":false");
    if (r->reasons)
        strbuf_adds(out, ",\"include\":[\"reasoning.encrypted_content\"]");
    add_tools(out, r);
    add_instructions(out, r);
    add_input(out, r);
    if (r->effort) {
        strbuf_adds(out, ",\"reasoning\":{");
        llm_add_member(out, "effort", str_of(llm_model_effort("openai", r->model, r->effort)));
        strbuf_addc(out, '}');
    }
    llm_add_temperature(out, r, TEMPERATURE_MOST);
    llm_add_top_p(out, r);
    add_tool_choice(out, &r->params);
    add_format(out, &r->params);
    if (r->max_tokens > 0) {
        strbuf_adds(out, ",\"max_output_tokens\":");
        strbuf_addint(out, r->max_tokens < MAX_TOKENS_MIN ? MAX_TOKENS_MIN : r->max_tokens);
    }
    strbuf_addc(out, '}');
}

/* ---- the answer ---- */

static void emit_text(struct llm_reading *in, struct str text)
{
    if (text.len)
        llm_think_text(&in->think, in->call, text);
}

static void emit_refusal(struct llm_reading *in, struct str text)
{
    llm_emit_text(in->call, LLM_TEXT, text);
    in->stop = LLM_STOP_REFUSED;
}

static enum rc call_at(
    struct llm_reading *in, int64_t index, const json_t *item, struct llm_part **out, struct err *e)
{
    *out = llm_calls_at(&in->calls, index, llm_json_str(item, "call_id"), true);
    if (!*out)
        return err_say(e, RC_TOO_BIG, "provider.too_many_calls", arg_text("provider", in->call->p->s.name));
    llm_calls_name(*out, llm_json_str(item, "name"));
    return RC_OK;
}

/* The complete arguments replace their pieces. */
static void set_args(struct llm_part *part, struct str args)
{
    if (args.len == 0)
        return;
    strbuf_clear(&part->args);
    strbuf_addstr(&part->args, args);
}

static struct str text_of(const json_t *message, struct strbuf *all)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(message, "content"), i, part)
    {
        strbuf_addstr(all, llm_json_str(part, "text"));
    }
    return strbuf_str(all);
}

/* The form in which the item goes back; NULL: not at all. */
static json_t *sendable(const json_t *item)
{
    struct str type = llm_json_str(item, "type");
    if (str_is(type, "function_call"))
        return json_pack("{ss sO*}", "type", "function_call", "call_id", json_object_get(item, "call_id"));
    if (str_is(type, "reasoning") && llm_json_str(item, "encrypted_content").len)
        return json_pack("{ss sO sO sO}", "type", "reasoning", "id", json_object_get(item, "id"), "summary",
            json_object_get(item, "summary"), "encrypted_content",
            json_object_get(item, "encrypted_content"));
    if (str_is(type, "web_search_call"))
        return json_pack("{ss sO sO sO}", "type", "web_search_call", "id", json_object_get(item, "id"),
            "status", json_object_get(item, "status"), "action", json_object_get(item, "action"));
    if (!str_is(type, "message"))
        return NULL;
    AUTO_STRBUF all;
    strbuf_init(&all, LLM_LINE_MAX);
    struct str text = text_of(item, &all);
    if (str_trim(text).len == 0)
        return NULL;
    return json_pack("{ss ss ss% sO*}", "type", "message", "role", "assistant", "content", text.s, text.len,
        "phase", json_object_get(item, "phase"));
}

static void keep(struct llm_reading *in, int64_t index, const json_t *item)
{
    AUTO(json_t) kept = sendable(item);
    if (kept)
        llm_blocks_start(&in->blocks, index, kept);
}

/* A search has a query, or several; a page that the model opens or searches has an address. */
static void emit_search(struct llm_reading *in, const json_t *action)
{
    struct str query = llm_json_str(action, "query");
    const json_t *first = json_array_get(json_object_get(action, "queries"), 0);
    if (query.len == 0 && json_is_string(first))
        query = (struct str){json_string_value(first), json_string_length(first)};
    llm_emit_search(in->call, query.len ? query : llm_json_str(action, "url"));
}

/* Most texts name their sources in links already. */
static void emit_sources(struct llm_reading *in, const json_t *message)
{
    size_t i;
    json_t *part;
    AUTO_STRBUF sources;
    strbuf_init(&sources, LLM_SOURCES_BYTES_MAX);
    json_array_foreach(json_object_get(message, "content"), i, part)
    {
        llm_add_sources(&sources, json_object_get(part, "annotations"), llm_json_str(part, "text"));
    }
    emit_text(in, strbuf_str(&sources));
}

static enum rc item_done(struct llm_reading *in, int64_t index, const json_t *item, struct err *e)
{
    struct str type = llm_json_str(item, "type");
    keep(in, index, item);
    if (str_is(type, "web_search_call"))
        emit_search(in, json_object_get(item, "action"));
    else if (str_is(type, "message"))
        emit_sources(in, item);
    if (!str_is(type, "function_call"))
        return RC_OK;
    struct llm_part *part;
    enum rc rc = call_at(in, index, item, &part, e);
    if (rc == RC_OK)
        set_args(part, llm_json_str(item, "arguments"));
    return rc;
}

/* Reasoning that is not followed by calls is of no use for the next request. */
static void forget_useless(struct llm_reading *in)
{
    bool reasons = false;
    for (size_t i = 0; i < in->blocks.n; i++)
        reasons |= is_reasoning(in->blocks.list[i].start);
    if (!reasons || in->calls.n == 0)
        llm_blocks_release(&in->blocks);
}

/* The last event of a stream has the response with its usage. */
static enum rc read_end(struct llm_reading *in, const json_t *response, struct err *e)
{
    struct str status = llm_json_str(response, "status");
    const json_t *error = json_object_get(response, "error");
    if (str_is(status, "failed") || json_is_object(error))
        return llm_stream_error(in, response, e);
    const json_t *usage = json_object_get(response, "usage");
    const json_t *in_details = json_object_get(usage, "input_tokens_details");
    const json_t *out_details = json_object_get(usage, "output_tokens_details");
    struct llm_tokens *n = &in->tokens;
    n->in = llm_json_tokens(usage, "input_tokens", n->in);
    n->out = llm_json_tokens(usage, "output_tokens", n->out);
    n->cached = llm_json_tokens(in_details, "cached_tokens", n->cached);
    n->reasoning = llm_json_tokens(out_details, "reasoning_tokens", n->reasoning);
    if (str_is(status, "incomplete")) {
        struct str why = llm_json_str(json_object_get(response, "incomplete_details"), "reason");
        in->stop = str_is(why, "content_filter") ? LLM_STOP_FILTERED : LLM_STOP_LENGTH;
    }
    forget_useless(in);
    in->finished = in->over = true;
    return RC_OK;
}

static void emit_item(struct llm_reading *in, const json_t *item)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(item, "summary"), i, part)
    {
        llm_emit_text(in->call, LLM_REASONING, llm_json_str(part, "text"));
    }
    json_array_foreach(json_object_get(item, "content"), i, part)
    {
        struct str refusal = llm_json_str(part, "refusal");
        if (is_reasoning(item))
            llm_emit_text(in->call, LLM_REASONING, llm_json_str(part, "text"));
        else if (refusal.len)
            emit_refusal(in, refusal);
        else
            emit_text(in, llm_json_str(part, "text"));
    }
}

/* An answer without a stream is the response alone. */
static enum rc read_whole(struct llm_reading *in, const json_t *response, struct err *e)
{
    enum rc rc = RC_OK;
    size_t i;
    json_t *item;
    const json_t *output = json_object_get(response, "output"), *error = json_object_get(response, "error");
    const struct llm_refusal refusal = {.model = in->model, .answer = response};
    if (json_is_string(error))
        return llm_lacks_responses(in->call->p, &refusal, &in->verdict, e)
                   ? RC_BAD_INPUT
                   : llm_stream_error(in, response, e);
    if (!json_is_array(output) && !json_is_object(error))
        return llm_nonsense(in->call->p, e);
    json_array_foreach(output, i, item)
    {
        emit_item(in, item);
        if (rc == RC_OK)
            rc = item_done(in, (int64_t)i, item, e);
    }
    return rc == RC_OK ? read_end(in, response, e) : rc;
}

static bool is_call_event(struct str type)
{
    return str_is(type, "response.function_call_arguments.delta") ||
           str_is(type, "response.function_call_arguments.done");
}

static enum rc read_args(struct llm_reading *in, int64_t index, const json_t *obj, struct err *e)
{
    struct llm_part *part;
    struct str delta = llm_json_str(obj, "delta");
    enum rc rc = call_at(in, index, NULL, &part, e);
    if (rc == RC_OK && delta.len)
        strbuf_addstr(&part->args, delta);
    else if (rc == RC_OK)
        set_args(part, llm_json_str(obj, "arguments"));
    return rc;
}

static enum rc read_event(struct llm_reading *in, const json_t *obj, struct err *e)
{
    struct str type = llm_json_str(obj, "type"), delta = llm_json_str(obj, "delta");
    const json_t *item = json_object_get(obj, "item");
    int64_t index = llm_json_int(obj, "output_index", 0);
    if (in->whole && type.len == 0)
        return read_whole(in, obj, e);
    if (str_is(type, "error") || json_is_object(json_object_get(obj, "error")))
        return llm_stream_error(in, obj, e);
    if (str_is(type, "response.output_text.delta"))
        emit_text(in, delta);
    else if (str_is(type, "response.refusal.delta"))
        emit_refusal(in, delta);
    else if (str_is(type, "response.reasoning_summary_text.delta") ||
             str_is(type, "response.reasoning_text.delta"))
        llm_emit_text(in->call, LLM_REASONING, delta);
    else if (str_is(type, "response.reasoning_summary_part.added") &&
             llm_json_int(obj, "summary_index", 0) > 0)
        llm_emit_text(in->call, LLM_REASONING, STR("\n\n"));
    else if (is_call_event(type))
        return read_args(in, index, obj, e);
    else if (str_is(type, "response.output_item.done"))
        return item_done(in, index, item, e);
    else if (str_is(type, "response.output_item.added") &&
             str_is(llm_json_str(item, "type"), "function_call"))
        return call_at(in, index, item, &(struct llm_part *){NULL}, e);
    else if (str_is(type, "response.completed") || str_is(type, "response.incomplete") ||
             str_is(type, "response.failed"))
        return read_end(in, json_object_get(obj, "response"), e);
    return RC_OK;
}

const struct llm_wire llm_responses_wire = {
    .path = "/responses",
    .write_body = write_body,
    .read = read_event,
};

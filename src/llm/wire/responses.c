/* Answers of the responses API: the events of a stream, or the whole response. */
#include "codec/json/json.h"
#include "llm/wire/responses_private.h"

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
        reasons |= responses_is_reasoning(in->blocks.list[i].start);
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
        if (responses_is_reasoning(item))
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
    .write_body = responses_write_body,
    .read = read_event,
};

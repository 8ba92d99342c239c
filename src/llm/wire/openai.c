/*
 * The chat completions API of OpenAI and of compatible servers
 * (https://platform.openai.com/docs/api-reference/chat). Compatible servers differ in small ways that are
 * accepted here: reasoning under two names or as a part of the content, content as a list of parts, tool
 * calls without an index or with their arguments as an object, and a plain message in place of a stream.
 */
#include <stdlib.h>

#include "codec/json/json.h"
#include "llm/internal.h"
#include "llm/models.h"

#define TEMPERATURE_MOST 200 /* hundredths; the API refuses a higher one */

/* In place of reasoning that is not known. An empty one counts as missing. */
#define NO_REASONING "."
/* Gemini's signature of a call that another model made. */
#define NO_SIGNATURE "{\"google\":{\"thought_signature\":\"skip_thought_signature_validator\"}}"

#define WEB_SEARCH "{\"type\":\"openrouter:web_search\"}"

static const char *const kept_keys[] = {
    "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks"};

/* ---- the request ---- */

/* A member of the data that is sent back with an answer (kept.c). */
static void add_kept(struct strbuf *out, const char *key, const json_t *value)
{
    AUTO_FREE char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    if (text)
        strbuf_addf(out, ",\"%s\":", key);
    strbuf_adds(out, text ? text : "");
}

/* The first of parallel calls has the signature. */
static void add_calls(struct strbuf *out, const struct llm_message *m, const json_t *extras, bool signs)
{
    strbuf_adds(out, ",\"tool_calls\":[");
    for (size_t i = 0; i < m->calls_n; i++) {
        strbuf_adds(out, i ? ",{" : "{");
        llm_add_member(out, "id", str_of(m->calls[i].id));
        strbuf_adds(out, ",\"type\":\"function\",\"function\":{");
        llm_add_member(out, "name", str_of(m->calls[i].name));
        strbuf_addc(out, ',');
        llm_add_member(out, "arguments", str_of(llm_sendable_args(m->calls[i].args)));
        strbuf_addc(out, '}');
        add_kept(out, "extra_content", json_object_get(extras, m->calls[i].id));
        if (signs && !extras && i == 0)
            strbuf_adds(out, ",\"extra_content\":" NO_SIGNATURE);
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static void add_picture(struct strbuf *out, const struct llm_picture *p)
{
    strbuf_adds(out, "{\"type\":\"image_url\",\"image_url\":{\"url\":");
    llm_add_data_url(out, p);
    strbuf_adds(out, "}}");
}

/* Servers differ in whether they take a list of parts, so text and aside are one string, and a message is a
 * list only with pictures. A message with calls and no text has null, as in OpenAI's own answers: servers
 * that pass it on to Bedrock refuse an empty text. LM Studio and MiMo refuse null. */
static void add_content(struct strbuf *out, const struct llm_message *m, bool no_null)
{
    AUTO_STRBUF both;
    strbuf_init(&both, LLM_BODY_MAX);
    strbuf_addstr(&both, m->text);
    strbuf_adds(&both, m->text.len && m->aside.len ? "\n\n" : "");
    strbuf_addstr(&both, m->aside);
    out->failed |= both.failed;
    if (!m->pictures_n && m->calls_n && !both.len && !no_null) {
        strbuf_adds(out, "\"content\":null");
        return;
    }
    if (!m->pictures_n) {
        llm_add_member(out, "content", strbuf_str(&both));
        return;
    }
    strbuf_adds(out, "\"content\":[");
    for (size_t i = 0; i < m->pictures_n; i++) {
        strbuf_adds(out, i ? "," : "");
        add_picture(out, &m->pictures[i]);
    }
    if (both.len) {
        strbuf_adds(out, ",{\"type\":\"text\",");
        llm_add_member(out, "text", strbuf_str(&both));
        strbuf_addc(out, '}');
    }
    strbuf_addc(out, ']');
}

static bool has_reasoning(const json_t *kept)
{
    for (size_t i = 0; i < ARRAY_LEN(kept_keys); i++)
        if (json_object_get(kept, kept_keys[i]))
            return true;
    return false;
}

static void add_message(struct strbuf *out, const struct llm_provider *p, const struct llm_request *r,
    const struct llm_message *m)
{
    static const char *const roles[] = {
        [LLM_SYSTEM] = "system", [LLM_USER] = "user", [LLM_ASSISTANT] = "assistant", [LLM_TOOL] = "tool"};
    strbuf_addc(out, '{');
    llm_add_member(out, "role", str_of(roles[m->role]));
    strbuf_addc(out, ',');
    add_content(out, m, r->form.no_null);
    AUTO(json_t) kept = NULL;
    if (m->opaque.len)
        (void)json_parse_within(
            m->opaque, LLM_BODY_MAX, LLM_PART_LIMITS, &kept, NULL); /* without it nothing is */
    for (size_t i = 0; i < ARRAY_LEN(kept_keys); i++)
        add_kept(out, kept_keys[i], json_object_get(kept, kept_keys[i]));
    if (r->sends_reasoning && m->role == LLM_ASSISTANT && !has_reasoning(kept))
        strbuf_adds(out, ",\"reasoning_content\":\"" NO_REASONING "\"");
    if (m->calls_n)
        add_calls(out, m, json_object_get(kept, "extra_content"),
            llm_service_of(p->s.base_url) == LLM_SERVICE_GEMINI);
    if (m->role == LLM_TOOL && m->call_id) {
        strbuf_addc(out, ',');
        llm_add_member(out, "tool_call_id", str_of(m->call_id));
    }
    bool prefix = r->prefill == LLM_PREFILL_PREFIX && m == &r->messages[r->messages_n - 1];
    strbuf_adds(out, prefix ? ",\"prefix\":true}" : "}");
}

static void add_tool(struct strbuf *out, const struct llm_tool *t)
{
    strbuf_adds(out, "{\"type\":\"function\",\"function\":{");
    llm_add_member(out, "name", str_of(t->name));
    strbuf_addc(out, ',');
    llm_add_member(out, "description", str_of(t->description));
    strbuf_adds(out, ",\"parameters\":");
    strbuf_adds(out, t->schema);
    strbuf_adds(out, "}}");
}

/* Before the messages, as models read them: they are the beginning of every request (prompt caches). Earlier
 * calls do not need the tools. */
static void add_tools(struct strbuf *out, const struct llm_request *r)
{
    size_t n = r->no_calls ? 0 : r->tools_n;
    for (size_t i = 0; i < n; i++) {
        strbuf_adds(out, i ? "," : ",\"tools\":[");
        add_tool(out, &r->tools[i]);
    }
    if (r->web_search)
        strbuf_adds(out, n ? "," WEB_SEARCH : ",\"tools\":[" WEB_SEARCH);
    if (n || r->web_search)
        strbuf_addc(out, ']');
}

static void add_tool_choice(struct strbuf *out, const struct llm_params *p)
{
    if (p->must_call && p->named_tool) {
        strbuf_adds(out, ",\"tool_choice\":{\"type\":\"function\",\"function\":{");
        llm_add_member(out, "name", str_of(p->named_tool));
        strbuf_adds(out, "}}");
    } else if (p->must_call) {
        strbuf_adds(out, ",\"tool_choice\":\"required\"");
    }
}

static void add_format(struct strbuf *out, const struct llm_params *p)
{
    if (p->format == LLM_FORMAT_JSON)
        strbuf_adds(out, ",\"response_format\":{\"type\":\"json_object\"}");
    if (p->format != LLM_FORMAT_SCHEMA)
        return;
    strbuf_adds(out, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{");
    llm_add_schema(out, p);
    strbuf_adds(out, "}}");
}

static void write_body(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out)
{
    const enum llm_service service = llm_service_of(p->s.base_url);
    strbuf_addc(out, '{');
    llm_add_member(out, "model", str_of(r->model));
    strbuf_adds(out, r->form.whole ? ",\"stream\":false" : ",\"stream\":true");
    if (service != LLM_SERVICE_MISTRAL && !r->form.whole && !r->form.no_usage)
        strbuf_adds(out, ",\"stream_options\":{\"include_usage\":true}");
    if (r->progress) /* other servers may refuse it */
        strbuf_adds(out, ",\"return_progress\":true");
    add_tools(out, r);
    strbuf_adds(out, ",\"messages\":[");
    for (size_t i = 0; i < r->messages_n; i++) {
        if (i)
            strbuf_addc(out, ',');
        add_message(out, p, r, &r->messages[i]);
    }
    strbuf_addc(out, ']');
    if (r->prefill == LLM_PREFILL_MEMBERS)
        strbuf_adds(out, ",\"continue_final_message\":true,\"add_generation_prompt\":false");
    if (r->effort) {
        strbuf_addc(out, ',');
        llm_add_member(out, "reasoning_effort", str_of(llm_model_effort("openai", r->model, r->effort)));
    }
    llm_add_temperature(out, r, TEMPERATURE_MOST);
    llm_add_top_p(out, r);
    llm_add_stops(out, "stop", r);
    add_tool_choice(out, &r->params);
    add_format(out, &r->params);
    if (r->max_tokens > 0) {
        bool newer = service == LLM_SERVICE_OPENAI || service == LLM_SERVICE_AZURE ||
                     llm_model_takes_completion_limit(r->model);
        strbuf_adds(out, newer != r->form.other_limit ? ",\"max_completion_tokens\":" : ",\"max_tokens\":");
        strbuf_addint(out, r->max_tokens);
    }
    strbuf_addc(out, '}');
}

/* ---- the answer ---- */

static void emit_part(struct llm_reading *in, enum llm_event_kind kind, struct str text)
{
    if (text.len && kind == LLM_TEXT && in->searches)
        strbuf_addstr(&in->said, text);
    if (text.len && kind == LLM_TEXT)
        llm_think_text(&in->think, in->call, text);
    else if (text.len)
        llm_emit_text(in->call, kind, text);
}

/* Emits a string, the text of a part, or the texts in a list of parts. */
static void emit_texts(struct llm_reading *in, enum llm_event_kind kind, const json_t *content)
{
    if (json_is_string(content))
        emit_part(in, kind, (struct str){json_string_value(content), json_string_length(content)});
    emit_part(in, kind, llm_json_str(content, "text"));
    size_t i;
    json_t *part;
    json_array_foreach(content, i, part)
    {
        emit_part(in, kind, llm_json_str(part, "text"));
    }
}

/* Reasoning can be a part of the content. Mistral:
 * {"type":"thinking","thinking":[{"type":"text","text":...}]}; Databricks:
 * {"type":"reasoning","summary":[{"type":"summary_text","text":...}]}. */
static void emit_content(struct llm_reading *in, const json_t *content)
{
    size_t i;
    json_t *part;
    if (!json_is_array(content)) {
        emit_texts(in, LLM_TEXT, content);
        return;
    }
    json_array_foreach(content, i, part)
    {
        bool reasons = str_is(llm_json_str(part, "type"), "reasoning");
        emit_texts(in, LLM_REASONING, json_object_get(part, "thinking"));
        emit_texts(in, LLM_REASONING, json_object_get(part, "summary"));
        emit_part(in, reasons ? LLM_REASONING : LLM_TEXT, llm_json_str(part, "text"));
    }
}

static enum rc read_call(struct llm_reading *in, const json_t *call, size_t at, struct err *e)
{
    const json_t *function = json_object_get(call, "function");
    const json_t *args = json_object_get(function, "arguments");
    int64_t newest = in->calls.n ? in->calls.list[in->calls.n - 1].index : 0;
    int64_t index = llm_json_int(call, "index", in->whole ? (int64_t)at : newest);
    struct str name = llm_json_str(function, "name");
    AUTO_FREE char *object = json_is_object(args) ? json_dumps(args, JSON_COMPACT) : NULL;
    struct str text = object ? str_of(object) : llm_json_str(function, "arguments");
    struct str id = llm_json_str(call, "id");
    struct llm_part *part = llm_calls_at(&in->calls, index, id, name.len > 0);
    if (part)
        part = llm_calls_next(&in->calls, part, id, name, text);
    if (!part)
        return err_say(e, RC_TOO_BIG, "provider.too_many_calls", arg_text("provider", in->call->p->s.name));
    llm_calls_name(part, name);
    if (!part->extra && json_is_object(json_object_get(call, "extra_content")))
        part->extra = json_deep_copy(json_object_get(call, "extra_content"));
    strbuf_addstr(&part->args, text);
    return RC_OK;
}

/* The reasons of servers for an answer that is cut; all others end a complete one. "model_length" is
 * Mistral's, "sensitive" Z.ai's, the names in capitals are Gemini's, which come through gateways or as
 * "content_filter: RECITATION". */
static const struct {
    const char *reason; /* or its beginning */
    enum llm_stop stop;
} early_stops[] = {{"length", LLM_STOP_LENGTH}, {"max_tokens", LLM_STOP_LENGTH},
    {"model_length", LLM_STOP_WINDOW}, {"model_context_window_exceeded", LLM_STOP_WINDOW},
    {"content_filter", LLM_STOP_FILTERED}, {"sensitive", LLM_STOP_FILTERED}, {"SAFETY", LLM_STOP_FILTERED},
    {"RECITATION", LLM_STOP_FILTERED}, {"PROHIBITED_CONTENT", LLM_STOP_FILTERED},
    {"BLOCKLIST", LLM_STOP_FILTERED}, {"SPII", LLM_STOP_FILTERED}, {"refusal", LLM_STOP_REFUSED}};

/* A call of a tool that the server itself could not read: Gemini, also as "function_call_filter: NAME". */
static bool is_bad_call(struct str reason)
{
    static const char *const names[] = {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (memmem(reason.s, reason.len, names[i], strlen(names[i])))
            return true;
    return str_starts_nocase(reason, STR("function_call_filter"));
}

/* RC_UPSTREAM: the server reports its own failure: OpenRouter, vLLM, DeepSeek, Z.ai. */
static enum rc read_finish(struct llm_reading *in, struct str reason, struct err *e)
{
    static const char *const failures[] = {"error", "abort", "insufficient_system_resource", "network_error"};
    if (STR_IN_NOCASE(reason, failures) || is_bad_call(reason)) {
        in->verdict.retry = true;
        return err_say(e, RC_UPSTREAM, "provider.broke_off", arg_text("provider", in->call->p->s.name));
    }
    in->finished = true;
    if (in->stop != LLM_STOP_REFUSED)
        in->stop = LLM_STOP_DONE; /* "tool_calls" is visible in the calls themselves */
    for (size_t i = 0; i < ARRAY_LEN(early_stops); i++)
        if (str_starts_nocase(reason, str_of(early_stops[i].reason)))
            in->stop = early_stops[i].stop;
    return RC_OK;
}

/* The name of the member that has the reasoning. Some servers send both names, with one of them empty. */
static const char *reasoning_key(const json_t *m)
{
    const json_t *first = json_object_get(m, "reasoning_content");
    return json_string_length(first) || json_is_object(first) ? "reasoning_content" : "reasoning";
}

static enum rc read_message(struct llm_reading *in, const json_t *m, struct err *e)
{
    size_t i;
    json_t *call;
    struct str refusal = llm_json_str(m, "refusal");
    const char *key = reasoning_key(m);
    const json_t *reasoning = json_object_get(m, key);
    if (json_string_length(reasoning))
        llm_kept_reasoning(&in->kept, key, llm_json_str(m, key));
    llm_kept_details(&in->kept, json_object_get(m, "reasoning_details"));
    llm_kept_blocks(&in->kept, json_object_get(m, "thinking_blocks"));
    emit_texts(in, LLM_REASONING, reasoning);
    emit_content(in, json_object_get(m, "content"));
    llm_read_sources(in, json_object_get(m, "annotations"));
    if (refusal.len) {
        llm_emit_text(in->call, LLM_TEXT, refusal);
        in->stop = LLM_STOP_REFUSED;
    }
    json_array_foreach(json_object_get(m, "tool_calls"), i, call)
    {
        enum rc rc = read_call(in, call, i, e);
        if (rc)
            return rc;
    }
    return RC_OK;
}

/* Most providers count reasoning as output. xAI and Gemini add it to the total only. */
static int64_t reasoning_beside(const json_t *usage, const struct llm_tokens *n)
{
    int64_t total = llm_json_tokens(usage, "total_tokens", -1);
    return n->in >= 0 && n->out >= 0 && total == n->in + n->out + n->reasoning ? n->reasoning : 0;
}

/* Cached tokens have several names: OpenAI's and DeepSeek's, Kimi's, and llama.cpp's in `timings`. */
static void read_usage(struct llm_reading *in, const json_t *obj)
{
    struct llm_tokens *n = &in->tokens;
    const json_t *usage = json_object_get(obj, "usage");
    const json_t *in_details = json_object_get(usage, "prompt_tokens_details");
    const json_t *out_details = json_object_get(usage, "completion_tokens_details");
    n->cached = llm_json_tokens(json_object_get(obj, "timings"), "cache_n", n->cached);
    if (!json_is_object(usage))
        return;
    llm_read_searches(in, usage);
    n->in = llm_json_tokens(usage, "prompt_tokens", n->in);
    n->out = llm_json_tokens(usage, "completion_tokens", n->out);
    n->cached = llm_json_tokens(usage, "cached_tokens", n->cached);
    n->cached = llm_json_tokens(usage, "prompt_cache_hit_tokens", n->cached);
    n->cached = llm_json_tokens(in_details, "cached_tokens", n->cached);
    n->reasoning = llm_json_tokens(out_details, "reasoning_tokens", n->reasoning);
    if (json_object_get(usage, "completion_tokens"))
        n->out += reasoning_beside(usage, n);
}

/* llama.cpp: `processed` of `total` tokens, `cache` of them without work. */
static void read_progress(struct llm_reading *in, const json_t *progress)
{
    int64_t cached = llm_json_tokens(progress, "cache", 0);
    int64_t work = llm_json_tokens(progress, "total", 0) - cached;
    int64_t done = llm_json_tokens(progress, "processed", 0) - cached;
    if (work <= 0)
        return;
    int percent = (int)(done < 0 ? 0 : done > work ? 100 : done * 100 / work);
    if (percent <= in->percent)
        return;
    in->percent = percent;
    llm_emit_reading(in->call, percent);
}

/* The part of the answer that an object has; NULL: none. A message at the end of a stream, or beside its
 * deltas, repeats them (MiniMax, Perplexity). */
static const json_t *said_in(const struct llm_reading *in, const json_t *choice)
{
    const json_t *delta = json_object_get(choice, "delta"), *message = json_object_get(choice, "message");
    if (in->whole)
        return message ? message : delta;
    bool began = in->call->spoke || in->calls.n > 0;
    return delta || began ? delta : message;
}

/* The content of a delta that has no other effect; else NULL. */
static const json_t *only_text(
    const struct llm_reading *in, const json_t *obj, const json_t *choice, const json_t *delta)
{
    static const char *const more[] = {
        "reasoning_content", "reasoning", "reasoning_details", "thinking_blocks", "refusal", "tool_calls"};
    const json_t *content = json_object_get(delta, "content");
    for (size_t i = 0; i < ARRAY_LEN(more); i++) {
        const json_t *other = json_object_get(delta, more[i]);
        if (other && !json_is_null(other))
            return NULL;
    }
    bool alone = !in->searches && json_is_string(content) && !json_is_object(json_object_get(obj, "usage")) &&
                 !json_object_get(obj, "timings") && !json_object_get(obj, "prompt_progress") &&
                 llm_json_str(choice, "finish_reason").len == 0;
    return alone ? content : NULL;
}

/* True when a delta has a part of the answer. */
static bool says(const json_t *delta)
{
    static const char *const parts[] = {"content", "reasoning_content", "reasoning", "refusal", "tool_calls"};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        const json_t *part = json_object_get(delta, parts[i]);
        if (json_string_length(part) > 0 || json_array_size(part) > 0)
            return true;
    }
    return false;
}

static enum rc read_event(struct llm_reading *in, const json_t *obj, struct err *e)
{
    const json_t *error = json_object_get(obj, "error");
    if ((error && !json_is_null(error)) || str_is(llm_json_str(obj, "object"), "error"))
        return llm_stream_error(in, obj, e);

    read_usage(in, obj);
    read_progress(in, json_object_get(obj, "prompt_progress"));

    const json_t *choices = json_object_get(obj, "choices");
    const json_t *choice = json_array_get(choices, 0);
    if (!choice) { /* the usage comes without a choice, and so do the first pieces of some servers */
        return in->whole ? llm_unanswered(in, obj, e) : RC_OK;
    }
    if (json_is_object(json_object_get(choice, "error"))) /* OpenRouter */
        return llm_stream_error(in, choice, e);
    llm_read_results(in, obj);
    const json_t *message = said_in(in, choice);
    in->only = only_text(in, obj, choice, json_object_get(choice, "delta"));
    enum rc rc = read_message(in, message, e);
    struct str reason = llm_json_str(choice, "finish_reason");
    if (str_is(reason, "null"))
        reason = STR("");
    if (!rc && (reason.len || in->whole))
        rc = read_finish(in, reason, e);
    in->goes_on |= in->finished && says(message);
    return rc;
}

static const struct llm_wire wire = {
    .path = "/chat/completions",
    .write_body = write_body,
    .read = read_event,
};

static enum rc start(
    struct llm_provider *p, const struct llm_request *r, struct llm_call *call, struct err *e)
{
    (void)p;
    return llm_transport_start(r->responses ? &llm_responses_wire : &wire, r, call, e);
}

const struct llm_ops llm_openai_ops = {"openai", start, llm_transport_cancel};

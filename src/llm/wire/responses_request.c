/* A request of the responses API. */
#include "codec/json/json.h"
#include "llm/models.h"
#include "llm/wire/responses_private.h"

#define TEMPERATURE_MOST 200 /* hundredths; the API refuses a higher one */
#define MAX_TOKENS_MIN   16  /* the API refuses less */

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

static bool is_sent_whole(const json_t *item)
{
    struct str type = llm_json_str(item, "type");
    return str_is(type, "message") || str_is(type, "web_search_call");
}

/* The API refuses reasoning without the item that followed it. A call over Alfred's limits is not sent. */
static bool is_followed(const json_t *items, size_t i, const struct llm_message *m)
{
    const json_t *next = json_array_get(items, i + 1);
    while (next && responses_is_reasoning(next))
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
        bool whole = responses_is_reasoning(item) ? is_followed(items, i, m) : is_sent_whole(item);
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
void responses_write_body(const struct llm_provider *p, const struct llm_request *r, struct strbuf *out)
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

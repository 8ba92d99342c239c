#include "web/stream/completions_request.h"

#include <math.h>
#include <string.h>

#include "base/strbuf.h"
#include "codec/json/json.h"

#define PERCENT          100
#define TEMPERATURE_MOST 2.0
#define ANSWER_MOST      10000000

struct parser {
    struct arena *a;
    struct completion_request *out;
    const char **param;
    struct err *e;
    size_t text_max;      /* no joined text is longer than the body that its parts come from */
    struct strbuf system; /* the texts of all system messages */
};

static enum rc bad(struct parser *p, const char *param, const char *key)
{
    *p->param = param;
    return err_say(p->e, RC_BAD_INPUT, key, arg_text("param", param));
}

static const char *text_of(struct parser *p, const json_t *v)
{
    return arena_strndup(p->a, json_string_value(v), json_string_length(v));
}

/* ---- messages ---- */

static struct str keep(struct parser *p, const struct strbuf *b)
{
    return (struct str){arena_strndup(p->a, b->s, b->len), b->len};
}

/* The parts are joined outside of the arena, which frees nothing before the request ends: a copy for each of
 * thousands of parts would take gigabytes. */
static enum rc read_parts(struct parser *p, const json_t *parts, const char *param, struct str *out)
{
    AUTO_STRBUF joined;
    strbuf_init(&joined, p->text_max);
    size_t i;
    json_t *part;
    json_array_foreach(parts, i, part)
    {
        struct str type = STR(""), text;
        json_get_str(part, "type", &type);
        if (!str_is(type, "text") && !str_is(type, "refusal"))
            return bad(p, arena_printf(p->a, "%s[%zu].type", param, i), "v1.only_text");
        if (!json_get_str(part, "text", &text) && !json_get_str(part, "refusal", &text))
            return bad(p, arena_printf(p->a, "%s[%zu].text", param, i), "v1.bad_content");
        strbuf_adds(&joined, joined.len ? "\n" : "");
        strbuf_addstr(&joined, text);
    }
    *out = keep(p, &joined);
    return RC_OK;
}

/* A string, or a list of parts of text. null: "". */
static enum rc read_content(struct parser *p, const json_t *v, const char *param, struct str *out)
{
    *out = STR("");
    if (!v || json_is_null(v))
        return RC_OK;
    if (json_is_string(v)) {
        *out = (struct str){text_of(p, v), json_string_length(v)};
        return RC_OK;
    }
    return json_is_array(v) ? read_parts(p, v, param, out) : bad(p, param, "v1.bad_content");
}

static enum rc read_calls(struct parser *p, const json_t *v, const char *param, struct llm_message *m)
{
    if (!v || json_is_null(v))
        return RC_OK;
    if (!json_is_array(v) || json_array_size(v) > COMPLETION_TOOLS_MAX)
        return bad(p, param, "v1.bad_value");
    struct llm_tool_call *calls = ARENA_ARRAY(p->a, struct llm_tool_call, json_array_size(v) + 1);
    size_t i;
    json_t *call;
    json_array_foreach(v, i, call)
    {
        const json_t *function = json_object_get(call, "function");
        struct str id, name, args = STR("{}");
        if (!json_get_str(call, "id", &id) || !id.len || !json_get_str(function, "name", &name))
            return bad(p, arena_printf(p->a, "%s[%zu]", param, i), "v1.bad_value");
        json_get_str(function, "arguments", &args);
        calls[i] = (struct llm_tool_call){arena_strndup(p->a, id.s, id.len),
            arena_strndup(p->a, name.s, name.len), arena_strndup(p->a, args.s, args.len)};
    }
    m->calls = calls;
    m->calls_n = json_array_size(v);
    return RC_OK;
}

static bool calls_id(const struct llm_message *m, const char *id)
{
    for (size_t i = 0; i < m->calls_n; i++)
        if (strcmp(m->calls[i].id, id) == 0)
            return true;
    return false;
}

/* A result answers a call of the answer before it. */
static enum rc read_call_id(struct parser *p, const json_t *v, const char *param, struct llm_message *m)
{
    struct str id;
    const struct llm_message *before = m - 1;
    if (!json_get_str(v, "tool_call_id", &id) || !id.len)
        return bad(p, arena_printf(p->a, "%s.tool_call_id", param), "v1.missing");
    m->call_id = arena_strndup(p->a, id.s, id.len);
    while (before >= p->out->messages && before->role == LLM_TOOL)
        before--;
    return before >= p->out->messages && calls_id(before, m->call_id)
               ? RC_OK
               : bad(p, arena_printf(p->a, "%s.tool_call_id", param), "v1.no_such_call");
}

static bool role_of(struct str word, enum llm_role *out)
{
    static const struct {
        const char *word;
        enum llm_role role;
    } roles[] = {{"user", LLM_USER}, {"assistant", LLM_ASSISTANT}, {"system", LLM_SYSTEM},
        {"developer", LLM_SYSTEM}, {"tool", LLM_TOOL}};
    for (size_t i = 0; i < ARRAY_LEN(roles); i++)
        if (str_is(word, roles[i].word)) {
            *out = roles[i].role;
            return true;
        }
    return false;
}

static enum rc read_message(struct parser *p, const json_t *v, size_t i)
{
    struct completion_request *out = p->out;
    const char *param = arena_printf(p->a, "messages[%zu]", i);
    struct llm_message *m = &out->messages[out->messages_n];
    struct str word;
    *m = (struct llm_message){0};
    if (!json_get_str(v, "role", &word) || !role_of(word, &m->role))
        return bad(p, arena_printf(p->a, "%s.role", param), "v1.bad_role");
    enum rc rc =
        read_content(p, json_object_get(v, "content"), arena_printf(p->a, "%s.content", param), &m->text);
    if (rc == RC_OK && m->role == LLM_ASSISTANT)
        rc = read_calls(p, json_object_get(v, "tool_calls"), arena_printf(p->a, "%s.tool_calls", param), m);
    if (rc == RC_OK && m->role == LLM_TOOL)
        rc = read_call_id(p, v, param, m);
    if (rc != RC_OK)
        return rc;
    if (m->role != LLM_SYSTEM) {
        out->messages_n++;
        return RC_OK;
    }
    strbuf_adds(&p->system, p->system.len ? "\n\n" : "");
    strbuf_addstr(&p->system, m->text);
    return RC_OK;
}

/* Every call has its result before the next message of another role. */
static enum rc check_results(struct parser *p)
{
    const struct completion_request *r = p->out;
    for (size_t i = 0; i < r->messages_n; i++) {
        size_t results = 0;
        while (i + 1 + results < r->messages_n && r->messages[i + 1 + results].role == LLM_TOOL)
            results++;
        if (r->messages[i].calls_n > results)
            return bad(p, "messages", "v1.no_result");
    }
    return RC_OK;
}

static enum rc read_messages(struct parser *p, const json_t *list)
{
    struct completion_request *out = p->out;
    size_t i;
    json_t *v;
    if (!json_is_array(list) || json_array_size(list) == 0)
        return bad(p, "messages", "v1.missing");
    if (json_array_size(list) > COMPLETION_MESSAGES_MAX)
        return bad(p, "messages", "v1.too_many");
    out->messages = ARENA_ARRAY(p->a, struct llm_message, json_array_size(list) + 2);
    out->messages[0] = (struct llm_message){.role = LLM_SYSTEM, .text = STR("")};
    out->messages_n = 1;
    enum rc rc = RC_OK;
    json_array_foreach(list, i, v)
    {
        if ((rc = read_message(p, v, i)) != RC_OK)
            return rc;
    }
    out->messages[0].text = keep(p, &p->system); /* providers take one system message, the first */
    if (!p->system.len) {
        out->messages++;
        out->messages_n--;
    }
    const struct llm_message *last = out->messages_n ? &out->messages[out->messages_n - 1] : NULL;
    bool asks = last && (last->role == LLM_TOOL || (last->role == LLM_USER && str_trim(last->text).len));
    bool users = false;
    for (size_t k = 0; k < out->messages_n; k++)
        users |= out->messages[k].role == LLM_USER;
    return asks && users ? check_results(p) : bad(p, "messages", "v1.no_question");
}

/* ---- tools ---- */

static bool is_name(struct str s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (s.len == 0 || s.len > LLM_NAME_MAX)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!memchr(letters, s.s[i], sizeof letters - 1))
            return false;
    return true;
}

static const char *schema_of(struct parser *p, const json_t *parameters)
{
    if (!json_is_object(parameters))
        return "{\"type\":\"object\",\"properties\":{}}";
    char *text = json_dumps(parameters, JSON_COMPACT);
    const char *kept = arena_strdup(p->a, text ? text : "{}");
    free(text);
    return kept;
}

static enum rc read_tool(struct parser *p, const json_t *v, size_t i)
{
    const json_t *function = json_object_get(v, "function");
    struct str type = STR(""), name, description = STR("");
    json_get_str(v, "type", &type);
    if (!str_is(type, "function"))
        return bad(p, arena_printf(p->a, "tools[%zu].type", i), "v1.bad_value");
    if (!json_get_str(function, "name", &name) || !is_name(name))
        return bad(p, arena_printf(p->a, "tools[%zu].function.name", i), "v1.bad_value");
    json_get_str(function, "description", &description);
    p->out->tools[p->out->tools_n++] = (struct llm_tool){.name = arena_strndup(p->a, name.s, name.len),
        .description = arena_strndup(p->a, description.s ? description.s : "", description.len),
        .schema = schema_of(p, json_object_get(function, "parameters"))};
    return RC_OK;
}

static enum rc read_tools(struct parser *p, const json_t *list)
{
    size_t i;
    json_t *v;
    enum rc rc = RC_OK;
    if (!json_is_array(list))
        return bad(p, "tools", "v1.bad_value");
    if (json_array_size(list) > COMPLETION_TOOLS_MAX)
        return bad(p, "tools", "v1.too_many");
    p->out->tools = ARENA_ARRAY(p->a, struct llm_tool, json_array_size(list) + 1);
    json_array_foreach(list, i, v)
    {
        if ((rc = read_tool(p, v, i)) != RC_OK)
            return rc;
    }
    return rc;
}

/* ---- the other parameters ---- */

static enum rc read_model(struct parser *p, const json_t *v)
{
    if (!json_is_string(v) || json_string_length(v) == 0)
        return bad(p, "model", "v1.missing");
    p->out->model = text_of(p, v);
    return RC_OK;
}

static enum rc read_stream(struct parser *p, const json_t *v)
{
    p->out->stream = json_is_true(v);
    return json_is_boolean(v) ? RC_OK : bad(p, "stream", "v1.bad_value");
}

static enum rc read_stream_options(struct parser *p, const json_t *v)
{
    p->out->include_usage = json_is_true(json_object_get(v, "include_usage"));
    return json_is_object(v) ? RC_OK : bad(p, "stream_options", "v1.bad_value");
}

static enum rc read_tool_choice(struct parser *p, const json_t *v)
{
    struct str word = {json_string_value(v), json_string_length(v)};
    p->out->no_calls = word.s && str_is(word, "none");
    return p->out->no_calls || (word.s && str_is(word, "auto"))
               ? RC_OK
               : bad(p, "tool_choice", "v1.unsupported_value");
}

static enum rc read_temperature(struct parser *p, const json_t *v)
{
    double t = json_number_value(v);
    if (!json_is_number(v) || !(t >= 0 && t <= TEMPERATURE_MOST))
        return bad(p, "temperature", "v1.bad_value");
    p->out->sets_temperature = true;
    p->out->temperature = (int)lround(t * PERCENT);
    return RC_OK;
}

static enum rc read_tokens(struct parser *p, const json_t *v, const char *param)
{
    int64_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 1 || n > ANSWER_MOST)
        return bad(p, param, "v1.bad_value");
    p->out->answer_tokens = n;
    return RC_OK;
}

static enum rc read_max_tokens(struct parser *p, const json_t *v)
{
    return read_tokens(p, v, "max_tokens");
}

static enum rc read_max_completion_tokens(struct parser *p, const json_t *v)
{
    return read_tokens(p, v, "max_completion_tokens");
}

static enum rc read_effort(struct parser *p, const json_t *v)
{
    static const char *const efforts[] = {"low", "medium", "high"};
    for (size_t i = 0; json_is_string(v) && i < ARRAY_LEN(efforts); i++)
        if (strcmp(json_string_value(v), efforts[i]) == 0)
            p->out->effort = efforts[i];
    return p->out->effort ? RC_OK : bad(p, "reasoning_effort", "v1.unsupported_value");
}

static enum rc read_metadata(struct parser *p, const json_t *v)
{
    const json_t *id = json_object_get(v, "session_id");
    if (!json_is_object(v))
        return bad(p, "metadata", "v1.bad_value");
    if (!id || json_is_null(id))
        return RC_OK;
    if (!json_is_string(id) || json_string_length(id) == 0 || json_string_length(id) > COMPLETION_KEY_MAX)
        return bad(p, "metadata.session_id", "v1.bad_value");
    p->out->session = text_of(p, id);
    return RC_OK;
}

/* Parameters whose standard value alone is honoured. */
static enum rc only_one(struct parser *p, const json_t *v, const char *param, double standard)
{
    return json_is_number(v) && json_number_value(v) == standard ? RC_OK
                                                                 : bad(p, param, "v1.unsupported_value");
}

static enum rc read_n(struct parser *p, const json_t *v)
{
    return only_one(p, v, "n", 1);
}

static enum rc read_top_p(struct parser *p, const json_t *v)
{
    return only_one(p, v, "top_p", 1);
}

static enum rc read_presence(struct parser *p, const json_t *v)
{
    return only_one(p, v, "presence_penalty", 0);
}

static enum rc read_frequency(struct parser *p, const json_t *v)
{
    return only_one(p, v, "frequency_penalty", 0);
}

static enum rc read_logprobs(struct parser *p, const json_t *v)
{
    return json_is_false(v) ? RC_OK : bad(p, "logprobs", "v1.unsupported_value");
}

static enum rc read_stop(struct parser *p, const json_t *v)
{
    return json_is_array(v) && json_array_size(v) == 0 ? RC_OK : bad(p, "stop", "v1.unsupported_value");
}

static enum rc read_logit_bias(struct parser *p, const json_t *v)
{
    return json_is_object(v) && json_object_size(v) == 0 ? RC_OK
                                                         : bad(p, "logit_bias", "v1.unsupported_value");
}

static enum rc read_modalities(struct parser *p, const json_t *v)
{
    struct str only = {0};
    if (json_is_array(v) && json_array_size(v) == 1)
        only =
            (struct str){json_string_value(json_array_get(v, 0)), json_string_length(json_array_get(v, 0))};
    return only.s && str_is(only, "text") ? RC_OK : bad(p, "modalities", "v1.unsupported_value");
}

static enum rc read_format(struct parser *p, const json_t *v)
{
    struct str type = STR("");
    json_get_str(v, "type", &type);
    return str_is(type, "text") ? RC_OK : bad(p, "response_format", "v1.unsupported_value");
}

static enum rc ignore(struct parser *p, const json_t *v)
{
    (void)p;
    (void)v;
    return RC_OK;
}

static const struct {
    const char *name;
    enum rc (*read)(struct parser *p, const json_t *v);
} parameters[] = {
    {"model", read_model},
    {"messages", read_messages},
    {"tools", read_tools},
    {"tool_choice", read_tool_choice},
    {"stream", read_stream},
    {"stream_options", read_stream_options},
    {"temperature", read_temperature},
    {"max_tokens", read_max_tokens},
    {"max_completion_tokens", read_max_completion_tokens},
    {"reasoning_effort", read_effort},
    {"metadata", read_metadata},
    {"n", read_n},
    {"top_p", read_top_p},
    {"presence_penalty", read_presence},
    {"frequency_penalty", read_frequency},
    {"logprobs", read_logprobs},
    {"logit_bias", read_logit_bias},
    {"stop", read_stop},
    {"modalities", read_modalities},
    {"response_format", read_format},
    {"seed", ignore},
    {"user", ignore},
    {"safety_identifier", ignore},
    {"prompt_cache_key", ignore},
    {"prompt_cache_retention", ignore},
    {"service_tier", ignore},
    {"store", ignore},
    {"parallel_tool_calls", ignore},
};

static enum rc read_parameter(struct parser *p, const char *name, const json_t *v)
{
    for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
        if (strcmp(parameters[i].name, name) == 0)
            return json_is_null(v) ? RC_OK : parameters[i].read(p, v);
    return bad(p, arena_strdup(p->a, name), "v1.unknown_param");
}

static enum rc read_parameters(struct parser *p, json_t *root)
{
    enum rc rc;
    const char *name;
    json_t *v;
    json_object_foreach(root, name, v)
    {
        if ((rc = read_parameter(p, name, v)) != RC_OK)
            return rc;
    }
    if (!p->out->model)
        return bad(p, "model", "v1.missing");
    return p->out->messages ? RC_OK : bad(p, "messages", "v1.missing");
}

enum rc completion_parse(
    struct arena *a, struct str body, struct completion_request *out, const char **param, struct err *e)
{
    struct parser p = {.a = a, .out = out, .param = param, .e = e, .text_max = body.len};
    AUTO(json_t) root = NULL;
    *out = (struct completion_request){0};
    *param = NULL;
    if (!body.len)
        return err_say(e, RC_BAD_INPUT, "form.json_object");
    enum rc rc = json_parse(body, body.len, &root, e);
    if (rc != RC_OK)
        return rc;
    if (!json_is_object(root))
        return err_say(e, RC_BAD_INPUT, "form.json_object");
    strbuf_init(&p.system, p.text_max);
    rc = read_parameters(&p, root);
    strbuf_release(&p.system);
    return rc;
}

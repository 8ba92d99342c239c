#include <math.h>
#include <string.h>

#include "llm/models.h"
#include "web/stream/completions_request_private.h"

#define PERCENT          100
#define THOUSAND         1000
#define TEMPERATURE_MOST 2.0
#define ANSWER_MOST      10000000

enum rc completion_bad(struct completion_parser *p, const char *param, const char *key)
{
    *p->param = param;
    return err_say(p->e, RC_BAD_INPUT, key, arg_text("param", param));
}

const char *completion_text(struct completion_parser *p, const json_t *v)
{
    return arena_strndup(p->a, json_string_value(v), json_string_length(v));
}

const char *completion_dump(struct completion_parser *p, const json_t *v)
{
    AUTO_FREE char *text = json_dumps(v, JSON_COMPACT);
    return arena_strdup(p->a, text ? text : "{}");
}

bool completion_is_name(struct str s)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (s.len == 0 || s.len > LLM_NAME_MAX)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (!memchr(letters, s.s[i], sizeof letters - 1))
            return false;
    return true;
}

static enum rc read_model(struct completion_parser *p, const json_t *v)
{
    if (!json_is_string(v) || json_string_length(v) == 0)
        return completion_bad(p, "model", "v1.missing");
    p->out->model = completion_text(p, v);
    return RC_OK;
}

static enum rc read_stream(struct completion_parser *p, const json_t *v)
{
    p->out->stream = json_is_true(v);
    return json_is_boolean(v) ? RC_OK : completion_bad(p, "stream", "v1.bad_value");
}

static enum rc read_stream_options(struct completion_parser *p, const json_t *v)
{
    p->out->include_usage = json_is_true(json_object_get(v, "include_usage"));
    return json_is_object(v) ? RC_OK : completion_bad(p, "stream_options", "v1.bad_value");
}

static enum rc read_named_tool(struct completion_parser *p, const json_t *v)
{
    struct str type = STR(""), name;
    json_get_str(v, "type", &type);
    if (!str_is(type, "function"))
        return completion_bad(p, "tool_choice", "v1.unsupported_value");
    if (!json_get_str(json_object_get(v, "function"), "name", &name))
        return completion_bad(p, "tool_choice", "v1.bad_value");
    p->out->params.must_call = true;
    p->out->params.named_tool = arena_strndup(p->a, name.s, name.len);
    return RC_OK;
}

static enum rc read_tool_choice(struct completion_parser *p, const json_t *v)
{
    struct str word = {json_string_value(v), json_string_length(v)};
    if (json_is_object(v))
        return read_named_tool(p, v);
    p->out->no_calls = word.s && str_is(word, "none");
    p->out->params.must_call = word.s && str_is(word, "required");
    return p->out->no_calls || p->out->params.must_call || (word.s && str_is(word, "auto"))
               ? RC_OK
               : completion_bad(p, "tool_choice", "v1.unsupported_value");
}

/* The tools may come after the choice in the body. */
static enum rc check_tool_choice(struct completion_parser *p)
{
    const struct completion_request *r = p->out;
    bool found = r->tools_n > 0 && !r->params.named_tool;
    for (size_t i = 0; r->params.named_tool && i < r->tools_n; i++)
        found |= strcmp(r->tools[i].name, r->params.named_tool) == 0;
    return found || !r->params.must_call ? RC_OK : completion_bad(p, "tool_choice", "v1.no_such_tool");
}

static enum rc read_temperature(struct completion_parser *p, const json_t *v)
{
    double t = json_number_value(v);
    if (!json_is_number(v) || !(t >= 0 && t <= TEMPERATURE_MOST))
        return completion_bad(p, "temperature", "v1.bad_value");
    p->out->sets_temperature = true;
    p->out->temperature = (int)lround(t * PERCENT);
    return RC_OK;
}

static enum rc read_tokens(struct completion_parser *p, const json_t *v, const char *param)
{
    int64_t n = json_integer_value(v);
    if (!json_is_integer(v) || n < 1 || n > ANSWER_MOST)
        return completion_bad(p, param, "v1.bad_value");
    p->out->answer_tokens = n;
    return RC_OK;
}

static enum rc read_max_tokens(struct completion_parser *p, const json_t *v)
{
    return read_tokens(p, v, "max_tokens");
}

static enum rc read_max_completion_tokens(struct completion_parser *p, const json_t *v)
{
    return read_tokens(p, v, "max_completion_tokens");
}

static enum rc read_effort(struct completion_parser *p, const json_t *v)
{
    p->out->effort =
        json_is_string(v) ? llm_effort((struct str){json_string_value(v), json_string_length(v)}) : NULL;
    return p->out->effort ? RC_OK : completion_bad(p, "reasoning_effort", "v1.unsupported_value");
}

static enum rc read_metadata(struct completion_parser *p, const json_t *v)
{
    const json_t *id = json_object_get(v, "session_id");
    if (!json_is_object(v))
        return completion_bad(p, "metadata", "v1.bad_value");
    if (!id || json_is_null(id))
        return RC_OK;
    if (!json_is_string(id) || json_string_length(id) == 0 || json_string_length(id) > COMPLETION_KEY_MAX)
        return completion_bad(p, "metadata.session_id", "v1.bad_value");
    p->out->session = completion_text(p, id);
    return RC_OK;
}

/* For parameters of which Alfred supports the default value only. */
static enum rc need_default(struct completion_parser *p, const json_t *v, const char *param, double value)
{
    return json_is_number(v) && json_number_value(v) == value
               ? RC_OK
               : completion_bad(p, param, "v1.unsupported_value");
}

static enum rc read_n(struct completion_parser *p, const json_t *v)
{
    return need_default(p, v, "n", 1);
}

static enum rc read_top_p(struct completion_parser *p, const json_t *v)
{
    double top = json_number_value(v);
    if (!json_is_number(v) || !(top >= 0 && top <= 1))
        return completion_bad(p, "top_p", "v1.bad_value");
    p->out->params.top_p = (int)lround(top * THOUSAND);
    p->out->params.sets_top_p = p->out->params.top_p < THOUSAND; /* 1 is no limit */
    return RC_OK;
}

static enum rc read_presence(struct completion_parser *p, const json_t *v)
{
    return need_default(p, v, "presence_penalty", 0);
}

static enum rc read_frequency(struct completion_parser *p, const json_t *v)
{
    return need_default(p, v, "frequency_penalty", 0);
}

static enum rc read_logprobs(struct completion_parser *p, const json_t *v)
{
    return json_is_false(v) ? RC_OK : completion_bad(p, "logprobs", "v1.unsupported_value");
}

/* A string, or a list of strings. An empty one ends nothing. */
static enum rc read_stop(struct completion_parser *p, const json_t *v)
{
    size_t n = json_is_string(v) ? 1 : json_array_size(v);
    if (!json_is_string(v) && !json_is_array(v))
        return completion_bad(p, "stop", "v1.bad_value");
    if (n > COMPLETION_STOPS_MAX)
        return completion_bad(p, "stop", "v1.too_many");
    const char **stops = ARENA_ARRAY(p->a, const char *, n + 1);
    p->out->params.stops = stops;
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_is_string(v) ? v : json_array_get(v, i);
        if (!json_is_string(one))
            return completion_bad(p, "stop", "v1.bad_value");
        if (json_string_length(one))
            stops[p->out->params.stops_n++] = completion_text(p, one);
    }
    return RC_OK;
}

static enum rc read_logit_bias(struct completion_parser *p, const json_t *v)
{
    return json_is_object(v) && json_object_size(v) == 0
               ? RC_OK
               : completion_bad(p, "logit_bias", "v1.unsupported_value");
}

static enum rc read_modalities(struct completion_parser *p, const json_t *v)
{
    struct str only = {0};
    if (json_is_array(v) && json_array_size(v) == 1)
        only =
            (struct str){json_string_value(json_array_get(v, 0)), json_string_length(json_array_get(v, 0))};
    return only.s && str_is(only, "text") ? RC_OK : completion_bad(p, "modalities", "v1.unsupported_value");
}

static enum rc read_schema(struct completion_parser *p, const json_t *v)
{
    struct llm_params *to = &p->out->params;
    const json_t *schema = json_object_get(v, "schema"), *strict = json_object_get(v, "strict");
    struct str name, description;
    if (!json_get_str(v, "name", &name) || !completion_is_name(name))
        return completion_bad(p, "response_format.json_schema.name", "v1.bad_value");
    if (!json_is_object(schema))
        return completion_bad(p, "response_format.json_schema.schema", "v1.bad_value");
    if (json_get_str(v, "description", &description))
        to->format_description = arena_strndup(p->a, description.s, description.len);
    if (json_is_boolean(strict))
        to->format_strict = json_is_true(strict) ? "true" : "false";
    to->format = LLM_FORMAT_SCHEMA;
    to->format_name = arena_strndup(p->a, name.s, name.len);
    to->format_schema = completion_dump(p, schema);
    return RC_OK;
}

static enum rc read_format(struct completion_parser *p, const json_t *v)
{
    struct str type = STR("");
    json_get_str(v, "type", &type);
    if (str_is(type, "json_schema"))
        return read_schema(p, json_object_get(v, "json_schema"));
    if (str_is(type, "json_object"))
        p->out->params.format = LLM_FORMAT_JSON;
    else if (!str_is(type, "text"))
        return completion_bad(p, "response_format", "v1.unsupported_value");
    return RC_OK;
}

static enum rc ignore(struct completion_parser *p, const json_t *v)
{
    (void)p;
    (void)v;
    return RC_OK;
}

static const struct {
    const char *name;
    enum rc (*read)(struct completion_parser *p, const json_t *v);
} parameters[] = {
    {"model", read_model},
    {"messages", completion_read_messages},
    {"tools", completion_read_tools},
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

/* Members of other servers' requests that only tune how a model chooses its words or how a server works.
 * Programs send them to every server that is not OpenAI's. */
static const char *const tuning[] = {"top_k", "min_p", "top_a", "typical_p", "tfs_z", "repetition_penalty",
    "repeat_penalty", "repeat_last_n", "mirostat", "mirostat_tau", "mirostat_eta", "chat_template_kwargs",
    "cache_prompt", "keep_alive", "num_ctx"};

static enum rc read_parameter(struct completion_parser *p, const char *name, const json_t *v)
{
    for (size_t i = 0; i < ARRAY_LEN(parameters); i++)
        if (strcmp(parameters[i].name, name) == 0)
            return json_is_null(v) ? RC_OK : parameters[i].read(p, v);
    for (size_t i = 0; i < ARRAY_LEN(tuning); i++)
        if (strcmp(tuning[i], name) == 0)
            return RC_OK;
    return completion_bad(p, arena_strdup(p->a, name), "v1.unknown_param");
}

static enum rc read_parameters(struct completion_parser *p, json_t *root)
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
        return completion_bad(p, "model", "v1.missing");
    return p->out->messages ? check_tool_choice(p) : completion_bad(p, "messages", "v1.missing");
}

enum rc completion_parse(
    struct arena *a, struct str body, struct completion_request *out, const char **param, struct err *e)
{
    struct completion_parser p = {.a = a, .out = out, .param = param, .e = e, .text_max = body.len};
    AUTO(json_t) root = NULL;
    *out = (struct completion_request){0};
    *param = NULL;
    if (!body.len)
        return err_say(e, RC_BAD_INPUT, "form.json_object");
    if (json_values(body) > COMPLETION_VALUES_MAX)
        return err_say(e, RC_BAD_INPUT, "v1.too_many_values", arg_int("max", COMPLETION_VALUES_MAX));
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

/*
 * Turns refusals of providers into sentences for users. The status decides. Inside a stream there is no
 * status, so the error's type, code and message decide.
 *
 * The provider's message is shown shortened and cleaned, and only where it helps and cannot contain a secret.
 * Servers often repeat a wrong key in their answer, so that message is never shown.
 */
#include <string.h>

#include "base/utf8.h"
#include "codec/json.h"
#include "llm/internal.h"

#define DETAIL_MAX        1000 /* characters */
#define UPSTREAM_MAX      ((size_t)64 * 1024)
#define RETRY_DELAY_MAX_S (7 * 24 * 60 * 60)

/* The members of {"error":{"message","type","code"}}, {"error":"..."}, {"message","type"} and similar
 * answers, alone or as the first of a list (Gemini). */
struct told {
    struct str message, type, code; /* type: or Gemini's status */
    int64_t number;                 /* a numeric code: an HTTP status (OpenRouter, llama.cpp) */
    int64_t window, prompt_tokens;  /* llama.cpp */
    int retry_after_s;              /* Gemini; 0: not told */
};

/* {"details":[{"@type":".../google.rpc.RetryInfo","retryDelay":"35.4s"}]}, rounded up. */
static int retry_delay(const json_t *error)
{
    size_t i;
    json_t *detail;
    int64_t seconds = 0;
    json_array_foreach(json_object_get(error, "details"), i, detail)
    {
        struct str delay = llm_json_str(detail, "retryDelay");
        bool fraction = memchr(delay.s, '.', delay.len) != NULL;
        if (delay.len && delay.s[delay.len - 1] == 's')
            delay.len--;
        if (str_to_int(str_cut(&delay, '.'), 0, RETRY_DELAY_MAX_S, &seconds))
            return (int)seconds + fraction;
    }
    return 0;
}

static struct told told_by(const json_t *answer)
{
    if (json_is_array(answer))
        answer = json_array_get(answer, 0);
    const json_t *inner = json_object_get(answer, "error");
    if (json_is_string(inner))
        return (struct told){.message = llm_json_str(answer, "error"), .type = STR(""), .code = STR("")};
    const json_t *from = json_is_object(inner) ? inner : answer;
    struct str type = llm_json_str(from, "type");
    return (struct told){.message = llm_json_str(from, "message"),
        .type = type.len ? type : llm_json_str(from, "status"),
        .code = llm_json_str(from, "code"),
        .number = llm_json_int(from, "code", 0),
        .window = llm_json_int(from, "n_ctx", 0),
        .prompt_tokens = llm_json_int(from, "n_prompt_tokens", 0),
        .retry_after_s = retry_delay(from)};
}

/* The error of the server behind a gateway. OpenRouter: {"error":{"message":"Provider returned error",
 * "code":400,"metadata":{"raw":"..."}}}, where `raw` is the server's answer or a text. NULL: none. */
static json_t *upstream_error(const json_t *answer)
{
    json_t *parsed = NULL;
    json_t *raw = json_object_get(json_object_get(json_object_get(answer, "error"), "metadata"), "raw");
    struct str text = {json_string_value(raw), json_string_length(raw)};
    if (!json_is_string(raw))
        parsed = json_incref(raw);
    else if (json_parse(text, UPSTREAM_MAX, &parsed, NULL) != RC_OK)
        parsed = NULL;
    if (told_by(parsed).message.len || text.len == 0)
        return parsed;
    json_decref(parsed);
    return json_pack("{s:O}", "message", raw);
}

/* Valid as long as both objects. `upstream` has the reason, `answer` the rest. */
static struct told what_was_told(const json_t *answer, const json_t *upstream)
{
    struct told outer = told_by(answer);
    struct told t = told_by(upstream);
    if (t.message.len == 0)
        return outer;
    t.number = outer.number;
    if (!t.retry_after_s)
        t.retry_after_s = outer.retry_after_s;
    return t;
}

static bool contains_nocase(struct str s, const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++)
        if (str_eq_nocase((struct str){s.s + i, n}, (struct str){word, n}))
            return true;
    return false;
}

static bool mentions(const struct told *t, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (contains_nocase(t->type, words[i]) || contains_nocase(t->code, words[i]) ||
            contains_nocase(t->message, words[i]))
            return true;
    return false;
}

#define MENTIONS(t, ...)                              \
    mentions((t), (const char *const[]){__VA_ARGS__}, \
        sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static bool is_too_long(const struct told *t)
{
    return MENTIONS(t, "context_length", "context length", "context window", "context size",
        "prompt is too long", "maximum context", "too many tokens", "request_too_large", "input is too long",
        "too large to process", "must have less than", "maximum number of tokens", "exceed context limit",
        "model token limit", "maximum prompt length", "prompt exceeds max length");
}

/* Phrases of Ollama, OpenRouter, vLLM, llama.cpp, LM Studio and gateways. */
static bool is_without_tools(const struct told *t)
{
    return MENTIONS(t, "support tools", "support tool", "supports tool", "tools is not supported",
        "tools are not supported", "tool use is not supported", "tool calling is not", "tool calls are not",
        "tool choice requires", "support function", "function calling is not", "functions are not supported",
        "tools param requires", "unsupported parameter: 'tools'", "tools not supported",
        "unknown parameter: 'tools'");
}

/* OpenAI and Anthropic; OpenAI's newer models refuse it together with tools. */
static bool is_without_effort(const struct told *t)
{
    return MENTIONS(
        t, "reasoning_effort", "reasoning effort", "reasoning.effort", "effort parameter", "output_config");
}

static bool is_about_temperature(const struct told *t)
{
    return MENTIONS(t, "temperature");
}

/* OpenAI: "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value
 * is supported."; Anthropic: "`temperature` may only be set to 1 when thinking is enabled", "`temperature` is
 * deprecated for this model". Other refusals are about the number: "must be less than or equal to 1". */
static bool is_without_temperature(const struct told *t)
{
    return is_about_temperature(t) && MENTIONS(t, "support", "only be set", "deprecated", "not allowed");
}

/* DeepSeek: "The `reasoning_content` in the thinking mode must be passed back to the API."; Kimi: "thinking
 * is enabled but reasoning_content is missing in assistant tool call message at index 2". */
static bool is_without_reasoning(const struct told *t)
{
    return MENTIONS(t, "reasoning_content") && MENTIONS(t, "passed back", "missing", "requires");
}

/* Gemini answers it with 400. */
static bool is_wrong_key(const struct told *t)
{
    return MENTIONS(t, "api key not valid", "api_key_invalid", "api key expired");
}

/* OpenAI: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens"; Anthropic:
 * "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens". */
static bool is_too_long_answer(const struct told *t)
{
    return MENTIONS(t, "max_tokens", "max_completion_tokens", "max_output_tokens") &&
           MENTIONS(t, "too large", "maximum allowed", "at most", "maximum value", "less than or equal");
}

/* "Function tools with reasoning_effort are not supported for MODEL in /v1/chat/completions. Please use
 * /v1/responses instead", "This model is only supported in v1/responses and not in v1/chat/completions." */
static bool is_for_responses(const struct told *t)
{
    return MENTIONS(t, "v1/responses") && MENTIONS(t, "v1/chat/completions");
}

/* Anthropic, llama.cpp, and Mistral. */
static bool is_without_prefill(const struct told *t)
{
    return MENTIONS(
        t, "message prefill", "response prefill", "must end with a user message", "Expected last role User");
}

static bool is_loading(const struct told *t)
{
    return MENTIONS(t, "loading model", "model is loading", "currently loading", "still loading");
}

/* Gemini names the billing details in every refusal for a quota, also for one per minute. A limit of 0 is
 * that of a model which the account must pay for. */
static bool is_out_of_credit(const struct told *t)
{
    if (MENTIONS(t, "insufficient_quota", "credit balance", "insufficient credits", "credits are depleted"))
        return true;
    bool quota = t->retry_after_s > 0 || MENTIONS(t, "resource_exhausted");
    return quota ? MENTIONS(t, "limit: 0,") : MENTIONS(t, "billing");
}

/* The HTTP status that corresponds to a stream's error. */
static int guess_status(const struct told *t)
{
    if (t->number >= 400 && t->number <= 599)
        return (int)t->number;
    static const struct {
        const char *word;
        int status;
    } table[] = {{"rate_limit", 429}, {"rate limit", 429}, {"overloaded", 529}, {"authentication", 401},
        {"invalid_api_key", 401}, {"permission", 403}, {"not_found", 404}, {"model_not_found", 404},
        {"invalid_request", 400}, {"invalid_prompt", 400}, {"bad_request", 400}, {"timeout", 504}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (contains_nocase(t->type, table[i].word) || contains_nocase(t->code, table[i].word))
            return table[i].status;
    return 500;
}

/* Adds the message, shortened and without control characters; nothing when it is empty. */
static void add_detail(struct err *e, const struct told *t, const struct llm_provider *p)
{
    struct str m = str_trim(t->message);
    if (m.len == 0 || (p->s.key && contains_nocase(m, p->s.key)))
        return;
    AUTO_STRBUF words;
    strbuf_init(&words, 5 * DETAIL_MAX);
    for (int n = 0; n < DETAIL_MAX && m.len; n++) {
        uint32_t cp = utf8_next(&m, NULL);
        bool odd = cp < ' ' || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x2028 && cp <= 0x202E) || cp >= 0x10FF00;
        strbuf_addcp(&words, odd ? ' ' : cp);
    }
    strbuf_adds(&words, m.len ? "…" : "");
    err_say_more(e, "provider.it_said", SAID_ARGS(arg_text("words", words.s)));
}

/* ---- refusals to which the caller can adapt ---- */

static bool is_bad_request(int status)
{
    return status == 400 || status == 422;
}

static bool is_bad_or_absent(int status)
{
    return is_bad_request(status) || status == 404;
}

static bool is_error_but_429(int status)
{
    return status >= 400 && status != 429;
}

static bool is_not_access_or_429(int status)
{
    return status != 401 && status != 403 && status != 429;
}

/* `status`: those with which servers refuse so. The first row that fits counts. */
static const struct {
    bool (*is)(const struct told *t);
    bool (*status)(int status);
    enum llm_problem problem;
    const char *key;
} refusals[] = {
    {is_for_responses, is_bad_or_absent, LLM_PROBLEM_RESPONSES, "provider.only_responses"},
    {is_without_prefill, is_error_but_429, LLM_PROBLEM_NO_PREFILL, "provider.no_prefill"},
    {is_without_effort, is_bad_request, LLM_PROBLEM_NO_EFFORT, "provider.no_effort"},
    {is_without_reasoning, is_bad_request, LLM_PROBLEM_NO_REASONING, "provider.refused"},
    {is_without_temperature, is_bad_request, LLM_PROBLEM_NO_TEMPERATURE, "provider.no_temperature"},
    {is_about_temperature, is_bad_request, LLM_PROBLEM_TEMPERATURE, "provider.no_temperature"},
    {is_too_long_answer, is_bad_request, LLM_PROBLEM_LENGTH, "provider.no_length"},
    {is_without_tools, is_not_access_or_429, LLM_PROBLEM_NO_TOOLS, "provider.no_tools"},
};

/* ---- sentences ---- */

static enum rc say(struct err *e, enum rc rc, const struct told *t, const struct llm_provider *p,
    const char *key, struct said_args args)
{
    err_say_args(e, rc, key, args);
    if (t)
        add_detail(e, t, p);
    return rc;
}

#define SAY(rc, told, key, ...) \
    return say(e, (rc), (told), p, (key), SAID_ARGS(arg_text("provider", p->s.name), ##__VA_ARGS__))
#define MODEL  arg_text("model", model)
#define STATUS arg_int("status", status)

enum rc llm_provider_error(const struct llm_provider *p, const char *model, int status, int retry_after_s,
    const json_t *answer, struct llm_verdict *v, struct err *e)
{
    AUTO(json_t) upstream = upstream_error(answer);
    struct told t = what_was_told(answer, upstream);
    if (status == 0)
        status = guess_status(&t);
    if (status == 400 && is_wrong_key(&t))
        status = 401;
    if (retry_after_s == 0)
        retry_after_s = t.retry_after_s;
    *v = (struct llm_verdict){.retry_after_s = retry_after_s};
    if (e)
        e->retry_after_s = retry_after_s;

    if (status == 402 || is_out_of_credit(&t))
        SAY(RC_FORBIDDEN, NULL, "provider.no_credit", STATUS);
    if (status == 413 || ((is_bad_request(status) || status >= 500) && is_too_long(&t))) {
        v->problem = LLM_PROBLEM_TOO_LONG;
        v->window = t.window;
        v->prompt_tokens = t.prompt_tokens;
        llm_read_window(t.message, &v->window, &v->prompt_tokens);
        SAY(RC_TOO_BIG, NULL, "provider.too_long", MODEL, STATUS);
    }
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
        if (refusals[i].status(status) && refusals[i].is(&t)) {
            v->problem = refusals[i].problem;
            SAY(RC_BAD_INPUT, &t, refusals[i].key, MODEL, STATUS);
        }
    switch (status) {
    case 401: SAY(RC_FORBIDDEN, NULL, p->s.key ? "provider.wrong_key" : "provider.needs_key");
    case 403: SAY(RC_FORBIDDEN, NULL, "provider.model_refused", MODEL);
    case 404: v->problem = LLM_PROBLEM_NO_MODEL; SAY(RC_BAD_INPUT, &t, "provider.no_model", MODEL);
    case 408: v->retry = true; SAY(RC_TIMEOUT, NULL, "provider.slow");
    case 429:
        v->retry = true;
        v->problem = LLM_PROBLEM_BUSY;
        if (retry_after_s > 0)
            SAY(RC_RATE_LIMITED, NULL, "provider.busy_wait", arg_int("seconds", retry_after_s));
        SAY(RC_RATE_LIMITED, NULL, "provider.busy");
    case 503:
    case 529:
        v->retry = true;
        if (is_loading(&t)) {
            v->problem = LLM_PROBLEM_LOADING;
            SAY(RC_UNAVAILABLE, NULL, "provider.loading", MODEL, STATUS);
        }
        v->problem = LLM_PROBLEM_BUSY;
        SAY(RC_UNAVAILABLE, NULL, "provider.overloaded", STATUS);
    default: break;
    }
    if (status >= 500) {
        v->retry = true;
        SAY(RC_UNAVAILABLE, &t, "provider.fault", STATUS);
    }
    if (status >= 400)
        SAY(RC_BAD_INPUT, &t, "provider.refused", STATUS);
    SAY(RC_UPSTREAM, NULL, "provider.redirect", STATUS);
}

/* A wrong address has no model in its refusal; LM Studio answers it with 200. */
static bool is_unknown_address(int status, const struct told *t, const char *model)
{
    if (MENTIONS(t, "unexpected endpoint"))
        return true;
    bool absent = status == 404 || status == 405 || status == 501;
    return absent && !MENTIONS(t, "model", "deployment") && !contains_nocase(t->message, model);
}

bool llm_lacks_responses(const struct llm_provider *p, const char *model, int status, const json_t *answer,
    struct llm_verdict *v, struct err *e)
{
    struct told t = told_by(answer);
    if (!is_unknown_address(status, &t, model))
        return false;
    *v = (struct llm_verdict){.problem = LLM_PROBLEM_NO_RESPONSES};
    err_say(e, RC_BAD_INPUT, "provider.no_responses", arg_text("provider", p->s.name));
    return true;
}

enum rc llm_stream_error(struct llm_reading *in, const json_t *answer, struct err *e)
{
    return llm_provider_error(in->call->p, in->model, 0, 0, answer, &in->verdict, e);
}

enum rc llm_nonsense(const struct llm_provider *p, struct err *e)
{
    return err_say(e, RC_UPSTREAM, "provider.unreadable", arg_text("provider", p->s.name));
}

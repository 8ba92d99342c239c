/*
 * Turns refusals of providers into sentences for users. The status decides, and for some of them the words of
 * the refusal (failure_words.c). Inside a stream there is no status, so the error's type, code and message
 * decide.
 *
 * The provider's message is shown shortened and cleaned, and only where it helps and cannot contain a secret.
 * Servers often repeat a wrong key in their answer, so that message is never shown.
 */
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "codec/json/json.h"
#include "llm/failure/failure_private.h"

#define DETAIL_MAX 1000 /* characters */

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

static bool is_bad_or_gone(int status) /* 410: NVIDIA, of a model */
{
    return is_bad_request(status) || status == 410;
}

static bool is_error(int status) /* a gateway reports a refusal of thinking as 429 */
{
    return status >= 400;
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
    {told_is_without_search, is_error_but_429, LLM_PROBLEM_NO_SEARCH, "provider.no_search"},
    {told_is_about_tool_schema, is_error_but_429, LLM_PROBLEM_TOOL_SCHEMA, "provider.refused"},
    {told_is_foreign_thinking, is_error, LLM_PROBLEM_THINKING, "provider.refused"},
    {told_is_without_stream, is_bad_request, LLM_PROBLEM_NO_STREAM, "provider.refused"},
    {told_is_about_limit_name, is_bad_request, LLM_PROBLEM_LIMIT_NAME, "provider.refused"},
    {told_is_without_usage, is_bad_request, LLM_PROBLEM_NO_USAGE, "provider.refused"},
    {told_is_without_null, is_bad_request, LLM_PROBLEM_NO_NULL, "provider.refused"},
    {told_is_without_system, is_not_access_or_429, LLM_PROBLEM_NO_SYSTEM, "provider.refused"},
    {told_is_for_responses, is_bad_or_absent, LLM_PROBLEM_RESPONSES, "provider.only_responses"},
    {told_is_without_prefill, is_error_but_429, LLM_PROBLEM_NO_PREFILL, "provider.no_prefill"},
    {told_is_without_effort, is_bad_request, LLM_PROBLEM_NO_EFFORT, "provider.no_effort"},
    {told_is_without_reasoning, is_bad_request, LLM_PROBLEM_NO_REASONING, "provider.refused"},
    {told_is_without_temperature, is_bad_request, LLM_PROBLEM_NO_TEMPERATURE, "provider.no_temperature"},
    {told_is_about_temperature, is_bad_request, LLM_PROBLEM_TEMPERATURE, "provider.no_temperature"},
    {told_is_about_top_p, is_bad_request, LLM_PROBLEM_NO_TOP_P, "provider.refused"},
    {told_is_too_long_answer, is_bad_request, LLM_PROBLEM_LENGTH, "provider.no_length"},
    {told_is_without_pictures, is_not_access_or_429, LLM_PROBLEM_NO_PICTURES, "provider.no_pictures"},
    {told_is_many_pictures, is_not_access_or_429, LLM_PROBLEM_MANY_PICTURES, "provider.many_pictures"},
    {told_is_without_tools, is_not_access_or_429, LLM_PROBLEM_NO_TOOLS, "provider.no_tools"},
    {told_is_absent_model, is_bad_or_gone, LLM_PROBLEM_NO_MODEL, "provider.absent_model"},
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
    say(e, (rc), (told), p, (key), SAID_ARGS(arg_text("provider", p->s.name), ##__VA_ARGS__))
#define MODEL  arg_text("model", model)
#define STATUS arg_int("status", status)

static bool is_too_long(const struct told *t, int status)
{
    return status == 413 || (status == 429 && told_is_over_rate(t)) ||
           ((is_bad_request(status) || status >= 500) && told_is_too_long(t));
}

/* Refusals that are known by their words, whatever their status is. RC_OK: it is none of them. */
static enum rc refused_by_words(const struct llm_provider *p, const char *model, int status,
    const struct told *t, struct llm_verdict *v, struct err *e)
{
    if (is_too_long(t, status)) {
        v->problem = LLM_PROBLEM_TOO_LONG;
        v->window = t->window;
        v->prompt_tokens = t->prompt_tokens;
        llm_read_window(t->message, &v->window, &v->prompt_tokens);
        if (t->message.len == 0) /* nginx takes 1 MB unless client_max_body_size is set */
            return SAY(RC_TOO_BIG, NULL, "provider.too_large", STATUS);
        return SAY(RC_TOO_BIG, NULL, "provider.too_long", MODEL, STATUS);
    }
    v->limit = told_affordable(t);
    if (v->limit > 0)
        v->problem = LLM_PROBLEM_LENGTH;
    if (status == 402 || v->limit > 0 || told_is_out_of_credit(t))
        return SAY(RC_FORBIDDEN, t, "provider.no_credit", STATUS);
    if (told_is_bad_call(t)) {
        v->retry = true;
        return SAY(RC_UNAVAILABLE, t, "provider.fault", STATUS);
    }
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
        if (refusals[i].status(status) && refusals[i].is(t)) {
            v->problem = refusals[i].problem;
            return SAY(RC_BAD_INPUT, t, refusals[i].key, MODEL, STATUS);
        }
    if (told_is_of_account(t))
        return SAY(RC_FORBIDDEN, t, "provider.refused", STATUS);
    if (status == 403 && told_is_flagged(t))
        return SAY(RC_BAD_INPUT, t, "provider.refused", STATUS);
    return RC_OK;
}

/* A quota per day; the wait in seconds of a refusal that is `daily` is that of another quota. */
static bool is_used_up(const struct told *t, int status, int wait_s)
{
    return status == 429 && (t->daily || (wait_s == 0 && told_is_of_day(t)));
}

static int rounded_up(int seconds, int unit)
{
    return (seconds + unit - 1) / unit;
}

static enum rc refused_by_status(const struct llm_provider *p, const char *model, int status,
    const struct told *t, struct llm_verdict *v, struct err *e)
{
    switch (status) {
    case 401: return SAY(RC_FORBIDDEN, NULL, p->s.key ? "provider.wrong_key" : "provider.needs_key");
    case 403: return SAY(RC_FORBIDDEN, t, "provider.model_refused", MODEL);
    case 404:
        v->problem = told_is_no_model(t, model) ? LLM_PROBLEM_NO_MODEL : LLM_PROBLEM_OTHER;
        return SAY(v->problem ? RC_BAD_INPUT : RC_UPSTREAM, t, "provider.no_model", MODEL);
    case 408: v->retry = true; return SAY(RC_TIMEOUT, NULL, "provider.slow");
    case 429:
        if (is_used_up(t, status, v->retry_after_s))
            return SAY(RC_RATE_LIMITED, t, "provider.no_more_today", MODEL, STATUS);
        v->retry = true;
        v->problem = LLM_PROBLEM_BUSY;
        if (v->retry_after_s > 2 * S_PER_H)
            return SAY(RC_RATE_LIMITED, NULL, "provider.busy_hours",
                arg_int("hours", rounded_up(v->retry_after_s, S_PER_H)));
        if (v->retry_after_s > 2 * S_PER_MIN)
            return SAY(RC_RATE_LIMITED, NULL, "provider.busy_minutes",
                arg_int("minutes", rounded_up(v->retry_after_s, S_PER_MIN)));
        if (v->retry_after_s > 0)
            return SAY(RC_RATE_LIMITED, NULL, "provider.busy_wait", arg_int("seconds", v->retry_after_s));
        return SAY(RC_RATE_LIMITED, t, "provider.busy");
    case 498: /* Groq: its flex tier is full */
    case 503:
    case 529:
        v->retry = true;
        if (told_is_loading(t)) {
            v->problem = LLM_PROBLEM_LOADING;
            return SAY(RC_UNAVAILABLE, NULL, "provider.loading", MODEL, STATUS);
        }
        v->problem = LLM_PROBLEM_BUSY;
        return SAY(RC_UNAVAILABLE, NULL, "provider.overloaded", STATUS);
    default: break;
    }
    if (status >= 499) { /* 499: the server has cancelled it (Gemini) */
        v->retry = true;
        return SAY(RC_UNAVAILABLE, t, "provider.fault", STATUS);
    }
    if (status >= 400)
        return SAY(RC_BAD_INPUT, t, "provider.refused", STATUS);
    return SAY(RC_UPSTREAM, NULL, "provider.redirect", STATUS);
}

enum rc llm_provider_error(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e)
{
    AUTO(json_t) reason = told_reason(r->answer);
    const struct told t = told_by_both(r->answer, reason);
    int status = r->status ? r->status : guess_status(&t);
    if (status == 400 && told_is_wrong_key(&t))
        status = 401;
    int wait_s = r->retry_after_s ? r->retry_after_s : t.retry_after_s;
    *v = (struct llm_verdict){.retry_after_s = is_used_up(&t, status, wait_s) ? 0 : wait_s};
    if (e)
        e->retry_after_s = v->retry_after_s;
    enum rc rc = refused_by_words(p, r->model, status, &t, v, e);
    return rc ? rc : refused_by_status(p, r->model, status, &t, v, e);
}

bool told_is_unknown_address(const struct told *t, int status, const char *model)
{
    if (MENTIONS(t, "unexpected endpoint"))
        return true;
    bool absent = status == 404 || status == 405 || status == 501;
    return absent && !MENTIONS(t, "model", "deployment") && !contains_nocase(t->message, model);
}

bool llm_lacks_responses(
    const struct llm_provider *p, const struct llm_refusal *r, struct llm_verdict *v, struct err *e)
{
    struct told t = told_by(r->answer);
    if (!told_is_unknown_address(&t, r->status, r->model))
        return false;
    *v = (struct llm_verdict){.problem = LLM_PROBLEM_NO_RESPONSES};
    err_say(e, RC_BAD_INPUT, "provider.no_responses", arg_text("provider", p->s.name));
    return true;
}

enum rc llm_stream_error(struct llm_reading *in, const json_t *answer, struct err *e)
{
    const struct llm_refusal r = {.model = in->model, .answer = answer};
    return llm_provider_error(in->call->p, &r, &in->verdict, e);
}

enum rc llm_unanswered(struct llm_reading *in, const json_t *answer, struct err *e)
{
    return told_by(answer).message.len ? llm_stream_error(in, answer, e) : llm_nonsense(in->call->p, e);
}

enum rc llm_nonsense(const struct llm_provider *p, struct err *e)
{
    return err_say(e, RC_UPSTREAM, "provider.unreadable", arg_text("provider", p->s.name));
}

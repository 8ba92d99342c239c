/*
 * The transport of all HTTP kinds: one POST, and the decision how the call ends. A call may take several
 * attempts; each starts with a new reading of the answer (transport_body.c).
 *
 * The wire decides when an answer is complete ([DONE], message_stop). The connection can be reused only after
 * the rest of the body was read. The end is therefore reported when the body is complete, which is nearly
 * always in the same packet. DRAIN_MS bounds this wait. Some servers send no end and keep the connection open
 * after the finish reason. GRACE_MS bounds that wait, in which usage may arrive. Gateways that put a finish
 * reason into every event get no such limit.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rand.h"
#include "llm/transport_private.h"

#define BACKOFF_MS     400 /* before the second attempt; doubled before the third */
#define ERROR_BODY_MAX (64 * 1024)
/* Between attempts while a model is loading. */
#define LOADING_WAITS ((struct backoff){.first_ms = 1000, .max_ms = 8000})
#define SERIES_MAX    4096 /* bytes of an event that may be like the next one */

static enum rc try_once(struct transport *t, struct err *e);

/* ---- end of a call ---- */

static void on_again(void *arg)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    struct err e = ERR_INIT;
    llm_enter(c);
    if (try_once(t, &e))
        llm_emit_error(c, &e);
    llm_leave(c);
}

/* The server reports that it is loading the model: retries, the last time at the end of LLM_LOADING_MS. */
static void wait_for_loading(struct transport *t, const struct err *e)
{
    int64_t now = clock_mono_ms();
    if (!t->loading_until)
        t->loading_until = now + LLM_LOADING_MS;
    int64_t left_ms = t->loading_until - now;
    if (left_ms <= 0) {
        llm_emit_error(t->call, e);
        return;
    }
    int64_t wait_ms = backoff_next(&t->loading);
    if (wait_ms > left_ms)
        wait_ms = left_ms;
    t->tries = 0; /* the failures after it count from zero */
    loop_timer_set(t->again, wait_ms);
    llm_emit_retry(t->call, (int)wait_ms);
}

/* Whether another attempt can help. */
enum failure { FINAL, AGAIN };

/* t->call->verdict is set when the provider's answer is the cause. */
static void attempt_failed(struct transport *t, const struct err *e, enum failure failure)
{
    struct llm_call *c = t->call;
    if (!c->spoke && c->verdict.problem == LLM_PROBLEM_LOADING) {
        wait_for_loading(t, e);
        return;
    }
    if (failure == FINAL || c->spoke || t->tries >= LLM_TRIES || t->retry_after_s > LLM_RETRY_WAIT_MAX_S) {
        llm_emit_error(c, e);
        return;
    }
    uint32_t backoff = BACKOFF_MS << (t->tries - 1);
    int wait_ms = (int)(backoff / 2 + rand_below(backoff)); /* 50 to 150 percent of the backoff */
    if (t->retry_after_s * 1000 > wait_ms)
        wait_ms = t->retry_after_s * 1000 + (int)rand_below(BACKOFF_MS / 4);
    loop_timer_set(t->again, wait_ms);
    llm_emit_retry(c, wait_ms);
}

static void finish(struct transport *t)
{
    struct llm_call *c = t->call;
    struct llm_reading *in = &t->in;
    struct err e = ERR_INIT;
    /* Calls of an answer that was cut at its length are cut themselves. */
    llm_think_end(&in->think, c);
    if (c->spoke)
        llm_emit_results(in);
    bool cut = in->stop == LLM_STOP_LENGTH || in->stop == LLM_STOP_WINDOW;
    if (in->calls.n && !cut) {
        if (llm_calls_emit(&in->calls, c, &e)) {
            llm_emit_error(c, &e);
            return;
        }
        in->stop = LLM_STOP_TOOLS; /* overrides the server's reason */
    }
    if (!c->spoke && in->stop == LLM_STOP_DONE) {
        err_say(&e, RC_UPSTREAM, "provider.empty_answer", arg_text("provider", c->p->s.name));
        attempt_failed(t, &e, AGAIN);
        return;
    }
    if (!cut) {
        llm_blocks_emit(&in->blocks, c);
        llm_kept_emit(&in->kept, &in->calls, c);
    }
    struct llm_tokens n = in->tokens;
    if (n.in >= 0 || n.out >= 0) {
        n.in = n.in < 0 ? 0 : n.in;
        n.out = n.out < 0 ? 0 : n.out;
        llm_emit_usage(c, &n);
    }
    llm_emit_end(c, in->stop);
}

static void refused_by_status(struct transport *t)
{
    struct err e = ERR_INIT;
    AUTO(json_t) answer = t->raw.failed ? NULL : transport_refusal(t);
    const struct llm_refusal r = {t->model, t->status, t->retry_after_s, answer};
    struct llm_verdict *v = &t->call->verdict;
    if (t->wire != &llm_responses_wire || !llm_lacks_responses(t->call->p, &r, v, &e))
        llm_provider_error(t->call->p, &r, v, &e);
    t->retry_after_s = v->retry_after_s;
    attempt_failed(t, &e, v->retry ? AGAIN : FINAL);
}

static void forget_request(struct transport *t)
{
    strbuf_release(&t->body);
    arena_free(t->arena);
    t->arena = NULL;
    t->url = NULL;
    t->headers = NULL;
    t->headers_n = 0;
}

/* No attempt follows an answer that has begun. */
void transport_forget_if_answered(struct transport *t)
{
    if (t->call->spoke && t->arena && t->http && http_body_is_read(t->http))
        forget_request(t);
}

static void conclude(struct transport *t, enum rc rc, const struct err *e)
{
    struct llm_call *c = t->call;
    struct err own = ERR_INIT;
    if (t->status && !transport_status_is_good(t)) {
        refused_by_status(t);
        return;
    }
    if (rc == RC_OK && !err_rc(t->failed) && !t->in.over)
        transport_read_rest(t);
    if (c->freed)
        return;
    if (err_rc(t->failed)) {
        c->verdict = t->in.verdict;
        t->retry_after_s = c->verdict.retry_after_s;
        attempt_failed(t, t->failed, c->verdict.retry ? AGAIN : FINAL);
    } else if (t->in.finished || t->in.over) {
        finish(t); /* however the connection ended */
    } else if (rc) {
        bool broke_off = rc == RC_UPSTREAM && t->status;
        attempt_failed(t, e, rc == RC_UNAVAILABLE || broke_off ? AGAIN : FINAL);
    } else if (!t->got_bytes || (t->began_with_comment && !t->got_event)) {
        err_say(&own, RC_UPSTREAM, "provider.empty_answer", arg_text("provider", c->p->s.name));
        attempt_failed(t, &own, FINAL);
    } else if (!t->got_event) {
        llm_nonsense(t->call->p, err_kept(&t->failed));
        attempt_failed(t, t->failed, FINAL);
    } else {
        err_say(&own, RC_UPSTREAM, "provider.broke_off", arg_text("provider", c->p->s.name));
        attempt_failed(t, &own, AGAIN);
    }
}

static void on_last(void *arg)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    http_cancel(t->http);
    t->http = NULL;
    llm_enter(c);
    conclude(t, RC_OK, NULL);
    llm_leave(c);
}

/* ---- reading ---- */

static void on_status(void *arg, int status, int retry_after_s)
{
    struct transport *t = arg;
    t->status = status;
    t->retry_after_s = retry_after_s;
    strbuf_release(&t->raw);
    strbuf_init(&t->raw, transport_status_is_good(t) ? LLM_LINE_MAX : ERROR_BODY_MAX);
}

static bool on_data(void *arg, struct str piece)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    llm_enter(c);
    transport_take(t, piece);
    bool go_on = !err_rc(t->failed);
    return llm_leave(c) && go_on; /* t may be freed with c */
}

/* Under load many tokens arrive in one read. Each event costs a write to the turn log and to every
 * browser, so they are merged into one. */
static void on_rest(void *arg)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    llm_enter(c);
    llm_emit_gathered(c);
    llm_leave(c);
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    t->http = NULL;
    loop_timer_set(t->last, -1);
    llm_enter(c);
    conclude(t, rc, e);
    llm_leave(c);
}

/* ---- starting ---- */

static void forget_try(struct transport *t)
{
    sse_parser_free(t->sse);
    llm_calls_release(&t->in.calls);
    llm_blocks_release(&t->in.blocks);
    llm_kept_release(&t->in.kept);
    strbuf_release(&t->in.think.held);
    strbuf_release(&t->in.said);
    json_decref(t->in.results);
    strbuf_release(&t->raw);
    json_series_release(&t->events);
    t->sse = NULL;
}

static enum rc try_once(struct transport *t, struct err *e)
{
    static const struct http_callbacks cb = {
        .on_status = on_status, .on_data = on_data, .on_done = on_done, .on_rest = on_rest};
    const struct llm_provider *p = t->call->p;
    forget_try(t);
    t->tries++;
    t->status = t->retry_after_s = 0;
    t->kind = NOT_KNOWN;
    t->got_bytes = t->got_event = t->began_with_comment = false;
    err_drop(&t->failed);
    t->call->verdict = (struct llm_verdict){0};
    t->in = (struct llm_reading){.call = t->call,
        .model = t->model,
        .tokens = {-1, -1},
        .percent = -1,
        .searches = t->searches,
        .lists_results = t->lists_results,
        .kept.always = t->keeps_reasoning};
    strbuf_init(&t->in.said, LLM_LINE_MAX);
    t->sse = sse_parser_new(LLM_LINE_MAX, transport_on_event, t);
    struct http_request r = {.method = "POST",
        .server = p->s.name,
        .url = t->url,
        .headers = t->headers,
        .headers_n = t->headers_n,
        .body = strbuf_str(&t->body),
        .lends_body = true,
        .ca_file = p->s.ca_file,
        .proxy = p->s.proxy,
        .limits = p->s.limits};
    return http_start(p->http, &r, &cb, t, &t->http, e);
}

/* Appends the members that the owner adds to every request, before the closing brace. */
static void add_own_members(const struct llm_provider *p, struct strbuf *body)
{
    struct str more = str_trim(str_of(p->s.body ? p->s.body : ""));
    if (more.len < 3 || body->failed || body->len == 0) /* only {} */
        return;
    strbuf_truncate(body, body->len - 1);
    strbuf_addc(body, ',');
    strbuf_addstr(body, str_from(more, 1));
}

enum rc llm_transport_start(
    const struct llm_wire *w, const struct llm_request *r, struct llm_call *c, struct err *e)
{
    const struct llm_provider *p = c->p;
    struct transport *t = xcalloc(1, sizeof *t);
    *t = (struct transport){.call = c,
        .wire = w,
        .loading = LOADING_WAITS,
        .keeps_reasoning = r->sends_reasoning,
        .searches = r->web_search && !r->responses,
        .lists_results = r->lists_results};
    c->state = t;
    c->gathers = true;
    strbuf_init(&t->body, LLM_BODY_MAX);
    json_series_init(&t->events, SERIES_MAX);
    strbuf_init(&t->raw, ERROR_BODY_MAX);
    strbuf_init(&t->room, 4 * LLM_LINE_MAX); /* an invalid byte becomes four */
    t->arena = arena_new();
    t->url = llm_url(t->arena, p->s.base_url, w->path);
    t->model = xstrdup(r->model);
    t->headers = ARENA_ARRAY(t->arena, struct http_header, LLM_HEADERS_ROOM);
    t->headers_n = llm_headers(p->ops->kind, LLM_JSON, &p->s, t->arena, t->headers);
    t->headers[t->headers_n++] = (struct http_header){"Accept", "text/event-stream"};
    t->again = loop_timer_new(p->loop, on_again, t);
    t->last = loop_timer_new(p->loop, on_last, t);
    struct llm_request sent = *r;
    sent.messages = llm_sendable_calls(p, r, t->arena);
    llm_single_calls(&sent, t->arena);
    llm_without_system(&sent, t->arena);
    w->write_body(p, &sent, &t->body);
    add_own_members(p, &t->body);
    if (t->body.failed)
        return err_say(e, RC_TOO_BIG, "provider.conversation_too_long", arg_text("provider", p->s.name));
    return try_once(t, e);
}

void llm_transport_cancel(struct llm_call *c)
{
    struct transport *t = c->state;
    if (!t)
        return;
    c->state = NULL;
    http_cancel(t->http);
    forget_try(t);
    loop_timer_free(t->again);
    loop_timer_free(t->last);
    forget_request(t);
    free(t->model);
    strbuf_release(&t->room);
    err_drop(&t->failed);
    free(t);
}

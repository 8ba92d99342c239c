/*
 * The transport of all HTTP kinds: one POST, its answer read as a stream of events, and the decision how the
 * call ends. A call may take several attempts; each starts with a new reading.
 *
 * The wire decides when an answer is complete ([DONE], message_stop). The connection can be reused only after
 * the rest of the body was read. The end is therefore reported when the body is complete, which is nearly
 * always in the same packet. DRAIN_MS bounds this wait. Some servers send no end and keep the connection open
 * after the finish reason. GRACE_MS bounds that wait, in which usage may arrive. Gateways that put a finish
 * reason into every event get no such limit.
 *
 * Servers that do not stream answer with one JSON object. Its first byte distinguishes it from events.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/rand.h"
#include "codec/sse.h"
#include "codec/json/json_series.h"
#include "llm/internal.h"

#define DRAIN_MS       50
#define GRACE_MS       1000
#define BACKOFF_MS     400 /* before the second attempt; doubled before the third */
#define ERROR_BODY_MAX (64 * 1024)
/* Between attempts while a model is loading. */
#define LOADING_WAITS ((struct backoff){.first_ms = 1000, .max_ms = 8000})
#define SERIES_MAX    4096 /* bytes of an event that may be like the next one */
#define STATUS_OK_MIN 200
#define STATUS_OK_MAX 299

enum body_kind { NOT_KNOWN, EVENTS, ONE_OBJECT };

struct transport {
    struct llm_call *call;
    const struct llm_wire *wire;
    char *model;
    /* The request, kept for another attempt until the first event. */
    struct arena *arena; /* address and headers */
    const char *url;
    struct http_header *headers;
    size_t headers_n;
    struct strbuf body;
    struct http_call *http;
    struct loop_timer *again, *last; /* the next attempt; the limit after the finish reason */
    bool keeps_reasoning;            /* sends_reasoning of the request */
    int tries;
    struct backoff loading;
    int64_t loading_until; /* clock_mono_ms(); 0: the server is not loading */

    /* state of this attempt */
    int status, retry_after_s;
    enum body_kind kind;
    struct sse_parser *sse;
    struct json_series events;
    struct strbuf raw;  /* an error's body, or the single object */
    struct strbuf room; /* for utf8_stitch_json() */
    bool got_bytes, got_event, began_with_comment;
    struct llm_reading in;
    struct err *failed; /* owned; why the attempt ends; NULL: no failure so far */
};

static enum rc try_once(struct transport *t, struct err *e);

static bool status_is_good(const struct transport *t)
{
    return t->status >= STATUS_OK_MIN && t->status <= STATUS_OK_MAX;
}

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

static json_t *parse(struct transport *t, struct str text)
{
    struct str whole = utf8_stitch_json(text, &t->room);
    json_t *v = NULL;
    if (!t->room.failed)
        json_parse(whole, whole.len, &v, NULL); /* v stays NULL when it is not JSON */
    return v;
}

static const json_t *parse_event(struct transport *t, struct str text)
{
    struct str whole = utf8_stitch_json(text, &t->room);
    return t->room.failed ? NULL : json_series_begin(&t->events, whole);
}

static void refused_by_status(struct transport *t)
{
    struct err e = ERR_INIT;
    AUTO(json_t) answer = t->raw.failed ? NULL : parse(t, strbuf_str(&t->raw));
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
static void forget_if_answered(struct transport *t)
{
    if (t->call->spoke && t->arena && t->http && http_body_is_read(t->http))
        forget_request(t);
}

/* Reads an object that differs from the last one in its text, which is all that the last one had. */
static void read_text(struct transport *t, const json_t *text)
{
    struct str s = {json_string_value(text), json_string_length(text)};
    t->in.goes_on |= t->in.finished && s.len > 0;
    if (s.len)
        llm_think_text(&t->in.think, t->call, s);
    forget_if_answered(t);
}

static void read_object(struct transport *t, const json_t *obj)
{
    int before = t->in.percent;
    t->got_event = true;
    t->in.only = NULL;
    struct err e = ERR_INIT;
    t->wire->read(&t->in, obj, &e);
    if (e.rc)
        *err_kept(&t->failed) = e;
    if (t->in.percent > before && t->http)
        http_begins_later(t->http); /* the next part of the prompt may take as long as the first byte */
    forget_if_answered(t);
}

/* The body is complete: reads the rest that was held back. */
static void read_rest(struct transport *t)
{
    struct err e = ERR_INIT;
    if (t->kind == EVENTS) {
        sse_feed(t->sse, STR("\n\n"), &e); /* some servers omit the last empty line */
    } else if (t->kind == ONE_OBJECT) {
        json_t *obj = parse(t, strbuf_str(&t->raw));
        t->in.whole = true;
        if (json_is_object(obj))
            read_object(t, obj);
        else
            llm_nonsense(t->call->p, err_kept(&t->failed));
        json_decref(obj);
    }
}

static void conclude(struct transport *t, enum rc rc, const struct err *e)
{
    struct llm_call *c = t->call;
    struct err own = ERR_INIT;
    if (t->status && !status_is_good(t)) {
        refused_by_status(t);
        return;
    }
    if (rc == RC_OK && !err_rc(t->failed) && !t->in.over)
        read_rest(t);
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

static enum rc on_event(void *arg, const struct sse_event *ev, struct err *e)
{
    struct transport *t = arg;
    (void)e; /* t->failed has the error */
    if (t->in.over)
        return RC_OK;
    if (str_is(str_trim(ev->data), "[DONE]")) {
        t->in.over = true;
    } else {
        const json_t *obj = json_series_next(&t->events, ev->data);
        bool text_only = obj && t->in.only && t->in.only == json_series_string(&t->events);
        if (!obj)
            obj = parse_event(t, ev->data);
        if (text_only) {
            json_series_keep_string(&t->events); /* an answer may stream for minutes */
            read_text(t, t->in.only);
        } else if (json_is_object(obj)) {
            read_object(t, obj);
        } else {
            llm_nonsense(t->call->p, err_kept(&t->failed));
        }
    }
    if (err_rc(t->failed))
        return err_rc(t->failed);
    if (t->call->freed)
        return RC_CANCELLED;
    if (t->in.over)
        loop_timer_set(t->last, DRAIN_MS);
    else if (t->in.finished)
        loop_timer_set(t->last, t->in.goes_on ? -1 : GRACE_MS);
    return RC_OK;
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct transport *t = arg;
    t->status = status;
    t->retry_after_s = retry_after_s;
    strbuf_release(&t->raw);
    strbuf_init(&t->raw, status_is_good(t) ? LLM_LINE_MAX : ERROR_BODY_MAX);
}

static enum body_kind kind_of(struct str piece)
{
    struct str text = str_trim(piece);
    return text.len == 0 ? NOT_KNOWN : text.s[0] == '{' ? ONE_OBJECT : EVENTS;
}

static void too_long(struct transport *t)
{
    err_say(err_kept(&t->failed), RC_TOO_BIG, "provider.too_much_at_once",
        arg_text("provider", t->call->p->s.name));
}

static void take(struct transport *t, struct str piece)
{
    t->got_bytes = true;
    if (!status_is_good(t)) {
        strbuf_addstr(&t->raw, piece);
        return;
    }
    if (t->kind == NOT_KNOWN) {
        t->kind = kind_of(piece);
        t->began_with_comment = t->kind == EVENTS && str_trim(piece).s[0] == ':';
    }
    if (t->kind == ONE_OBJECT) {
        strbuf_addstr(&t->raw, piece);
        if (t->raw.failed)
            too_long(t);
    } else if (t->kind == EVENTS) {
        if (sse_feed(t->sse, piece, NULL) == RC_TOO_BIG && !err_rc(t->failed))
            too_long(t);
    }
}

static bool on_data(void *arg, struct str piece)
{
    struct transport *t = arg;
    struct llm_call *c = t->call;
    llm_enter(c);
    take(t, piece);
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
        .kept.always = t->keeps_reasoning};
    t->sse = sse_parser_new(LLM_LINE_MAX, on_event, t);
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
    *t = (struct transport){
        .call = c, .wire = w, .loading = LOADING_WAITS, .keeps_reasoning = r->sends_reasoning};
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
    t->headers_n = llm_headers(p->ops->kind, &p->s, t->arena, t->headers);
    t->headers[t->headers_n++] = (struct http_header){"Accept", "text/event-stream"};
    t->again = loop_timer_new(p->loop, on_again, t);
    t->last = loop_timer_new(p->loop, on_last, t);
    struct llm_request sent = *r;
    sent.messages = llm_sendable_calls(p, r, t->arena);
    llm_single_calls(&sent, t->arena);
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

/* Runs one call against a scripted server and writes down every event, one line each. Header only. */
#ifndef ALFRED_TESTS_LLM_RUN_H
#define ALFRED_TESTS_LLM_RUN_H

#include "fake_http.h"

#include "llm/llm.h"

#ifndef LLM_RUN_WAITED
#define LLM_RUN_WAITED(ms)                                                           \
    ((void)(ms)) /* for a test with its own clock: called at the beginning of a wait \
                  */
#endif

#define LLM_RUN_LIMIT_MS 60000 /* of a connection, silence and the whole, if the test sets none */

struct llm_run {
    const char *kind, *key, *model;
    struct http_limits limits;         /* zero: LLM_RUN_LIMIT_MS */
    const struct llm_request *request; /* NULL: one user message, "hi" */
    size_t free_at;                    /* not 0: free the call inside this event (1: the first) */
    struct strbuf events; /* "text:..", "reasoning:..", "call:id:name:args", "usage:in:out:cached:reasoning",
                             "opaque:json", "retry", "end:N", "error:rc:text"; neighbours of text and of
                             reasoning are joined */
    struct strbuf requests; /* all requests the server got */
    size_t tries, pieces;   /* pieces: of text and reasoning */
    int waited_ms;          /* the sum of the waits that were announced */
    struct err err;
    enum llm_problem problem; /* of the error, like the numbers */
    int64_t window, prompt_tokens, limit;
    bool client_left;
    /* private */
    struct loop *loop;
    struct llm_call *call;
    enum llm_event_kind last;
    size_t events_n;
};

static void llm_run_text(struct llm_run *run, const struct llm_event *ev, const char *label)
{
    if (run->events_n && run->last == ev->kind)
        strbuf_truncate(&run->events, run->events.len - 1);
    else
        strbuf_adds(&run->events, label);
    strbuf_addstr(&run->events, ev->text);
    strbuf_addc(&run->events, '\n');
    run->pieces++;
}

static void llm_run_event(void *arg, const struct llm_event *ev)
{
    struct llm_run *run = arg;
    switch (ev->kind) {
    case LLM_TEXT: llm_run_text(run, ev, "text:"); break;
    case LLM_REASONING: llm_run_text(run, ev, "reasoning:"); break;
    case LLM_CALL:
        strbuf_addf(&run->events, "call:%s:%s:%s\n", ev->call.id, ev->call.name, ev->call.args);
        break;
    case LLM_SEARCH: strbuf_addf(&run->events, "search:%.*s\n", STR_FMT(ev->text)); break;
    case LLM_OPAQUE: strbuf_addf(&run->events, "opaque:%.*s\n", STR_FMT(ev->text)); break;
    case LLM_USAGE:
        strbuf_addf(&run->events, "usage:%d:%d", (int)ev->tokens.in, (int)ev->tokens.out);
        if (ev->tokens.cached || ev->tokens.reasoning)
            strbuf_addf(&run->events, ":%d", (int)ev->tokens.cached);
        if (ev->tokens.reasoning)
            strbuf_addf(&run->events, ":%d", (int)ev->tokens.reasoning);
        strbuf_addc(&run->events, '\n');
        break;
    case LLM_READING: strbuf_addf(&run->events, "reading:%d\n", ev->percent); break;
    case LLM_RETRY:
        strbuf_adds(&run->events, "retry\n");
        run->waited_ms += ev->wait_ms;
        LLM_RUN_WAITED(ev->wait_ms);
        break;
    case LLM_END:
        strbuf_addf(&run->events, "end:%d\n", (int)ev->stop);
        loop_stop(run->loop);
        break;
    case LLM_ERROR:
        run->err = *ev->err;
        run->problem = ev->problem;
        run->window = ev->window;
        run->prompt_tokens = ev->prompt_tokens;
        run->limit = ev->limit;
        strbuf_addf(&run->events, "error:%s:%s\n", rc_name(ev->err->rc), ev->err->text);
        loop_stop(run->loop);
        break;
    }
    run->last = ev->kind;
    if (++run->events_n == run->free_at) {
        llm_call_free(run->call);
        run->call = NULL;
        loop_stop(run->loop);
    }
}

/* Runs `run` at `url`; the path the server sees is the wire's own. */
static enum rc llm_run_at(struct llm_run *run, const char *url)
{
    static const char *const local[] = {"127.0.0.1"};
    static const struct llm_message hi = {.role = LLM_USER, .text = {"hi", 2}};
    struct llm_request plain = {
        .model = run->model ? run->model : "test-model", .messages = &hi, .messages_n = 1};
    struct llm_settings s = {.name = "Acme", .base_url = url, .key = run->key, .limits = run->limits};
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    AUTO(llm_provider) p = NULL;
    if (!s.limits.body_max)
        s.limits =
            (struct http_limits){LLM_RUN_LIMIT_MS, LLM_RUN_LIMIT_MS, LLM_RUN_LIMIT_MS, (size_t)16 << 20, 0};
    strbuf_init(&run->events, (size_t)32 << 20);
    enum rc rc = loop_new(&l, &run->err);
    if (!rc)
        c = http_client_new(l, local, 1);
    if (!rc)
        rc = llm_provider_new(run->kind, &s, l, c, &p, &run->err);
    run->loop = l;
    if (!rc)
        rc = llm_start(p, run->request ? run->request : &plain, llm_run_event, run, &run->call, &run->err);
    if (!rc) {
        loop_run(l);
        llm_call_free(run->call);
    }
    return rc;
}

static inline void llm_run(struct llm_run *run, const struct fake_reply *script, size_t n)
{
    struct fake_http *f = fake_http_start(script, n);
    enum rc rc = llm_run_at(run, f->url);
    fake_http_stop(f);
    strbuf_init(&run->requests, (size_t)FAKE_REQUESTS_MAX * FAKE_REQUEST_SIZE);
    run->tries = f->requests_n;
    run->client_left = f->client_left;
    for (size_t i = 0; i < f->requests_n; i++)
        strbuf_adds(&run->requests, f->requests[i]);
    fake_http_free(f);
    if (rc)
        fprintf(stderr, "llm_run: %s\n", run->err.text);
}

static void llm_run_release(struct llm_run *run)
{
    strbuf_release(&run->events);
    strbuf_release(&run->requests);
}

#endif

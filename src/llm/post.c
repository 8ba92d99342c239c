/* A POST to a provider that is answered by one JSON object, for services besides chat. */
#include <stdlib.h>
#include <sys/epoll.h>

#include "codec/json/json.h"
#include "llm/internal.h"

struct llm_post_call {
    struct http_call *call;
    llm_post_fn *done;
    void *arg;
    struct strbuf body;
    struct llm_answer answer;
};

static void on_status(void *arg, int status, int retry_after_s)
{
    struct llm_post_call *c = arg;
    c->answer.status = status;
    c->answer.retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct llm_post_call *c = arg;
    strbuf_addstr(&c->body, piece);
    return true;
}

static void release(struct llm_post_call *c)
{
    strbuf_release(&c->body);
    free(c);
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct llm_post_call *c = arg;
    AUTO(json_t) json = NULL;
    if (rc == RC_OK && json_parse(strbuf_str(&c->body), c->body.len, &json, NULL) == RC_OK)
        c->answer.json = json;
    c->done(c->arg, rc, rc == RC_OK ? &c->answer : NULL, e);
    release(c);
}

enum rc llm_post_start(struct http_client *http, const struct llm_post *r, llm_post_fn *done, void *arg,
    struct llm_post_call **out, struct err *e)
{
    static const struct http_callbacks cb = {.on_status = on_status, .on_data = on_data, .on_done = on_done};
    AUTO(arena) a = arena_new();
    const struct llm_settings *s = r->provider;
    struct http_header headers[LLM_HEADERS_ROOM];
    struct http_request request = {.method = "POST",
        .server = s->name,
        .url = llm_url(a, s->base_url, r->path),
        .headers = headers,
        .headers_n = llm_headers("openai", r->type, s, a, headers),
        .ca_file = s->ca_file,
        .proxy = s->proxy,
        .body = r->body,
        .lends_body = true,
        .once = r->once,
        .limits = s->limits};
    struct llm_post_call *c = xcalloc(1, sizeof *c);
    c->done = done;
    c->arg = arg;
    strbuf_init(&c->body, s->limits.body_max);
    enum rc rc = http_start(http, &request, &cb, c, &c->call, e);
    if (rc != RC_OK)
        release(c);
    else
        *out = c;
    return rc;
}

void llm_post_cancel(struct llm_post_call *c)
{
    if (!c)
        return;
    http_cancel(c->call);
    release(c);
}

/* ---- blocking ---- */

struct waiting {
    struct loop *loop;
    struct llm_post_call *call;
    struct llm_answer *out;
    enum rc rc;
    struct err err;
};

static void waited(void *arg, enum rc rc, const struct llm_answer *answer, const struct err *e)
{
    struct waiting *w = arg;
    w->call = NULL;
    w->rc = rc;
    if (rc == RC_OK) {
        *w->out = *answer;
        json_incref(answer->json);
    } else {
        w->err = *e;
    }
    loop_stop(w->loop);
}

static void on_stop(void *arg, uint32_t events)
{
    struct waiting *w = arg;
    (void)events;
    w->rc = err_set(&w->err, RC_CANCELLED, "the request to the provider was stopped");
    loop_stop(w->loop);
}

enum rc llm_post_wait(const struct llm_post *r, struct llm_answer *out, struct err *e)
{
    struct waiting w = {.out = out};
    AUTO(loop) loop = NULL;
    AUTO(http_client) http = NULL; /* freed before the loop */
    struct loop_watch *stop = NULL;
    enum rc rc = loop_new(&loop, e);
    if (rc != RC_OK)
        return rc;
    w.loop = loop;
    http = http_client_new(loop, r->allowed, r->allowed_n);
    if (r->stop_fd)
        rc = loop_watch_new(loop, r->stop_fd, EPOLLIN, on_stop, &w, &stop, e);
    if (rc == RC_OK)
        rc = llm_post_start(http, r, waited, &w, &w.call, e);
    if (rc == RC_OK)
        loop_run(loop);
    llm_post_cancel(w.call);
    loop_watch_free(stop);
    if (rc == RC_OK && w.rc != RC_OK && e)
        *e = w.err;
    return rc == RC_OK ? w.rc : rc;
}

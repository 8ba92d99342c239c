/* Shared by the tests of the HTTP client: a call that is run to its end. */
#ifndef ALFRED_TESTS_NET_HTTP_RIG_H
#define ALFRED_TESTS_NET_HTTP_RIG_H

#include "unit.h"

#include <stdio.h>

#include "fake_http.h"

#include "net/http.h"

static const char *const local[] = {"127.0.0.1"};

/* A call and its result. */
struct seen {
    struct loop *loop;
    struct http_call *call;
    int statuses, status, retry_after_s, done;
    struct strbuf body;
    enum rc rc;
    struct err err;
    size_t stop_after; /* refuse the body from this length on */
    bool cancel_in_data;
    bool begins_later; /* no piece begins the answer */
    int *sent;         /* counts on_sent */
    char type[64], redirect[128];
};

static void on_status(void *arg, int status, int retry_after_s)
{
    struct seen *s = arg;
    s->statuses++;
    s->status = status;
    s->retry_after_s = retry_after_s;
}

static void on_type(void *arg, const char *type)
{
    struct seen *s = arg;
    snprintf(s->type, sizeof s->type, "%s", type);
}

static void on_redirect(void *arg, const char *url)
{
    struct seen *s = arg;
    snprintf(s->redirect, sizeof s->redirect, "%s", url);
}

static bool on_data(void *arg, struct str piece)
{
    struct seen *s = arg;
    strbuf_addstr(&s->body, piece);
    if (s->begins_later)
        http_begins_later(s->call);
    if (s->cancel_in_data) {
        http_cancel(s->call);
        s->call = NULL;
        loop_stop(s->loop);
    }
    return s->stop_after == 0 || s->body.len < s->stop_after;
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct seen *s = arg;
    s->done++;
    s->rc = rc;
    s->err = *e;
    s->call = NULL;
    loop_stop(s->loop);
}

static const struct http_callbacks callbacks = {.on_status = on_status,
    .on_type = on_type,
    .on_redirect = on_redirect,
    .on_data = on_data,
    .on_done = on_done};

static const struct http_limits usual = {.connect_ms = 60000,
    .silence_ms = 60000,
    .total_ms = 60000,
    .body_max = 1 << 20}; /* reached on failure only */

static void get_url(struct seen *s, struct http_client *c, const char *url, const struct http_limits *limits)
{
    struct http_request r = {.method = "GET", .url = url, .limits = *limits};
    strbuf_clear(&s->body);
    assert_int_equal(http_start(c, &r, &callbacks, s, &s->call, NULL), RC_OK);
    loop_run(s->loop);
}

/* A client that may connect to this machine, and a loop for it and `s`. The caller frees both. */
static struct http_client *new_client(struct seen *s, struct loop **loop)
{
    assert_int_equal(loop_new(loop, NULL), RC_OK);
    s->loop = *loop;
    strbuf_init(&s->body, 1 << 22);
    return http_client_new(*loop, local, 1);
}

/* Runs one GET against a script; the rest is asked of `s`. */
static struct fake_http *get_scripted(
    struct seen *s, const struct fake_reply *script, size_t n, const struct http_limits *limits)
{
    struct fake_http *f = fake_http_start(script, n);
    AUTO(loop) l = NULL;
    AUTO(http_client) c = new_client(s, &l);
    get_url(s, c, f->url, limits);
    http_client_free(c); /* before the server is asked whether the connection is gone */
    c = NULL;
    fake_http_stop(f);
    return f;
}

static void release(struct seen *s, struct fake_http *f)
{
    strbuf_release(&s->body);
    fake_http_free(f);
}

#endif

#include "cli/chat/server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/chat/signals.h"

#define CONNECT_MS 10000
#define SILENCE_MS 60000
#define TOTAL_MS   120000

/* ---- the address ---- */

/* The host of "https://host:port/..." with its port, or nothing. */
static struct str authority(const char *url)
{
    const char *from = url + strlen(url);
    if (str_starts_nocase(str_of(url), STR("https://")))
        from = url + 8;
    else if (str_starts_nocase(str_of(url), STR("http://")))
        from = url + 7;
    return (struct str){from, strcspn(from, "/?#")};
}

static struct str without_port(struct str where)
{
    if (!where.len)
        return where;
    const char *bracket = memchr(where.s, ']', where.len), *colon = memrchr(where.s, ':', where.len);
    if (colon && (!bracket || colon > bracket))
        where.len = (size_t)(colon - where.s);
    return where;
}

bool server_is_local(const char *url)
{
    struct str host = without_port(authority(url));
    char text[INET_ADDRSTRLEN];
    struct in_addr in;
    if (str_eq_nocase(host, STR("localhost")) || str_is(host, "[::1]"))
        return true;
    if (host.len >= sizeof text)
        return false;
    memcpy(text, host.s, host.len);
    text[host.len] = '\0';
    return inet_pton(AF_INET, text, &in) == 1 && ntohl(in.s_addr) >> 24 == 127;
}

static enum rc set_address(struct server *s, const char *url, struct err *e)
{
    struct str where = authority(url), rest = {where.s + where.len, strlen(where.s + where.len)};
    size_t len = strlen(url);
    if (!where.len || memchr(where.s, '@', where.len))
        return err_tell(e, RC_BAD_INPUT, "The server is an address such as https://alfred.example.");
    if (rest.len && !str_is(rest, "/"))
        return err_tell(
            e, RC_BAD_INPUT, "The address of the server has no path: https://%.*s", STR_FMT(where));
    if (len >= sizeof s->url)
        return err_tell(e, RC_BAD_INPUT, "The address of the server is too long.");
    if (str_starts_nocase(str_of(url), STR("http://")) && !server_is_local(url))
        return err_tell(e, RC_BAD_INPUT,
            "An API token is sent over https only. Use https://%.*s; http is for this machine.",
            STR_FMT(where));
    snprintf(s->url, sizeof s->url, "%.*s", (int)(len - rest.len), url);
    snprintf(s->where, sizeof s->where, "%.*s", STR_FMT(where));
    return RC_OK;
}

enum rc server_open(const struct server_setup *setup, struct server **out, struct err *e)
{
    AUTO(server) s = xcalloc(1, sizeof *s);
    enum rc rc = set_address(s, setup->url, e);
    if (rc == RC_OK)
        rc = loop_new(&s->loop, e);
    if (rc != RC_OK)
        return rc;
    const char *allowed = s->where; /* the user names the server, so it may be in a private network */
    s->http = http_client_new(s->loop, &allowed, 1);
    s->ca_file = setup->ca_file ? xstrdup(setup->ca_file) : NULL;
    s->system_too = setup->system_too;
    if (setup->token) {
        size_t size = strlen(setup->token) + sizeof "Bearer ";
        s->token = xstrdup(setup->token);
        s->authorization = xmalloc(size);
        snprintf(s->authorization, size, "Bearer %s", setup->token);
    }
    signals_wake(s->loop);
    *out = s;
    s = NULL;
    return RC_OK;
}

void server_free(struct server *s)
{
    if (!s)
        return;
    signals_wake(NULL);
    http_client_free(s->http);
    loop_free(s->loop);
    free(s->token);
    free(s->authorization);
    free(s->ca_file);
    free(s);
}

/* ---- calls ---- */

struct http_request server_request(
    const struct server *s, const char *method, const char *url, struct http_header headers[SERVER_HEADERS])
{
    size_t n = 0;
    headers[n++] = (struct http_header){"Content-Type", "application/json"};
    if (s->authorization)
        headers[n++] = (struct http_header){"Authorization", s->authorization};
    return (struct http_request){.method = method,
        .server = s->where,
        .url = url,
        .headers = headers,
        .headers_n = n,
        .limits = {.connect_ms = CONNECT_MS,
            .silence_ms = SILENCE_MS,
            .total_ms = TOTAL_MS,
            .body_max = SERVER_ANSWER_MAX},
        .ca_file = s->ca_file,
        .system_too = s->system_too};
}

static enum rc code_of(int status)
{
    switch (status) {
    case 400: return RC_BAD_INPUT;
    case 401: return RC_UNAUTHENTICATED;
    case 403: return RC_FORBIDDEN;
    case 404: return RC_NOT_FOUND;
    case 409: return RC_CONFLICT;
    case 410: return RC_GONE;
    case 412: return RC_CHANGED;
    case 413: return RC_TOO_BIG;
    case 421: return RC_MISDIRECTED;
    case 429: return RC_RATE_LIMITED;
    case 502:
    case 503:
    case 504: return RC_UNAVAILABLE;
    default: return status >= 200 && status < 300 ? RC_OK : RC_UPSTREAM;
    }
}

enum rc server_refused(int status, struct str body, struct err *e)
{
    enum rc rc = code_of(status);
    struct str message = {0};
    AUTO(json_t) v = NULL;
    if (rc == RC_OK)
        return rc;
    if (rc == RC_UNAUTHENTICATED)
        return err_tell(e, rc,
            "The server does not accept the API token. Make one on the Account page of Alfred, then run "
            "`alfred chat --login`.");
    if (json_parse(body, SERVER_ANSWER_MAX, &v, NULL) == RC_OK &&
        (json_get_str(json_object_get(v, "error"), "message", &message) ||
            json_get_str(v, "detail", &message)) &&
        message.len)
        return err_tell(e, rc, "%.*s", STR_FMT(message));
    if (rc == RC_UNAVAILABLE)
        return err_tell(e, rc, "The server is starting or overloaded.");
    return err_tell(e, rc, "The server answered with status %d. Is it Alfred?", status);
}

struct call {
    struct server *server;
    struct strbuf body;
    int status, retry_after_s;
    bool done;
    enum rc rc;
    struct err *err;
};

static void on_status(void *arg, int status, int retry_after_s)
{
    struct call *c = arg;
    c->status = status;
    c->retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct call *c = arg;
    strbuf_addstr(&c->body, piece);
    return !c->body.failed;
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct call *c = arg;
    c->done = true;
    c->rc = rc;
    if (rc != RC_OK && c->err)
        *c->err = *e;
    loop_stop(c->server->loop);
}

static enum rc read_answer(struct call *c, json_t **out, struct err *e)
{
    enum rc rc = server_refused(c->status, strbuf_str(&c->body), e);
    if (rc != RC_OK && e)
        e->retry_after_s = c->retry_after_s;
    if (rc != RC_OK || !out || !str_trim(strbuf_str(&c->body)).len)
        return rc;
    if (json_parse(strbuf_str(&c->body), SERVER_ANSWER_MAX, out, NULL) != RC_OK)
        return err_tell(e, RC_UPSTREAM, "The server's answer is no JSON. Is it Alfred?");
    return RC_OK;
}

enum rc server_call(
    struct server *s, const char *method, const char *path, const json_t *body, json_t **out, struct err *e)
{
    static const struct http_callbacks cb = {.on_status = on_status, .on_data = on_data, .on_done = on_done};
    struct http_header headers[SERVER_HEADERS];
    struct http_call *started;
    struct call c = {.server = s, .err = e};
    AUTO_STRBUF url;
    if (out)
        *out = NULL;
    strbuf_init(&url, SERVER_URL_MAX + strlen(path));
    strbuf_adds(&url, s->url);
    strbuf_adds(&url, path);
    AUTO_FREE char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
    struct http_request r = server_request(s, method, url.s, headers);
    r.body = text ? str_of(text) : (struct str){"", 0};
    enum rc rc = http_start(s->http, &r, &cb, &c, &started, e);
    if (rc != RC_OK)
        return rc;
    strbuf_init(&c.body, SERVER_ANSWER_MAX);
    int before = signals_interrupts();
    while (!c.done && signals_interrupts() == before)
        loop_run(s->loop);
    if (!c.done) {
        http_cancel(started);
        rc = err_tell(e, RC_CANCELLED, "Stopped.");
    } else {
        rc = c.rc == RC_OK ? read_answer(&c, out, e) : c.rc;
    }
    strbuf_release(&c.body);
    return rc;
}

static void on_timer(void *arg)
{
    bool *over = ((void **)arg)[0];
    *over = true;
    loop_stop(((void **)arg)[1]);
}

bool server_wait(struct server *s, int64_t ms)
{
    bool over = false;
    void *args[] = {&over, s->loop};
    int before = signals_interrupts();
    struct loop_timer *t = loop_timer_new(s->loop, on_timer, args);
    loop_timer_set(t, ms);
    while (!over && signals_interrupts() == before)
        loop_run(s->loop);
    loop_timer_free(t);
    return over;
}

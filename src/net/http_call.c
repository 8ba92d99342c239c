/*
 * One request: its options for curl, what curl reports about it, and the silence of its server.
 *
 * The name resolver is the one that libcurl was built with. With Debian's threaded resolver, QUICK_EXIT
 * prevents a cancelled lookup from blocking the loop until the name server answers.
 */
#include "net/http_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define HEADERS_MAX     (64 * 1024) /* all header lines of an answer together */
#define READ_BUFFER     1024 /* per running call; curl's default of 16 KB would be most of a stream's memory */
#define UPLOAD_BUFFER   16384 /* curl's minimum */
#define RETRY_AFTER_MAX (24 * 60 * 60)
/* A request with `once` takes no connection that was idle for longer: the server may be closing it. */
#define ONCE_IDLE_S 20

/* ---- what curl reports about a call ---- */

static void hear(struct http_call *call)
{
    call->heard_ms = clock_mono_ms();
}

static int silence_limit(const struct http_call *call)
{
    return call->begun || !call->limits.first_ms ? call->limits.silence_ms : call->limits.first_ms;
}

/* The timer is not reset by every piece. When it fires, it checks the length of the silence. */
static void on_silence(void *arg)
{
    struct http_call *call = arg;
    struct err e = ERR_INIT;
    if (call->verdict == NOT_WATCHED) {
        http_call_done(call, http_explain(call, CURLE_OK, &e), &e);
        return;
    }
    int limit_ms = silence_limit(call);
    int64_t left_ms = call->heard_ms + limit_ms - clock_mono_ms();
    if (left_ms > 0) {
        loop_timer_set(call->silence, left_ms);
        return;
    }
    int s = (limit_ms + 999) / 1000;
    err_say(&e, RC_TIMEOUT, "server.silent", arg_text("server", call->server), arg_int("n", s));
    http_call_done(call, RC_TIMEOUT, &e);
}

static int on_connected(void *arg, char *to_ip, char *from_ip, int to_port, int from_port)
{
    struct http_call *call = arg;
    (void)to_ip;
    (void)from_ip;
    (void)to_port;
    (void)from_port;
    if (call->cancelled || call->verdict == NOT_WATCHED || (call->once && call->sent))
        return CURL_PREREQFUNC_ABORT;
    call->sent = true;
    if (call->cb.on_sent)
        call->cb.on_sent(call->arg);
    hear(call);
    if (silence_limit(call) > 0)
        loop_timer_set(call->silence, silence_limit(call));
    return CURL_PREREQFUNC_OK;
}

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
    struct http_call *call = arg;
    (void)purpose;
    if (!call->listed && !call->proxied && !address_is_public(&to->addr)) {
        call->refused_n++;
        return CURL_SOCKET_BAD;
    }
    call->opened_n++;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* An answer may stream for minutes after a request of many KB. curl sends a body again only while no
 * answer has begun (CURLOPT_FOLLOWLOCATION is off). */
static void forget_body(struct http_call *call)
{
    curl_off_t sent = 0;
    curl_easy_getinfo(call->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (sent < (curl_off_t)call->body_len)
        return;
    call->body_is_read = true;
    free(call->copied);
    call->copied = NULL;
}

bool http_body_is_read(const struct http_call *call)
{
    return call->body_is_read;
}

static void report_status(struct http_call *call)
{
    long status = 0;
    curl_off_t after = 0;
    curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(call->easy, CURLINFO_RETRY_AFTER, &after);
    if (status < 200)
        return; /* 1xx: the final status follows */
    call->answered = true;
    forget_body(call);
    after = after < 0 ? 0 : after > RETRY_AFTER_MAX ? RETRY_AFTER_MAX : after;
    if (call->cb.on_type) {
        char *type = NULL;
        curl_easy_getinfo(call->easy, CURLINFO_CONTENT_TYPE, &type);
        call->cb.on_type(call->arg, type ? type : "");
    }
    if (call->cb.on_status)
        call->cb.on_status(call->arg, (int)status, (int)after);
}

/* Trailers, which follow the body, are left out. */
static void report_header(struct http_call *call, struct str line)
{
    struct str value = line, name = str_cut(&value, ':');
    if (call->cb.on_header && !call->answered && value.s)
        call->cb.on_header(call->arg, name, str_trim(value));
}

static size_t on_header(char *p, size_t size, size_t n, void *arg)
{
    struct http_call *call = arg;
    (void)size; /* always 1 */
    if (call->cancelled)
        return 0;
    hear(call);
    call->headers_n += n;
    if (call->headers_n > HEADERS_MAX) {
        call->verdict = HEADERS_TOO_BIG;
        return 0;
    }
    bool end = n > 0 && (p[0] == '\r' || p[0] == '\n');
    if (!end)
        report_header(call, (struct str){p, n});
    else if (!call->answered) /* trailers end with an empty line, too */
        report_status(call);
    return call->cancelled ? 0 : n;
}

static size_t on_body(char *p, size_t size, size_t n, void *arg)
{
    struct http_call *call = arg;
    (void)size;
    if (call->cancelled)
        return 0;
    hear(call);
    if (n > call->limits.body_max - call->body_n) {
        call->verdict = BODY_TOO_BIG;
        return 0;
    }
    bool first = !call->begun;
    http_set_begun(call, true);
    call->body_n += n;
    if (first && call->limits.silence_ms > 0)
        loop_timer_set(call->silence, call->limits.silence_ms); /* was first_ms until now */
    if (call->cb.on_rest && !call->fed) {
        call->fed = true;
        call->next_fed = call->client->fed;
        call->client->fed = call;
    }
    if (!call->cb.on_data(call->arg, (struct str){p, n})) {
        call->verdict = STOPPED_BY_READER;
        return 0;
    }
    return call->cancelled ? 0 : n;
}

/* ---- starting ---- */

static bool has_line_end(const char *s)
{
    return strpbrk(s, "\r\n") != NULL;
}

static enum rc set_headers(struct http_call *call, const struct http_request *r, struct err *e)
{
    /* "Name:" removes a header that curl would add. */
    call->headers = curl_slist_append(call->headers, "Expect:");
    for (size_t i = 0; i < r->headers_n; i++) {
        const struct http_header *h = &r->headers[i];
        if (has_line_end(h->name) || has_line_end(h->value))
            return err_set(e, RC_BAD_INPUT, "a line end in request header %zu", i);
        size_t size = strlen(h->name) + strlen(h->value) + sizeof ": ";
        AUTO_FREE char *line = xmalloc(size);
        snprintf(line, size, "%s: %s", h->name, h->value);
        struct curl_slist *longer = curl_slist_append(call->headers, line);
        if (!longer)
            abort(); /* out of memory */
        call->headers = longer;
    }
    return RC_OK;
}

static void set_options(struct http_call *call, const struct http_request *r)
{
    CURL *h = call->easy;
    curl_easy_setopt(h, CURLOPT_PRIVATE, call);
    curl_easy_setopt(h, CURLOPT_URL, r->url);
    curl_easy_setopt(h, CURLOPT_HTTPHEADER, call->headers);
    curl_easy_setopt(h, CURLOPT_USERAGENT, "Alfred");
    if (strcmp(r->method, "GET") != 0) {
        curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.len);
        curl_easy_setopt(h, CURLOPT_POSTFIELDS, call->copied ? call->copied : r->body.s);
        curl_easy_setopt(h, CURLOPT_CUSTOMREQUEST, r->method);
    }

    curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, call->listed ? "http,https" : "https");
    curl_easy_setopt(h, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(h, CURLOPT_PROXY, r->proxy ? r->proxy : ""); /* otherwise the environment's */
    http_trust(h, r->ca_file, r->system_too);
    curl_easy_setopt(h, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L);
    curl_easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(h, CURLOPT_OPENSOCKETDATA, call);

    if (r->once)
        curl_easy_setopt(h, CURLOPT_MAXAGE_CONN, (long)ONCE_IDLE_S);
    curl_easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, (long)r->limits.connect_ms);
    curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, (long)r->limits.total_ms);
    curl_easy_setopt(h, CURLOPT_BUFFERSIZE, (long)READ_BUFFER);
    curl_easy_setopt(h, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER);
    curl_easy_setopt(h, CURLOPT_TCP_NODELAY, 1L);
    curl_easy_setopt(h, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);

    curl_easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "gzip"); /* decoded; body_max counts what on_data gets */
    curl_easy_setopt(h, CURLOPT_PREREQFUNCTION, on_connected);
    curl_easy_setopt(h, CURLOPT_PREREQDATA, call);
    curl_easy_setopt(h, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(h, CURLOPT_HEADERDATA, call);
    curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(h, CURLOPT_WRITEDATA, call);
}

static struct http_call *call_new(
    struct http_client *c, const struct http_request *r, const struct address_target *target)
{
    struct http_call *call = xcalloc(1, sizeof *call);
    *call = (struct http_call){.client = c,
        .next = c->calls,
        .limits = r->limits,
        .listed = target->listed,
        .where = xstrdup(target->where),
        .server = xstrdup(r->server ? r->server : target->where),
        .proxied = r->proxy != NULL,
        .once = r->once,
        .body_len = r->body.len,
        .silence = loop_timer_new(c->loop, on_silence, call),
        .easy = curl_easy_init()};
    if (!call->easy)
        abort(); /* out of memory */
    if (!r->lends_body) {
        call->copied = xmalloc(r->body.len);
        memcpy(call->copied, r->body.len ? r->body.s : "", r->body.len);
    }
    if (call->next)
        call->next->prev = call;
    c->calls = call;
    return call;
}

enum rc http_start(struct http_client *c, const struct http_request *r, const struct http_callbacks *cb,
    void *arg, struct http_call **out, struct err *e)
{
    struct address_target target;
    enum rc rc = http_open_multi(c, e);
    if (rc)
        return rc;
    rc = address_policy_check(r->url, (const char *const *)c->allowed, c->allowed_n, &target, e);
    if (rc)
        return rc;
    struct http_call *call = call_new(c, r, &target);
    call->cb = *cb;
    call->arg = arg;
    rc = set_headers(call, r, e);
    if (rc) {
        http_call_free(call);
        return rc;
    }
    set_options(call, r);
    http_call_begin(call);
    *out = call;
    return RC_OK;
}

/*
 * The client: libcurl's multi interface on the event loop. curl reports the sockets and the one timer that it
 * needs, the loop reports when they are ready. http_call.c has the single request.
 *
 * curl must not be called for a handle from inside its own callbacks. While curl runs (client->in_curl), a
 * cancelled call is only marked and a started one only queued; leave_curl() does both after curl has
 * returned. on_status and on_data are called from curl's callbacks, on_rest and on_done never.
 */
#include "net/http_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>

/* With so many answers at once, each of which comes in small pieces, a piece may wait for others (loop.h). A
 * reader does not notice it: models send a piece every 10 to 50 ms. */
#define PACE_CALLS 100
#define PACE_US    INT64_C(1000)

struct watched {
    struct http_client *client;
    struct loop_watch *watch;
    curl_socket_t fd;
};

static void leave_curl(struct http_client *c);

/* ---- curl's sockets and timer on the loop ---- */

static void on_socket_ready(void *arg, uint32_t events)
{
    struct watched *w = arg;
    struct http_client *c = w->client;
    /* A hang-up or error is treated as readable: the read reports which. curl's own CURL_CSELECT_ERR would
     * hide an answer that arrived before the server closed. */
    int bits = 0;
    if (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR))
        bits |= CURL_CSELECT_IN;
    if (events & (EPOLLOUT | EPOLLHUP | EPOLLERR))
        bits |= CURL_CSELECT_OUT;
    int running;
    c->in_curl = true;
    curl_multi_socket_action(c->multi, w->fd, bits, &running); /* may free w */
    leave_curl(c);
}

/* The call ends in the next round (leave_curl()). */
static void give_up(struct http_call *call, int cause)
{
    call->verdict = NOT_WATCHED;
    call->not_watched = cause;
    call->client->untidy = true;
}

/* When it returns -1, curl ends all calls and never makes one again. */
static int on_socket_wanted(CURL *easy, curl_socket_t fd, int what, void *arg, void *socketp)
{
    struct http_client *c = arg;
    struct watched *w = socketp;
    if (what == CURL_POLL_REMOVE) {
        if (w)
            loop_watch_free(w->watch);
        free(w);
        curl_multi_assign(c->multi, fd, NULL);
        return 0;
    }
    uint32_t events = ((what & CURL_POLL_IN) ? EPOLLIN : 0u) | ((what & CURL_POLL_OUT) ? EPOLLOUT : 0u);
    if (w) {
        loop_watch_events(w->watch, events);
        return 0;
    }
    w = xcalloc(1, sizeof *w);
    *w = (struct watched){.client = c, .fd = fd};
    if (loop_watch_new(c->loop, fd, events, on_socket_ready, w, &w->watch, NULL) == RC_OK) {
        curl_multi_assign(c->multi, fd, w);
        return 0;
    }
    struct http_call *call = NULL;
    int cause = errno;
    free(w);
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&call);
    if (call) /* else a handle of curl, which closes a connection */
        give_up(call, cause);
    return 0;
}

static void on_timer(void *arg)
{
    struct http_client *c = arg;
    int running;
    c->in_curl = true;
    curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    leave_curl(c);
}

static int on_timer_wanted(CURLM *multi, long ms, void *arg)
{
    struct http_client *c = arg;
    (void)multi;
    loop_timer_set(c->timer, ms);
    return 0;
}

/* ---- running calls ---- */

void http_set_begun(struct http_call *call, bool begun)
{
    struct http_client *c = call->client;
    if (call->begun == begun)
        return;
    call->begun = begun;
    c->begun_n += begun ? 1 : SIZE_MAX;
    loop_set_pace(c->loop, c->begun_n >= PACE_CALLS ? PACE_US : 0);
}

void http_call_free(struct http_call *call)
{
    struct http_client *c = call->client;
    http_set_begun(call, false);
    if (call->prev)
        call->prev->next = call->next;
    else
        c->calls = call->next;
    if (call->next)
        call->next->prev = call->prev;
    if (call->added)
        curl_multi_remove_handle(c->multi, call->easy);
    curl_easy_cleanup(call->easy);
    curl_slist_free_all(call->headers);
    free(call->copied);
    free(call->where);
    free(call->server);
    loop_timer_free(call->silence);
    free(call);
}

void http_call_done(struct http_call *call, enum rc rc, const struct err *e)
{
    struct http_callbacks cb = call->cb;
    void *arg = call->arg;
    struct err kept = *e; /* may point into the call */
    http_call_free(call);
    cb.on_done(arg, rc, &kept);
}

void http_cancel(struct http_call *call)
{
    if (!call)
        return;
    if (call->client->in_curl) {
        call->cancelled = true;
        call->client->untidy = true;
    } else {
        http_call_free(call);
    }
}

void http_begins_later(struct http_call *call)
{
    http_set_begun(call, false);
}

static void tell_redirect(const struct http_call *call)
{
    char *url = NULL;
    if (call->cb.on_redirect && curl_easy_getinfo(call->easy, CURLINFO_REDIRECT_URL, &url) == CURLE_OK && url)
        call->cb.on_redirect(call->arg, url);
}

static void collect_done(struct http_client *c)
{
    CURLMsg *msg;
    int left;
    while ((msg = curl_multi_info_read(c->multi, &left))) {
        if (msg->msg != CURLMSG_DONE)
            continue;
        struct http_call *call = NULL;
        CURLcode code = msg->data.result; /* msg is freed with the handle */
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&call);
        if (code == CURLE_OK)
            tell_redirect(call);
        struct err e = ERR_INIT;
        enum rc rc = code == CURLE_OK ? RC_OK : http_explain(call, code, &e);
        http_call_done(call, rc, &e);
    }
}

static void add_to_multi(struct http_call *call)
{
    call->added = true;
    curl_multi_add_handle(call->client->multi, call->easy); /* fails only when it was added before */
}

void http_call_begin(struct http_call *call)
{
    if (call->client->in_curl)
        call->client->untidy = true;
    else
        add_to_multi(call);
}

/* Calls on_rest. The client counts as inside curl meanwhile, so a call that is cancelled here stays in memory
 * until leave_curl() frees it. */
static void tell_rest(struct http_client *c)
{
    for (struct http_call *call = c->fed; call; call = call->next_fed) {
        call->fed = false;
        if (!call->cancelled)
            call->cb.on_rest(call->arg);
    }
    c->fed = NULL;
}

static void leave_curl(struct http_client *c)
{
    tell_rest(c);
    c->in_curl = false;
    if (c->untidy) {
        c->untidy = false;
        for (struct http_call *call = c->calls, *next; call; call = next) {
            next = call->next;
            if (call->cancelled)
                http_call_free(call);
            else if (call->verdict == NOT_WATCHED)
                loop_timer_set(call->silence, 0);
            else if (!call->added)
                add_to_multi(call);
        }
    }
    collect_done(c);
}

enum rc http_open_multi(struct http_client *c, struct err *e)
{
    if (c->multi)
        return RC_OK;
    enum rc rc = curl_load(e);
    if (rc != RC_OK)
        return rc;
    if (!(c->multi = curl_multi_init()))
        return err_set(e, RC_INTERNAL, "curl_multi_init");
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket_wanted);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer_wanted);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    return RC_OK;
}

/* ---- the client ---- */

struct http_client *http_client_new(struct loop *l, const char *const *allowed, size_t allowed_n)
{
    struct http_client *c = xcalloc(1, sizeof *c);
    *c = (struct http_client){.loop = l, .allowed_n = allowed_n};
    c->allowed = xcalloc(allowed_n ? allowed_n : 1, sizeof *c->allowed);
    for (size_t i = 0; i < allowed_n; i++)
        c->allowed[i] = xstrdup(allowed[i]);
    c->timer = loop_timer_new(l, on_timer, c);
    return c;
}

void http_client_free(struct http_client *c)
{
    if (!c)
        return;
    while (c->calls)
        http_call_free(c->calls);
    if (c->multi)
        curl_multi_cleanup(c->multi);
    loop_timer_free(c->timer);
    for (size_t i = 0; i < c->allowed_n; i++)
        free(c->allowed[i]);
    free(c->allowed);
    free(c);
}

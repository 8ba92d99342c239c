/*
 * The HTTP client: libcurl's multi interface on a loop. Every request has caps and timeouts. No redirect is
 * followed, and no setting is read from the environment.
 *
 * Safety: https only; http only for hosts on the allow list. Addresses that are private, loopback,
 * link-local, multicast or unspecified are refused after resolution unless the host is listed. No proxy
 * unless configured. The body is counted while it is read.
 *
 * A request's callbacks run on the loop's thread. on_done is called exactly once and last, unless the request
 * is freed first: http_cancel() ends it silently. The caller owns the request and the callback argument.
 */
#ifndef ALFRED_NET_HTTP_H
#define ALFRED_NET_HTTP_H

#include "base/strbuf.h"
#include "net/loop.h"

struct http_client;
struct http_call;

struct http_limits {
    int connect_ms; /* until the connection is ready, TLS included */
    int silence_ms; /* between two pieces of the answer; comments of an event stream count as pieces */
    int total_ms;   /* 0: no limit */
    size_t body_max;
    int first_ms; /* from the request to the first piece of the body (http_begins_later()); 0: silence_ms */
};

struct http_header {
    const char *name, *value; /* a value may be secret, so it is never logged */
};

struct http_request {
    const char *method; /* "GET", "POST" */
    const char *server; /* its name in sentences; NULL: its host and port */
    const char *url;
    const struct http_header *headers;
    size_t headers_n;
    struct str body;
    /* `body` lives until http_body_is_read() or the end of the call. Without it http_start() copies it. */
    bool lends_body;
    struct http_limits limits;
    const char *ca_file; /* PEM; NULL: the system's certificates */
    bool system_too;     /* the system's certificates besides ca_file */
    const char *proxy;   /* a configured address, which also resolves the name. NULL: none */
    bool once;           /* not sent again automatically when a kept connection is found closed */
    int stop_fd;         /* only for http_fetch(): readable ends it with RC_CANCELLED; 0: none */
};

struct http_callbacks {
    /* Called once, before the body. retry_after_s: from Retry-After (seconds or date), 0 when absent. May
     * be NULL. */
    void (*on_status)(void *arg, int status, int retry_after_s);
    /* Called before on_status with the Content-Type; "": none. May be NULL. */
    void (*on_type)(void *arg, const char *type);
    /* Called before on_status with each header of the final answer, without white space around the value.
     * May be NULL. */
    void (*on_header)(void *arg, struct str name, struct str value);
    /* Called before on_done(RC_OK) when the server names another address (Location), with the absolute
     * address. May be NULL. */
    void (*on_redirect)(void *arg, const char *url);
    /* Receives pieces of the body. False ends the call with RC_CANCELLED. */
    bool (*on_data)(void *arg, struct str piece);
    /* RC_OK: the whole body arrived, with any status. RC_UNAVAILABLE: no name, no connection, no answer.
     * RC_UPSTREAM: TLS, not HTTP, an incomplete answer. RC_TIMEOUT, RC_TOO_BIG, RC_FORBIDDEN (address).
     * Except for RC_CANCELLED the text is a sentence for the user. */
    void (*on_done)(void *arg, enum rc rc, const struct err *e);
    /* Called after one or more pieces, when on_data has received all that had arrived. May be NULL. */
    void (*on_rest)(void *arg);
    /* Called when the connection is ready, before the request is sent: from here on the server may receive
     * it. Called again when the request is sent again on another connection. May be NULL. */
    void (*on_sent)(void *arg);
};

/* `allowed` lists "host" or "host:port" that may be private and use http; copied. */
struct http_client *http_client_new(struct loop *l, const char *const *allowed, size_t allowed_n);
/* Cancels running calls; NULL is fine. Call it outside of callbacks and before the loop is freed. */
void http_client_free(struct http_client *c);
DEFINE_AUTO(http_client);

/* RC_BAD_INPUT: a URL that is not allowed. RC_UNAVAILABLE: without libcurl (curl_load.h). No callback
 * follows a failure. On RC_OK *out is valid until on_done or http_cancel(). */
enum rc http_start(struct http_client *c, const struct http_request *r, const struct http_callbacks *cb,
    void *arg, struct http_call **out, struct err *e);
/* Called inside on_data: the pieces so far do not begin the answer, so first_ms applies to the next one, too.
 */
void http_begins_later(struct http_call *call);
/* The server has read the whole body and answers: a lent one is not needed any more. */
bool http_body_is_read(const struct http_call *call);
void http_cancel(struct http_call *call); /* NULL is fine; no callback follows */

/* The same, blocking, for programs without a loop (start-up checks, CLI). Appends the body to `out`, at
 * most limits.body_max bytes. */
enum rc http_fetch(const struct http_request *r, const char *const *allowed, size_t allowed_n, int *status,
    struct strbuf *out, struct err *e);

#endif

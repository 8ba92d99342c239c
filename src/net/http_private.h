/* Shared by the files of the HTTP client: the client and one call. Only net/ includes it. */
#ifndef ALFRED_NET_HTTP_PRIVATE_H
#define ALFRED_NET_HTTP_PRIVATE_H

#include "net/address_policy.h"
#include "net/curl_load.h"
#include "net/http.h"

struct http_client {
    struct loop *loop;
    CURLM *multi; /* NULL before the first request */
    struct loop_timer *timer;
    char **allowed;
    size_t allowed_n;
    struct http_call *calls; /* all, doubly linked */
    struct http_call *fed;   /* those that received data in this round */
    size_t begun_n;          /* calls whose answer has begun */
    bool in_curl;
    bool untidy; /* a call was cancelled, started or NOT_WATCHED while in_curl */
};

/* The reason why we ended a call; curl only knows that a callback refused. */
enum verdict { NO_VERDICT, STOPPED_BY_READER, BODY_TOO_BIG, HEADERS_TOO_BIG, NOT_WATCHED };

struct http_call {
    struct http_client *client;
    struct http_call *prev, *next, *next_fed;
    CURL *easy;
    struct curl_slist *headers;
    char *copied; /* the body, unless it is lent */
    struct http_callbacks cb;
    void *arg;
    struct http_limits limits;
    char *where;  /* "host:port", for sentences */
    char *server; /* its name in sentences */
    struct loop_timer *silence;
    int64_t heard_ms;         /* when the request was sent, or the last piece received */
    size_t body_len;          /* length of the request's body */
    size_t body_n, headers_n; /* sizes of the answer */
    int refused_n, opened_n;  /* addresses */
    enum verdict verdict;
    int not_watched;   /* errno of NOT_WATCHED */
    bool listed;       /* of struct address_target */
    bool proxied;      /* the connection is to the configured proxy */
    bool once;         /* of the request */
    bool added;        /* is in the multi handle */
    bool sent;         /* connected, and the request is being sent */
    bool answered;     /* on_status was called */
    bool body_is_read; /* by the server, and it answers */
    bool begun;        /* a piece of the body came, and the reader counts it as the beginning of the answer */
    bool cancelled;    /* leave_curl() will free it */
    bool fed;          /* is in the client's list */
};

/* ---- http.c: the client ---- */

/* Loads libcurl and opens the multi handle before the first request. RC_UNAVAILABLE. */
enum rc http_open_multi(struct http_client *c, struct err *e);
/* Passes a call with its options to curl, at once or after curl has returned. */
void http_call_begin(struct http_call *call);
/* Whether the answer has begun. It sets the loop's pace (PACE_CALLS). */
void http_set_begun(struct http_call *call, bool begun);
/* Frees the call, then calls on_done. Not inside curl. */
void http_call_done(struct http_call *call, enum rc rc, const struct err *e);
void http_call_free(struct http_call *call);

/* ---- http_explain.c, http_trust.c ---- */

/* The reason why a call that curl ended with `code` failed, as a sentence; the failures of on_done in
 * http.h. */
enum rc http_explain(const struct http_call *call, CURLcode code, struct err *e);

/* Sets the trusted certificates: those of the file, NULL: the system's. libcurl reads a file once for all
 * connections, but once per connection when it also has a folder, as by default on Debian. The certificates
 * of a system take 0.9 MB per connection. `system_too` trusts both; they are then read for each connection.
 */
void http_trust(CURL *h, const char *ca_file, bool system_too);

#endif

/*
 * The server that the terminal client talks to: calls of its JSON API with a token.
 *
 * A call blocks and ends early when the user presses Ctrl-C (signals.h). Sentences of failures are for the
 * user. One thread.
 */
#ifndef ALFRED_CLI_CHAT_SERVER_H
#define ALFRED_CLI_CHAT_SERVER_H

#include "codec/json/json.h"
#include "net/http.h"

#define SERVER_URL_MAX 512
/* Bytes of an answer, or of the events of one connection. */
#define SERVER_ANSWER_MAX ((size_t)64 * 1024 * 1024)

/* A text in an answer; empty if it has none. */
static inline struct str server_text(const json_t *v, const char *key)
{
    struct str s = {"", 0};
    json_get_str(v, key, &s);
    return s;
}

struct server_setup {
    const char *url;     /* https, or http to this machine */
    const char *token;   /* NULL: none yet */
    const char *ca_file; /* NULL: the system's certificates */
    bool system_too;     /* the system's certificates besides ca_file */
};

struct server {
    char url[SERVER_URL_MAX];    /* without the final slash */
    char where[SERVER_URL_MAX];  /* "host:port" or "host" */
    char *token, *authorization; /* the header's value */
    char *ca_file;
    bool system_too;
    struct loop *loop;
    struct http_client *http;
};

/* RC_BAD_INPUT (with a sentence): not an address that a token may be sent to. */
enum rc server_open(const struct server_setup *s, struct server **out, struct err *e);
void server_free(struct server *s); /* NULL is fine */
DEFINE_AUTO(server);

/* True for an address of this machine: localhost, 127.0.0.0/8 or ::1. */
bool server_is_local(const char *url);

/*
 * One call. `body` (NULL: none) is not taken. `*out` is the JSON of an answer of 200 to 299 and may be NULL
 * when it has none; the caller owns it. Failures: that of the status, with the server's sentence;
 * RC_UNAVAILABLE, RC_TIMEOUT or RC_UPSTREAM without an answer; RC_CANCELLED after Ctrl-C.
 */
enum rc server_call(
    struct server *s, const char *method, const char *path, const json_t *body, json_t **out, struct err *e);

/* The code of a status, and the sentence of the body of its answer. RC_OK: 200 to 299. */
enum rc server_refused(int status, struct str body, struct err *e);

/* The request of a call, for callers with callbacks of their own. `headers` has room for SERVER_HEADERS. */
#define SERVER_HEADERS 3
struct http_request server_request(
    const struct server *s, const char *method, const char *url, struct http_header headers[SERVER_HEADERS]);

/* Waits on the loop. False: Ctrl-C was pressed. */
bool server_wait(struct server *s, int64_t ms);

#endif

/*
 * The web search of the owner's SearXNG server ([web] search_url), by its search API
 * (https://docs.searxng.org/dev/search_api.html).
 *
 * The query is sent by POST: the access log of a server has the addresses of requests, not their bodies.
 *
 * What is found is untrusted: other people wrote it, and the server may send anything. Its texts are valid
 * UTF-8 on one line, without control characters and without the invisible tags of U+E0000. Its addresses are
 * https links that a page may show (url_link_allowed()).
 */
#ifndef ALFRED_APP_SEARXNG_SEARXNG_H
#define ALFRED_APP_SEARXNG_SEARXNG_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define SEARXNG_BODY_MAX    ((size_t)1024 * 1024)
#define SEARXNG_TOTAL_MS    15000 /* SearXNG itself waits a few seconds for its engines */
#define SEARXNG_CONNECT_MS  5000
#define SEARXNG_RESULTS_MAX 10
#define SEARXNG_ANSWERS_MAX 3
#define SEARXNG_TITLE_MAX   300  /* bytes */
#define SEARXNG_TEXT_MAX    1000 /* bytes */

/* Members that the server did not send are empty, and end in NUL like the others. */
struct searxng_entry {
    struct str title, text;
    struct str url;       /* never empty in a result */
    struct str published; /* "2026-03-01" */
};

struct searxng_found {
    struct searxng_entry results[SEARXNG_RESULTS_MAX]; /* the most relevant first, each address once */
    size_t results_n;
    struct searxng_entry
        answers[SEARXNG_ANSWERS_MAX]; /* direct answers and boxes of facts; each has a text */
    size_t answers_n;
    bool engines_failed; /* at least one search engine did not answer */
};

struct searxng_server {
    const char *url;            /* "http://localhost:8888", without the final slash */
    const char *const *allowed; /* hosts that may be private, as in net/http.h */
    size_t allowed_n;
};

/* The results on `page` (from 1 on). No results are no error. With a sentence: RC_UNAVAILABLE, RC_TIMEOUT,
 * RC_TOO_BIG and RC_BAD_INPUT of net/http.h; RC_FORBIDDEN: the server does not offer JSON; RC_RATE_LIMITED;
 * RC_UPSTREAM: another answer, or no search engine answered. Neither the query nor a result is logged. */
enum rc searxng_search(const struct searxng_server *s, struct arena *a, struct str query, int page,
    struct searxng_found *out, struct err *e);

/* Reads the body of an answer. RC_UPSTREAM, with a sentence: it is not the JSON of a search. */
enum rc searxng_read(struct arena *a, struct str body, struct searxng_found *out, struct err *e);

#endif

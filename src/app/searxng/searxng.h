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

#include "app/web_fetch/web_fetch.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

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

/* The query without SearXNG's signs for a redirect, "!!" and the "!!" of "!!wfr", which would answer with an
 * address instead of results (https://docs.searxng.org/user/search-syntax.html). May be blank. In the arena.
 */
struct str searxng_query(struct arena *a, struct str query);
/* Asks for the search at the server `url` (without the final slash), for results on `page` (from 1 on).
 * `query`: of searxng_query(), not blank. */
void searxng_ask(struct web_fetch *f, struct arena *a, const char *url, struct str query, int page);
/* The results of the fetch, which has ended. No results are no error. Else with a sentence: the error of the
 * fetch; RC_FORBIDDEN: the server does not offer JSON; RC_RATE_LIMITED: it refuses further searches;
 * RC_UPSTREAM: another answer, or no search engine answered. The log has neither the query nor a result. */
enum rc searxng_answer(const struct web_fetch *f, struct arena *a, struct searxng_found *out, struct err *e);

/* Reads the body of an answer. RC_UPSTREAM, with a sentence: it is not the JSON of a search. */
enum rc searxng_read(struct arena *a, struct str body, struct searxng_found *out, struct err *e);

#endif

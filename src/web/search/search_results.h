/* The results of a search over messages, sessions, facts and files, for the page and the API. */
#ifndef ALFRED_WEB_SEARCH_SEARCH_RESULTS_H
#define ALFRED_WEB_SEARCH_SEARCH_RESULTS_H

#include "app/search/search.h"
#include "web/http/request.h"

#define SEARCH_Q_MAX 500 /* characters; the rest of a longer query is ignored */
#define SEARCH_LIMIT 20  /* results of a request without F_LIMIT; in one session SEARCH_HITS_MAX */

enum search_show {
    SEARCH_SHOW_ALL,
    SEARCH_SHOW_MESSAGES,
    SEARCH_SHOW_SESSIONS,
    SEARCH_SHOW_FACTS,
    SEARCH_SHOW_FILES
};
const char *search_show_name(enum search_show show); /* the value of F_SHOW */
/* RC_BAD_INPUT with a sentence for another word. */
enum rc search_show_of(const struct req *r, enum search_show *out, struct err *e);

struct search_results {
    struct search_query query;
    bool lists, more; /* lists: there are no words, so `sessions` has those that the operators allow, newest
                         first; more: some were left out */
    struct search_memories memories;
    struct search_sessions sessions;
    struct search_hits messages;
    struct search_files files;
    bool any;
    const char *session_title; /* of the session of F_SESSION; NULL: without one, or it has no title */
};

/* Searches by F_Q, F_SHOW, F_AFTER, F_BEFORE (days such as 2026-11-20; may be empty), F_WORKSPACE and
 * F_LIMIT: the kinds in F_SHOW, or the best of each kind without it. With F_SESSION only the messages of that
 * session, whatever F_SHOW says. Weak results are left out. An empty query finds nothing, and operators
 * without words list sessions. RC_BAD_INPUT with a sentence: a day in F_AFTER or F_BEFORE does not exist.
 * RC_NOT_FOUND: not a session of the user. */
enum rc search_results_read(const struct req *r, struct search_results *out, struct err *e);

#endif

/*
 * A page of a user's sessions for the sessions page and the API: pinned ones first, then by time. The filter
 * is a query of the search box: F_Q, to which F_TAGS, F_MODEL, F_CHANNEL and F_IS add operators.
 */
#ifndef ALFRED_WEB_SESSION_SESSION_LIST_H
#define ALFRED_WEB_SESSION_SESSION_LIST_H

#include "app/search/search_query.h"
#include "store/session/session_filter.h"
#include "store/session/tag.h"
#include "web/http/request.h"

#define SESSION_LIST_ROWS  30 /* without F_LIMIT */
#define SESSION_LIST_Q_MAX 500
#define SESSION_LIST_NOTES 4

enum session_list_use { SESSION_LIST_API, SESSION_LIST_PAGE };

struct session_list {
    enum session_list_use use;
    struct session *rows;
    size_t n;
    struct str q; /* the whole query */
    struct search_query query;
    struct session_filter filter;
    const char *workspace; /* F_WORKSPACE; NULL: all workspaces */
    const char **workspaces;
    size_t workspaces_n;
    struct tag *tags; /* tags, models and channels of all sessions, for menus; only of a page */
    const char **models, **channels;
    size_t tags_n, models_n, channels_n;
    const char *next,
        *newer; /* the values of F_AFTER and F_NEWER for the pages beside this one; NULL: none */
    const char *notes[SESSION_LIST_NOTES]; /* sentences about what was left out */
    size_t notes_n;
};

/* Reads the page that these fields describe, F_AFTER or F_NEWER, F_SHOW (the names of enum session_show),
 * F_SORT, F_WORKSPACE and F_LIMIT. Without F_SHOW, a list with a query has all sessions, and a list without a
 * query has all but those that the user archived. RC_BAD_INPUT: a value has no meaning. For a page such a
 * value is left out and a note says so, and the rows are brief (store/session/session_filter.h). */
enum rc session_list_read(
    const struct req *r, enum session_list_use use, struct session_list *out, struct err *e);

/* The filter of an action on all sessions of a list: session_list.q in F_Q, session_list.workspace in
 * F_WITHIN, and session_list_show() in F_SHOW. The workspace is not added to the query, because a query that
 * consists of excluded words changes its meaning with further parts. RC_BAD_INPUT: a value has no meaning. */
enum rc session_list_filter(const struct req *r, struct session_filter *out, struct err *e);
const char *session_list_show(const struct session_list *l);

/* F_Q with the operators that the other fields add. */
struct str session_list_query(const struct req *r);

#endif

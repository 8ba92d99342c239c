/* A page of a user's sessions for the sessions page and the API: pinned ones first, then by time. */
#ifndef ALFRED_WEB_SESSION_SESSION_LIST_H
#define ALFRED_WEB_SESSION_SESSION_LIST_H

#include "store/session/session_filter.h"
#include "web/http/request.h"

#define SESSION_LIST_ROWS  30 /* without F_LIMIT */
#define SESSION_LIST_Q_MAX SESSION_TITLE_CHARS_MAX

struct session_list {
    struct session *rows;
    size_t n;
    enum session_show show;
    const char *workspace; /* NULL: all workspaces */
    const char **workspaces;
    size_t workspaces_n;
    const char *next; /* the value of F_AFTER for the next page; NULL at the end */
};

/* By the fields F_AFTER, F_Q, F_SHOW (the names of enum session_show), F_WORKSPACE and F_LIMIT of the
 * request. Without F_SHOW, a list with a query has all sessions and a list without one has all but those that
 * the user archived. RC_BAD_INPUT for an invalid key or word. */
enum rc session_list_read(const struct req *r, struct session_list *out, struct err *e);

#endif

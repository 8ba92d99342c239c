/* A page of a user's sessions, newest first, for the sessions page and the API. */
#ifndef ALFRED_WEB_SESSION_SESSION_LIST_H
#define ALFRED_WEB_SESSION_SESSION_LIST_H

#include "store/session.h"
#include "web/http/request.h"

#define SESSION_LIST_ROWS    30 /* without F_LIMIT */
#define SESSION_LIST_KEY_MAX 48 /* characters of F_AFTER */
#define SESSION_LIST_Q_MAX   SESSION_TITLE_CHARS_MAX

struct session_list {
    struct session *rows;
    size_t n;
    enum session_show show;
    const char *workspace; /* NULL: all workspaces */
    const char **workspaces;
    size_t workspaces_n;
    const char *next; /* the value of F_AFTER for the next page; NULL at the end */
};

/* By the fields F_AFTER, F_Q, F_SHOW ("active", "archived", "all"), F_WORKSPACE and F_LIMIT of the
 * request. Without F_SHOW, a list with a query has all sessions and a list without one has the active
 * ones. RC_BAD_INPUT for an invalid key or word. */
enum rc session_list_read(const struct req *r, struct session_list *out, struct err *e);

const char *session_list_show_name(enum session_show s);

/* "1732112345678.42" and back. */
const char *session_list_key_text(struct arena *a, const struct session *s);
bool session_list_key_parse(struct str text, struct session_key *out);

#endif

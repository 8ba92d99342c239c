/*
 * The list of sessions on every page: the pinned ones, then the others by the day of their last message.
 * Sessions that the user archived are not in it.
 *
 * Its first part is cached as HTML (html_cache.h) until a session changes or the day ends. Scrolling loads
 * the other parts.
 */
#ifndef ALFRED_WEB_PAGE_SIDEBAR_H
#define ALFRED_WEB_PAGE_SIDEBAR_H

#include "store/session/session_filter.h"
#include "web/http/request.h"

#define SIDEBAR_SESSIONS 32 /* per part */

struct sidebar_part {
    int64_t current;          /* the open session, which is marked; 0: none */
    struct session_key after; /* 0: from the first */
    int limit;                /* at most SESSION_PAGE_MAX - 1 */
};

/* A part as HTML. The first part begins with the open session if it is listed later or archived. */
enum rc sidebar_html(struct req *r, const struct sidebar_part *part, struct str *html, struct err *e);

/* The first part, as "sidebar_html". */
enum rc sidebar_view(struct req *r, struct view *v, int64_t current, struct err *e);

/* The key of the part after `s`: "1732112345678.42", for a pinned session "p1732112345678.42". */
const char *session_key_text(struct arena *a, struct session_key key);
bool session_key_parse(struct str text, struct session_key *out);
#define SESSION_KEY_CHARS_MAX 48

#endif

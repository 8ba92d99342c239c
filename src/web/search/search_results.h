/* A search over messages, sessions and facts as page and API show it. */
#ifndef ALFRED_WEB_SEARCH_VIEW_H
#define ALFRED_WEB_SEARCH_VIEW_H

#include "web/http/request.h"

#define SEARCH_Q_MAX 500 /* characters */
#define SEARCH_LIMIT 20  /* when nobody says how many */

enum search_show { SEARCH_SHOW_ALL, SEARCH_SHOW_MESSAGES, SEARCH_SHOW_SESSIONS, SEARCH_SHOW_FACTS };
const char *search_show_name(enum search_show show); /* as F_SHOW says it */
/* RC_BAD_INPUT with a sentence for another word. */
enum rc search_show_of(const struct req *r, enum search_show *out, struct err *e);

/* Searches by F_Q, F_SHOW, F_AFTER, F_BEFORE ("2026-11-20", both may be missing or empty), F_WORKSPACE and
 * F_LIMIT, into the lists memories, sessions and hits (messages): those that F_SHOW names, the best of each
 * when it names none; sets "any". `by_session`: instead of hits the list talks, sessions with title, url and
 * their hits. An empty question finds nothing. RC_BAD_INPUT with a sentence for a day that is none. */
enum rc search_view(const struct req *r, struct view *v, bool by_session, struct err *e);

#endif

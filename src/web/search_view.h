/* A search as page and API show it: hits with their session, date, and the part of the text that fits. */
#ifndef ALFRED_WEB_SEARCH_VIEW_H
#define ALFRED_WEB_SEARCH_VIEW_H

#include "web/request.h"

#define SEARCH_Q_MAX 500 /* characters */
#define SEARCH_LIMIT 20  /* when nobody says how many */

/* Searches by F_Q, F_AFTER, F_BEFORE ("2026-11-20", both may be missing or empty), F_WORKSPACE and F_LIMIT;
 * appends to the list under "hits" and sets "any". An empty question finds nothing. RC_BAD_INPUT with a
 * sentence for a day that is none. */
enum rc search_view(const struct req *r, struct view *v, struct err *e);

#endif

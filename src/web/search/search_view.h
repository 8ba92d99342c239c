/* Search results on pages. */
#ifndef ALFRED_WEB_SEARCH_SEARCH_VIEW_H
#define ALFRED_WEB_SEARCH_SEARCH_VIEW_H

#include "web/search/search_results.h"

/* The lists memories, sessions and talks: sessions with title, url and their hits. */
void search_results_view(const struct req *r, struct view *v, const struct search_results *s);

#define RELATED_MAX 20

/* Adds "related" to `v`: at most `limit` sessions with the same subject as the given one. */
enum rc related_view(const struct req *r, struct view *v, int64_t session, int limit, struct err *e);
enum rc related_read(
    const struct req *r, int64_t session, int limit, struct search_sessions *out, struct err *e);

#endif

/* The operators of a query as chips that remove them, for the pages with a search box. */
#ifndef ALFRED_WEB_SESSION_QUERY_VIEW_H
#define ALFRED_WEB_SESSION_QUERY_VIEW_H

#include "app/search/search_query.h"
#include "web/http/request.h"

/* The same page with another query. */
typedef const char *query_url_fn(const struct req *r, struct str q);

/* The lists `chips` (label, url) and any_chips. */
void query_view_chips(const struct req *r, struct view *v, const struct search_query *q, query_url_fn *url);
/* The list `notes` of sentences about what was left out. */
void query_view_notes(const struct req *r, struct view *v, const struct search_query *q);

/* The page of the trash, for a query that asks for it. */
const char *query_view_trash_url(const struct req *r, const struct search_query *q);

#endif

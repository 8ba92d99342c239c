/* Suggestions on pages. */
#ifndef ALFRED_WEB_SUGGESTION_SUGGESTION_VIEW_H
#define ALFRED_WEB_SUGGESTION_SUGGESTION_VIEW_H

#include "web/http/request.h"
#include "web/suggestion/suggestion_resource.h"

/* The one at `i` for the partial "suggestion", which has the words of each state that it can reach. `pinned`:
 * it stands above the message box. */
void suggestion_view(struct arena *a, struct view *v, const struct suggestions *s, size_t i, bool pinned);

/* The open ones of these kinds (a list that ends with NULL; NULL: all) that belong to the user of the
 * request, the newest first. */
enum rc suggestions_open(
    const struct req *r, const char *const *kinds, struct suggestions *out, struct err *e);

/* The same into `v` for a list: "suggestions", each with where it was said, and "upto", the newest one's id
 * (null: there are none), which "keep all" sends back, so that nothing is kept unseen. */
enum rc suggestions_view(const struct req *r, const char *const *kinds, struct view *v, struct err *e);

#endif

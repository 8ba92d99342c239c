/* Suggestions on pages. */
#ifndef ALFRED_WEB_SUGGESTION_SUGGESTION_VIEW_H
#define ALFRED_WEB_SUGGESTION_SUGGESTION_VIEW_H

#include "web/http/request.h"
#include "web/suggestion/suggestion_resource.h"

enum suggestion_at { SUGGESTION_IN_ANSWER, SUGGESTION_ABOVE_BOX }; /* the message box */
/* Adds the one at `i` for the partial "suggestion", with the labels of each state that it can reach. */
void suggestion_view(struct arena *a, const struct lang *l, struct view *v, const struct suggestions *s,
    size_t i, enum suggestion_at at);

/* The open suggestions of these kinds (a list that ends with NULL; NULL: all) of the user, the newest
 * first. */
enum rc suggestions_open(
    const struct req *r, const char *const *kinds, struct suggestions *out, struct err *e);

/* Adds the same to `v` for a list: "suggestions", each with its source, and "upto", the newest one's id
 * (null: none), "several": more than one. "Keep all" sends "upto" back, so that only seen ones are kept. */
enum rc suggestions_view(const struct req *r, const char *const *kinds, struct view *v, struct err *e);

#endif

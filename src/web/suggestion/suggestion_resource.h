/* Suggestions (app/suggestion/suggestion.h) as the API answers with them. */
#ifndef ALFRED_WEB_SUGGESTION_SUGGESTION_RESOURCE_H
#define ALFRED_WEB_SUGGESTION_SUGGESTION_RESOURCE_H

#include "app/suggestion/suggestion.h"
#include "codec/view.h"

struct suggestions {
    struct suggestion *rows;
    struct suggestion_look *looks; /* of the row at the same place */
    size_t n;
};

/* How the rows look; those about what is gone are left out. Everything lives in the arena. */
enum rc suggestions_look(struct db *db, struct arena *a, int64_t owner, struct suggestion *rows, size_t n,
    int64_t now, struct suggestions *out, struct err *e);
/* Keeps only the questions; the others stand under their answers. */
void suggestions_keep_questions(struct suggestions *s);

/* The one at `i`. */
void suggestion_resource(struct arena *a, struct view *v, const struct suggestions *s, size_t i);

#endif

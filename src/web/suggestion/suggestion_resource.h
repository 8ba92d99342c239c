/* Suggestions (app/suggestion/suggestion.h) in the API. */
#ifndef ALFRED_WEB_SUGGESTION_SUGGESTION_RESOURCE_H
#define ALFRED_WEB_SUGGESTION_SUGGESTION_RESOURCE_H

#include "app/suggestion/suggestion.h"
#include "codec/view.h"

struct suggestions {
    struct suggestion *rows;
    struct suggestion_look *looks; /* looks[i] belongs to rows[i] */
    size_t n;
};

/* Reads the looks of the rows. Rows with a deleted subject are left out. The result is in the arena. */
enum rc suggestions_look(struct db *db, struct arena *a, int64_t owner, struct suggestion *rows, size_t n,
    int64_t now, struct suggestions *out, struct err *e);
/* Keeps only the questions; the others are below their answers. */
void suggestions_keep_questions(struct suggestions *s);

/* Adds the one at `i`, with its question in the language. */
void suggestion_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct suggestions *s, size_t i);

#endif

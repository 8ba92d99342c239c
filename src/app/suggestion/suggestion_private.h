/* Shared by suggestion.c and suggestion_kinds.c. */
#ifndef ALFRED_APP_SUGGESTION_SUGGESTION_PRIVATE_H
#define ALFRED_APP_SUGGESTION_SUGGESTION_PRIVATE_H

#include "app/suggestion/suggestion.h"

/* A suggestion that is made, decided or shown, in the caller's transaction. */
struct suggestion_change {
    struct db *db;
    struct arena *a;
    int64_t owner, now;
    struct suggestion *s;
};

struct suggestion_kind {
    const char *name;
    bool asks; /* true: it is a question */
    /* Normalises the text; NULL: no text. */
    enum rc (*clean)(const struct suggestion_change *c, struct err *e);
    /* Reads the text of the subject; NULL: the suggestion's own text. */
    enum rc (*text)(const struct suggestion_change *c, struct str *text, struct err *e);
    enum rc (*run)(const struct suggestion_change *c, struct err *e);
    enum rc (*undo)(const struct suggestion_change *c, struct err *e); /* NULL: cannot be undone */
    bool (*stands)(const struct suggestion_change *c); /* the subject is unchanged since `run` */
    /* Keys of the catalogue. `undone` NULL: it cannot be undone. */
    const char *question, *keep_label, *dismiss_label;
    const char *done, *dismissed, *undone;
    const char *keep_reply, *dismiss_reply; /* before the quoted text */
};

/* NULL: no such kind. */
const struct suggestion_kind *suggestion_kind_of(const char *name);

#endif

/* Shared by providers.c, provider_sources.c, choices.c and kept_choices.c; embedder.c uses OFFLINE. */
#ifndef ALFRED_APP_MODELS_PROVIDERS_PRIVATE_H
#define ALFRED_APP_MODELS_PROVIDERS_PRIVATE_H

#include "app/models/providers.h"

#define OFFLINE "offline"

/* Fills sources and allowed. Failures: those of providers_new(). */
enum rc provider_sources_make(const struct config *c, struct providers *p, struct err *e);

/* The stored data of one provider. */
struct provider_known {
    struct model_list_row list; /* asked_at 0: none */
    struct model_row *models;
    size_t n;
    struct model_learned_row *learned;
    size_t learned_n;
};

/* The choices of one moment. */
struct choices_made {
    const struct provider_choice *list;
    size_t n;              /* at least 1 */
    size_t standard;       /* the default's place */
    bool standard_missing; /* [models] default_model is not in the list */
};

/* Makes the choices in `a`, with texts of `known`. known[sources_n] may be NULL: nothing is known. */
struct choices_made choices_make(
    const struct config *c, const struct providers *p, const struct provider_known *known, struct arena *a);

/* ---- kept_choices.c ---- */

/* All choices and lists that there were. {0}: none. Not thread-safe. */
struct kept_choices {
    void *choices; /* a tree of tsearch() */
    struct kept_list *lists;
};

/* The list with these choices: one that there was, or a new one in `a`, which must outlive `k`. */
const struct provider_list *kept_choices_list(
    struct kept_choices *k, struct arena *a, const struct choices_made *made);
void kept_choices_release(struct kept_choices *k);

#endif

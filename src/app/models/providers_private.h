/* Between providers.c, provider_sources.c and choices.c. */
#ifndef ALFRED_APP_MODELS_PROVIDERS_PRIVATE_H
#define ALFRED_APP_MODELS_PROVIDERS_PRIVATE_H

#include "app/models/providers.h"

#define OFFLINE "offline"

/* Fills sources and allowed. Failures: those of providers_new(). */
enum rc provider_sources_make(const struct config *c, struct providers *p, struct err *e);

/* What the store has of one provider. */
struct provider_known {
    struct model_list_row list; /* asked_at 0: nothing */
    struct model_row *models;
    size_t n;
    struct model_learned_row *learned;
    size_t learned_n;
};

/* The list of choices, all of it in `a`; known[sources_n] may be NULL: nothing is. */
const struct provider_list *choices_make(
    const struct config *c, const struct providers *p, const struct provider_known *known, struct arena *a);

#endif

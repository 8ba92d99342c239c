/* Shared by providers.c, provider_sources.c and choices.c. */
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

/* Makes the list of choices in `a`. known[sources_n] may be NULL: nothing is known. */
const struct provider_list *choices_make(
    const struct config *c, const struct providers *p, const struct provider_known *known, struct arena *a);

#endif

/* Asks providers for their models and keeps the answers in the store. */
#ifndef ALFRED_APP_MODELS_MODEL_LISTS_H
#define ALFRED_APP_MODELS_MODEL_LISTS_H

#include "app/models/providers.h"

#define MODEL_LISTS_FIND_MS  300   /* a local server answers at once or is absent */
#define MODEL_LISTS_START_MS 3000  /* the start of the service waits this long, once, for new providers */
#define MODEL_LISTS_AGAIN_MS 30000 /* between attempts while a provider is absent or overloaded */

/* Blocks until the answer. Returns and stores the result; a failure keeps the previous list. `limit_ms` as
 * in struct llm_models_ask. RC_CANCELLED (stop_fd) stores nothing. */
enum rc model_list_ask(const struct providers *p, const struct provider_source *s, struct store *store,
    int stop_fd, int limit_ms, struct err *e);

/* Asks `n` providers at once, each in a thread of its own, so that one that does not answer delays no other.
 * Stores each answer when it comes, and blocks until the last one. `limit_ms` as above; a local server
 * without configuration has MODEL_LISTS_FIND_MS. answered[i]: sources[i] has answered, with a list or with a
 * refusal that soon would be the same, such as of the key; true for a source that is NULL. */
void model_lists_ask(const struct providers *p, const struct provider_source *const *sources, size_t n,
    struct store *store, int limit_ms, bool *answered);

/* At the start of the service: asks the local servers, and providers that were never asked at their
 * address. Failures are logged and the helper tries again, so a provider that does not answer delays one
 * start only. */
void model_lists_start(const struct providers *p, struct store *store);

/* False for a local server without configuration when nothing listens on its port. Blocks shortly. */
bool model_list_is_there(const struct provider_source *s);

/* True for every provider that has a list of models; false for the offline one. */
static inline bool model_list_is_asked(const struct provider_source *s)
{
    return s->settings.base_url != NULL;
}

#endif

/*
 * The providers, and the models of them that people can choose.
 *
 * Providers are known when a program starts: those of alfred.toml ([provider.NAME], in the order of the
 * file), those of the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY), then the local servers that are looked
 * for on their usual ports ([models] discover). A name of the file hides the others of that name.
 *
 * Their models come from alfred.toml and from the lists that the providers answered, which the helper keeps
 * in the store. providers_refresh() makes a new list of choices when the store has changed. Choices and lists
 * live as long as `struct providers`, so a pointer to one stays good; there are as many as there were
 * changes. Any thread may call everything here.
 *
 * A model is offered when alfred.toml names it, or when the provider lists it and it chats. `offline` is
 * always the last. The default is [models] default_model, else the first: the first provider's own `model`,
 * or the one that llm_model_pick() takes from its list.
 */
#ifndef ALFRED_APP_MODELS_PROVIDERS_H
#define ALFRED_APP_MODELS_PROVIDERS_H

#include "app/config/config.h"
#include "llm/models.h"
#include "store/model.h"

#define PROVIDERS_CHOICES_MAX 4096

struct provider_source {
    size_t index; /* in providers.sources */
    const char *name, *label, *kind;
    struct llm_settings settings;      /* without limits */
    const struct config_provider *set; /* NULL: not of alfred.toml */
    const char *model;                 /* the one that its owner wants first; NULL: none */
    bool found_only; /* a local server that nobody named: it is there once it has answered */
};

struct provider_choice {
    const char *value; /* "openai/gpt-4.1": what pages and API call it */
    const char *name;  /* of the provider: "openai", "offline", NAME of [provider.NAME] */
    const char *label; /* for people */
    const char *kind;  /* "openai", "anthropic", "offline" (llm.h) */
    const char *model;
    const struct provider_source *source;
    int64_t window;          /* tokens */
    const char *window_from; /* who says so, for people */
    enum llm_fact tools, images, reasoning;
    const char *tools_from; /* NULL when tools is LLM_UNKNOWN */
};

struct provider_list {
    const struct provider_choice *choices;
    size_t n;                               /* at least 1 */
    const struct provider_choice *standard; /* the default */
};

struct providers {
    const struct provider_source *sources; /* `offline` is the last */
    size_t sources_n;
    /* For http_client_new(): [net] allow, and the hosts of the addresses that the owner named. */
    const char *const *allowed;
    size_t allowed_n;
    struct query_vector_cache
        *questions; /* app/models/query_vector_cache.h: that were embedded lately; its own lock */
    struct providers_live *live;
    struct arena *arena;
};

/* Keeps pointers into `c`. RC_BAD_INPUT, RC_FORBIDDEN (credentials that others can read), both to be shown;
 * those of config_secret(). The list has what alfred.toml names, until providers_refresh(). */
enum rc providers_new(const struct config *c, struct providers **out, struct err *e);
void providers_free(struct providers *p); /* NULL is fine */
DEFINE_AUTO(providers);

/* Takes over what has changed in the store. Failures are logged, and the list stays as it was. */
void providers_refresh(const struct providers *p, struct db *db);
/* The same at most once in PROVIDERS_LATELY_MS. */
#define PROVIDERS_LATELY_MS 1000
void providers_refresh_lately(const struct providers *p, struct store *s);

const struct provider_list *providers_list(const struct providers *p);
const struct provider_choice *providers_find(const struct providers *p, const char *value); /* NULL: none */
/* What a stored message names; NULL when it is not offered any more. */
const struct provider_choice *providers_by_name(
    const struct providers *p, const char *name, const char *model);
const struct provider_choice *providers_default(const struct providers *p); /* never NULL */
bool providers_offline(const struct providers *p); /* there is no model but the built-in one */
const struct provider_source *providers_source(const struct providers *p, const char *name); /* NULL: none */

#endif

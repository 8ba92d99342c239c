/*
 * The providers and their models that users can choose.
 *
 * Providers are known when a program starts: those of alfred.toml ([provider.NAME], in the order of the
 * file), those of the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY), then local servers on their usual
 * ports ([models] discover). A provider of the file hides others of the same name.
 *
 * Their models come from alfred.toml and from the lists that the providers return, which the helper stores.
 * providers_refresh() makes a new list of choices when the store has changed. Choices and lists live as long
 * as `struct providers`, so pointers to them stay valid. Equal ones are the same object
 * (app/models/kept_choices.c), so a change costs the choices that never were before, and a pointer for each
 * of the others. Any thread may call everything here.
 *
 * A model is offered when alfred.toml names it, or when the provider lists it and it is a chat model.
 * `offline` is always the last. The default is [models] default_model, else the first: the first provider's
 * own `model`, or the one that llm_model_pick() chooses from its list.
 */
#ifndef ALFRED_APP_MODELS_PROVIDERS_H
#define ALFRED_APP_MODELS_PROVIDERS_H

#include "app/config/config.h"
#include "base/log.h"
#include "llm/models.h"
#include "store/model.h"

#define PROVIDERS_CHOICES_MAX 4096

struct provider_source {
    size_t index; /* in providers.sources */
    const char *name, *label, *kind;
    struct llm_settings settings;      /* without limits */
    const struct config_provider *set; /* NULL: not from alfred.toml */
    const char *model;                 /* preferred by the owner; NULL: none */
    bool found_only; /* a local server without configuration: offered after it has answered */
};

/* by_content() of kept_choices.c compares every member. */
struct provider_choice {
    const char *value; /* "openai/gpt-4.1": its name in pages and API */
    const char *name;  /* name of the provider: "openai", "offline", NAME of [provider.NAME] */
    const char *label; /* in English: provider_choice_label() */
    const char *kind;  /* "openai", "anthropic", "offline" (llm.h) */
    const char *model;
    const struct provider_source *source;
    int64_t window;          /* tokens */
    const char *window_from; /* the source of the window, as a label; for readers model_source_key() */
    enum llm_fact tools, images, reasoning;
    bool responses; /* asked at /responses */
    bool may_learn; /* a refusal may set `responses` */
    enum llm_prefill prefill;
    bool progress;          /* the server reports its progress with a prompt when asked to */
    bool effort;            /* requests may name an effort of reasoning */
    bool web_search;        /* requests may offer the provider's web search */
    bool temperature;       /* requests may set a temperature */
    bool sends_reasoning;   /* earlier answers go back with their reasoning (llm_request) */
    struct llm_form form;   /* of the requests, as refusals have shown it, and as LM Studio needs it */
    const char *tools_from; /* NULL when tools is LLM_UNKNOWN */
};

/* The label in a language (NULL: English): that of the built-in model is a text, others are names. */
const char *provider_choice_label(const struct provider_choice *c, const struct lang *l);
struct said_arg provider_choice_said(const char *name, const struct provider_choice *c); /* the same, later */
bool provider_choice_is_offline(const struct provider_choice *c); /* the built-in model */

/* Sets how the request is sent; `responses` is the choice's own, or true after a refusal. r->web_search is
 * set before. */
void provider_choice_api(const struct provider_choice *c, bool responses, struct llm_request *r);

struct provider_list {
    const struct provider_choice *const *choices;
    size_t n;                               /* at least 1 */
    const struct provider_choice *standard; /* the default */
};

struct providers {
    const struct provider_source *sources; /* `offline` is the last */
    size_t sources_n;
    /* For http_client_new(): [net] allow, and the hosts of the configured addresses. */
    const char *const *allowed;
    size_t allowed_n;
    struct query_vector_cache *query_vectors; /* vectors of recent queries; has its own lock */
    struct log_repeat *unsaved_lists;         /* of all sources: a full disk concerns the lists of all */
    struct providers_live *live;
    struct arena *arena;
};

/* Keeps pointers into `c`. RC_BAD_INPUT, RC_FORBIDDEN (other users can read the credentials), both with a
 * sentence; those of config_secret(). The list has the models of alfred.toml until providers_refresh(). */
enum rc providers_new(const struct config *c, struct providers **out, struct err *e);
void providers_free(struct providers *p); /* NULL is fine */
DEFINE_AUTO(providers);

/* Applies changes in the store. Failures are logged and leave the list unchanged. */
void providers_refresh(const struct providers *p, struct db *db);
/* The same, at most once in PROVIDERS_LATELY_MS. */
#define PROVIDERS_LATELY_MS 1000
void providers_refresh_lately(const struct providers *p, struct store *s);

const struct provider_list *providers_list(const struct providers *p);
const struct provider_choice *providers_find(const struct providers *p, const char *value); /* NULL: none */
/* The choice that a stored message names; NULL when it is no longer offered. */
const struct provider_choice *providers_by_name(
    const struct providers *p, const char *name, const char *model);
/* Stores what a refusal or a test showed about the model. `m` has the facts; its names are ignored. False:
 * they could not be stored, which is logged, or the model has no address. */
bool provider_choice_learn(struct store *s, const struct provider_choice *c, struct model_learned_row m);
int provider_learned_form(const struct llm_form *f);                        /* as model_learned_row has it */
const struct provider_choice *providers_default(const struct providers *p); /* never NULL */
/* The choice of this value; the default if it is NULL, empty or not available. */
const struct provider_choice *providers_wanted(const struct providers *p, const char *value);
bool providers_offline(const struct providers *p); /* only the built-in model is available */
const struct provider_source *providers_source(const struct providers *p, const char *name); /* NULL: none */

/* The key of the catalogue for the source of a fact. NULL: it is a name and the same in every language, such
 * as "max_model_len". */
const char *model_source_key(const char *from);

#endif

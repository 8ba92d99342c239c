/*
 * The models that people can choose, in order; the first is the default. They come from alfred.toml
 * ([provider.NAME], in the order of the file), then from the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY),
 * then from a running Ollama, and `offline` is always the last. A name of the file hides the one of the
 * environment, so that [provider.openai] can say more about it.
 *
 * The list is made once per process, before the threads, and is read-only afterwards, but for `questions`.
 * Ollama is not asked here: `alfred serve` asks once at start and hands the answer to its programs in
 * PROVIDERS_OLLAMA_ENV, so that all of them have the same list and none of them waits for it.
 */
#ifndef ALFRED_APP_PROVIDERS_H
#define ALFRED_APP_PROVIDERS_H

#include "app/config/config.h"

#define PROVIDERS_OLLAMA_ENV  "ALFRED_OLLAMA" /* "http://127.0.0.1:11434/v1 llama3.2:latest qwen3:8b" */
#define PROVIDERS_CHOICES_MAX 256

struct provider_choice {
    const char *value; /* "openai/gpt-4.1-mini": what pages and API call it */
    const char *name;  /* of the provider: "openai", "offline", NAME of [provider.NAME] */
    const char *label; /* for people */
    const char *kind;  /* "openai", "anthropic", "offline" (llm.h) */
    const char *model;
    const char *base_url; /* without the final slash; NULL for offline */
    const char *key;      /* secret; NULL: none */
    int64_t window;       /* tokens */
};

struct providers {
    const struct provider_choice *choices;
    size_t n; /* at least 1 */
    /* For http_client_new(): [net] allow, and the hosts of the addresses that the owner named. */
    const char *const *allowed;
    size_t allowed_n;
    struct questions *questions; /* app/questions.h: that were embedded lately; its own lock */
    struct arena *arena;
};

/* Keeps nothing of `c`. RC_BAD_INPUT, RC_FORBIDDEN (credentials that others can read), both to be shown;
 * those of config_secret().
 */
enum rc providers_new(const struct config *c, struct providers **out, struct err *e);
void providers_free(struct providers *p); /* NULL is fine */
DEFINE_AUTO(providers);

/* The value of PROVIDERS_OLLAMA_ENV (malloc'd) when an Ollama with models answers within LLM_MODELS_WAIT_MS,
 * else NULL. It is looked for at $OLLAMA_HOST, else on its usual port of this machine. */
char *providers_ask_ollama(void);

const struct provider_choice *providers_find(const struct providers *p, const char *value); /* NULL: none */
/* What a stored message names; NULL when it is not set up any more. `model` NULL: the provider's first. */
const struct provider_choice *providers_by_name(
    const struct providers *p, const char *name, const char *model);
const struct provider_choice *providers_default(const struct providers *p); /* never NULL */

#endif

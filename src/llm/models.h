/*
 * Which models does a server have? Asked once at start, for the configuration; a running Ollama is found this
 * way. Both wait for the answer, LLM_MODELS_WAIT_MS at most; where nothing listens they fail at once.
 */
#ifndef ALFRED_LLM_MODELS_H
#define ALFRED_LLM_MODELS_H

#include "base/err.h"
#include "base/mem.h"

#define LLM_MODELS_WAIT_MS 300
#define LLM_MODELS_MAX     256
#define LLM_OLLAMA_URL     "http://127.0.0.1:11434"

struct llm_models {
    char **names; /* that can chat, in the server's order; in the arena */
    size_t n;
};

/* GET {base_url}/models, as the openai kind's servers have it. `key` may be NULL; `allowed` as in http.h.
 * Failures: those of http.h, RC_FORBIDDEN for a refused key, RC_UPSTREAM for an answer that is no list. */
enum rc llm_list_models(const char *base_url, const char *key, const char *const *allowed, size_t allowed_n,
    struct arena *a, struct llm_models *out, struct err *e);

/* GET {url}/api/tags of an Ollama, which speaks the openai kind under {url}/v1. */
enum rc llm_list_ollama(const char *url, const char *const *allowed, size_t allowed_n, struct arena *a,
    struct llm_models *out, struct err *e);

#endif

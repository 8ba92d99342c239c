/*
 * Which models does an Ollama have? Asked once at start, and so a running one is found. Waits for the answer,
 * LLM_MODELS_WAIT_MS at most; where nothing listens it fails at once.
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

/* GET {url}/api/tags of an Ollama, which speaks the openai kind under {url}/v1. `allowed` as in http.h.
 * Failures: those of http.h, RC_UPSTREAM for an answer that is no list. */
enum rc llm_list_ollama(const char *url, const char *const *allowed, size_t allowed_n, struct arena *a,
    struct llm_models *out, struct err *e);

#endif

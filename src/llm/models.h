/*
 * Lists a provider's models with their properties: context window, chat, tool calls, images. Providers
 * report these in several ways. llm_models_ask() makes the requests that fit the server:
 *
 *     anthropic          GET /v1/models, in pages: max_input_tokens, capabilities
 *     openai kind        GET {base_url}/models: max_model_len (vLLM), context_length (OpenRouter),
 *                        context_window (Groq), max_context_length (Mistral), meta.n_ctx (llama.cpp)
 *       llama.cpp        also GET /props of the server's root: the window of a slot, tools, images
 *       Ollama           also GET /api/ps (the window of a loaded model) and POST /api/show
 *       LM Studio        also GET /api/v0/models: the window of a loaded model, kind of model
 *
 * Properties that the server does not report come from a table of model families (models_rules.c).
 */
#ifndef ALFRED_LLM_MODELS_H
#define ALFRED_LLM_MODELS_H

#include "base/mem.h"
#include "llm/llm.h"

#define LLM_MODELS_MAX      1000 /* of one provider; OpenRouter, the longest list in use, has about 500 */
#define LLM_MODEL_NAME_MAX  200  /* longer names are left out */
#define LLM_SHOWN_MAX       64   /* models of an Ollama that are looked at one by one */
#define LLM_LIST_SILENCE_MS 10000
#define LLM_LIST_TOTAL_MS   30000

/* Ollama cuts a prompt without a word when a model's window is not set; this is what it sets by default on
 * machines with less than 24 GB of graphics memory. https://docs.ollama.com/context-length */
#define LLM_OLLAMA_WINDOW 4096

enum llm_fact { LLM_UNKNOWN, LLM_YES, LLM_NO };

struct llm_model {
    const char *name;
    bool chat;               /* not an embedding, audio, image or moderation model */
    int64_t window;          /* tokens; 0: not known */
    const char *window_from; /* who says so, for people: "max_model_len"; NULL with window 0 */
    enum llm_fact tools, images, reasoning;
    int64_t created; /* seconds since 1970; 0: not known */
    bool loaded;     /* in memory at the moment; false when the server does not say */
};

struct llm_models {
    struct llm_model *list; /* in the server's order; in the arena */
    size_t n;
    bool cut;           /* there were more than LLM_MODELS_MAX */
    const char *server; /* "Ollama", "llama.cpp", "LM Studio", "vLLM"; "" when it is none of these */
};

struct llm_models_ask {
    const char *kind; /* "openai", "anthropic" */
    const struct llm_settings *provider;
    const char *const *allowed; /* as in http.h */
    size_t allowed_n;
    int stop_fd;  /* readable: RC_CANCELLED; 0: none */
    int limit_ms; /* of each request; 0: LLM_LIST_SILENCE_MS and LLM_LIST_TOTAL_MS */
};

/* Blocks. Failures: those of http.h and of llm_provider_error(); RC_UPSTREAM for an answer that is no list,
 * RC_NOT_FOUND when the provider has none (404 or 405). */
enum rc llm_models_ask(
    const struct llm_models_ask *ask, struct arena *a, struct llm_models *out, struct err *e);

/* ---- rules (models_rules.c) ---- */

/* By its name; false for embedding, audio, image, moderation and reranking models. */
bool llm_model_chats(const char *name);
/* The window of a well-known family, 0 for any other. */
int64_t llm_model_family_window(const char *name);
/* The model to use when nobody chose one: chats, calls tools, of a middle size, recent. NULL: none chats. */
const struct llm_model *llm_model_pick(const struct llm_models *m);

/* A base URL as llm_settings wants it: without slashes at the end; of the openai kind with /v1 when there is
 * no path, of the anthropic kind without /v1. */
const char *llm_base_url(struct arena *a, const char *kind, const char *url);
/* The path of a method that the URL ends in, as "/chat/completions"; NULL: none. */
const char *llm_url_method(const char *url);

#endif

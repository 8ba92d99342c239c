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
 *       KoboldCpp        also GET /api/extra/true_max_context_length: the window of the loaded model
 *
 * Properties that the server does not report come from a table of model families (models_rules.c).
 */
#ifndef ALFRED_LLM_MODELS_H
#define ALFRED_LLM_MODELS_H

#include "base/mem.h"
#include "llm/llm.h"

#define LLM_MODELS_MAX      1000 /* models of one provider; OpenRouter has the longest list, about 500 */
#define LLM_MODEL_NAME_MAX  200  /* models with longer names are left out */
#define LLM_SHOWN_MAX       64   /* models of an Ollama that are requested one by one */
#define LLM_LIST_SILENCE_MS 10000
#define LLM_LIST_TOTAL_MS   30000

/* Ollama silently cuts a prompt when a model's window is not set. This is its default on machines with
 * less than 24 GB of graphics memory. https://docs.ollama.com/context-length */
#define LLM_OLLAMA_WINDOW 4096

enum llm_fact { LLM_UNKNOWN, LLM_YES, LLM_NO };

struct llm_model {
    const char *name;
    bool chat;               /* not an embedding, audio, image or moderation model */
    int64_t window;          /* tokens; 0: not known */
    const char *window_from; /* the source, as a label: "max_model_len"; NULL with window 0 */
    enum llm_fact tools, images, reasoning;
    int64_t created; /* seconds since 1970; 0: not known */
    bool loaded;     /* in memory now; false when the server does not report it */
};

struct llm_models {
    struct llm_model *list; /* in the server's order; in the arena */
    size_t n;
    bool cut;           /* there are more than LLM_MODELS_MAX */
    const char *server; /* "Ollama", "llama.cpp", "LM Studio", "vLLM", "KoboldCpp"; "" for others */
};

struct llm_models_ask {
    const char *kind; /* "openai", "anthropic" */
    const struct llm_settings *provider;
    const char *const *allowed; /* as in http.h */
    size_t allowed_n;
    int stop_fd;  /* readable: RC_CANCELLED; 0: none */
    int limit_ms; /* limit of each request; 0: LLM_LIST_SILENCE_MS and LLM_LIST_TOTAL_MS */
};

/* Blocks. Failures: those of http.h and of llm_provider_error(). RC_UPSTREAM: the answer is not a list.
 * RC_NOT_FOUND: the provider has no list (404 or 405). */
enum rc llm_models_ask(
    const struct llm_models_ask *ask, struct arena *a, struct llm_models *out, struct err *e);

/* ---- rules (models_rules.c) ---- */

/* True for chat models by their name; false for embedding, audio, image, moderation and reranking models. */
bool llm_model_chats(const char *name);
/* The window of a well-known family, 0 for any other. */
int64_t llm_model_family_window(const char *name);
/* True when requests to the model may set a temperature. */
bool llm_model_takes_temperature(const char *kind, const char *name);
/* True when requests to the model may name an effort. `reasoning` is the value of the provider's list. */
bool llm_model_takes_effort(const char *kind, const char *name, enum llm_fact reasoning);
/* The efforts of OpenAI's API are none, minimal, low, medium, high, xhigh and max. The constant of that text;
 * NULL: it is none of them. */
const char *llm_effort(struct str word);
/* The effort itself if the model has it. Otherwise the next higher one that it has for an effort below "low",
 * and the next lower one for an effort above "high". */
const char *llm_model_effort(const char *kind, const char *name, const char *effort);
/* Such an effort for any model that takes an effort: low, medium or high, which they all have. */
const char *llm_usual_effort(const char *effort);
/* anthropic: true for models that think when a request says so, and then send their thoughts. */
bool llm_model_can_think(const char *name);
/* anthropic: true for those of them that also think by themselves, but then do not send their thoughts. */
bool llm_model_thinks_unasked(const char *name);
/* anthropic: true for models that think by themselves and can be told not to. */
bool llm_model_can_stop_thinking(const char *name);
/* anthropic: the limit in tokens of an answer for which none is set. */
int64_t llm_model_answer_limit(const char *name);
/* True for names of OpenAI's reasoning models, which refuse max_tokens. */
bool llm_model_takes_completion_limit(const char *name);
/* True when the service at this address wants the reasoning of every earlier answer back (services.c). NULL:
 * false. */
bool llm_wants_reasoning_back(const char *base_url);
/* The server has a web search of its own (llm_request.web_search). */
bool llm_searches_web(const char *base_url);
bool llm_is_openai(const char *base_url); /* OpenAI's own service */
/* A request with the web search must go through /responses. */
bool llm_searches_by_responses(const char *kind, const char *base_url);
/* The way in which the model continues the beginning of an answer (wire/prefill.c). `server` as in
 * llm_models. */
enum llm_prefill llm_model_prefill(
    const char *kind, const char *base_url, const char *server, const char *name);
/* The default model: a chat model with tool calls, of middle size, recent. NULL: no chat model. */
const struct llm_model *llm_model_pick(const struct llm_models *m);

/* A base URL in the form of llm_settings: without slashes at the end. The openai kind gets /v1 when there
 * is no path, the anthropic kind has no /v1. */
const char *llm_base_url(struct arena *a, const char *kind, const char *url);
/* The method that the URL ends in, such as "/chat/completions"; NULL: none. */
const char *llm_url_method(const char *url);

#endif

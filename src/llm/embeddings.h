/*
 * Embeddings with OpenAI's protocol: POST {base_url}/embeddings with {"model","input"}, answered by
 * {"data":[{"index","embedding"}]}. The call blocks on a loop of its own, so it is for the helper and for
 * worker threads.
 *
 * It does not retry: a job has its backoff. Each failure has a sentence. Failures are those of
 * llm_provider_error() by status (RC_RATE_LIMITED with retry_after_s), those of the transport
 * (RC_UNAVAILABLE, RC_TIMEOUT, RC_TOO_BIG, RC_FORBIDDEN, RC_UPSTREAM), and RC_UPSTREAM for an invalid answer:
 * a wrong count, a repeated index, vectors of different or unexpected lengths, or an invalid number.
 */
#ifndef ALFRED_LLM_EMBEDDINGS_H
#define ALFRED_LLM_EMBEDDINGS_H

#include "llm/llm.h"

#define LLM_EMBED_TEXTS_MAX 256
#define LLM_EMBED_DIMS_MAX  8192

struct llm_embed {
    struct llm_settings provider;
    const char *model;
    const char *prefix; /* prepended to each text, for models that need one; NULL: none */
    const struct str *texts;
    size_t n;                   /* 1 to LLM_EMBED_TEXTS_MAX, else RC_BAD_INPUT */
    int64_t dimension;          /* requested and checked; 0: the model's own */
    bool send_dimension;        /* only models that can shorten their vectors accept the parameter */
    const char *const *allowed; /* as in http_client_new() */
    size_t allowed_n;
    int stop_fd; /* readable: ends the wait with RC_CANCELLED; 0: none */
};

/* Fills out[n * dimension] in the order of the texts, in the arena. */
enum rc llm_embed(const struct llm_embed *r, struct arena *a, float **out, size_t *dimension, struct err *e);

#endif

#include "app/models/embedder.h"

#include <stdio.h>

#include "app/models/providers_private.h"
#include "app/models/query_vector_cache.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "llm/embeddings.h"

#define OFFLINE_WEIGHT       0.25 /* measured, docs/search.md */
#define QUERY_TIMEOUT_MS     5000 /* a user waits; without an answer the words alone decide */
#define DOCUMENTS_TIMEOUT_MS 120000
#define CONNECT_MS           4000

static enum rc find_choice(struct embedder *m, struct err *e)
{
    m->offline = strcmp(m->provider, OFFLINE) == 0;
    m->weight = m->offline ? OFFLINE_WEIGHT : (double)m->config->embedding.weight_percent / 100;
    if (m->offline)
        return RC_OK;
    m->source = providers_source(m->providers, m->provider);
    if (!m->source)
        return err_tell(
            e, RC_BAD_INPUT, "[embedding] provider: there is no provider \"%.60s\".", m->provider);
    if (strcmp(m->source->kind, "openai") != 0)
        return err_tell(e, RC_BAD_INPUT, "[embedding] provider: \"%.60s\" has no embeddings.", m->provider);
    if (!m->model[0])
        return err_tell(
            e, RC_BAD_INPUT, "[embedding] model: set the model of \"%.60s\" to use.", m->provider);
    return RC_OK;
}

enum rc embedder_configured(
    const struct config *c, const struct providers *p, struct embedder *out, struct err *e)
{
    *out = (struct embedder){.provider = c->embedding.provider,
        .model = c->embedding.model,
        .prefix = c->embedding.document_prefix,
        .dimension = c->embedding.dimension,
        .config = c,
        .providers = p};
    if (strcmp(out->provider, OFFLINE) == 0) {
        out->model = LEXICAL_NAME;
        out->prefix = "";
        out->dimension = LEXICAL_DIMS;
    }
    return find_choice(out, e);
}

enum rc embedder_of_model(const struct config *c, const struct providers *p, const struct embedding_model *m,
    struct embedder *out, struct err *e)
{
    *out = (struct embedder){.provider = m->provider,
        .model = m->model,
        .prefix = m->prefix,
        .dimension = m->dimension,
        .passage_bytes = m->passage_bytes,
        .config = c,
        .providers = p};
    if (strcmp(m->provider, OFFLINE) == 0 && strcmp(m->model, LEXICAL_NAME) != 0)
        return err_set(e, RC_BAD_INPUT, "vectors of an older lexical embedder");
    return find_choice(out, e);
}

static enum rc quantise(
    struct arena *a, const float *from, size_t dims, struct vector_set *out, struct err *e)
{
    int8_t *v = arena_alloc(a, dims);
    *out = (struct vector_set){.v = v, .n = 1, .dimension = dims};
    return vec8_quantise(from, dims, v, &out->scale)
               ? RC_OK
               : err_set(e, RC_UPSTREAM, "a vector contains a value that is not a number");
}

/* Similarity is the angle, so vectors are scaled to length 1. Most models do that themselves. */
static void normalise(float *v, size_t dims)
{
    double sum = 0;
    for (size_t i = 0; i < dims; i++)
        sum += (double)v[i] * (double)v[i];
    float length = (float)__builtin_sqrt(sum);
    for (size_t i = 0; length > 0 && i < dims; i++)
        v[i] /= length;
}

static enum rc ask(const struct embedder *m, struct arena *a, const char *prefix, int timeout_ms,
    const struct str *texts, size_t n, float **out, size_t *dimension, struct err *e)
{
    struct llm_embed r = {.provider = m->source->settings,
        .model = m->model,
        .prefix = prefix,
        .texts = texts,
        .n = n,
        .dimension = m->dimension,
        .send_dimension = m->config->embedding.dimension != 0,
        .allowed = m->providers->allowed,
        .allowed_n = m->providers->allowed_n,
        .stop_fd = m->stop_fd};
    r.provider.limits =
        (struct http_limits){.connect_ms = CONNECT_MS, .silence_ms = timeout_ms, .total_ms = timeout_ms};
    return llm_embed(&r, a, out, dimension, e);
}

enum rc embedder_documents(const struct embedder *m, struct arena *a, const struct str *texts, size_t n,
    float **out, size_t *dimension, struct err *e)
{
    if (!m->offline)
        return ask(m, a, m->prefix, m->timeout_ms ? m->timeout_ms : DOCUMENTS_TIMEOUT_MS, texts, n, out,
            dimension, e);
    *dimension = LEXICAL_DIMS;
    *out = ARENA_ARRAY(a, float, n *LEXICAL_DIMS);
    for (size_t i = 0; i < n; i++) {
        AUTO(arena) words = arena_new();
        struct bag b = bag_of(words, texts[i]);
        lexical_embed(&b, NULL, *out + i * LEXICAL_DIMS);
    }
    return RC_OK;
}

/* A provider's vector of a query: from the cache, or requested unless the provider is down. */
static enum rc ask_once(
    const struct embedder *m, struct arena *a, struct str text, struct vector_set *out, struct err *e)
{
    struct query_vector_cache *q = m->providers->query_vectors;
    struct query_key of = query_key_of(m->provider, m->model, m->dimension, text);
    int64_t asked = clock_mono_ms();
    switch (query_vector_cache_find(q, &of, asked, a, out)) {
    case QUERY_VECTOR_KNOWN: return RC_OK;
    case QUERY_VECTOR_DOWN:
        return err_set(e, RC_NOT_FOUND, "%.60s failed recently and is not asked for now", m->provider);
    case QUERY_VECTOR_ASK: break;
    }
    if (!query_vector_cache_enter(q))
        return err_set(e, RC_NOT_FOUND, "%.60s is busy with other queries", m->provider);
    asked = clock_mono_ms();
    float *floats;
    size_t dimension;
    enum rc rc =
        ask(m, a, m->config->embedding.query_prefix, QUERY_TIMEOUT_MS, &text, 1, &floats, &dimension, e);
    if (rc == RC_OK) {
        normalise(floats, dimension);
        rc = quantise(a, floats, dimension, out, e);
    }
    if (rc == RC_OK)
        query_vector_cache_answered(q, &of, clock_mono_ms(), out);
    else
        query_vector_cache_failed(q, &of, asked, clock_mono_ms(), rc);
    query_vector_cache_leave(q);
    return rc;
}

enum rc embedder_query(const struct embedder *m, struct arena *a, struct str text, const struct bag *words,
    const float *weights, struct vector_set *out, struct err *e)
{
    if (!m->offline) {
        text.len = utf8_cut_bytes(text, m->passage_bytes ? (size_t)m->passage_bytes : EMBEDDER_TEXT_MAX);
        return ask_once(m, a, text, out, e);
    }
    float v[LEXICAL_DIMS];
    lexical_embed(words, weights, v);
    return quantise(a, v, LEXICAL_DIMS, out, e);
}

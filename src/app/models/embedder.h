/*
 * Turns texts into vectors: the lexical embedder of this program (codec/words/lexical.h) or a provider's
 * model (llm/embeddings.h), chosen in [embedding]. Vectors are identified by provider, model and prefix, so
 * that vectors of different models are never compared; store/search/vector.h keeps them apart.
 */
#ifndef ALFRED_APP_MODELS_EMBEDDER_H
#define ALFRED_APP_MODELS_EMBEDDER_H

#include "app/models/providers.h"
#include "codec/words/lexical.h"
#include "store/search/vector.h"

#define EMBEDDER_TEXT_MAX ((size_t)8 * 1024) /* bytes of one text that are sent to a provider's model */

struct embedder {
    const char *provider, *model, *prefix; /* as in struct embedding_model */
    int64_t dimension;                     /* 0: the model's own, not known yet */
    int64_t passage_bytes;                 /* as in struct embedding_model */
    bool offline;
    double weight; /* weight of its similarity relative to the words' score (app/search/search.h) */
    const struct provider_source *source; /* NULL: the built-in one */
    const struct config *config;
    const struct providers *providers;
    int stop_fd;    /* as in struct llm_embed; set by the caller */
    int timeout_ms; /* of embedder_documents(), set by a caller for whom somebody waits; 0: two minutes */
};

/* The embedder of [embedding]. RC_BAD_INPUT with a sentence: there is no such provider, or it has no
 * embeddings. Keeps pointers into both arguments. */
enum rc embedder_configured(
    const struct config *c, const struct providers *p, struct embedder *out, struct err *e);
/* The embedder that made a model's vectors. RC_BAD_INPUT: its provider is no longer configured. */
enum rc embedder_of_model(const struct config *c, const struct providers *p, const struct embedding_model *m,
    struct embedder *out, struct err *e);

/* Fills out[n * dimension], in the arena; the vectors are not normalised. One request of at most
 * LLM_EMBED_TEXTS_MAX texts. A provider may refuse texts: see app/search/document_vectors.h. Failures:
 * those of llm_embed(). */
enum rc embedder_documents(const struct embedder *m, struct arena *a, const struct str *texts, size_t n,
    float **out, size_t *dimension, struct err *e);
/* The vector of a query, in the arena. A provider gets its text; the offline embedder uses its words and
 * their weights. Any thread may call it. A provider is not asked again for recent queries. RC_NOT_FOUND: it
 * is not asked now, because it failed recently or other queries wait for it
 * (app/models/query_vector_cache.h). */
enum rc embedder_query(const struct embedder *m, struct arena *a, struct str text, const struct bag *words,
    const float *weights, struct vector_set *out, struct err *e);

#endif

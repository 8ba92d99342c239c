/*
 * Vectors of whole texts, also when the provider refuses some. Long texts are cut into passages
 * (codec/words/passages.h) with a vector each, and many texts share a request.
 *
 * Every provider refuses some texts: too long for its model, too many in a request, stopped by a filter, or
 * answered with NaN. A refused request is halved until one text is alone. That text is cut into smaller
 * passages. A passage that is still refused is split, then shortened, then dropped. A text without any
 * accepted passage is skipped with the reason. A size that a model accepts after it refused a larger one is
 * kept in the limits.
 *
 * A broken provider refuses everything. Each refusal is therefore followed by a request for one harmless
 * word. If that fails too, its error is the result, and the remaining texts stay open.
 */
#ifndef ALFRED_APP_SEARCH_DOCUMENT_VECTORS_H
#define ALFRED_APP_SEARCH_DOCUMENT_VECTORS_H

#include "base/err.h"
#include "store/search/vector_skip.h"

#define DOCUMENT_REQUEST_TEXTS 32
#define DOCUMENT_REQUEST_BYTES ((size_t)32 * 1024) /* 10,000 tokens: half a minute on a slow processor */
#define DOCUMENT_PASSAGE_MIN   ((size_t)128)       /* the smallest passage that is tried */
#define DOCUMENT_REFUSALS_MAX  32 /* refusals for one text; the remaining passages are dropped */
#define DOCUMENT_HARMLESS      "dimension"

/* One request: fills out[n * dimension], in the arena. RC_RATE_LIMITED and RC_CANCELLED end the work. */
typedef enum rc document_request_fn(void *arg, struct arena *a, const struct str *texts, size_t n,
    float **out, size_t *dimension, struct err *e);

/* Observed limits of the provider, 0: not known. */
struct document_limits {
    size_t passage_bytes, request_texts;
};

struct document_embedder {
    document_request_fn *request;
    void *arg;
    size_t passage_bytes;          /* wanted size; larger in a text with too many passages */
    size_t text_bytes_max;         /* largest text that is sent as one passage */
    struct document_limits limits; /* known before, and learned */
};

struct document {
    struct str text;
    enum { DOCUMENT_OPEN, DOCUMENT_EMBEDDED, DOCUMENT_SKIPPED } state; /* OPEN at first */
    struct vector_set set;                                             /* EMBEDDED: in the arena */
    enum vector_skip why;                                              /* SKIPPED */
};

/* Embeds or skips documents in their order, until a request fails for a reason other than its text. */
enum rc document_vectors(
    struct document_embedder *m, struct arena *a, struct document *docs, size_t n, struct err *e);

#endif

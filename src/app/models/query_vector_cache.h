/*
 * What a process knows of a provider's embeddings of questions: the vectors of the last few, and that the
 * provider did not answer a moment ago.
 *
 * One request may put the same question to messages, sessions and facts; the provider is asked once. One
 * that hangs holds up one search for as long as the embedder waits (app/models/embedder.c) and then nobody
 * for EMBEDDER_DOWN_MS; after that one question tries it while the others still go without it. A failure that
 * came at once is not kept, as asking again costs nobody anything, except RC_RATE_LIMITED.
 *
 * At most QUERY_CACHE_WAITERS_MAX threads of a process wait for a provider at once. The next one waits up to
 * QUERY_CACHE_WAIT_MS for a place and then goes without a vector, so that a provider that hangs cannot hold
 * all threads of a program.
 *
 * A question's text is not kept, only a hash of it with the model's name, so a vector does not say who asked.
 * Shared between threads: everything in here, under its own lock, which is never held while a provider is
 * asked.
 */
#ifndef ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H
#define ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define EMBEDDER_DOWN_MS        20000
#define EMBEDDER_SLOW_MS        500 /* a failure that took longer held somebody up */
#define QUERY_CACHE_ENTRIES     8
#define QUERY_CACHE_TTL_MS      60000 /* of what was not asked meanwhile; a provider may change a model */
#define QUERY_CACHE_DIMS_MAX    8192
#define QUERY_CACHE_WAITERS_MAX 2
#define QUERY_CACHE_WAIT_MS     300

struct query_vector_cache;
struct query_vector_cache *query_vector_cache_new(void);
void query_vector_cache_free(struct query_vector_cache *q); /* NULL is fine */
DEFINE_AUTO(query_vector_cache);

#define QUERY_KEY_SIZE 32

/* Which question, to which model of which provider. */
struct query_key {
    unsigned char maker[QUERY_KEY_SIZE], key[QUERY_KEY_SIZE];
};
struct query_key query_key_of(const char *provider, const char *model, int64_t dimension, struct str text);

struct query_vector {
    int8_t *v; /* [dimension], in the arena */
    float scale;
    size_t dimension;
};

enum query_vector_state {
    QUERY_VECTOR_KNOWN, /* `out` is its vector */
    QUERY_VECTOR_ASK,   /* ask the provider, then say how it went: query_vector_cache_answered() or
                           query_vector_cache_failed() */
    QUERY_VECTOR_DOWN,  /* the provider is left alone */
};

/* `now`: clock_mono_ms(). */
enum query_vector_state query_vector_cache_find(struct query_vector_cache *q, const struct query_key *of,
    int64_t now, struct arena *a, struct query_vector *out);
/* After QUERY_VECTOR_ASK: takes a place. False: there was none in time. */
bool query_vector_cache_enter(struct query_vector_cache *q);
/* Gives the place back, after query_vector_cache_answered() or query_vector_cache_failed(). */
void query_vector_cache_leave(struct query_vector_cache *q);
void query_vector_cache_answered(
    struct query_vector_cache *q, const struct query_key *of, int64_t now, const struct query_vector *v);
/* `asked`: when QUERY_VECTOR_ASK was said. */
void query_vector_cache_failed(
    struct query_vector_cache *q, const struct query_key *of, int64_t asked, int64_t now, enum rc why);

#endif

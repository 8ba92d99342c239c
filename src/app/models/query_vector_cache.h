/*
 * The vectors of the last few queries that a provider embedded, and whether the provider failed recently.
 *
 * One request may search messages, sessions and facts with the same query: the provider is asked once. A
 * provider that hangs delays one search for as long as the embedder waits (app/models/embedder.c). Then no
 * query waits for it for EMBEDDER_DOWN_MS. After that one query tries it while others continue without it.
 * Each try that fails doubles the time, up to EMBEDDER_DOWN_MAX_MS: with a provider that is down for hours,
 * few searches wait. A fast failure is not remembered, because asking again costs little; RC_RATE_LIMITED is.
 *
 * At most QUERY_CACHE_WAITERS_MAX threads of a process wait for a provider at once. The next one waits up to
 * QUERY_CACHE_WAIT_MS for a place and then continues without a vector. A provider that hangs thus cannot hold
 * all threads of a program.
 *
 * A query's text is not kept, only a hash of it with the model's name, so a vector does not reveal the user.
 * Everything in here is shared between threads under its own lock. The lock is not held while a provider is
 * asked.
 */
#ifndef ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H
#define ALFRED_APP_MODELS_QUERY_VECTOR_CACHE_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/search/vector.h"

#define EMBEDDER_DOWN_MS        20000
#define EMBEDDER_DOWN_MAX_MS    300000
#define EMBEDDER_SLOW_MS        500 /* a failure that took longer counts as down */
#define QUERY_CACHE_ENTRIES     8
#define QUERY_CACHE_TTL_MS      60000 /* since the last use; a provider may change a model */
#define QUERY_CACHE_DIMS_MAX    8192
#define QUERY_CACHE_WAITERS_MAX 2
#define QUERY_CACHE_WAIT_MS     300

struct query_vector_cache;
struct query_vector_cache *query_vector_cache_new(void);
void query_vector_cache_free(struct query_vector_cache *q); /* NULL is fine */
DEFINE_AUTO(query_vector_cache);

#define QUERY_KEY_SIZE 32

/* A query to a model of a provider. */
struct query_key {
    unsigned char maker[QUERY_KEY_SIZE], key[QUERY_KEY_SIZE];
};
struct query_key query_key_of(const char *provider, const char *model, int64_t dimension, struct str text);

enum query_vector_state {
    QUERY_VECTOR_KNOWN, /* `out` is its vector, in the arena */
    QUERY_VECTOR_ASK,   /* ask the provider, then say how it went: query_vector_cache_answered() or
                           query_vector_cache_failed() */
    QUERY_VECTOR_DOWN,  /* the provider is not asked for now */
};

/* `now`: clock_mono_ms(). */
enum query_vector_state query_vector_cache_find(struct query_vector_cache *q, const struct query_key *of,
    int64_t now, struct arena *a, struct vector_set *out);
/* After QUERY_VECTOR_ASK: takes a place. False: no place was free in time. */
bool query_vector_cache_enter(struct query_vector_cache *q);
/* Gives the place back, after query_vector_cache_answered() or query_vector_cache_failed(). */
void query_vector_cache_leave(struct query_vector_cache *q);
void query_vector_cache_answered(
    struct query_vector_cache *q, const struct query_key *of, int64_t now, const struct vector_set *v);
/* `asked`: the time of QUERY_VECTOR_ASK. */
void query_vector_cache_failed(
    struct query_vector_cache *q, const struct query_key *of, int64_t asked, int64_t now, enum rc why);

/* Logs that a query got no vector; the same reason again seldom (log_repeat()). `why` NULL: it got
 * one. */
void query_vector_cache_log(struct query_vector_cache *q, const struct err *why);

#endif

#include "app/models/query_vector_cache.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"

#define TRY_MS 30000 /* longer than the one request to a provider that was down can take */

struct kept {
    unsigned char key[QUERY_KEY_SIZE];
    int8_t *v; /* NULL: free */
    float scale;
    size_t dimension;
    int64_t used_at;
};

struct query_vector_cache {
    pthread_mutex_t lock;
    struct kept kept[QUERY_CACHE_ENTRIES];
    unsigned char down_maker[QUERY_KEY_SIZE]; /* the maker that is down */
    bool is_down;
    int64_t down_until; /* after it one query may try */
    int64_t failed_at;  /* the last failure that counted */
    struct backoff down;
    pthread_cond_t place_free;
    int asking; /* threads that wait for a provider */
    struct log_repeat failures;
};

struct query_vector_cache *query_vector_cache_new(void)
{
    struct query_vector_cache *q = xcalloc(1, sizeof *q);
    q->down = (struct backoff){.first_ms = EMBEDDER_DOWN_MS, .max_ms = EMBEDDER_DOWN_MAX_MS};
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->place_free, NULL);
    return q;
}

void query_vector_cache_free(struct query_vector_cache *q)
{
    if (!q)
        return;
    for (size_t i = 0; i < QUERY_CACHE_ENTRIES; i++)
        free(q->kept[i].v);
    pthread_cond_destroy(&q->place_free);
    pthread_mutex_destroy(&q->lock);
    free(q);
}

struct query_key query_key_of(const char *provider, const char *model, int64_t dimension, struct str text)
{
    struct query_key of;
    crypto_generichash_state s;
    /* With the final zeros, so that two different pairs of names never give the same bytes. */
    crypto_generichash_init(&s, NULL, 0, sizeof of.maker);
    crypto_generichash_update(&s, (const unsigned char *)provider, strlen(provider) + 1);
    crypto_generichash_update(&s, (const unsigned char *)model, strlen(model) + 1);
    crypto_generichash_final(&s, of.maker, sizeof of.maker);
    crypto_generichash_init(&s, NULL, 0, sizeof of.key);
    crypto_generichash_update(&s, of.maker, sizeof of.maker);
    crypto_generichash_update(&s, (const unsigned char *)&dimension, sizeof dimension);
    crypto_generichash_update(&s, (const unsigned char *)text.s, text.len);
    crypto_generichash_final(&s, of.key, sizeof of.key);
    return of;
}

static void forget(struct kept *k)
{
    free(k->v);
    *k = (struct kept){0};
}

static struct kept *find(struct query_vector_cache *q, const struct query_key *of, int64_t now)
{
    for (size_t i = 0; i < QUERY_CACHE_ENTRIES; i++) {
        struct kept *k = &q->kept[i];
        if (k->v && now - k->used_at > QUERY_CACHE_TTL_MS)
            forget(k);
        else if (k->v && memcmp(k->key, of->key, sizeof k->key) == 0)
            return k;
    }
    return NULL;
}

/* A free place, else the least recently used one. */
static struct kept *place(struct query_vector_cache *q)
{
    struct kept *oldest = &q->kept[0];
    for (size_t i = 0; i < QUERY_CACHE_ENTRIES; i++) {
        if (!q->kept[i].v)
            return &q->kept[i];
        if (q->kept[i].used_at < oldest->used_at)
            oldest = &q->kept[i];
    }
    return oldest;
}

static bool is_down(const struct query_vector_cache *q, const struct query_key *of)
{
    return q->is_down && memcmp(q->down_maker, of->maker, sizeof q->down_maker) == 0;
}

enum query_vector_state query_vector_cache_find(struct query_vector_cache *q, const struct query_key *of,
    int64_t now, struct arena *a, struct vector_set *out)
{
    enum query_vector_state state = QUERY_VECTOR_ASK;
    pthread_mutex_lock(&q->lock);
    struct kept *k = find(q, of, now);
    if (k) {
        int8_t *v = arena_alloc(a, k->dimension);
        memcpy(v, k->v, k->dimension);
        *out = (struct vector_set){v, 1, k->dimension, k->scale};
        k->used_at = now;
        state = QUERY_VECTOR_KNOWN;
    } else if (is_down(q, of)) {
        if (now < q->down_until)
            state = QUERY_VECTOR_DOWN;
        else
            q->down_until = now + TRY_MS; /* this query tries; others continue without a vector */
    }
    pthread_mutex_unlock(&q->lock);
    return state;
}

bool query_vector_cache_enter(struct query_vector_cache *q)
{
    struct timespec until = clock_mono_at(clock_mono_ms() + QUERY_CACHE_WAIT_MS);
    pthread_mutex_lock(&q->lock);
    for (bool late = false; q->asking >= QUERY_CACHE_WAITERS_MAX && !late;)
        late = pthread_cond_clockwait(&q->place_free, &q->lock, CLOCK_MONOTONIC, &until) != 0;
    bool entered = q->asking < QUERY_CACHE_WAITERS_MAX;
    q->asking += entered;
    pthread_mutex_unlock(&q->lock);
    return entered;
}

void query_vector_cache_leave(struct query_vector_cache *q)
{
    pthread_mutex_lock(&q->lock);
    q->asking--;
    pthread_cond_signal(&q->place_free);
    pthread_mutex_unlock(&q->lock);
}

static void end_down(struct query_vector_cache *q)
{
    q->is_down = false;
    backoff_reset(&q->down);
}

/* Queries that were asked at the same time fail once. */
static void begin_down(struct query_vector_cache *q, const struct query_key *of, int64_t asked, int64_t now)
{
    if (is_down(q, of) && asked < q->failed_at)
        return;
    if (!is_down(q, of))
        backoff_reset(&q->down);
    memcpy(q->down_maker, of->maker, sizeof q->down_maker);
    q->is_down = true;
    q->failed_at = now;
    q->down_until = now + backoff_next(&q->down);
}

void query_vector_cache_answered(
    struct query_vector_cache *q, const struct query_key *of, int64_t now, const struct vector_set *v)
{
    pthread_mutex_lock(&q->lock);
    if (is_down(q, of))
        end_down(q);
    if (v->dimension > 0 && v->dimension <= QUERY_CACHE_DIMS_MAX) {
        struct kept *k = find(q, of, now); /* two threads may have asked at the same time */
        if (!k)
            k = place(q);
        forget(k);
        *k = (struct kept){
            .v = xmalloc(v->dimension), .scale = v->scale, .dimension = v->dimension, .used_at = now};
        memcpy(k->key, of->key, sizeof k->key);
        memcpy(k->v, v->v, v->dimension);
    }
    pthread_mutex_unlock(&q->lock);
}

void query_vector_cache_failed(
    struct query_vector_cache *q, const struct query_key *of, int64_t asked, int64_t now, enum rc why)
{
    bool lasts = why == RC_RATE_LIMITED || now - asked >= EMBEDDER_SLOW_MS;
    pthread_mutex_lock(&q->lock);
    if (lasts)
        begin_down(q, of, asked, now);
    else if (is_down(q, of))
        end_down(q); /* a fast failure: the provider answers again, and asking costs little */
    pthread_mutex_unlock(&q->lock);
}

void query_vector_cache_log(struct query_vector_cache *q, const struct err *why)
{
    if (why)
        log_repeat(&q->failures, LOG_WARN, "searching without vectors: %s", why->text);
    else
        log_repeat_end(&q->failures, "searching with vectors");
}

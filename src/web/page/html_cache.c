#include "web/page/html_cache.h"

#include <pthread.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"

#define BUCKETS 1024 /* a power of two */

struct entry {
    struct entry *chain;          /* in its bucket */
    struct entry *newer, *older;  /* by use */
    struct entry *later, *sooner; /* by expiry */
    int64_t id, dies_at;          /* clock_mono_ms() */
    unsigned char text_hash[crypto_shorthash_BYTES];
    size_t text_len, html_len;
    char html[];
};

struct html_cache {
    size_t bytes_max;
    int64_t life_ms;
    unsigned char key[crypto_shorthash_KEYBYTES];
    pthread_t thread;

    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t wake;  /* the first entry was added, or the cache is closing */
    bool closing;
    size_t bytes;
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest; /* by use */
    struct entry *last, *next;     /* by expiry; all entries live equally long, so the last is the newest */
};

static struct entry **bucket_of(struct html_cache *c, int64_t id)
{
    return &c->buckets[(uint64_t)id & (BUCKETS - 1)];
}

static struct entry *find(struct html_cache *c, int64_t id)
{
    struct entry *at = *bucket_of(c, id);
    while (at && at->id != id)
        at = at->chain;
    return at;
}

static void unlink_use(struct html_cache *c, struct entry *x)
{
    *(x->newer ? &x->newer->older : &c->newest) = x->older;
    *(x->older ? &x->older->newer : &c->oldest) = x->newer;
}

static void link_use(struct html_cache *c, struct entry *x)
{
    x->newer = NULL;
    x->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = x;
    c->newest = x;
}

static void unlink_life(struct html_cache *c, struct entry *x)
{
    *(x->later ? &x->later->sooner : &c->last) = x->sooner;
    *(x->sooner ? &x->sooner->later : &c->next) = x->later;
}

static void link_life(struct html_cache *c, struct entry *x)
{
    x->later = NULL;
    x->sooner = c->last;
    *(c->last ? &c->last->later : &c->next) = x;
    c->last = x;
}

static size_t size_of(const struct entry *x)
{
    return sizeof *x + x->html_len;
}

static void drop(struct html_cache *c, struct entry *x)
{
    struct entry **at = bucket_of(c, x->id);
    while (*at != x)
        at = &(*at)->chain;
    *at = x->chain;
    unlink_use(c, x);
    unlink_life(c, x);
    c->bytes -= size_of(x);
    sodium_memzero(x->html, x->html_len);
    free(x);
}

static void *end_lives(void *arg)
{
    struct html_cache *c = arg;
    pthread_mutex_lock(&c->lock);
    while (!c->closing) {
        while (c->next && c->next->dies_at <= clock_mono_ms())
            drop(c, c->next);
        if (!c->next) {
            pthread_cond_wait(&c->wake, &c->lock);
            continue;
        }
        struct timespec until = clock_mono_at(c->next->dies_at);
        pthread_cond_clockwait(&c->wake, &c->lock, CLOCK_MONOTONIC, &until);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

enum rc html_cache_new(size_t bytes_max, int64_t life_ms, struct html_cache **out, struct err *e)
{
    struct html_cache *c = xcalloc(1, sizeof *c);
    c->bytes_max = bytes_max;
    c->life_ms = life_ms;
    crypto_shorthash_keygen(c->key);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    enum rc rc = thread_start(&c->thread, end_lives, c, "the HTML cache", e);
    if (rc != RC_OK) {
        pthread_cond_destroy(&c->wake);
        pthread_mutex_destroy(&c->lock);
        free(c);
        return rc;
    }
    *out = c;
    return RC_OK;
}

void html_cache_free(struct html_cache *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->closing = true;
    pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
    pthread_join(c->thread, NULL);
    while (c->next)
        drop(c, c->next);
    pthread_cond_destroy(&c->wake);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void hash(const struct html_cache *c, struct str text, unsigned char out[crypto_shorthash_BYTES])
{
    crypto_shorthash(out, (const unsigned char *)text.s, text.len, c->key);
}

bool html_cache_get(struct html_cache *c, int64_t id, struct str text, struct arena *a, struct str *html)
{
    unsigned char of_text[crypto_shorthash_BYTES];
    hash(c, text, of_text);
    pthread_mutex_lock(&c->lock);
    struct entry *x = find(c, id);
    bool same = x && x->text_len == text.len && memcmp(x->text_hash, of_text, sizeof of_text) == 0 &&
                x->dies_at > clock_mono_ms();
    if (same) {
        unlink_use(c, x);
        link_use(c, x);
        *html = arena_str(a, (struct str){x->html, x->html_len});
    }
    pthread_mutex_unlock(&c->lock);
    return same;
}

void html_cache_put(struct html_cache *c, int64_t id, struct str text, struct str html)
{
    if (sizeof(struct entry) + html.len > c->bytes_max / 2)
        return;
    struct entry *x = xcalloc(1, sizeof *x + html.len);
    x->id = id;
    x->text_len = text.len;
    x->html_len = html.len;
    hash(c, text, x->text_hash);
    if (html.len)
        memcpy(x->html, html.s, html.len);

    pthread_mutex_lock(&c->lock);
    struct entry *before = find(c, id);
    if (before)
        drop(c, before);
    while (c->bytes + size_of(x) > c->bytes_max)
        drop(c, c->oldest);
    x->dies_at = clock_mono_ms() + c->life_ms;
    x->chain = *bucket_of(c, id);
    *bucket_of(c, id) = x;
    link_use(c, x);
    link_life(c, x);
    c->bytes += size_of(x);
    if (c->next == x)
        pthread_cond_signal(&c->wake);
    pthread_mutex_unlock(&c->lock);
}

size_t html_cache_bytes(struct html_cache *c)
{
    pthread_mutex_lock(&c->lock);
    size_t bytes = c->bytes;
    pthread_mutex_unlock(&c->lock);
    return bytes;
}

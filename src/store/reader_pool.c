#include "store/reader_pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

#define MOST_MAX 64

struct reader_pool {
    char *path;
    pthread_mutex_t lock;
    pthread_cond_t returned;
    struct db *idle[MOST_MAX]; /* a stack: the most recently used one has the warmest cache */
    int idle_n, open_n, most;
    int at_once; /* of reader_pool_at_once() */
};

int reader_pool_at_once(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > MOST_MAX ? MOST_MAX : processors > 2 ? (int)processors : 2;
}

enum rc reader_pool_new(const char *path, int most, struct reader_pool **out, struct err *e)
{
    struct reader_pool *p = xcalloc(1, sizeof *p);
    p->path = xstrdup(path);
    p->most = most < 1 ? 1 : most > MOST_MAX ? MOST_MAX : most;
    p->at_once = reader_pool_at_once();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->returned, NULL);
    *out = NULL;
    enum rc rc = db_open(path, DB_READ_ONLY, &p->idle[0], e);
    if (rc != RC_OK) {
        reader_pool_free(p);
        return rc;
    }
    p->idle_n = p->open_n = 1;
    *out = p;
    return RC_OK;
}

void reader_pool_free(struct reader_pool *p)
{
    if (!p)
        return;
    for (int i = 0; i < p->idle_n; i++)
        db_close(p->idle[i]);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->returned);
    free_charp(&p->path);
    free(p);
}

/* An idle connection, else a new one; NULL: none is available. Opens without the lock. */
static struct db *take_one(struct reader_pool *p, bool waited)
{
    if (p->idle_n)
        return p->idle[--p->idle_n];
    if (p->open_n >= p->most || (p->open_n >= p->at_once && !waited))
        return NULL;
    p->open_n++;
    pthread_mutex_unlock(&p->lock);
    struct db *db;
    struct err e = ERR_INIT;
    if (db_open(p->path, DB_READ_ONLY, &db, &e) != RC_OK)
        log_warn("cannot open a read connection: %s", e.text); /* the other connections still work */
    pthread_mutex_lock(&p->lock);
    if (db)
        return db;
    p->open_n--;
    return p->idle_n ? p->idle[--p->idle_n] : NULL; /* one may have been returned meanwhile */
}

struct db *reader_pool_take(struct reader_pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct db *db;
    bool waited = false;
    struct timespec until = {0};
    while (!(db = take_one(p, waited))) {
        if (!until.tv_sec)
            until = clock_mono_at(clock_mono_ms() + READER_WAIT_MS);
        /* The first connection is open since reader_pool_new(), so one will be returned. */
        if (waited)
            pthread_cond_wait(&p->returned, &p->lock);
        else
            waited = pthread_cond_clockwait(&p->returned, &p->lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
    }
    pthread_mutex_unlock(&p->lock);
    return db;
}

void reader_pool_give(struct reader_pool *p, struct db *db)
{
    pthread_mutex_lock(&p->lock);
    p->idle[p->idle_n++] = db;
    pthread_cond_signal(&p->returned);
    pthread_mutex_unlock(&p->lock);
}

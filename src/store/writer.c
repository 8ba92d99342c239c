/*
 * One thread at a time has the writing connection: writer->writing. A caller that finds nobody there runs its
 * closure itself, which saves two changes of threads. All others put their closures into a queue. The thread
 * that writes takes them from it while its transaction is open: they share its fsync. The writer thread runs
 * the rest of the queue in the same way. So a caller never runs more than one transaction, and no closure
 * overtakes the queue.
 *
 * A closure leaves the queue only when the transaction is open. While another process holds the write lock
 * all stay in the queue. Each caller removes its own when its time is over.
 *
 * A transaction is lazy when the first closure that waited for it is lazy. A durable closure never joins a
 * lazy transaction; a lazy one may join any.
 *
 * The first closure of a transaction runs without a savepoint: when it fails, the transaction is rolled back
 * and the next closure begins a new one. Every later one has a savepoint. Some failures (a full disk, an I/O
 * error) make SQLite roll back everything. Then all closures of that transaction get the error.
 */
#include "store/writer.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/stopwatch.h"
#include "base/thread.h"
#include "store/changes.h"
#include "store/search/vector.h"

#define GROUP_MAX     512 /* closures in one transaction */
#define GROUP_MS_MAX  100 /* a transaction takes no more closures after this time */
#define RETRY_AFTER_S 2
#define FOREVER       (-1)
#define LOOK_MS       400 /* between two looks at a stopwatch, by each of up to 1,000 waiting threads */
#define OWED_MS       500 /* between attempts to report lost changes (store/changes.h) */

struct ticket {
    struct ticket *next;
    store_fn *fn;
    void *arg;
    enum durability durability;
    bool taken; /* by the writer; guarded by queue_lock */
    struct err err;
    enum rc rc;
    pthread_mutex_t lock; /* guards done */
    pthread_cond_t answered;
    bool done;
};

struct writer {
    struct db *db;           /* for the thread that set `writing` */
    struct changes *changes; /* for that thread, too */
    pthread_t thread;

    pthread_mutex_t queue_lock;  /* guards the following members */
    pthread_cond_t queue_filled; /* work for the writer thread */
    struct ticket *first, **last;
    int waiting;
    bool writing; /* a thread has the writing connection */
    bool stopping;
    bool started; /* the thread runs and is not joined yet */
};

struct group {
    struct ticket *first, **last;
    int n;
    int64_t since;
};

static void group_clear(struct group *g)
{
    *g = (struct group){.last = &g->first};
}

static void group_add(struct group *g, struct ticket *t)
{
    t->next = NULL;
    *g->last = t;
    g->last = &t->next;
    g->n++;
}

static void ticket_answer(struct ticket *t, enum rc rc, const struct err *e)
{
    t->rc = rc;
    if (rc != RC_OK && e)
        t->err = *e;
    pthread_mutex_lock(&t->lock);
    t->done = true;
    pthread_cond_signal(&t->answered);
    pthread_mutex_unlock(&t->lock); /* t may be freed from here on */
}

/* The result of the transaction applies to all closures that succeeded. */
static void group_answer(struct group *g, enum rc rc, const struct err *e)
{
    struct ticket *next;
    for (struct ticket *t = g->first; t; t = next) {
        next = t->next;
        ticket_answer(t, rc, e);
    }
    group_clear(g);
}

static void group_commit(struct writer *w, struct group *g)
{
    if (!g->n)
        return;
    struct err e = ERR_INIT;
    enum rc rc = db_commit(w->db, &e);
    group_answer(g, rc, &e); /* before the changes are published: sending takes five system calls */
    if (rc == RC_OK)
        changes_publish(w->changes);
}

/* Runs a closure in a shared transaction. If its savepoint cannot be undone, the whole transaction fails. */
static enum rc run_beside(struct db *db, struct ticket *t, struct err *e)
{
    enum rc rc = db_savepoint(db, e);
    if (rc != RC_OK)
        return rc;
    rc = t->fn(db, t->arg, e);
    if (!db_in_transaction(db))
        return rc == RC_OK ? err_set(e, RC_INTERNAL, "a closure ended the transaction") : rc;
    if (rc == RC_OK)
        return db_release(db, e);
    if (db_rollback_to(db, NULL) != RC_OK)
        db_rollback(db);
    return rc;
}

static enum rc run_first(struct db *db, struct ticket *t, struct err *e)
{
    enum rc rc = t->fn(db, t->arg, e);
    if (rc == RC_OK && !db_in_transaction(db))
        return err_set(e, RC_INTERNAL, "a closure ended the transaction");
    if (rc != RC_OK)
        db_rollback(db);
    return rc;
}

static void run(struct db *db, struct group *g, struct ticket *t)
{
    struct err e = ERR_INIT;
    bool first = g->n == 0;
    enum rc rc = first ? run_first(db, t, &e) : run_beside(db, t, &e);
    if (rc == RC_OK) {
        group_add(g, t);
        return;
    }
    ticket_answer(t, rc, &e);
    if (!first && !db_in_transaction(db))
        group_answer(g, rc, &e);
}

static bool group_full(const struct group *g)
{
    return g->n >= GROUP_MAX || clock_mono_ms() - g->since >= GROUP_MS_MAX;
}

/* Gets the writing connection for the writer thread, and the work for it: a closure, or lost changes to
 * report. False: the store is stopping, the queue is empty, and nobody writes. */
static bool wait_for_work(struct writer *w)
{
    bool late = false;
    pthread_mutex_lock(&w->queue_lock);
    while (w->writing || (!w->first && !late && !w->stopping)) {
        if (w->writing || !changes_owed(w->changes)) {
            pthread_cond_wait(&w->queue_filled, &w->queue_lock);
            continue;
        }
        struct timespec until = clock_mono_at(clock_mono_ms() + OWED_MS);
        late = pthread_cond_clockwait(&w->queue_filled, &w->queue_lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
    }
    bool work = w->first || late;
    w->writing = work;
    pthread_mutex_unlock(&w->queue_lock);
    return work;
}

/* The next closure that may join the transaction; NULL: none. */
static struct ticket *next_ticket(struct writer *w, enum durability of_transaction)
{
    pthread_mutex_lock(&w->queue_lock);
    struct ticket *t = w->first;
    if (t && of_transaction == LAZY && t->durability == DURABLE)
        t = NULL;
    if (t) {
        w->first = t->next;
        if (!w->first)
            w->last = &w->first;
        w->waiting--;
        t->taken = true;
    }
    pthread_mutex_unlock(&w->queue_lock);
    return t;
}

/* In the open transaction, which has ended on return. */
static void run_group(struct writer *w, enum durability durability)
{
    struct group g;
    group_clear(&g);
    g.since = clock_mono_ms();
    do {
        struct ticket *t = group_full(&g) ? NULL : next_ticket(w, durability);
        if (!t)
            break;
        run(w->db, &g, t);
    } while (db_in_transaction(w->db));
    group_commit(w, &g);
    db_rollback(w->db); /* an empty transaction */
    changes_drop(w->changes);
}

/* Runs what waits in one transaction. The caller has the writing connection. */
static void write_waiting(struct writer *w, int64_t wait_ms)
{
    pthread_mutex_lock(&w->queue_lock);
    bool none = !w->first;
    enum durability durability = none ? DURABLE : w->first->durability;
    pthread_mutex_unlock(&w->queue_lock);
    if (none)
        return;
    struct err e = ERR_INIT;
    enum rc rc = db_set_durable(w->db, durability == DURABLE, &e);
    if (rc == RC_OK)
        rc = db_begin_within(w->db, wait_ms, &e);
    if (rc == RC_OK) {
        run_group(w, durability);
        return;
    }
    struct ticket *t = e.retry_after_s ? NULL : next_ticket(w, DURABLE);
    if (t)
        ticket_answer(t, rc, &e);
}

static void give_up_writing(struct writer *w)
{
    pthread_mutex_lock(&w->queue_lock);
    w->writing = false;
    if (w->first || w->stopping || changes_owed(w->changes))
        pthread_cond_signal(&w->queue_filled);
    pthread_mutex_unlock(&w->queue_lock);
}

static void *writer_main(void *arg)
{
    struct writer *w = arg;
    while (wait_for_work(w)) {
        write_waiting(w, STORE_WRITE_WAIT_MS);
        if (changes_owed(w->changes))
            changes_publish(w->changes);
        give_up_writing(w);
    }
    return NULL;
}

/* False: the writer has taken it. */
static bool withdraw(struct writer *w, const struct ticket *t)
{
    pthread_mutex_lock(&w->queue_lock);
    bool waits = !t->taken;
    if (waits) {
        struct ticket **at = &w->first;
        while (*at != t)
            at = &(*at)->next;
        *at = t->next;
        if (w->last == &t->next)
            w->last = at;
        w->waiting--;
    }
    pthread_mutex_unlock(&w->queue_lock);
    return waits;
}

static void ticket_init(struct ticket *t, enum durability durability, store_fn *fn, void *arg)
{
    *t = (struct ticket){.fn = fn, .arg = arg, .durability = durability};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->answered, NULL);
}

static void ticket_release(struct ticket *t)
{
    pthread_cond_destroy(&t->answered);
    pthread_mutex_destroy(&t->lock);
}

/* False: no answer in this time. FOREVER: no limit. */
static bool ticket_await(struct ticket *t, int64_t wait_ms)
{
    struct stopwatch waited = stopwatch_start();
    pthread_mutex_lock(&t->lock);
    while (!t->done) {
        if (wait_ms == FOREVER) {
            pthread_cond_wait(&t->answered, &t->lock);
            continue;
        }
        int64_t left = wait_ms - stopwatch_us(&waited) / US_PER_MS;
        if (left <= 0)
            break;
        struct timespec until = clock_mono_at(clock_mono_ms() + (left < LOOK_MS ? left : LOOK_MS));
        pthread_cond_clockwait(&t->answered, &t->lock, CLOCK_MONOTONIC, &until);
    }
    bool done = t->done;
    pthread_mutex_unlock(&t->lock);
    return done;
}

/* *writes: nobody else writes, and the caller got the writing connection. */
static enum rc enqueue(struct writer *w, struct ticket *t, bool *writes, struct err *e)
{
    pthread_mutex_lock(&w->queue_lock);
    bool stopping = w->stopping, full = w->waiting >= STORE_WRITE_QUEUE_MAX;
    *writes = !stopping && !w->writing && !w->first;
    if (!stopping && !full) {
        *w->last = t;
        w->last = &t->next;
        w->waiting++;
        w->writing = w->writing || *writes;
    }
    pthread_mutex_unlock(&w->queue_lock);
    if (stopping || full)
        return err_set(e, RC_UNAVAILABLE, stopping ? "the store is stopping" : "too many writes wait");
    return RC_OK;
}

static enum rc wait_for(struct writer *w, struct ticket *t, int64_t wait_ms, struct err *e)
{
    if (!ticket_await(t, wait_ms)) {
        if (withdraw(w, t)) {
            err_say(e, RC_UNAVAILABLE, "error.nothing_saved");
            if (e)
                e->retry_after_s = RETRY_AFTER_S;
            return RC_UNAVAILABLE;
        }
        ticket_await(t, FOREVER);
    }
    if (t->rc != RC_OK && e)
        *e = t->err;
    return t->rc;
}

enum rc writer_run(
    struct writer *w, enum durability durability, int64_t wait_ms, store_fn *fn, void *arg, struct err *e)
{
    struct ticket t;
    bool writes;
    ticket_init(&t, durability, fn, arg);
    enum rc rc = enqueue(w, &t, &writes, e);
    if (rc == RC_OK && writes) {
        write_waiting(w, wait_ms);
        give_up_writing(w);
        wait_ms = 0; /* the closure was the first of the queue: it has run, or its time is over */
    }
    if (rc == RC_OK)
        rc = wait_for(w, &t, wait_ms, e);
    ticket_release(&t);
    return rc;
}

static enum rc open_connection(struct writer *w, const char *path, struct err *e)
{
    enum rc rc = db_open(path, DB_READ_WRITE, &w->db, e);
    if (rc == RC_OK)
        rc = db_migrate(w->db, e);
    if (rc == RC_OK)
        rc = store_embedding_model_tables(w->db, e);
    return rc == RC_OK ? changes_new(w->db, path, &w->changes, e) : rc;
}

enum rc writer_new(const char *path, struct writer **out, struct err *e)
{
    struct writer *w = xcalloc(1, sizeof *w);
    w->last = &w->first;
    pthread_mutex_init(&w->queue_lock, NULL);
    pthread_cond_init(&w->queue_filled, NULL);
    enum rc rc = open_connection(w, path, e);
    if (rc == RC_OK) {
        rc = thread_start(&w->thread, writer_main, w, "the database's writer", e);
        w->started = rc == RC_OK;
    }
    if (rc != RC_OK) {
        writer_free(w);
        w = NULL;
    }
    *out = w;
    return rc;
}

void writer_checkpoint_at(struct writer *w, int pages)
{
    db_checkpoint_at(w->db, pages);
}

void writer_stop(struct writer *w)
{
    pthread_mutex_lock(&w->queue_lock);
    bool join = w->started;
    w->started = false;
    w->stopping = true;
    pthread_cond_signal(&w->queue_filled);
    pthread_mutex_unlock(&w->queue_lock);
    if (join)
        pthread_join(w->thread, NULL);
}

void writer_free(struct writer *w)
{
    if (!w)
        return;
    writer_stop(w);
    db_close(w->db);
    changes_free(w->changes);
    pthread_mutex_destroy(&w->queue_lock);
    pthread_cond_destroy(&w->queue_filled);
    free_charp(&w);
}

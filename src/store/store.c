/*
 * One thread at a time has the writing connection: store->writing. A caller that finds nobody there runs its
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
#include "store/store.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "base/thread.h"
#include "store/changes.h"
#include "store/reader_pool.h"
#include "store/search/vector.h"

#define GROUP_MAX     512 /* closures in one transaction */
#define GROUP_MS_MAX  100 /* a transaction takes no more closures after this time */
#define RETRY_AFTER_S 2
#define LATER_PAGES   4000 /* store_checkpoints_later(): 16 MB */
#define FOREVER       (-1)
#define LOOK_MS       100 /* between two looks at a stopwatch */
#define OWED_MS       500 /* between attempts to report lost changes (store/changes.h) */

enum durability {
    DURABLE,
    LAZY, /* the commit need not wait for the disk */
};

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

struct store {
    char *path;
    struct db *writer;       /* for the thread that set `writing` */
    struct changes *changes; /* for that thread, too */
    pthread_t thread;

    pthread_mutex_t queue_lock;  /* guards the following members */
    pthread_cond_t queue_filled; /* work for the writer thread */
    struct ticket *first, **last;
    int waiting;
    bool writing; /* a thread has the writing connection */
    bool stopping;

    struct log_repeat visits; /* failures of store_write_visit() */

    struct reader_pool *readers;
};

/* ---- writing ---- */

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

static void group_commit(struct store *s, struct group *g)
{
    if (!g->n)
        return;
    struct err e = ERR_INIT;
    enum rc rc = db_commit(s->writer, &e);
    group_answer(g, rc, &e); /* before the changes are published: sending takes five system calls */
    if (rc == RC_OK)
        changes_publish(s->changes);
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
static bool wait_for_work(struct store *s)
{
    bool late = false;
    pthread_mutex_lock(&s->queue_lock);
    while (s->writing || (!s->first && !late && !s->stopping)) {
        if (s->writing || !changes_owed(s->changes)) {
            pthread_cond_wait(&s->queue_filled, &s->queue_lock);
            continue;
        }
        struct timespec until = clock_mono_at(clock_mono_ms() + OWED_MS);
        late = pthread_cond_clockwait(&s->queue_filled, &s->queue_lock, CLOCK_MONOTONIC, &until) == ETIMEDOUT;
    }
    bool work = s->first || late;
    s->writing = work;
    pthread_mutex_unlock(&s->queue_lock);
    return work;
}

/* The next closure that may join the transaction; NULL: none. */
static struct ticket *next_ticket(struct store *s, enum durability of_transaction)
{
    pthread_mutex_lock(&s->queue_lock);
    struct ticket *t = s->first;
    if (t && of_transaction == LAZY && t->durability == DURABLE)
        t = NULL;
    if (t) {
        s->first = t->next;
        if (!s->first)
            s->last = &s->first;
        s->waiting--;
        t->taken = true;
    }
    pthread_mutex_unlock(&s->queue_lock);
    return t;
}

/* In the open transaction, which has ended on return. */
static void run_group(struct store *s, enum durability durability)
{
    struct group g;
    group_clear(&g);
    g.since = clock_mono_ms();
    do {
        struct ticket *t = group_full(&g) ? NULL : next_ticket(s, durability);
        if (!t)
            break;
        run(s->writer, &g, t);
    } while (db_in_transaction(s->writer));
    group_commit(s, &g);
    db_rollback(s->writer); /* an empty transaction */
    changes_drop(s->changes);
}

/* Runs what waits in one transaction. The caller has the writing connection. */
static void write_waiting(struct store *s, int64_t wait_ms)
{
    pthread_mutex_lock(&s->queue_lock);
    bool none = !s->first;
    enum durability durability = none ? DURABLE : s->first->durability;
    pthread_mutex_unlock(&s->queue_lock);
    if (none)
        return;
    struct err e = ERR_INIT;
    enum rc rc = db_set_durable(s->writer, durability == DURABLE, &e);
    if (rc == RC_OK)
        rc = db_begin_within(s->writer, wait_ms, &e);
    if (rc == RC_OK) {
        run_group(s, durability);
        return;
    }
    struct ticket *t = e.retry_after_s ? NULL : next_ticket(s, DURABLE);
    if (t)
        ticket_answer(t, rc, &e);
}

static void give_up_writing(struct store *s)
{
    pthread_mutex_lock(&s->queue_lock);
    s->writing = false;
    if (s->first || s->stopping || changes_owed(s->changes))
        pthread_cond_signal(&s->queue_filled);
    pthread_mutex_unlock(&s->queue_lock);
}

static void *writer_main(void *arg)
{
    struct store *s = arg;
    while (wait_for_work(s)) {
        write_waiting(s, STORE_WRITE_WAIT_MS);
        if (changes_owed(s->changes))
            changes_publish(s->changes);
        give_up_writing(s);
    }
    return NULL;
}

/* False: the writer has taken it. */
static bool withdraw(struct store *s, const struct ticket *t)
{
    pthread_mutex_lock(&s->queue_lock);
    bool waits = !t->taken;
    if (waits) {
        struct ticket **at = &s->first;
        while (*at != t)
            at = &(*at)->next;
        *at = t->next;
        if (s->last == &t->next)
            s->last = at;
        s->waiting--;
    }
    pthread_mutex_unlock(&s->queue_lock);
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
static enum rc enqueue(struct store *s, struct ticket *t, bool *writes, struct err *e)
{
    pthread_mutex_lock(&s->queue_lock);
    bool stopping = s->stopping, full = s->waiting >= STORE_WRITE_QUEUE_MAX;
    *writes = !stopping && !s->writing && !s->first;
    if (!stopping && !full) {
        *s->last = t;
        s->last = &t->next;
        s->waiting++;
        s->writing = s->writing || *writes;
    }
    pthread_mutex_unlock(&s->queue_lock);
    if (stopping || full)
        return err_set(e, RC_UNAVAILABLE, stopping ? "the store is stopping" : "too many writes wait");
    return RC_OK;
}

static enum rc wait_for(struct store *s, struct ticket *t, int64_t wait_ms, struct err *e)
{
    if (!ticket_await(t, wait_ms)) {
        if (withdraw(s, t)) {
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

static enum rc write_with(
    struct store *s, enum durability durability, int64_t wait_ms, store_fn *fn, void *arg, struct err *e)
{
    struct ticket t;
    bool writes;
    ticket_init(&t, durability, fn, arg);
    enum rc rc = enqueue(s, &t, &writes, e);
    if (rc == RC_OK && writes) {
        write_waiting(s, wait_ms);
        give_up_writing(s);
        wait_ms = 0; /* the closure was the first of the queue: it has run, or its time is over */
    }
    if (rc == RC_OK)
        rc = wait_for(s, &t, wait_ms, e);
    ticket_release(&t);
    return rc;
}

enum rc store_write_within(struct store *s, int64_t wait_ms, store_fn *fn, void *arg, struct err *e)
{
    return write_with(s, DURABLE, wait_ms, fn, arg, e);
}

void store_write_visit(struct store *s, store_fn *fn, void *arg)
{
    struct err why = ERR_INIT;
    enum rc rc = store_write_within(s, STORE_WRITE_BRIEF_MS, fn, arg, &why);
    if (rc == RC_OK)
        log_repeat_end(&s->visits, "noting visits");
    else
        log_repeat(&s->visits, LOG_WARN, "noting a visit: %s", why.text);
}

enum rc store_write(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    return write_with(s, DURABLE, STORE_WRITE_WAIT_MS, fn, arg, e);
}

enum rc store_write_lazy(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    return write_with(s, LAZY, STORE_WRITE_WAIT_MS, fn, arg, e);
}

enum rc store_truncate_log(struct store *s, int64_t wait_ms, struct err *e)
{
    AUTO(db) db = NULL;
    enum rc rc = db_open(s->path, DB_READ_WRITE, &db, e);
    return rc == RC_OK ? db_truncate_log(db, wait_ms, e) : rc;
}

/* ---- reading ---- */

struct db *store_read(struct store *s)
{
    return reader_pool_take(s->readers);
}

struct db *store_read_state(struct store *s)
{
    struct db *db = store_read(s);
    struct err e = ERR_INIT;
    if (db_begin_reading(db, &e) != RC_OK)
        log_warn("each statement of a reader sees its own state: %s", e.text);
    return db;
}

void store_read_done(struct store *s, struct db *db)
{
    if (db_in_transaction(db))
        (void)db_commit(db, NULL); /* nothing was written */
    reader_pool_give(s->readers, db);
}

enum rc store_with_reader(struct store *s, store_fn *fn, void *arg, struct err *e)
{
    struct db *db = store_read(s);
    enum rc rc = fn(db, arg, e);
    store_read_done(s, db);
    return rc;
}

/* ---- open and close ---- */

static enum rc open_all(struct store *s, int readers, struct err *e)
{
    enum rc rc = db_open(s->path, DB_READ_WRITE, &s->writer, e);
    if (rc == RC_OK)
        rc = db_migrate(s->writer, e);
    if (rc == RC_OK)
        rc = store_embedding_model_tables(s->writer, e);
    if (rc == RC_OK)
        rc = changes_new(s->writer, s->path, &s->changes, e);
    return rc == RC_OK ? reader_pool_new(s->path, readers, &s->readers, e) : rc;
}

static void close_all(struct store *s)
{
    reader_pool_free(s->readers);
    db_close(s->writer); /* last: it checkpoints */
    changes_free(s->changes);
    pthread_mutex_destroy(&s->queue_lock);
    pthread_cond_destroy(&s->queue_filled);
    free_charp(&s->path);
    free_charp(&s);
}

enum rc store_open(const char *path, int readers, struct store **out, struct err *e)
{
    *out = NULL;
    struct store *s = xcalloc(1, sizeof *s);
    s->path = xstrdup(path);
    s->last = &s->first;
    pthread_mutex_init(&s->queue_lock, NULL);
    pthread_cond_init(&s->queue_filled, NULL);
    enum rc rc = open_all(s, readers, e);
    if (rc == RC_OK)
        rc = thread_start(&s->thread, writer_main, s, "the database's writer", e);
    if (rc != RC_OK) {
        close_all(s);
        return rc;
    }
    *out = s;
    return RC_OK;
}

void store_checkpoints_later(struct store *s)
{
    db_checkpoint_at(s->writer, LATER_PAGES);
}

void store_stop(struct store *s)
{
    pthread_mutex_lock(&s->queue_lock);
    bool first = !s->stopping;
    s->stopping = true;
    pthread_cond_signal(&s->queue_filled);
    pthread_mutex_unlock(&s->queue_lock);
    if (first)
        pthread_join(s->thread, NULL);
}

void store_free(struct store *s)
{
    if (!s)
        return;
    store_stop(s);
    close_all(s);
}

/* Writing with many threads at once. */
#include "crew.h"

#include <sched.h>
#include <semaphore.h>

#include "base/clock.h"

static int my_index(struct crew *c)
{
    pthread_mutex_lock(&c->lock);
    int i = c->index++;
    pthread_mutex_unlock(&c->lock);
    return i;
}

static int64_t messages(struct store *s)
{
    struct db *db = store_read(s);
    int64_t n = rig_int(db, "SELECT count(*) FROM message");
    store_read_done(s, db);
    return n;
}

struct write {
    struct crew *crew;
    char client_id[40];
    int64_t id;
    enum rc verdict; /* result of the closure after its work */
};

static enum rc write_one(struct db *db, void *arg, struct err *e)
{
    struct write *w = arg;
    struct message m = {.session_id = w->crew->session,
        .channel = "web",
        .text = STR("hello"),
        .client_id = w->client_id,
        .created_at = NOW};
    enum rc rc = store_message_add(db, 1, &m, e);
    w->id = m.id;
    if (rc == RC_OK && w->verdict != RC_OK)
        return err_tell(e, w->verdict, "no to %s", w->client_id);
    return rc;
}

static bool is_stored(struct store *s, const char *client_id)
{
    AUTO(arena) a = arena_new();
    struct message m;
    struct db *db = store_read(s);
    enum rc rc = store_message_by_client(db, a, 1, client_id, &m, NULL);
    store_read_done(s, db);
    return rc == RC_OK;
}

static void *write_and_look(void *arg)
{
    struct crew *c = arg;
    int me = my_index(c);
    for (int i = 0; i < EACH; i++) {
        struct write w = {.crew = c, .verdict = i % 3 == 1 ? RC_BAD_INPUT : RC_OK};
        struct err e = ERR_INIT;
        snprintf(w.client_id, sizeof w.client_id, "%d-%d", me, i);
        enum rc rc = store_write_within(c->store, PATIENCE_MS, write_one, &w, &e);
        assert_rc(rc, w.verdict);
        /* acknowledged writes are found; refused ones are not and have their own error */
        assert_int_equal(is_stored(c->store, w.client_id), rc == RC_OK);
        if (rc == RC_OK) {
            atomic_fetch_add(&c->saved, 1);
        } else {
            char want[64];
            snprintf(want, sizeof want, "no to %d-%d", me, i);
            assert_string_equal(e.text, want);
            assert_true(e.for_user);
        }
    }
    return NULL;
}

TEST(a_successful_write_is_stored_and_a_failure_undoes_only_itself)
{
    struct crew *c = crew_new(3);
    crew_run(c, write_and_look);
    assert_int_equal(messages(c->store), atomic_load(&c->saved));
    assert_int_equal(atomic_load(&c->saved), THREADS * (EACH - EACH / 3));
    struct db *db = store_read(c->store);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), atomic_load(&c->saved));
    assert_int_equal(rig_int(db, "SELECT count(DISTINCT id) FROM message"), atomic_load(&c->saved));
    store_read_done(c->store, db);
    crew_free(c);
}

static void *write_until_stopped(void *arg)
{
    struct crew *c = arg;
    int me = my_index(c);
    for (int i = 0;; i++) {
        struct write w = {.crew = c};
        snprintf(w.client_id, sizeof w.client_id, "%d-%d", me, i);
        enum rc rc = store_write_within(c->store, PATIENCE_MS, write_one, &w, NULL);
        if (rc == RC_UNAVAILABLE)
            return NULL;
        assert_ok(rc);
        atomic_fetch_add(&c->saved, 1);
    }
}

TEST(stopping_while_busy_loses_nothing)
{
    struct crew *c = crew_new(1);
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, write_until_stopped, c), 0);
    while (atomic_load(&c->saved) < THREADS * 3)
        sched_yield();
    store_stop(c->store);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    assert_int_equal(messages(c->store), atomic_load(&c->saved));
    struct err e = ERR_INIT;
    struct write w = {.crew = c};
    assert_rc(store_write(c->store, write_one, &w, &e), RC_UNAVAILABLE);
    store_stop(c->store); /* twice is fine */
    crew_free(c);
}

static enum rc note_thread(struct db *db, void *arg, struct err *e)
{
    (void)db;
    (void)e;
    *(pthread_t *)arg = pthread_self();
    return RC_OK;
}

TEST(a_closure_of_a_lone_caller_runs_on_its_own_thread)
{
    char path[128];
    struct store *s;
    pthread_t ran;
    assert_ok(store_open(unit_migrated(rig_path(path)), 1, &s, NULL));
    for (int i = 0; i < EACH; i++) {
        assert_ok((i % 2 ? store_write : store_write_lazy)(s, note_thread, &ran, NULL));
        assert_true(pthread_equal(ran, pthread_self()));
    }
    store_free(s);
}

/* A closure that breaks the rules: it ends the transaction that others are in. */
static enum rc spoil(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    (void)e;
    db_rollback(db);
    return RC_OK;
}

static void *write_beside_spoilers(void *arg)
{
    struct crew *c = arg;
    int me = my_index(c);
    for (int i = 0; i < EACH; i++) {
        if (me % 4 == 0) {
            assert_rc(store_write(c->store, spoil, NULL, NULL), RC_INTERNAL);
            continue;
        }
        struct write w = {.crew = c};
        snprintf(w.client_id, sizeof w.client_id, "%d-%d", me, i);
        bool told = store_write_within(c->store, PATIENCE_MS, write_one, &w, NULL) == RC_OK;
        assert_int_equal(is_stored(c->store, w.client_id), told);
        atomic_fetch_add(told ? &c->saved : &c->refused, 1);
    }
    return NULL;
}

TEST(every_closure_of_a_lost_transaction_gets_the_error)
{
    struct crew *c = crew_new(2);
    crew_run(c, write_beside_spoilers);
    assert_int_equal(messages(c->store), atomic_load(&c->saved));
    crew_free(c);
}

static enum rc limit_pages(struct db *db, void *arg, struct err *e)
{
    int64_t got;
    return db_one_int(db, *(bool *)arg ? "PRAGMA max_page_count = 1" : "PRAGMA max_page_count = 1073741823",
        NO_ARGS, &got, e);
}

/* max_page_count cannot go below the current size: from now on the database cannot grow. */
static enum rc write_much(struct db *db, void *arg, struct err *e)
{
    struct write *w = arg;
    static char text[20000];
    memset(text, 'x', sizeof text);
    struct message m = {.session_id = w->crew->session,
        .channel = "web",
        .text = {text, sizeof text},
        .client_id = w->client_id,
        .created_at = NOW};
    return store_message_add(db, 1, &m, e);
}

static void *fill_the_disk(void *arg)
{
    struct crew *c = arg;
    int me = my_index(c);
    for (int i = 0; i < EACH / 4; i++) {
        struct write w = {.crew = c};
        struct err e = ERR_INIT;
        snprintf(w.client_id, sizeof w.client_id, "%d-%d", me, i);
        enum rc rc = store_write_within(c->store, PATIENCE_MS, i % 2 ? write_much : write_one, &w, &e);
        assert_int_equal(is_stored(c->store, w.client_id), rc == RC_OK);
        if (rc != RC_OK) {
            assert_rc(rc, RC_UNAVAILABLE);
            assert_string_equal(e.text, "The disk of this server is full. Nothing was saved.");
            assert_true(e.for_user);
        }
        atomic_fetch_add(rc == RC_OK ? &c->saved : &c->refused, 1);
    }
    return NULL;
}

TEST(a_full_disk_loses_nothing_and_passes)
{
    struct crew *c = crew_new(2);
    struct write w = {.crew = c, .client_id = "before"};
    assert_ok(store_write(c->store, write_one, &w, NULL));
    assert_ok(store_write(c->store, limit_pages, &(bool){true}, NULL));
    crew_run(c, fill_the_disk);
    assert_true(atomic_load(&c->refused) > 0);
    assert_true(is_stored(c->store, "before"));
    assert_int_equal(messages(c->store), atomic_load(&c->saved) + 1);
    assert_ok(store_write(c->store, limit_pages, &(bool){false}, NULL));
    struct write after = {.crew = c, .client_id = "after"};
    assert_ok(store_write(c->store, write_much, &after, NULL));
    struct db *db = store_read(c->store);
    assert_int_equal(rig_int(db, "SELECT message_count FROM session"), atomic_load(&c->saved) + 2);
    store_read_done(c->store, db);
    crew_free(c);
}

#ifndef __SANITIZE_THREAD__ /* TSan has no room for so many threads */

struct gate {
    struct store *store;
    sem_t entered, open, refusal;
    atomic_int saved, refused;
};

static enum rc wait_at_gate(struct db *db, void *arg, struct err *e)
{
    struct gate *g = arg;
    (void)db;
    (void)e;
    sem_post(&g->entered);
    sem_wait(&g->open);
    return RC_OK;
}

static void *hold_the_writer(void *arg)
{
    struct gate *g = arg;
    assert_ok(store_write(g->store, wait_at_gate, g, NULL));
    return NULL;
}

static enum rc do_nothing(struct db *db, void *arg, struct err *e)
{
    (void)db;
    (void)arg;
    (void)e;
    return RC_OK;
}

static void *stand_in_line(void *arg)
{
    struct gate *g = arg;
    enum rc rc = store_write_within(g->store, MS_PER_H, do_nothing, NULL, NULL);
    atomic_fetch_add(rc == RC_OK ? &g->saved : &g->refused, 1);
    if (rc != RC_OK)
        sem_post(&g->refusal);
    return NULL;
}

TEST(a_full_queue_refuses_at_once)
{
    enum { STACK = 128 * 1024 };
    char path[128];
    static pthread_t t[STORE_WRITE_QUEUE_MAX + 1], holder;
    struct gate g = {0};
    pthread_attr_t attr;
    assert_ok(store_open(unit_migrated(rig_path(path)), 1, &g.store, NULL));
    sem_init(&g.entered, 0, 0);
    sem_init(&g.open, 0, 0);
    sem_init(&g.refusal, 0, 0);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    assert_int_equal(pthread_create(&holder, NULL, hold_the_writer, &g), 0);
    sem_wait(&g.entered);
    size_t made = 0;
    while (made < ARRAY_LEN(t) && pthread_create(&t[made], &attr, stand_in_line, &g) == 0)
        made++;
    bool enough = made == ARRAY_LEN(t); /* else this machine allows fewer threads */
    if (enough)
        sem_wait(&g.refusal); /* the writer is blocked, so no other answer is possible */
    sem_post(&g.open);
    for (size_t i = 0; i < made; i++)
        pthread_join(t[i], NULL);
    pthread_join(holder, NULL);
    pthread_attr_destroy(&attr);
    store_free(g.store);
    if (!enough)
        skip();
    assert_int_equal(atomic_load(&g.refused), 1);
    assert_int_equal(atomic_load(&g.saved), STORE_WRITE_QUEUE_MAX);
}

#endif

/* ---- another process holds the write lock ---- */

struct locked {
    struct store *store;
    atomic_int refused, ran;
};

static enum rc count_run(struct db *db, void *arg, struct err *e)
{
    struct locked *l = arg;
    (void)db;
    (void)e;
    atomic_fetch_add(&l->ran, 1);
    return RC_OK;
}

static void *write_briefly(void *arg)
{
    struct locked *l = arg;
    struct err e = ERR_INIT;
    if (store_write_within(l->store, 50, count_run, l, &e) == RC_UNAVAILABLE && e.for_user && e.retry_after_s)
        atomic_fetch_add(&l->refused, 1);
    return NULL;
}

TEST(writes_that_wait_for_another_process_give_up_together_and_never_run)
{
    char path[128];
    struct locked l = {0};
    pthread_t t[THREADS];
    AUTO(db) other = NULL;
    assert_ok(store_open(unit_migrated(rig_path(path)), 1, &l.store, NULL));
    assert_ok(db_open(path, DB_READ_WRITE, &other, NULL));
    assert_ok(db_begin(other, NULL));
    int64_t began = clock_mono_ms();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, write_briefly, &l), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    /* one after the other would take longer */
    assert_true(clock_mono_ms() - began < THREADS / 2 * STORE_WRITE_WAIT_MS);
    assert_int_equal(atomic_load(&l.refused), THREADS);
    db_rollback(other);
    assert_ok(store_write_within(l.store, MS_PER_H, count_run, &l, NULL));
    assert_int_equal(atomic_load(&l.ran), 1);
    store_free(l.store);
}

TEST(an_unreadable_file_is_not_a_store)
{
    char path[160];
    struct store *s;
    struct err e = ERR_INIT;
    snprintf(path, sizeof path, "%s/none/x.db", unit_tmp());
    assert_rc(store_open(path, 2, &s, &e), RC_IO);
    assert_null(s);
    store_free(NULL);
}

/* 1: commits do not wait for the disk; 2: they do. */
static enum rc read_level(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, "SELECT synchronous FROM pragma_synchronous", NO_ARGS, arg, e);
}

static void *write_both(void *arg)
{
    struct crew *c = arg;
    int me = my_index(c);
    for (int i = 0; i < EACH; i++) {
        int64_t level = 0;
        struct write w = {.crew = c};
        snprintf(w.client_id, sizeof w.client_id, "%d-%d", me, i);
        bool lazy = (me + i) % 2;
        assert_ok((lazy ? store_write_lazy : store_write)(c->store, write_one, &w, NULL));
        assert_true(is_stored(c->store, w.client_id));
        assert_ok(store_write(c->store, read_level, &level, NULL));
        assert_int_equal(level, 2); /* independent of lazy writes of others */
    }
    return NULL;
}

TEST(a_durable_write_never_shares_the_commit_of_a_lazy_one)
{
    struct crew *c = crew_new(3);
    int64_t level = 0;
    crew_run(c, write_both);
    assert_int_equal(messages(c->store), THREADS * EACH);
    assert_ok(store_write_lazy(c->store, read_level, &level, NULL));
    assert_int_equal(level, 1); /* alone it waits for nothing */
    crew_free(c);
}

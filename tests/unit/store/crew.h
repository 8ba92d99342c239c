/* Many threads that use one store. */
#ifndef ALFRED_TESTS_STORE_CREW_H
#define ALFRED_TESTS_STORE_CREW_H

#include "rig.h"

#include <pthread.h>

#define THREADS 16
#define EACH    40

struct crew {
    struct store *store;
    int64_t session;
    atomic_int saved, refused;
    int index; /* of the next thread */
    pthread_mutex_t lock;
};

static enum rc set_up(struct db *db, void *arg, struct err *e)
{
    struct crew *c = arg;
    int64_t id;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    return rc == RC_OK ? store_session_add(db, id, "ses_1", NULL, NULL, NOW, &c->session, e) : rc;
}

static struct crew *crew_new(int readers)
{
    char path[128];
    struct crew *c = xcalloc(1, sizeof *c);
    pthread_mutex_init(&c->lock, NULL);
    assert_ok(store_open(unit_migrated(rig_path(path)), readers, &c->store, NULL));
    assert_ok(store_write(c->store, set_up, c, NULL));
    return c;
}

static void crew_free(struct crew *c)
{
    store_free(c->store);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

static void crew_run(struct crew *c, void *(*fn)(void *))
{
    pthread_t t[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&t[i], NULL, fn, c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
}

#endif

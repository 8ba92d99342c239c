#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "net/thread_pool.h"

#define TASKS 500

struct shared {
    struct loop *loop;
    struct thread_pool *pool;
    atomic_int ran;
    int done; /* loop thread only */
    pthread_t loop_thread;
};

static void run(void *arg)
{
    struct shared *s = arg;
    assert_false(pthread_equal(pthread_self(), s->loop_thread));
    atomic_fetch_add(&s->ran, 1);
}

static void done(void *arg)
{
    struct shared *s = arg;
    assert_true(pthread_equal(pthread_self(), s->loop_thread));
    if (++s->done == TASKS)
        loop_stop(s->loop);
}

TEST(work_runs_on_the_pool_and_ends_on_the_loop)
{
    AUTO(loop) l = NULL;
    struct shared s = {.loop_thread = pthread_self()};
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    s.loop = l;
    assert_int_equal(thread_pool_new(l, 4, &s.pool, NULL), RC_OK);
    for (int i = 0; i < TASKS; i++)
        thread_pool_submit(s.pool, run, done, &s);
    loop_run(l);
    thread_pool_free(s.pool);
    assert_int_equal(atomic_load(&s.ran), TASKS);
}

TEST(a_closing_pool_finishes_queued_work)
{
    AUTO(loop) l = NULL;
    struct shared s = {.loop_thread = pthread_self()};
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    s.loop = l;
    assert_int_equal(thread_pool_new(l, 2, &s.pool, NULL), RC_OK);
    for (int i = 0; i < TASKS; i++)
        thread_pool_submit(s.pool, run, done, &s);
    thread_pool_free(s.pool);
    assert_int_equal(atomic_load(&s.ran), TASKS);
}

#include "net/thread_pool.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/thread.h"

struct task {
    struct task *next;
    loop_fn *run, *done;
    void *arg;
};

struct thread_pool {
    struct loop *loop;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t wake;
    struct task *first, **last;
    bool closing;
    int threads_n;
    pthread_t threads[];
};

static void *worker(void *arg)
{
    struct thread_pool *p = arg;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->first && !p->closing)
            pthread_cond_wait(&p->wake, &p->lock);
        struct task *t = p->first;
        if (!t)
            break;
        p->first = t->next;
        if (!p->first)
            p->last = &p->first;
        pthread_mutex_unlock(&p->lock);
        t->run(t->arg);
        loop_post(p->loop, t->done, t->arg);
        free(t);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

enum rc thread_pool_new(struct loop *l, int threads, struct thread_pool **out, struct err *e)
{
    struct thread_pool *p = xcalloc(1, sizeof *p + (size_t)threads * sizeof p->threads[0]);
    p->loop = l;
    p->last = &p->first;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    for (; p->threads_n < threads; p->threads_n++) {
        enum rc rc = thread_start(&p->threads[p->threads_n], worker, p, "a worker", e);
        if (rc != RC_OK) {
            thread_pool_free(p);
            return rc;
        }
    }
    *out = p;
    return RC_OK;
}

void thread_pool_free(struct thread_pool *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->lock);
    p->closing = true;
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < p->threads_n; i++)
        pthread_join(p->threads[i], NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void thread_pool_submit(struct thread_pool *p, loop_fn *run, loop_fn *done, void *arg)
{
    struct task *t = xmalloc(sizeof *t);
    *t = (struct task){.run = run, .done = done, .arg = arg};
    pthread_mutex_lock(&p->lock);
    *p->last = t;
    p->last = &t->next;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

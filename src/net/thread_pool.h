/*
 * A small pool of threads for blocking work: store access, tools, template rendering. The result is posted to
 * the loop's thread.
 */
#ifndef ALFRED_NET_THREAD_POOL_H
#define ALFRED_NET_THREAD_POOL_H

#include "net/loop.h"

struct thread_pool;

/* RC_UNAVAILABLE: a thread cannot be started. */
enum rc thread_pool_new(struct loop *l, int threads, struct thread_pool **out, struct err *e);
/* Finishes queued work and joins; `done` calls are still posted. NULL is fine. */
void thread_pool_free(struct thread_pool *p);
DEFINE_AUTO(thread_pool);

/* Calls run(arg) on a pool thread, then done(arg) on the loop's thread. Work starts in the order of
 * submission and runs in parallel. Any thread. */
void thread_pool_submit(struct thread_pool *p, loop_fn *run, loop_fn *done, void *arg);

#endif

/*
 * A small pool of threads for blocking work: store access, tools, template rendering. The result is returned
 * as an event on the loop's thread.
 */
#ifndef ALFRED_NET_THREAD_POOL_H
#define ALFRED_NET_THREAD_POOL_H

#include "net/loop.h"

struct thread_pool;

enum rc thread_pool_new(
    struct loop *l, int threads, struct thread_pool **out, struct err *e); /* RC_UNAVAILABLE */
void thread_pool_free(
    struct thread_pool *p); /* runs what waits, joins; `done` calls are posted still. NULL is fine */
DEFINE_AUTO(thread_pool);

/* run(arg) on some pool thread, then done(arg) on the loop's. In order of submission, but several at a time.
 * Any thread. */
void thread_pool_submit(struct thread_pool *p, loop_fn *run, loop_fn *done, void *arg);

#endif

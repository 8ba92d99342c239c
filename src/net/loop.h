/*
 * One thread's event loop: file descriptors (epoll), timers, and functions posted by other threads.
 *
 * Everything belongs to the loop's thread except loop_post() and loop_stop(), which any thread and
 * (loop_stop) any signal handler may call. Callbacks run on the loop's thread, one at a time, and may free
 * any watch or timer, their own included.
 */
#ifndef ALFRED_NET_LOOP_H
#define ALFRED_NET_LOOP_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

struct loop;
struct loop_watch;
struct loop_timer;

enum rc loop_new(struct loop **out, struct err *e); /* RC_IO */
/* First runs the posted functions, then frees watches and timers. NULL is fine. */
void loop_free(struct loop *l);
DEFINE_AUTO(loop);

void loop_run(struct loop *l);  /* until loop_stop() */
void loop_stop(struct loop *l); /* async-signal-safe */
/* Runs the posted functions until none is left. After loop_run(), before what they use is freed. */
void loop_run_posted(struct loop *l);

typedef void loop_fd_fn(void *arg, uint32_t epoll_events);
typedef void loop_fn(void *arg);

/* The shortest time from one wake-up by descriptors to the next; 0, the initial value: none. Everything that
 * becomes ready meanwhile is served together. Timers and posts may be late by as much. */
void loop_set_pace(struct loop *l, int64_t us);

/* `events`: EPOLLIN and others (level-triggered). The caller owns the descriptor and frees the watch
 * before closing it. */
enum rc loop_watch_new(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn, void *arg,
    struct loop_watch **out, struct err *e);
void loop_watch_events(struct loop_watch *w, uint32_t events);
void loop_watch_free(struct loop_watch *w); /* NULL is fine */

/* One shot: after fn was called, loop_timer_set() can arm the timer again. It must be freed in any case. */
struct loop_timer *loop_timer_new(struct loop *l, loop_fn *fn, void *arg);
void loop_timer_set(struct loop_timer *t, int64_t after_ms); /* replaces an earlier setting; -1 disarms */
void loop_timer_free(struct loop_timer *t);                  /* NULL is fine */

/* Runs fn(arg) on the loop's thread soon, in the order of the calls. Any thread. */
void loop_post(struct loop *l, loop_fn *fn, void *arg);

#endif

/*
 * One round: wait (until the next timer at most), serve the ready descriptors, run the posted functions, run
 * the timers that are due.
 *
 * Timers are a binary heap by deadline. Each knows its place, so setting and freeing cost O(log n). A watch
 * that is freed during a batch of events may still occur in a later event of that batch. It is marked dead,
 * and its memory is freed after the batch. Posts are two arrays: other threads append to one under the lock
 * while the loop runs the other without it. The eventfd is written only when the array was empty, so a burst
 * of posts costs one wake-up.
 *
 * With a pace (loop_set_pace()) the loop sleeps between two rounds. Data of many connections that comes in
 * small pieces then costs one wake-up per round instead of one per piece.
 */
#include "net/loop.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define BATCH       256 /* descriptors served per wait */
#define NOT_IN_HEAP SIZE_MAX
#define NS_PER_US   INT64_C(1000)

struct loop_watch {
    struct loop *loop;
    struct loop_watch *prev, *next;
    loop_fd_fn *fn;
    void *arg;
    int fd;
    uint32_t events;
    bool dead;
};

struct loop_timer {
    struct loop *loop;
    struct loop_timer *prev, *next;
    loop_fn *fn;
    void *arg;
    int64_t due_us;
    size_t at; /* place in the heap, or NOT_IN_HEAP */
};

struct post {
    loop_fn *fn;
    void *arg;
};

struct posts {
    struct post *list;
    size_t n, room;
};

struct loop {
    int epfd, wakefd;
    struct loop_watch *watches, *dead;
    bool serving; /* a batch of events is being served */
    struct loop_timer *timers;
    struct loop_timer **heap;
    size_t heap_n, heap_room;
    struct posts running; /* the loop's thread only */
    pthread_mutex_t lock; /* guards posted */
    struct posts posted;
    int64_t pace_us;
    atomic_bool stop;
};

enum rc loop_new(struct loop **out, struct err *e)
{
    struct loop *l = xcalloc(1, sizeof *l);
    l->epfd = epoll_create1(EPOLL_CLOEXEC);
    l->wakefd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&l->lock, NULL);
    struct epoll_event ev = {.events = EPOLLIN, .data.ptr = NULL};
    if (l->epfd < 0 || l->wakefd < 0 || epoll_ctl(l->epfd, EPOLL_CTL_ADD, l->wakefd, &ev) < 0) {
        err_set(e, RC_IO, "event loop: %s", strerror(errno));
        loop_free(l);
        return RC_IO;
    }
    *out = l;
    return RC_OK;
}

static void wake(struct loop *l)
{
    uint64_t one = 1;
    ssize_t n = write(l->wakefd, &one, sizeof one);
    (void)n; /* EAGAIN: the counter is full, so the loop wakes anyway */
}

void loop_stop(struct loop *l)
{
    int kept = errno; /* may run in a signal handler */
    atomic_store(&l->stop, true);
    wake(l);
    errno = kept;
}

/* ---- watches ---- */

enum rc loop_watch_new(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn, void *arg,
    struct loop_watch **out, struct err *e)
{
    struct loop_watch *w = xcalloc(1, sizeof *w);
    struct epoll_event ev = {.events = events, .data.ptr = w};
    if (epoll_ctl(l->epfd, EPOLL_CTL_ADD, fd, &ev) < 0) {
        free(w);
        return err_set(e, RC_IO, "epoll_ctl(add): %s", strerror(errno));
    }
    *w = (struct loop_watch){.loop = l, .next = l->watches, .fn = fn, .arg = arg, .fd = fd, .events = events};
    if (w->next)
        w->next->prev = w;
    l->watches = w;
    *out = w;
    return RC_OK;
}

void loop_watch_events(struct loop_watch *w, uint32_t events)
{
    if (w->events == events)
        return;
    struct epoll_event ev = {.events = events, .data.ptr = w};
    w->events = events;
    epoll_ctl(
        w->loop->epfd, EPOLL_CTL_MOD, w->fd, &ev); /* fails only for a descriptor that was closed too early */
}

void loop_watch_free(struct loop_watch *w)
{
    if (!w)
        return;
    struct loop *l = w->loop;
    epoll_ctl(l->epfd, EPOLL_CTL_DEL, w->fd, NULL);
    if (w->prev)
        w->prev->next = w->next;
    else
        l->watches = w->next;
    if (w->next)
        w->next->prev = w->prev;
    if (!l->serving) {
        free(w);
        return;
    }
    w->dead = true;
    w->next = l->dead;
    l->dead = w;
}

/* ---- timers ---- */

static void heap_put(struct loop *l, size_t at, struct loop_timer *t)
{
    l->heap[at] = t;
    t->at = at;
}

static void heap_up(struct loop *l, struct loop_timer *t)
{
    size_t at = t->at;
    while (at > 0) {
        size_t parent = (at - 1) / 2;
        if (l->heap[parent]->due_us <= t->due_us)
            break;
        heap_put(l, at, l->heap[parent]);
        at = parent;
    }
    heap_put(l, at, t);
}

static void heap_down(struct loop *l, struct loop_timer *t)
{
    size_t at = t->at;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= l->heap_n)
            break;
        if (child + 1 < l->heap_n && l->heap[child + 1]->due_us < l->heap[child]->due_us)
            child++;
        if (t->due_us <= l->heap[child]->due_us)
            break;
        heap_put(l, at, l->heap[child]);
        at = child;
    }
    heap_put(l, at, t);
}

static void heap_remove(struct loop *l, struct loop_timer *t)
{
    if (t->at == NOT_IN_HEAP)
        return;
    struct loop_timer *last = l->heap[--l->heap_n];
    if (last != t) {
        heap_put(l, t->at, last);
        heap_up(l, last);
        heap_down(l, last);
    }
    t->at = NOT_IN_HEAP;
}

struct loop_timer *loop_timer_new(struct loop *l, loop_fn *fn, void *arg)
{
    struct loop_timer *t = xcalloc(1, sizeof *t);
    *t = (struct loop_timer){.loop = l, .next = l->timers, .fn = fn, .arg = arg, .at = NOT_IN_HEAP};
    if (t->next)
        t->next->prev = t;
    l->timers = t;
    return t;
}

void loop_timer_set(struct loop_timer *t, int64_t after_ms)
{
    struct loop *l = t->loop;
    if (after_ms < 0) {
        heap_remove(l, t);
        return;
    }
    t->due_us = clock_mono_us() + after_ms * US_PER_MS;
    if (t->at == NOT_IN_HEAP) {
        if (l->heap_n == l->heap_room) {
            l->heap_room = l->heap_room ? l->heap_room * 2 : 64;
            l->heap = xrealloc(l->heap, l->heap_room * sizeof(struct loop_timer *));
        }
        heap_put(l, l->heap_n++, t);
    }
    heap_up(l, t);
    heap_down(l, t);
}

void loop_timer_free(struct loop_timer *t)
{
    if (!t)
        return;
    heap_remove(t->loop, t);
    if (t->prev)
        t->prev->next = t->next;
    else
        t->loop->timers = t->next;
    if (t->next)
        t->next->prev = t->prev;
    free(t);
}

/* `now_us` is read once: a timer that arms itself with 0 waits for the next round, so it cannot block
 * others. */
static void run_timers(struct loop *l, int64_t now_us)
{
    while (l->heap_n && l->heap[0]->due_us < now_us) {
        struct loop_timer *t = l->heap[0];
        heap_remove(l, t);
        t->fn(t->arg); /* t may be freed now */
    }
}

static int wait_ms(struct loop *l)
{
    if (!l->heap_n)
        return -1;
    int64_t left_us = l->heap[0]->due_us - clock_mono_us();
    if (left_us <= 0)
        return 0;
    int64_t ms = (left_us + US_PER_MS - 1) / US_PER_MS; /* rounded up: waking early would spin */
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

/* ---- posts ---- */

void loop_post(struct loop *l, loop_fn *fn, void *arg)
{
    pthread_mutex_lock(&l->lock);
    struct posts *p = &l->posted;
    if (p->n == p->room) {
        p->room = p->room ? p->room * 2 : 64;
        p->list = xrealloc(p->list, p->room * sizeof *p->list);
    }
    p->list[p->n++] = (struct post){fn, arg};
    bool first = p->n == 1;
    pthread_mutex_unlock(&l->lock);
    if (first)
        wake(l);
}

/* Runs the functions that are posted now. Posts made by them wait for the next call. */
static bool run_posts(struct loop *l)
{
    pthread_mutex_lock(&l->lock);
    struct posts due = l->posted;
    l->posted = l->running;
    l->posted.n = 0;
    l->running = due;
    pthread_mutex_unlock(&l->lock);
    for (size_t i = 0; i < due.n; i++)
        due.list[i].fn(due.list[i].arg);
    return due.n > 0;
}

void loop_run_posted(struct loop *l)
{
    while (run_posts(l))
        ;
}

/* ---- the round ---- */

static void free_dead(struct loop *l)
{
    while (l->dead) {
        struct loop_watch *w = l->dead;
        l->dead = w->next;
        free(w);
    }
}

static bool serve_descriptors(struct loop *l, struct epoll_event *batch, int n)
{
    bool woken = false;
    l->serving = true;
    for (int i = 0; i < n; i++) {
        struct loop_watch *w = batch[i].data.ptr;
        if (!w) {
            uint64_t count;
            ssize_t got = read(l->wakefd, &count, sizeof count);
            woken = got > 0;
        } else if (!w->dead) {
            w->fn(w->arg, batch[i].events);
        }
    }
    l->serving = false;
    free_dead(l);
    return woken;
}

void loop_set_pace(struct loop *l, int64_t us)
{
    l->pace_us = us;
}

static void sleep_until(int64_t mono_us)
{
    int64_t left_us = mono_us - clock_mono_us();
    if (left_us > 0)
        nanosleep(&(struct timespec){.tv_nsec = left_us * NS_PER_US}, NULL); /* a signal ends it, too */
}

void loop_run(struct loop *l)
{
    struct epoll_event batch[BATCH];
    int64_t next_us = 0; /* time of the next round; 0: at once */
    while (!atomic_load(&l->stop)) {
        if (next_us)
            sleep_until(next_us);
        int n = epoll_wait(l->epfd, batch, BATCH, wait_ms(l));
        if (n < 0 && errno != EINTR)
            abort(); /* only after a bug (EBADF, EFAULT, EINVAL) */
        /* After a full batch more descriptors are ready. */
        next_us = l->pace_us && n > 0 && n < BATCH ? clock_mono_us() + l->pace_us : 0;
        if (n > 0 && serve_descriptors(l, batch, n))
            run_posts(l);
        if (l->heap_n)
            run_timers(l, clock_mono_us());
    }
    atomic_store(&l->stop, false);
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    loop_run_posted(l);
    while (l->watches)
        loop_watch_free(l->watches);
    while (l->timers)
        loop_timer_free(l->timers);
    free(l->heap);
    free(l->posted.list);
    free(l->running.list);
    if (l->epfd >= 0)
        close(l->epfd);
    if (l->wakefd >= 0)
        close(l->wakefd);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

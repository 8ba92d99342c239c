#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rand.h"
#include "net/loop.h"

static struct loop *new_loop(void)
{
    struct loop *l = NULL;
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    return l;
}

static void stop_loop(void *arg)
{
    loop_stop(arg);
}

/* ---- posts ---- */

#define POSTERS        4
#define POSTS_PER_EACH 5000

struct poster {
    struct loop *loop;
    struct counted {
        struct poster *by;
        int i;
    } * items;
    int seen; /* the loop's thread only */
    bool in_order;
};

static void count_post(void *arg)
{
    struct counted *c = arg;
    if (c->i != c->by->seen)
        c->by->in_order = false;
    c->by->seen++;
}

static void *post_many(void *arg)
{
    struct poster *p = arg;
    for (int i = 0; i < POSTS_PER_EACH; i++) {
        p->items[i] = (struct counted){p, i};
        loop_post(p->loop, count_post, &p->items[i]);
    }
    return NULL;
}

static void *join_then_stop(void *arg)
{
    struct poster *p = arg;
    pthread_t threads[POSTERS];
    for (int i = 0; i < POSTERS; i++)
        pthread_create(&threads[i], NULL, post_many, &p[i]);
    for (int i = 0; i < POSTERS; i++)
        pthread_join(threads[i], NULL);
    loop_post(p->loop, stop_loop, p->loop);
    return NULL;
}

TEST(loop_runs_posts_of_many_threads_in_each_ones_order)
{
    AUTO(loop) l = new_loop();
    struct poster posters[POSTERS];
    for (int i = 0; i < POSTERS; i++)
        posters[i] = (struct poster){
            .loop = l, .items = calloc(POSTS_PER_EACH, sizeof(struct counted)), .in_order = true};
    pthread_t t;
    pthread_create(&t, NULL, join_then_stop, posters);
    loop_run(l);
    pthread_join(t, NULL);
    for (int i = 0; i < POSTERS; i++) {
        assert_int_equal(posters[i].seen, POSTS_PER_EACH);
        assert_true(posters[i].in_order);
        free(posters[i].items);
    }
}

static void count_up(void *arg)
{
    ++*(int *)arg;
}

struct reposter {
    struct loop *loop;
    int left;
};

static void post_again(void *arg)
{
    struct reposter *r = arg;
    if (r->left-- > 0)
        loop_post(r->loop, post_again, r);
}

TEST(loop_free_runs_posted_functions)
{
    struct loop *l = new_loop();
    int n = 0;
    struct reposter r = {l, 3};
    loop_post(l, count_up, &n);
    loop_post(l, post_again, &r);
    loop_free(l);
    assert_int_equal(n, 1);
    assert_int_equal(r.left, -1);
    loop_free(NULL);
}

static struct loop *signal_loop;

static void on_signal(int sig)
{
    (void)sig;
    loop_stop(signal_loop);
}

static void raise_usr1(void *arg)
{
    (void)arg;
    raise(SIGUSR1);
}

TEST(loop_stops_from_a_signal_handler_and_runs_again)
{
    AUTO(loop) l = new_loop();
    signal_loop = l;
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 2; i++) {
        loop_post(l, raise_usr1, NULL);
        loop_run(l);
    }
    signal(SIGUSR1, SIG_DFL);
}

/* ---- the pace ---- */

#define PACE_US INT64_C(20000)

/* An eventfd that is always readable. */
struct paced {
    struct loop *loop;
    int rounds, want;
    int64_t last_us, least_us;
};

static void on_paced(void *arg, uint32_t events)
{
    struct paced *p = arg;
    int64_t now = clock_mono_us();
    assert_true(events & EPOLLIN);
    if (p->rounds++ && now - p->last_us < p->least_us)
        p->least_us = now - p->last_us;
    p->last_us = now;
    if (p->rounds == p->want)
        loop_stop(p->loop);
}

/* The shortest time between two rounds. */
static int64_t shortest_round(struct loop *l, int rounds)
{
    struct paced p = {.loop = l, .want = rounds, .least_us = INT64_MAX};
    struct loop_watch *w = NULL;
    int fd = eventfd(1, 0);
    assert_int_equal(loop_watch_new(l, fd, EPOLLIN, on_paced, &p, &w, NULL), RC_OK);
    loop_run(l);
    loop_watch_free(w);
    close(fd);
    return p.least_us;
}

TEST(loop_with_a_pace_waits_between_two_rounds)
{
    AUTO(loop) l = new_loop();
    loop_set_pace(l, PACE_US);
    assert_true(shortest_round(l, 5) >= PACE_US);
    loop_set_pace(l, 0);
    assert_true(shortest_round(l, 1000) < PACE_US);
}

/* ---- timers ---- */

#define TIMERS 3000

struct ticks {
    struct loop *loop;
    struct tick {
        struct ticks *all;
        struct loop_timer *timer;
        int64_t due;
        bool must_not;
    } tick[TIMERS];
    int fired, expected;
    bool early, forbidden;
};

static void on_tick(void *arg)
{
    struct tick *t = arg;
    struct ticks *all = t->all;
    all->fired++;
    all->forbidden = all->forbidden || t->must_not;
    if (clock_mono_us() < t->due)
        all->early = true;
    loop_timer_free(t->timer); /* its own */
    t->timer = NULL;
    if (all->fired == all->expected)
        loop_stop(all->loop);
}

TEST(loop_fires_each_of_thousands_of_timers_once_and_never_early)
{
    AUTO(loop) l = new_loop();
    struct ticks *all = calloc(1, sizeof *all);
    all->loop = l;
    for (size_t i = 0; i < TIMERS; i++) {
        struct tick *t = &all->tick[i];
        t->all = all;
        t->timer = loop_timer_new(l, on_tick, t);
        int64_t ms = rand_below(60);
        t->due = clock_mono_us() + ms * 1000;
        loop_timer_set(t->timer, ms);
        switch (i % 4) {
        case 0: /* freed */
            loop_timer_free(t->timer);
            t->timer = NULL;
            break;
        case 1: /* disarmed */
            loop_timer_set(t->timer, -1);
            t->must_not = true;
            break;
        case 2: /* set again */
            ms = 60 + rand_below(60);
            t->due = clock_mono_us() + ms * 1000;
            loop_timer_set(t->timer, ms);
            all->expected++;
            break;
        default: all->expected++;
        }
    }
    loop_run(l);
    assert_int_equal(all->fired, all->expected);
    assert_false(all->early);
    assert_false(all->forbidden);
    free(all);
}

struct letter {
    char *at;
    char c;
};

static void write_letter(void *arg)
{
    struct letter *w = arg;
    w->at[strlen(w->at)] = w->c;
}

TEST(loop_fires_timers_by_deadline_not_by_age)
{
    AUTO(loop) l = new_loop();
    char word[8] = "";
    struct letter letters[] = {{word, 'd'}, {word, 'a'}, {word, 'c'}, {word, 'b'}};
    const int ms[] = {12, 0, 8, 4};
    for (size_t i = 0; i < ARRAY_LEN(ms); i++)
        loop_timer_set(loop_timer_new(l, write_letter, &letters[i]), ms[i]);
    loop_timer_set(loop_timer_new(l, stop_loop, l), 16);
    loop_run(l);
    assert_string_equal(word, "abcd");
}

struct pair {
    struct loop *loop;
    struct loop_timer *mine, *other;
    int fired;
};

static void free_the_other(void *arg)
{
    struct pair *p = arg;
    p->fired++;
    loop_timer_free(p->other);
    loop_stop(p->loop);
}

TEST(loop_timer_freed_by_a_timer_due_at_the_same_time_does_not_fire)
{
    AUTO(loop) l = new_loop();
    struct pair a = {.loop = l}, b = {.loop = l};
    a.mine = b.other = loop_timer_new(l, free_the_other, &a);
    b.mine = a.other = loop_timer_new(l, free_the_other, &b);
    loop_timer_set(a.mine, 1);
    loop_timer_set(b.mine, 1);
    usleep(3000); /* both are due in one round */
    loop_run(l);
    assert_int_equal(a.fired + b.fired, 1);
}

struct greedy {
    struct loop_timer *timer;
    int runs;
};

static void rearm_at_once(void *arg)
{
    struct greedy *g = arg;
    g->runs++;
    loop_timer_set(g->timer, 0);
}

TEST(loop_timer_that_rearms_itself_blocks_no_other)
{
    AUTO(loop) l = new_loop();
    struct greedy g = {0};
    g.timer = loop_timer_new(l, rearm_at_once, &g);
    loop_timer_set(g.timer, 0);
    loop_timer_set(loop_timer_new(l, stop_loop, l), 5);
    loop_run(l);
    assert_true(g.runs > 1);
}

/* ---- watches ---- */

struct end {
    struct loop *loop;
    struct loop_watch *watch;
    struct end *peer;
    int fd, served;
};

static void free_both(void *arg, uint32_t events)
{
    struct end *end = arg;
    (void)events;
    end->served++;
    loop_watch_free(end->watch);
    loop_watch_free(end->peer->watch);
    close(end->peer->fd);
    loop_post(end->loop, stop_loop, end->loop);
}

TEST(loop_watch_freed_in_the_same_batch_is_not_served)
{
    AUTO(loop) l = new_loop();
    struct end ends[2] = {{.loop = l, .peer = &ends[1]}, {.loop = l, .peer = &ends[0]}};
    for (int i = 0; i < 2; i++) {
        ends[i].fd = eventfd(1, EFD_CLOEXEC); /* both ready at once */
        assert_int_equal(
            loop_watch_new(l, ends[i].fd, EPOLLIN, free_both, &ends[i], &ends[i].watch, NULL), 0);
    }
    loop_run(l);
    assert_int_equal(ends[0].served + ends[1].served, 1);
    close(ends[ends[0].served ? 0 : 1].fd);
}

static void echo_state(void *arg, uint32_t events)
{
    struct end *end = arg;
    end->served++;
    if (events & EPOLLOUT) {
        loop_watch_events(end->watch, EPOLLIN);
        assert_int_equal(write(end->peer->fd, "x", 1), 1);
    } else {
        char c;
        assert_int_equal(read(end->fd, &c, 1), 1);
        loop_stop(end->loop);
    }
}

TEST(loop_watch_changes_its_events)
{
    AUTO(loop) l = new_loop();
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sv), 0);
    struct end peer = {.fd = sv[1]}, end = {.loop = l, .fd = sv[0], .peer = &peer};
    assert_int_equal(loop_watch_new(l, sv[0], EPOLLOUT, echo_state, &end, &end.watch, NULL), 0);
    loop_run(l);
    assert_int_equal(end.served, 2);
    loop_watch_free(end.watch);
    close(sv[0]);
    close(sv[1]);
}

TEST(loop_watch_of_a_bad_descriptor_is_an_error)
{
    AUTO(loop) l = new_loop();
    struct loop_watch *w = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(loop_watch_new(l, -1, EPOLLIN, echo_state, NULL, &w, &e), RC_IO);
    assert_null(w);
    assert_int_equal(e.rc, RC_IO);
}

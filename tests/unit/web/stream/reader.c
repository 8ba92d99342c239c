#include "unit.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web/fcgi/fcgi_record.h"
#include "web/stream/reader.h"

#define LIMIT  ((size_t)1000)
#define EVENT  ((size_t)4 * 1024 * 1024) /* more than a socket takes */
#define PLENTY 64

struct place {
    struct loop *loop;
    struct readers all;
    struct reader *list;
    char *event;
    int browsers[PLENTY];
    size_t n;
};

static void begin(struct place *p)
{
    *p = (struct place){0};
    assert_int_equal(loop_new(&p->loop, NULL), RC_OK);
    p->event = xmalloc(EVENT);
    memset(p->event, 'x', EVENT);
}

static void leave(struct place *p)
{
    while (p->list)
        reader_drop(p->list);
    assert_int_equal(p->all.n, 0);
    assert_int_equal(p->all.excess, 0);
    while (p->n)
        close(p->browsers[--p->n]);
    free(p->event);
    loop_free(p->loop);
}

static struct reader *come(struct place *p)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    p->browsers[p->n++] = fds[1];
    struct reader *r = reader_new(READER_EVENTS, (struct fcgi_conn){fds[0], 1}, STR("head"), LIMIT);
    assert_true(reader_open(r, p->loop, &p->list, &p->all));
    reader_begin(r);
    return r;
}

TEST(one_event_may_be_larger_than_the_limit_of_its_reader)
{
    struct place p;
    begin(&p);
    struct reader *r = come(&p);
    assert_true(reader_send(r, (struct str){p.event, EVENT}));
    assert_true(p.all.excess > EVENT / 2);
    assert_false(reader_send(r, STR("next")));
    assert_int_equal(p.all.n, 0);
    leave(&p);
}

TEST(a_reader_within_its_limit_is_kept)
{
    struct place p;
    begin(&p);
    struct reader *r = come(&p);
    while (!fcgi_stream_waiting(r->out))
        assert_true(reader_send(r, STR("word ")));
    for (int i = 0; i < 20; i++)
        assert_true(reader_send(r, STR("word ")));
    assert_int_equal(p.all.excess, 0);
    leave(&p);
}

TEST(unsent_bytes_above_the_limits_are_bounded_for_all_readers_together)
{
    struct place p;
    begin(&p);
    size_t kept = 0;
    for (int i = 0; i < 32; i++)
        kept += reader_send(come(&p), (struct str){p.event, EVENT});
    assert_in_range(kept, READERS_EXCESS_MAX / EVENT, READERS_EXCESS_MAX / EVENT + 2);
    assert_int_equal(p.all.n, kept);
    assert_in_range(p.all.excess, READERS_EXCESS_MAX - EVENT, READERS_EXCESS_MAX);
    leave(&p);
}

/* A reader that the loop has and that has not begun. The browser's end is the last of p->browsers. */
static struct reader *come_waiting(struct place *p, struct str first)
{
    int fds[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    p->browsers[p->n++] = fds[1];
    struct reader *r = reader_new(READER_EVENTS, (struct fcgi_conn){fds[0], 1}, first, LIMIT + first.len);
    assert_true(reader_open(r, p->loop, &p->list, &p->all));
    return r;
}

/* Bytes that have arrived, records' headers included. */
static size_t read_all(int fd)
{
    static char piece[65536];
    size_t all = 0;
    for (ssize_t n; (n = recv(fd, piece, sizeof piece, MSG_DONTWAIT)) > 0;)
        all += (size_t)n;
    return all;
}

TEST(what_a_reader_missed_is_sent_with_its_first_event_in_one_record)
{
    struct place p;
    begin(&p);
    struct reader *r = come_waiting(&p, STR("head"));
    assert_true(reader_send(r, STR("missed")));
    assert_int_equal(read_all(p.browsers[0]), 0);
    reader_begin(r);
    assert_int_equal(read_all(p.browsers[0]), FCGI_RECORD_HEADER + strlen("head"
                                                                          "missed"));
    assert_true(reader_send(r, STR("next")));
    assert_int_equal(read_all(p.browsers[0]), FCGI_RECORD_HEADER + strlen("next"));
    leave(&p);
}

TEST(a_reader_that_missed_too_much_is_dropped)
{
    struct place p;
    begin(&p);
    struct reader *r = come_waiting(&p, STR("head"));
    for (size_t sent = 0; sent <= READERS_EXCESS_MAX; sent += EVENT)
        assert_true(reader_send(r, (struct str){p.event, EVENT}));
    reader_begin(r);
    assert_int_equal(p.all.n, 0);
    leave(&p);
}

static int gone_n, released_n;

static void rewrite(void *arg, struct str events, struct strbuf *out)
{
    (void)arg;
    strbuf_addstr(out, events);
}

static void note_gone(void *web, const char *turn)
{
    (void)web;
    (void)turn;
    gone_n++;
}

static void note_released(void *arg)
{
    (void)arg;
    released_n++;
}

TEST(only_a_client_that_leaves_is_reported_as_gone)
{
    struct place p;
    begin(&p);
    gone_n = released_n = 0;
    for (int i = 0; i < 3; i++)
        come(&p)->rewrite =
            (struct reader_rewrite){.fn = rewrite, .release = note_released, .gone = note_gone};
    reader_drop(p.list);
    assert_int_equal(gone_n, 1);
    readers_drop(p.list); /* the program ends */
    assert_int_equal(gone_n, 1);
    assert_int_equal(released_n, 3);
    leave(&p);
}

struct reading {
    struct place *p;
    struct loop_watch *watch;
    size_t got;
};

static void read_more(void *arg, uint32_t events)
{
    struct reading *r = arg;
    (void)events;
    r->got += read_all(r->p->browsers[0]);
    if (r->got > EVENT)
        loop_stop(r->p->loop);
}

TEST(the_rest_of_a_large_first_event_follows_on_the_loop)
{
    struct place p;
    struct reading reading = {.p = &p};
    begin(&p);
    reader_begin(come_waiting(&p, (struct str){p.event, EVENT}));
    assert_int_equal(
        loop_watch_new(p.loop, p.browsers[0], EPOLLIN, read_more, &reading, &reading.watch, NULL), RC_OK);
    loop_run(p.loop);
    assert_true(reading.got > EVENT);
    assert_int_equal(p.all.n, 1);
    loop_watch_free(reading.watch);
    leave(&p);
}

static void stop(void *arg)
{
    loop_stop(arg);
}

TEST(a_client_that_left_before_the_loop_has_the_reader_is_dropped)
{
    struct place p;
    int fds[2];
    begin(&p);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    struct reader *r = reader_new(READER_EVENTS, (struct fcgi_conn){fds[0], 1}, STR("head"), LIMIT);
    close(fds[1]);
    if (reader_open(r, p.loop, &p.list, &p.all)) {
        reader_begin(r);
        loop_post(p.loop, stop, p.loop); /* runs after the descriptors that are ready */
        loop_run(p.loop);
    }
    assert_int_equal(p.all.n, 0);
    leave(&p);
}

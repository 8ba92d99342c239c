#include "unit.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

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

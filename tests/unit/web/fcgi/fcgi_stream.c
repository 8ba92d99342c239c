#include "unit.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "web/fcgi/fcgi_record.h"
#include "web/fcgi/fcgi_stream.h"

#define CAP   ((size_t)64 * 1024)
#define PIECE ((size_t)1024)
#define SIZE  (PIECE + FCGI_RECORD_HEADER) /* of a piece's record */

struct line {
    struct fcgi_stream *stream;
    int far;
    size_t sent; /* bytes of records that the stream took */
    size_t got;  /* and that the far end has read */
};

static struct line line_new(void)
{
    int fds[2], small = 4096;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    assert_int_equal(setsockopt(fds[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    return (struct line){.stream = fcgi_stream_new((struct fcgi_conn){fds[0], 1}, CAP), .far = fds[1]};
}

static void line_free(struct line *l)
{
    fcgi_stream_free(l->stream);
    close(l->far);
}

/* The content of record `i`: one letter. */
static char letter(size_t i)
{
    return (char)('a' + i % 26);
}

static enum rc send_piece(struct line *l)
{
    char piece[PIECE];
    memset(piece, letter(l->sent / SIZE), sizeof piece);
    enum rc rc = fcgi_stream_send(l->stream, (struct str){piece, sizeof piece});
    if (rc == RC_OK)
        l->sent += SIZE;
    return rc;
}

/* The far end takes `n` bytes, and the stream writes on. */
static void take(struct line *l, size_t n)
{
    char buf[PIECE];
    for (size_t done = 0; done < n;) {
        ssize_t got = recv(l->far, buf, n - done < sizeof buf ? n - done : sizeof buf, MSG_DONTWAIT);
        if (got <= 0)
            assert_true(fcgi_stream_waiting(l->stream)); /* it is the stream's turn */
        for (ssize_t i = 0; i < got; i++, l->got++, done++)
            if (l->got % SIZE >= FCGI_RECORD_HEADER)
                assert_int_equal(buf[i], letter(l->got / SIZE));
        assert_int_equal(fcgi_stream_flush(l->stream), RC_OK);
    }
}

TEST(a_reader_that_takes_nothing_is_given_up_at_the_cap)
{
    struct line l = line_new();
    enum rc rc;
    while ((rc = send_piece(&l)) == RC_OK)
        assert_true(l.sent < 2 * CAP);
    assert_int_equal(rc, RC_TOO_BIG);
    assert_true(l.sent > CAP - 2 * PIECE);
    line_free(&l);
}

TEST(bytes_that_were_sent_do_not_count_against_the_cap)
{
    struct line l = line_new();
    while (l.sent < CAP - PIECE)
        assert_int_equal(send_piece(&l), RC_OK);
    assert_true(fcgi_stream_waiting(l.stream));
    /* Less than half of the backlog is sent: the unsent rest stays below the cap. */
    for (int i = 0; i < 20; i++) {
        take(&l, 4 * PIECE);
        for (int k = 0; k < 3; k++)
            assert_int_equal(send_piece(&l), RC_OK);
    }
    take(&l, l.sent - l.got);
    assert_false(fcgi_stream_waiting(l.stream));
    line_free(&l);
}

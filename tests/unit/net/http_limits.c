/* The limits of a call: bytes, silence, total time. */
#include "http_rig.h"

#include <zlib.h>

#include "base/clock.h"

#define PATIENCE_MS 60000

/* An answer of `n` letters, compressed. */
static size_t zipped(char *out, size_t room, size_t n)
{
    size_t at =
        (size_t)snprintf(out, room, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n");
    char *text = xmalloc(n);
    memset(text, 'a', n);
    z_stream z = {.next_in = (unsigned char *)text,
        .avail_in = (uInt)n,
        .next_out = (unsigned char *)out + at,
        .avail_out = (uInt)(room - at)};
    assert_int_equal(deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t whole = at + z.total_out;
    deflateEnd(&z);
    free(text);
    return whole;
}

TEST(http_reads_a_compressed_answer_within_the_limit)
{
    static char answer[1 << 16];
    for (int over = 0; over < 2; over++) {
        size_t n = over ? usual.body_max + 1 : 5000;
        struct fake_reply script = {.text = answer, .n = zipped(answer, sizeof answer, n)};
        struct seen s = {0};
        struct fake_http *f = get_scripted(&s, &script, 1, &usual);
        assert_int_equal(s.rc, over ? RC_TOO_BIG : RC_OK);
        if (!over)
            assert_int_equal(s.body.len, 5000);
        assert_non_null(strcasestr(f->requests[0], "\r\nAccept-Encoding: gzip\r\n"));
        release(&s, f);
    }
}

TEST(http_stops_a_body_at_its_cap_while_reading)
{
    /* Endless but for the cap: the server would hang, so only counting while reading can end it. */
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("text/plain") "0123456789abcdef", .after = FAKE_HANG}};
    struct http_limits limits = usual;
    limits.body_max = 15;
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &limits);
    assert_int_equal(s.rc, RC_TOO_BIG);
    assert_true(s.err.for_user);
    assert_true(s.body.len <= 15);
    assert_true(f->client_left);
    release(&s, f);
}

TEST(http_takes_a_body_of_exactly_its_cap)
{
    static const struct fake_reply script[] = {{.text = FAKE_OK("text/plain") "0123456789abcdef"}};
    struct http_limits limits = usual;
    limits.body_max = 16;
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &limits);
    assert_int_equal(s.rc, RC_OK);
    assert_int_equal(s.body.len, 16);
    release(&s, f);
}

TEST(http_stops_endless_headers)
{
    static const struct fake_reply script[] = {{.text = "HTTP/1.1 100 Continue\r\n\r\n", .repeat = 5000}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_TOO_BIG);
    assert_int_equal(s.statuses, 0);
    release(&s, f);
}

TEST(http_gives_up_on_silence_before_the_answer_and_in_its_middle)
{
    static const struct fake_reply before[] = {{.text = "HTTP/1.1 ", .after = FAKE_HANG}};
    static const struct fake_reply middle[] = {{.text = FAKE_OK("text/plain") "half", .after = FAKE_HANG}};
    struct http_limits limits = usual;
    limits.silence_ms = 80;
    for (int i = 0; i < 2; i++) {
        struct seen s = {0};
        int64_t start = clock_mono_ms();
        struct fake_http *f = get_scripted(&s, i ? middle : before, 1, &limits);
        assert_int_equal(s.rc, RC_TIMEOUT);
        assert_non_null(strstr(s.err.text, "silent"));
        assert_true(clock_mono_ms() - start >= 80);
        assert_true(f->client_left);
        release(&s, f);
    }
}

TEST(http_waits_longer_for_the_first_piece_than_for_the_next)
{
    static const struct fake_reply head[] = {{.text = FAKE_OK("text/plain"), .after = FAKE_HANG}};
    static const struct fake_reply middle[] = {{.text = FAKE_OK("text/plain") "half", .after = FAKE_HANG}};
    struct http_limits limits = usual;
    limits.silence_ms = 60;
    limits.first_ms = 240;
    struct seen s = {0};
    int64_t start = clock_mono_ms();
    struct fake_http *f = get_scripted(&s, head, 1, &limits);
    assert_int_equal(s.rc, RC_TIMEOUT);
    assert_true(clock_mono_ms() - start >= limits.first_ms);
    release(&s, f);

    limits.first_ms = PATIENCE_MS; /* over the end of the test: only the shorter limit ends it */
    start = clock_mono_ms();
    struct seen t = {0};
    f = get_scripted(&t, middle, 1, &limits);
    assert_int_equal(t.rc, RC_TIMEOUT);
    assert_true(clock_mono_ms() - start < PATIENCE_MS);
    release(&t, f);
}

TEST(http_waits_as_for_the_first_piece_while_the_reader_says_that_nothing_has_begun)
{
    static const struct fake_reply middle[] = {{.text = FAKE_OK("text/plain") "half", .after = FAKE_HANG}};
    struct http_limits limits = usual;
    limits.silence_ms = 60;
    limits.first_ms = 240;
    struct seen s = {.begins_later = true};
    int64_t start = clock_mono_ms();
    struct fake_http *f = get_scripted(&s, middle, 1, &limits);
    assert_int_equal(s.rc, RC_TIMEOUT);
    assert_true(clock_mono_ms() - start >= limits.first_ms);
    release(&s, f);
}

TEST(http_gives_up_when_the_total_is_over)
{
    static const struct fake_reply script[] = {{.text = FAKE_OK("text/plain") "half", .after = FAKE_HANG}};
    struct http_limits limits = usual;
    limits.total_ms = 80;
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &limits);
    assert_int_equal(s.rc, RC_TIMEOUT);
    release(&s, f);
}

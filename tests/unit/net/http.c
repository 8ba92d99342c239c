#include "unit.h"

#include <zlib.h>

#include "fake_http.h"

#include "base/clock.h"
#include "net/address_policy.h"
#include "net/http.h"

static const char *const local[] = {"127.0.0.1"};

/* A call and its result. */
struct seen {
    struct loop *loop;
    struct http_call *call;
    int statuses, status, retry_after_s, done;
    struct strbuf body;
    enum rc rc;
    struct err err;
    size_t stop_after; /* refuse the body from this length on */
    bool cancel_in_data;
    bool begins_later; /* no piece begins the answer */
    int *sent;         /* counts on_sent */
};

static void on_status(void *arg, int status, int retry_after_s)
{
    struct seen *s = arg;
    s->statuses++;
    s->status = status;
    s->retry_after_s = retry_after_s;
}

static bool on_data(void *arg, struct str piece)
{
    struct seen *s = arg;
    strbuf_addstr(&s->body, piece);
    if (s->begins_later)
        http_begins_later(s->call);
    if (s->cancel_in_data) {
        http_cancel(s->call);
        s->call = NULL;
        loop_stop(s->loop);
    }
    return s->stop_after == 0 || s->body.len < s->stop_after;
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct seen *s = arg;
    s->done++;
    s->rc = rc;
    s->err = *e;
    s->call = NULL;
    loop_stop(s->loop);
}

static const struct http_callbacks callbacks = {
    .on_status = on_status, .on_data = on_data, .on_done = on_done};
#define PATIENCE_MS 60000

static const struct http_limits usual = {
    .connect_ms = 2000, .silence_ms = 5000, .total_ms = 10000, .body_max = 1 << 20};

static void get_url(struct seen *s, struct http_client *c, const char *url, const struct http_limits *limits)
{
    struct http_request r = {.method = "GET", .url = url, .limits = *limits};
    strbuf_clear(&s->body);
    assert_int_equal(http_start(c, &r, &callbacks, s, &s->call, NULL), RC_OK);
    loop_run(s->loop);
}

/* Runs one GET against a script; the rest is asked of `s`. */
static struct fake_http *get_scripted(
    struct seen *s, const struct fake_reply *script, size_t n, const struct http_limits *limits)
{
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    struct fake_http *f = fake_http_start(script, n);
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    c = http_client_new(l, local, 1);
    s->loop = l;
    strbuf_init(&s->body, 1 << 22);
    get_url(s, c, f->url, limits);
    http_client_free(c); /* before the server is asked whether the connection is gone */
    c = NULL;
    fake_http_stop(f);
    return f;
}

static void release(struct seen *s, struct fake_http *f)
{
    strbuf_release(&s->body);
    fake_http_free(f);
}

TEST(http_gives_status_body_and_one_end)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 5\r\n\r\nhello"}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_OK);
    assert_int_equal(s.statuses, 1);
    assert_int_equal(s.status, 503);
    assert_int_equal(s.retry_after_s, 7);
    assert_string_equal(s.body.s, "hello");
    assert_int_equal(s.done, 1);
    assert_null(strcasestr(f->requests[0], "\r\nExpect:"));
    assert_null(strcasestr(f->requests[0], "\r\nCookie:"));
    release(&s, f);
}

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

TEST(http_skips_1xx_and_trailers)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n"
                 "2\r\nhi\r\n0\r\nX-Trailer: 1\r\n\r\n"}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_OK);
    assert_int_equal(s.statuses, 1);
    assert_int_equal(s.status, 200);
    assert_string_equal(s.body.s, "hi");
    release(&s, f);
}

TEST(http_follows_no_redirect)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_OK);
    assert_int_equal(s.status, 302);
    assert_int_equal(f->requests_n, 1);
    release(&s, f);
}

TEST(http_ignores_a_proxy_of_the_environment)
{
    static const struct fake_reply script[] = {{.text = FAKE_OK("text/plain") "direct"}};
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    unsetenv("http_proxy");
    assert_int_equal(s.rc, RC_OK);
    assert_string_equal(s.body.s, "direct");
    release(&s, f);
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

TEST(http_distinguishes_a_broken_answer_from_no_answer)
{
    static const struct fake_reply middle[] = {
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"}};
    static const struct fake_reply none[] = {{.text = "", .after = FAKE_RESET}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, middle, 1, &usual);
    assert_int_equal(s.rc, RC_UPSTREAM);
    assert_non_null(strstr(s.err.text, "broke off"));
    release(&s, f);

    s = (struct seen){0};
    f = get_scripted(&s, none, 1, &usual);
    assert_int_equal(s.rc, RC_UNAVAILABLE);
    release(&s, f);
}

TEST(http_refuses_other_protocols)
{
    static const struct fake_reply script[] = {{.text = "SSH-2.0-OpenSSH_9.2\r\n"}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_UPSTREAM);
    assert_non_null(strstr(s.err.text, "HTTP"));
    release(&s, f);
}

TEST(http_ends_when_the_reader_refuses_a_piece)
{
    static const struct fake_reply script[] = {{.text = FAKE_OK("text/plain") "some", .after = FAKE_HANG}};
    struct seen s = {.stop_after = 1};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_CANCELLED);
    assert_true(f->client_left);
    release(&s, f);
}

TEST(http_cancelled_inside_its_own_callback_closes_and_says_nothing_more)
{
    static const struct fake_reply script[] = {{.text = FAKE_OK("text/plain") "some", .after = FAKE_HANG}};
    struct seen s = {.cancel_in_data = true};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.done, 0);
    assert_string_equal(s.body.s, "some");
    assert_true(f->client_left);
    release(&s, f);
}

TEST(http_uses_a_connection_again)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", .after = FAKE_KEEP},
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"}};
    struct fake_http *f = fake_http_start(script, 2);
    struct seen s = {0};
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    c = http_client_new(l, local, 1);
    s.loop = l;
    strbuf_init(&s.body, 100);
    get_url(&s, c, f->url, &usual);
    get_url(&s, c, f->url, &usual);
    assert_string_equal(s.body.s, "2");
    fake_http_stop(f);
    assert_int_equal(f->connections_n, 1);
    release(&s, f);
}

/* The caller's copy may go at once; a connection that the server has closed meanwhile makes curl send it
 * again. */
TEST(http_sends_a_large_body_whole_on_a_connection_that_died_too)
{
    static const struct fake_reply script[] = {{.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"},
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2"}};
    struct fake_http *f = fake_http_start(script, 2);
    struct seen s = {0};
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    c = http_client_new(l, local, 1);
    s.loop = l;
    strbuf_init(&s.body, 100);
    size_t n = 200 * 1024;
    for (int i = 0; i < 2; i++) {
        char *question = xmalloc(n);
        memset(question, 'a' + i, n);
        struct http_request r = {.method = "POST", .url = f->url, .body = {question, n}, .limits = usual};
        assert_int_equal(http_start(c, &r, &callbacks, &s, &s.call, NULL), RC_OK);
        free(question);
        loop_run(l);
        assert_int_equal(s.rc, RC_OK);
    }
    assert_string_equal(s.body.s, "12");
    fake_http_stop(f);
    for (int i = 0; i < 2; i++) {
        const char *sent = strstr(f->requests[i], "\r\n\r\n") + 4;
        assert_int_equal(strlen(sent), n);
        assert_int_equal(strspn(sent, i ? "b" : "a"), n);
    }
    release(&s, f);
}

static void count_sent(void *arg)
{
    ++*(int *)((struct seen *)arg)->sent;
}

/* The server reads the second request on the kept connection and closes it without an answer. */
static void assert_sent(bool once, enum rc rc, size_t requests)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", .after = FAKE_KEEP}, {.text = ""},
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3"}};
    struct fake_http *f = fake_http_start(script, 3);
    int sent = 0;
    struct seen s = {.sent = &sent};
    struct http_callbacks counting = callbacks;
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    c = http_client_new(l, local, 1);
    s.loop = l;
    counting.on_sent = count_sent;
    strbuf_init(&s.body, 100);
    for (int i = 0; i < 2; i++) {
        struct http_request r = {
            .method = "POST", .url = f->url, .body = STR("x"), .limits = usual, .once = once};
        assert_int_equal(http_start(c, &r, &counting, &s, &s.call, NULL), RC_OK);
        loop_run(l);
    }
    assert_int_equal(s.rc, rc);
    fake_http_stop(f);
    assert_int_equal(f->requests_n, requests);
    assert_int_equal(sent, requests);
    release(&s, f);
}

TEST(http_sends_a_request_once_where_asked)
{
    assert_sent(false, RC_OK, 3);
    assert_sent(true, RC_UNAVAILABLE, 2);
}

/* ---- starting another call from inside a callback ---- */

struct chain {
    struct seen first, second;
    struct http_client *client;
    const char *url;
};

static bool start_second(void *arg, struct str piece)
{
    struct chain *ch = arg;
    struct http_request r = {.method = "GET", .url = ch->url, .limits = usual};
    strbuf_addstr(&ch->first.body, piece);
    return http_start(ch->client, &r, &callbacks, &ch->second, &ch->second.call, NULL) == RC_OK;
}

static void first_done(void *arg, enum rc rc, const struct err *e)
{
    struct chain *ch = arg;
    (void)e;
    ch->first.rc = rc;
    ch->first.done++;
}

TEST(http_starts_a_call_from_inside_a_callback)
{
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("text/plain") "1"}, {.text = FAKE_OK("text/plain") "2"}};
    static const struct http_callbacks first = {.on_data = start_second, .on_done = first_done};
    struct fake_http *f = fake_http_start(script, 2);
    struct chain ch = {.url = f->url};
    AUTO(loop) l = NULL;
    AUTO(http_client) c = NULL;
    struct http_call *call;
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    c = http_client_new(l, local, 1);
    ch.client = c;
    ch.second.loop = l;
    strbuf_init(&ch.first.body, 10);
    strbuf_init(&ch.second.body, 10);
    struct http_request r = {.method = "GET", .url = f->url, .limits = usual};
    assert_int_equal(http_start(c, &r, &first, &ch, &call, NULL), RC_OK);
    loop_run(l);
    assert_int_equal(ch.first.done, 1);
    assert_string_equal(ch.first.body.s, "1");
    assert_string_equal(ch.second.body.s, "2");
    strbuf_release(&ch.first.body);
    fake_http_stop(f);
    release(&ch.second, f);
}

/* ---- refusals before anything is sent ---- */

static enum rc fetch(const char *url, const char *const *allowed, size_t n, struct err *e)
{
    AUTO_STRBUF out;
    int status;
    struct http_request r = {.method = "GET", .url = url, .limits = usual};
    strbuf_init(&out, 100);
    return http_fetch(&r, allowed, n, &status, &out, e);
}

TEST(http_refuses_private_addresses_that_are_not_listed)
{
    static const char *const urls[] = {"https://127.0.0.1/", "https://127.1/", "https://0x7f000001/",
        "https://2130706433/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://localhost/",
        "https://10.0.0.1/", "https://169.254.169.254/", "https://0/"};
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(fetch(urls[i], NULL, 0, &e), RC_FORBIDDEN);
        assert_true(e.for_user);
    }
}

TEST(http_refuses_urls_of_other_kinds)
{
    static const char *const urls[] = {"", "example.org", "file:///etc/passwd", "ftp://example.org/",
        "gopher://example.org/", "http://example.org/", "https://user:pw@example.org/", "https://",
        "https://a b/", "dict://127.0.0.1/"};
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(fetch(urls[i], local, 1, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
    }
}

TEST(http_refuses_line_ends_in_headers)
{
    AUTO_STRBUF out;
    int status;
    struct http_header h = {"X-Name", "a\r\nX-Other: b"};
    struct http_request r = {
        .method = "GET", .url = "http://127.0.0.1:1/", .headers = &h, .headers_n = 1, .limits = usual};
    strbuf_init(&out, 100);
    assert_int_equal(http_fetch(&r, local, 1, &status, &out, NULL), RC_BAD_INPUT);
}

TEST(http_says_when_nothing_listens_or_the_name_is_unknown)
{
    struct err e = ERR_INIT;
    assert_int_equal(fetch("http://127.0.0.1:1/", local, 1, &e), RC_UNAVAILABLE);
    assert_string_equal(e.text, "Could not connect to 127.0.0.1:1.");
    assert_int_equal(fetch("https://no-such-host.invalid/", NULL, 0, &e), RC_UNAVAILABLE);
    assert_non_null(strstr(e.text, "no-such-host.invalid"));
}

TEST(http_says_when_tls_fails)
{
    static const struct fake_reply script[] = {{.text = "HTTP/1.1 400 Bad\r\n\r\n"}};
    struct fake_http *f = fake_http_start(script, 1);
    char url[64];
    struct err e = ERR_INIT;
    snprintf(url, sizeof url, "https://127.0.0.1:%d/", f->port);
    enum rc rc = fetch(url, local, 1, &e);
    fake_http_stop(f);
    fake_http_free(f);
    assert_int_equal(rc, RC_UPSTREAM);
    assert_non_null(strstr(e.text, "TLS"));
}

/* ---- the address policy ---- */

static bool is_public(const char *ip)
{
    struct sockaddr_in in = {.sin_family = AF_INET};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, ip, &in.sin_addr) == 1)
        return address_is_public((struct sockaddr *)&in);
    assert_int_equal(inet_pton(AF_INET6, ip, &in6.sin6_addr), 1);
    return address_is_public((struct sockaddr *)&in6);
}

TEST(address_policy_knows_public_from_other_addresses)
{
    static const char *const not_public[] = {"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1",
        "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
        "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
        "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.1.2.3", "::ffff:169.254.169.254",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1",
        "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "4000::1",
        "5f00::1"};
    static const char *const public[] = {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255",
        "100.128.0.1", "126.255.255.255", "128.0.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1",
        "192.167.255.255", "192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "::ffff:8.8.8.8",
        "64:ff9b::808:808", "2001:4860:4860::8888", "2606:4700::1111", "2a00:1450::1"};
    for (size_t i = 0; i < ARRAY_LEN(not_public); i++)
        if (is_public(not_public[i]))
            fail_msg("%s is taken for public", not_public[i]);
    for (size_t i = 0; i < ARRAY_LEN(public); i++)
        if (!is_public(public[i]))
            fail_msg("%s is not taken for public", public[i]);
    assert_false(address_is_public(&(struct sockaddr){.sa_family = AF_UNIX}));
}

TEST(address_policy_matches_the_list_by_host_and_port)
{
    static const struct {
        const char *entry, *url;
        bool listed;
    } table[] = {{"box", "https://box/", true}, {"box", "https://BOX:8443/v1", true},
        {"box:80", "http://box/", true}, {"box:443", "https://box/", true},
        {"box:8080", "https://box/", false}, {"box", "https://box.example.org/", false},
        {"ox", "https://box/", false}, {"", "https://box/", false},
        {"127.0.0.1:11434", "http://127.0.0.1:11434/v1", true},
        {"127.0.0.1:11434", "https://127.0.0.1:1143/", false}, {"127.0.0.1", "http://127.1:99/", true},
        {"[::1]:80", "http://[::1]/", true}, {"::1", "http://[::1]:99/", true},
        {"[::1]", "https://[::1]/", true}, {"[::1]:81", "https://[::1]/", false}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct address_target t;
        enum rc rc = address_policy_check(table[i].url, &table[i].entry, 1, &t, NULL);
        assert_int_equal(rc, RC_OK);
        if (t.listed != table[i].listed)
            fail_msg("%s with %s on the list", table[i].url, table[i].entry);
    }
}

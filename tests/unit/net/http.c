#include "http_rig.h"

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
    assert_string_equal(s.type, "");
    assert_string_equal(s.redirect, "");
    assert_int_equal(s.done, 1);
    assert_null(strcasestr(f->requests[0], "\r\nExpect:"));
    assert_null(strcasestr(f->requests[0], "\r\nCookie:"));
    release(&s, f);
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

TEST(http_reports_a_redirect_and_follows_none)
{
    static const struct fake_reply script[] = {{.text = "HTTP/1.1 302 Found\r\nContent-Type: text/html; "
                                                        "charset=utf-8\r\nLocation: ../other?a=1\r\n"
                                                        "Content-Length: 0\r\n\r\n"}};
    struct seen s = {0};
    struct fake_http *f = get_scripted(&s, script, 1, &usual);
    assert_int_equal(s.rc, RC_OK);
    assert_int_equal(s.status, 302);
    assert_int_equal(f->requests_n, 1);
    assert_string_equal(s.type, "text/html; charset=utf-8");
    assert_non_null(strstr(s.redirect, "http://127.0.0.1:"));
    assert_non_null(strstr(s.redirect, "/other?a=1"));
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
    AUTO(http_client) c = new_client(&s, &l);
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
    AUTO(http_client) c = new_client(&s, &l);
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

/* The server reads the second request on the kept connection and closes it without an answer. */
static const struct fake_reply closes_kept[] = {
    {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", .after = FAKE_KEEP}, {.text = ""},
    {.text = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n3"}};

struct lent {
    struct seen seen;
    int read; /* calls whose body was read when the answer came */
};

static bool check_read(void *arg, struct str piece)
{
    struct lent *t = arg;
    t->read += http_body_is_read(t->seen.call);
    return on_data(&t->seen, piece);
}

TEST(http_reads_a_lent_body_where_it_is_until_the_answer)
{
    struct fake_http *f = fake_http_start(closes_kept, 3);
    struct http_callbacks checking = callbacks;
    struct lent t = {0};
    struct seen *s = &t.seen;
    AUTO(loop) l = NULL;
    AUTO(http_client) c = new_client(s, &l);
    checking.on_data = check_read;
    /* The second request is sent twice. */
    for (int i = 0; i < 2; i++) {
        char body[] = "a lent question";
        struct http_request r = {
            .method = "POST", .url = f->url, .body = str_of(body), .lends_body = true, .limits = usual};
        strbuf_clear(&s->body);
        assert_int_equal(http_start(c, &r, &checking, &t, &s->call, NULL), RC_OK);
        body[2] = 'L'; /* not copied */
        loop_run(l);
        assert_int_equal(s->rc, RC_OK);
    }
    fake_http_stop(f);
    assert_int_equal(t.read, 2);
    for (size_t i = 0; i < 3; i++)
        assert_non_null(strstr(f->requests[i], "a Lent question"));
    release(s, f);
}

static void count_sent(void *arg)
{
    ++*(int *)((struct seen *)arg)->sent;
}

static void assert_sent(bool once, enum rc rc, size_t requests)
{
    struct fake_http *f = fake_http_start(closes_kept, 3);
    int sent = 0;
    struct seen s = {.sent = &sent};
    struct http_callbacks counting = callbacks;
    AUTO(loop) l = NULL;
    AUTO(http_client) c = new_client(&s, &l);
    counting.on_sent = count_sent;
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
    AUTO(http_client) c = new_client(&ch.second, &l);
    struct http_call *call;
    ch.client = c;
    strbuf_init(&ch.first.body, 10);
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

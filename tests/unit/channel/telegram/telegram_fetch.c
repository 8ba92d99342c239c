/* Files of pictures, against a scripted server. */
#include "unit.h"

#include <string.h>

#include "fake_http.h"

#include "channel/telegram/telegram.h"

#define TOKEN "777:AAsecret_token"
#define MAX   ((size_t)1000)

static const char *const local[] = {"127.0.0.1"};

#define ANSWER(status, json) \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" json
#define FILE_AT(path) \
    ANSWER("200 OK", "{\"ok\":true,\"result\":{\"file_id\":\"F\",\"file_size\":4," path "}}")
#define PATH FILE_AT("\"file_path\":\"photos/file 1.jpg\"")
#define BAD(words) \
    ANSWER("400 x", "{\"ok\":false,\"error_code\":400,\"description\":\"Bad Request: " words "\"}")

struct seen {
    struct loop *loop;
    enum channel_fetch outcome;
    int64_t wait_ms;
    char data[64];
    size_t n;
    int calls;
};

static void on_done(void *arg, const struct channel_fetched *f)
{
    struct seen *s = arg;
    s->outcome = f->outcome;
    s->wait_ms = f->wait_ms;
    s->n = f->data.len;
    if (f->data.len && f->data.len < sizeof s->data)
        memcpy(s->data, f->data.s, f->data.len);
    s->calls++;
    assert_null(strstr(f->detail, "secret"));
    assert_true((f->outcome == FETCH_DONE) == (f->detail[0] == 0));
    loop_stop(s->loop);
}

/* Fetches once; the caller frees `*served`, which has the requests. */
static struct seen run(const struct fake_reply *script, size_t n, struct fake_http **served)
{
    struct seen s = {0};
    AUTO(loop) l = NULL;
    AUTO(http_client) http = NULL;
    struct channel_driver d;
    struct fake_http *f = fake_http_start(script, n);
    assert_int_equal(loop_new(&l, NULL), RC_OK);
    http = http_client_new(l, local, ARRAY_LEN(local));
    const struct telegram_setup setup = {.http = http, .api_url = f->url, .token = TOKEN};
    assert_int_equal(telegram_new(&setup, &d, NULL), RC_OK);
    s.loop = l;
    d.fetch(d.self, "F", MAX, on_done, &s);
    if (!s.calls)
        loop_run(l);
    telegram_free(&d);
    fake_http_stop(f);
    assert_int_equal(s.calls, 1);
    *served = f;
    return s;
}

static void assert_outcome(const char *answer, const char *file, enum channel_fetch outcome, int64_t wait_ms)
{
    const struct fake_reply script[] = {{.text = answer}, {.text = file ? file : "x"}};
    struct fake_http *served;
    struct seen s = run(script, 2, &served);
    assert_int_equal(s.outcome, outcome);
    assert_int_equal(s.wait_ms, wait_ms);
    assert_int_equal(served->requests_n, file ? 2 : 1);
    fake_http_free(served);
}

TEST(a_file_is_fetched_at_the_path_that_getfile_tells)
{
    const struct fake_reply script[] = {
        {.text = PATH}, {.text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\x89\0NG", .n = 42}};
    struct fake_http *served;
    struct seen s = run(script, 2, &served);
    assert_int_equal(s.outcome, FETCH_DONE);
    assert_int_equal(s.n, 4);
    assert_memory_equal(s.data, "\x89\0NG", 4);
    assert_non_null(strstr(served->requests[0], "POST /bot" TOKEN "/getFile HTTP"));
    assert_non_null(strstr(served->requests[0], "{\"file_id\":\"F\"}"));
    assert_non_null(strstr(served->requests[1], "GET /file/bot" TOKEN "/photos/file%201.jpg HTTP"));
    fake_http_free(served);
}

TEST(what_may_pass_is_told_apart_from_what_does_not)
{
    assert_outcome(BAD("file is too big"), NULL, FETCH_TOO_BIG, 0);
    assert_outcome(BAD("wrong file_id or the file is temporarily unavailable"), NULL, FETCH_LATER, 0);
    assert_outcome(BAD("invalid file_id"), NULL, FETCH_GONE, 0);
    assert_outcome(ANSWER("401 x", "{\"ok\":false,\"error_code\":401,\"description\":\"Unauthorized\"}"),
        NULL, FETCH_LATER, 0);
    assert_outcome(ANSWER("429 x", "{\"ok\":false,\"error_code\":429,\"description\":\"Too Many Requests\","
                                   "\"parameters\":{\"retry_after\":7}}"),
        NULL, FETCH_LATER, 7000);
    assert_outcome(ANSWER("502 x", "<html>"), NULL, FETCH_LATER, 0);
    assert_outcome(PATH, "HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n", FETCH_LATER, 0);
    assert_outcome(PATH, "HTTP/1.1 429 x\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n", FETCH_LATER, 3000);
    assert_outcome(PATH, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", FETCH_LATER, 0);
}

TEST(a_file_that_is_too_large_is_not_read)
{
    assert_outcome(ANSWER("200 OK", "{\"ok\":true,\"result\":{\"file_size\":1001,\"file_path\":\"a\"}}"),
        NULL, FETCH_TOO_BIG, 0);
    char file[MAX + 200];
    int head = snprintf(file, sizeof file, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", MAX + 1);
    memset(file + head, 'x', MAX + 1);
    file[(size_t)head + MAX + 1] = 0;
    assert_outcome(PATH, file, FETCH_TOO_BIG, 0);
}

TEST(only_a_relative_path_is_an_address)
{
    static const char *const paths[] = {"/var/lib/x", "..", "a/../b", "a//b", "./a", ""};
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        char answer[400];
        snprintf(answer, sizeof answer, FILE_AT("\"file_path\":\"%s\""), paths[i]);
        assert_outcome(answer, NULL, FETCH_GONE, 0);
    }
    assert_outcome(FILE_AT("\"x\":1"), NULL, FETCH_GONE, 0);
}

static void stop_at(void *arg)
{
    loop_stop(arg);
}

TEST(a_fetch_that_runs_ends_with_the_driver)
{
    static const struct fake_reply script[] = {
        {.text = PATH}, {.text = "HTTP/1.1 200 OK\r\n", .after = FAKE_HANG}};
    for (size_t hangs_at = 0; hangs_at < 2; hangs_at++) {
        struct seen s = {0};
        AUTO(loop) l = NULL;
        AUTO(http_client) http = NULL;
        struct channel_driver d;
        struct fake_http *f = fake_http_start(script + 1 - hangs_at, 1 + hangs_at);
        assert_int_equal(loop_new(&l, NULL), RC_OK);
        http = http_client_new(l, local, ARRAY_LEN(local));
        const struct telegram_setup setup = {.http = http, .api_url = f->url, .token = TOKEN};
        assert_int_equal(telegram_new(&setup, &d, NULL), RC_OK);
        s.loop = l;
        d.fetch(d.self, "F", MAX, on_done, &s);
        struct loop_timer *timer = loop_timer_new(l, stop_at, l);
        loop_timer_set(timer, 200);
        loop_run(l);
        telegram_free(&d);
        assert_int_equal(s.calls, 0);
        loop_timer_free(timer);
        fake_http_stop(f);
        fake_http_free(f);
    }
}

#include "unit.h"

#include <string.h>

#include "base/str.h"
#include "web/fcgi/fcgi_input.h"

#define ID       7
#define BODY_MAX ((size_t)1000)

static void put(struct strbuf *b, int type, int id, struct str content, size_t padding)
{
    unsigned char h[FCGI_RECORD_HEADER];
    fcgi_record_header(h, (enum fcgi_record)type, id, content.len);
    h[6] = (unsigned char)padding;
    strbuf_add(b, h, sizeof h);
    strbuf_addstr(b, content);
    for (size_t i = 0; i < padding; i++)
        strbuf_addc(b, 'p');
}

static const struct str begin_responder = {"\0\1\0\0\0\0\0\0", 8};

/* Two parameters, one of them with a long length; a body in two records with padding; a management record. */
static void put_request(struct strbuf *b)
{
    char params[512] = "\x0c\x02"
                       "CONTENT_TYPE"
                       "ab"
                       "\x03\x80\x00\x01\x00"
                       "URI";
    size_t n = 2 + 12 + 2 + 5 + 3;
    memset(params + n, 'u', 256);
    put(b, FCGI_RECORD_BEGIN, ID, begin_responder, 0);
    put(b, FCGI_RECORD_PARAMS, ID, (struct str){params, 20}, 4);
    put(b, 9, 0, STR("management"), 2);
    put(b, FCGI_RECORD_PARAMS, ID, (struct str){params + 20, n + 256 - 20}, 0);
    put(b, FCGI_RECORD_PARAMS, ID, STR(""), 0);
    put(b, FCGI_RECORD_STDIN, ID, STR("Hel"), 5);
    put(b, FCGI_RECORD_STDIN, ID, STR("lo"), 255);
    put(b, FCGI_RECORD_STDIN, ID, STR(""), 0);
}

static void request_arrives_in_pieces_of(size_t piece)
{
    struct fcgi_input in;
    AUTO_STRBUF b;
    strbuf_init(&b, 4096);
    put_request(&b);
    fcgi_input_init(&in, BODY_MAX);
    for (size_t i = 0; i < b.len; i += piece) {
        assert_false(in.body_done);
        size_t n = b.len - i < piece ? b.len - i : piece;
        assert_int_equal(fcgi_input_feed(&in, (struct str){b.s + i, n}, NULL), RC_OK);
    }
    assert_int_equal(in.request_id, ID);
    assert_true(in.params_done && in.body_done);
    assert_string_equal(in.body.s, "Hello");
    assert_string_equal(fcgi_input_param(&in, "CONTENT_TYPE"), "ab");
    assert_int_equal(strlen(fcgi_input_param(&in, "URI")), 256);
    assert_null(fcgi_input_param(&in, "CONTENT"));
    assert_null(fcgi_input_param(&in, "ab"));
    fcgi_input_release(&in);
}

TEST(fcgi_input_takes_a_request_in_pieces_of_any_size)
{
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 100, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        request_arrives_in_pieces_of(sizes[i]);
}

static enum rc feed(const struct strbuf *b)
{
    struct fcgi_input in;
    fcgi_input_init(&in, BODY_MAX);
    enum rc rc = fcgi_input_feed(&in, strbuf_str(b), NULL);
    fcgi_input_release(&in);
    return rc;
}

struct record {
    int type, id;
    const char *content;
    size_t len;
};

static enum rc feed_records(const struct record *r, size_t n)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1024 * 1024);
    for (size_t i = 0; i < n; i++)
        put(&b, r[i].type, r[i].id, (struct str){r[i].content, r[i].len}, 0);
    return feed(&b);
}

#define FEED(...)                                      \
    feed_records((const struct record[]){__VA_ARGS__}, \
        sizeof((const struct record[]){__VA_ARGS__}) / sizeof(struct record))
#define BEGIN                                        \
    {                                                \
        FCGI_RECORD_BEGIN, ID, "\0\1\0\0\0\0\0\0", 8 \
    }
#define NO_PARAMS                     \
    {                                 \
        FCGI_RECORD_PARAMS, ID, "", 0 \
    }
#define PARAMS(s)                                \
    {                                            \
        FCGI_RECORD_PARAMS, ID, s, sizeof(s) - 1 \
    }
#define NO_BODY                      \
    {                                \
        FCGI_RECORD_STDIN, ID, "", 0 \
    }

TEST(fcgi_input_refuses_records_that_may_not_stand_there)
{
    assert_int_equal(FEED(BEGIN, NO_PARAMS, NO_BODY), RC_OK);
    assert_int_equal(FEED(NO_PARAMS), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, BEGIN), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, NO_BODY), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, NO_PARAMS, NO_PARAMS), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, NO_PARAMS, NO_BODY, NO_BODY), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, {FCGI_RECORD_PARAMS, ID + 1, "", 0}), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, {FCGI_RECORD_ABORT, ID, "", 0}), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, {FCGI_RECORD_STDOUT, ID, "x", 1}), RC_BAD_INPUT);
    assert_int_equal(FEED({FCGI_RECORD_BEGIN, ID, "\0\2\0\0\0\0\0\0", 8}), RC_BAD_INPUT); /* a role */
    assert_int_equal(FEED({FCGI_RECORD_BEGIN, ID, "\0\1", 2}), RC_BAD_INPUT);
    assert_int_equal(FEED({FCGI_RECORD_BEGIN, 0, "\0\1\0\0\0\0\0\0", 8}), RC_BAD_INPUT);
}

TEST(fcgi_input_refuses_another_version)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 64);
    strbuf_adds(&b, "GET / HTTP/1.1\r\n\r\n");
    assert_int_equal(feed(&b), RC_BAD_INPUT);
}

TEST(fcgi_input_refuses_malformed_parameters)
{
    assert_int_equal(FEED(BEGIN, PARAMS("\1\1AB"), NO_PARAMS), RC_OK);
    assert_int_equal(FEED(BEGIN, PARAMS("\1"), NO_PARAMS), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, PARAMS("\1\1A"), NO_PARAMS), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, PARAMS("\x80\0\0"), NO_PARAMS), RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN,
                         PARAMS("\xff\xff\xff\xff\xff\xff\xff\xff"
                                "AB"),
                         NO_PARAMS),
        RC_BAD_INPUT);
    assert_int_equal(FEED(BEGIN, PARAMS("\2\1A\0B"), NO_PARAMS), RC_BAD_INPUT); /* a NUL in a name */
}

TEST(fcgi_input_has_caps)
{
    static const char zeros[60000];
    assert_int_equal(FEED(BEGIN, NO_PARAMS, {FCGI_RECORD_STDIN, ID, zeros, BODY_MAX}), RC_OK);
    assert_int_equal(FEED(BEGIN, NO_PARAMS, {FCGI_RECORD_STDIN, ID, zeros, BODY_MAX + 1}), RC_TOO_BIG);
    assert_int_equal(FEED(BEGIN, {FCGI_RECORD_PARAMS, ID, zeros, 60000},
                         {FCGI_RECORD_PARAMS, ID, zeros, 60000}, {FCGI_RECORD_PARAMS, ID, zeros, 60000}),
        RC_TOO_BIG);
}

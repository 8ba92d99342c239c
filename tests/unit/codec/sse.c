#include "unit.h"

#include <stdlib.h>

#include "codec/sse.h"

#define CAP 64

/* Events as text: name|data|id and a line end each, so that one comparison shows all. */
static enum rc note(void *arg, const struct sse_event *ev, struct err *e)
{
    struct strbuf *seen = arg;
    strbuf_addf(seen, "%.*s|%.*s|%.*s;", STR_FMT(ev->name), STR_FMT(ev->data), STR_FMT(ev->id));
    if (str_is(ev->data, "refuse"))
        return err_set(e, RC_UPSTREAM, "refused");
    return RC_OK;
}

/* In pieces of `step` bytes, each in a block of its own so that a read beyond it is seen. */
static enum rc feed(const char *text, size_t len, size_t step, struct strbuf *seen)
{
    AUTO(sse_parser) p = sse_parser_new(CAP, note, seen);
    for (size_t at = 0; at < len; at += step) {
        size_t n = len - at < step ? len - at : step;
        AUTO_FREE char *piece = xstrndup(text + at, n);
        enum rc rc = sse_feed(p, (struct str){piece, n}, NULL);
        if (rc)
            return rc;
    }
    return RC_OK;
}

static void expect(const char *text, const char *events)
{
    for (size_t step = 1; step <= strlen(text); step++) {
        AUTO_STRBUF seen;
        strbuf_init(&seen, 4096);
        assert_int_equal(feed(text, strlen(text), step, &seen), RC_OK);
        assert_string_equal(seen.s, events);
    }
}

TEST(sse_reads_events_cut_anywhere)
{
    expect("data: one\n\ndata: two\n\n", "message|one|;message|two|;");
    expect("event: add\ndata: 73857293\n\n", "add|73857293|;");
    expect("data: cut off by the end", "");
    expect("data: cut off\n", "");
}

TEST(sse_keeps_the_lines_that_are_no_fields)
{
    AUTO_STRBUF seen;
    strbuf_init(&seen, 4096);
    AUTO(sse_parser) p = sse_parser_new(CAP, note, &seen);
    assert_int_equal(
        sse_feed(p, STR(": x\nretry: 1\n\ndata: a\n\n{\n \"error\": 7\n}\nid: 2\n"), NULL), RC_OK);
    assert_string_equal(seen.s, "message|a|;");
    assert_true(str_is(sse_stray(p), "{\n \"error\": 7\n}\n"));
    for (int i = 0; i < CAP; i++)
        assert_int_equal(sse_feed(p, STR("stray\n"), NULL), RC_OK);
    assert_int_equal(sse_stray(p).len, 0); /* too long */
}

TEST(sse_takes_lf_cr_and_crlf)
{
    expect("data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\r\n", "message|a\nb|;message|c|;message|d|;");
    expect("data: a\r\n\rdata: b\n\n", "message|a|;message|b|;");
}

TEST(sse_follows_the_examples_of_the_standard)
{
    expect("data: YHOO\ndata: +2\ndata: 10\n\n", "message|YHOO\n+2\n10|;");
    expect(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
        "message|first event|1;message|second event|;message| third event|;");
    expect("data\n\ndata\ndata\n\ndata:\n", "message||;message|\n|;");
    expect("data:test\n\ndata: test\n\n", "message|test|;message|test|;");
}

TEST(sse_skips_one_leading_byte_order_mark)
{
    expect("\xEF\xBB\xBF"
           "data: a\n\n",
        "message|a|;");
    expect("\xEF\xBB\xBF\xEF\xBB\xBF"
           "data: a\n\n",
        ""); /* the second one belongs to the field's name */
    expect("\xEF\xBB: no mark\ndata: a\n\n", "message|a|;");
    expect("data: \xEF\xBB\xBF\n\n", "message|\xEF\xBB\xBF|;");
}

TEST(sse_ignores_unknown_fields)
{
    expect(":\n: comment\nfoo: bar\nDATA: no\ndata : no\nevent: x\n\ndata: a\n\n", "message|a|;");
}

TEST(sse_keeps_the_last_id_and_resets_the_event_name)
{
    expect("event: e\nid: 7\ndata: a\n\ndata: b\n\n", "e|a|7;message|b|7;");
    expect("id: 8\n\ndata: a\n\n", "message|a|8;");
    expect("event: lost\n\ndata: a\n\n", "message|a|;");
}

TEST(sse_ignores_an_id_with_nul)
{
    AUTO_STRBUF seen;
    strbuf_init(&seen, 256);
    static const char text[] = "id: 1\nid: 2\0x\ndata: a\n\n";
    assert_int_equal(feed(text, sizeof text - 1, 3, &seen), RC_OK);
    assert_string_equal(seen.s, "message|a|1;");
}

TEST(sse_passes_over_retry_and_unknown_fields)
{
    AUTO_STRBUF seen;
    strbuf_init(&seen, 256);
    static const char text[] = "retry: 1500\nretry\ncolour: red\ndata: a\n\n";
    assert_int_equal(feed(text, sizeof text - 1, 3, &seen), RC_OK);
    assert_string_equal(seen.s, "message|a|;");
}

TEST(sse_stops_at_the_cap_of_a_line_and_of_an_event)
{
    char line[CAP + 2];
    memset(line, 'x', sizeof line);
    for (size_t step = 1; step < sizeof line + 1; step++) {
        AUTO_STRBUF seen;
        strbuf_init(&seen, 4096);
        assert_int_equal(feed(line, CAP, step, &seen), RC_OK);
        assert_int_equal(feed(line, CAP + 1, step, &seen), RC_TOO_BIG);
        static const char many[] = "data: 0123456789012345678901234567890123456789\n"
                                   "data: 0123456789012345678901234567890123456789\n\n";
        assert_int_equal(feed(many, sizeof many - 1, step, &seen), RC_TOO_BIG);
        assert_int_equal(seen.len, 0);
    }
}

TEST(sse_stays_failed)
{
    AUTO_STRBUF seen;
    strbuf_init(&seen, 256);
    AUTO(sse_parser) p = sse_parser_new(CAP, note, &seen);
    struct err e = ERR_INIT;
    assert_int_equal(sse_feed(p, STR("data: refuse\n\ndata: b\n\n"), &e), RC_UPSTREAM);
    assert_string_equal(e.text, "refused");
    assert_int_equal(sse_feed(p, STR("data: c\n\n"), NULL), RC_UPSTREAM);
    assert_string_equal(seen.s, "message|refuse|;");
}

TEST(sse_writer_and_parser_agree)
{
    static const struct {
        const char *event, *id, *data, *read;
    } cases[] = {
        {"block", "12", "{\"a\":1}", "block|{\"a\":1}|12;"},
        {NULL, NULL, "", "message||;"},
        {"", "", "a\nb\r\nc\rd", "message|a\nb\nc\nd|;"},
        {"e", NULL, "end\n", "e|end\n|;"},
        {"cut\ndata: x", "1\r2", " lead", "cut| lead|1;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO_STRBUF out, seen;
        strbuf_init(&out, 256);
        strbuf_init(&seen, 256);
        strbuf_addstr(&out, SSE_PING);
        sse_write(&out, cases[i].event, cases[i].id, str_of(cases[i].data));
        assert_int_equal(feed(out.s, out.len, 4, &seen), RC_OK);
        assert_string_equal(seen.s, cases[i].read);
    }
}

TEST(sse_writes_the_fields_in_order)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 256);
    sse_write(&out, "delta", "3", STR("a\nb"));
    assert_string_equal(out.s, "event: delta\nid: 3\ndata: a\ndata: b\n\n");
}

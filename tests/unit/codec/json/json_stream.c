#include "unit.h"

#include "base/strbuf.h"
#include "codec/json/json_stream.h"

struct seen {
    struct strbuf all; /* "value|value!|": ! for too big */
    int stop_at, n;
};

static enum rc note(void *arg, struct str value, bool too_big, struct err *e)
{
    struct seen *s = arg;
    strbuf_addstr(&s->all, value);
    strbuf_adds(&s->all, too_big ? "!|" : "|");
    return ++s->n == s->stop_at ? err_set(e, RC_CANCELLED, "enough") : RC_OK;
}

/* Fed in pieces of `step` bytes. */
static enum rc split_in(struct seen *s, struct str text, size_t cap, size_t step, struct err *e)
{
    AUTO(json_stream) p = json_stream_new(cap, note, s);
    enum rc rc = RC_OK;
    for (size_t at = 0; rc == RC_OK && at < text.len; at += step)
        rc = json_stream_feed(p, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, e);
    return rc == RC_OK ? json_stream_end(p, e) : rc;
}

static void gives(const char *text, size_t cap, const char *want, enum rc rc)
{
    for (size_t step = 1; step <= strlen(text) + 1; step++) {
        struct seen s = {0};
        strbuf_init(&s.all, 4096);
        assert_int_equal(split_in(&s, str_of(text), cap, step, NULL), rc);
        assert_string_equal(s.all.s, want);
        strbuf_release(&s.all);
    }
}

TEST(json_stream_finds_the_elements_of_a_list)
{
    gives("[{\"a\":[1,{}]}, [2] ,\"x,]\",7,true\n]", 100, "{\"a\":[1,{}]}|[2]|\"x,]\"|7|true|", RC_OK);
    gives("[]", 100, "", RC_OK);
    gives(" \n[ ]\t", 100, "", RC_OK);
}

TEST(json_stream_finds_objects_one_after_the_other)
{
    gives("{\"a\":1}\n{\"b\":\"}\"}\r\n\n{}", 100, "{\"a\":1}|{\"b\":\"}\"}|{}|", RC_OK);
    gives("\xEF\xBB\xBF{\"a\":1}", 100, "{\"a\":1}|", RC_OK);
    gives("", 100, "", RC_OK);
}

TEST(json_stream_reads_several_lists_as_one)
{
    gives("[{}][{\"b\":2}]", 100, "{}|{\"b\":2}|", RC_OK);
}

TEST(json_stream_is_not_misled_by_strings)
{
    gives("[{\"a\\\"]}\":\"\\\\\"},{\"b\":\"[{\"}]", 100, "{\"a\\\"]}\":\"\\\\\"}|{\"b\":\"[{\"}|", RC_OK);
}

TEST(json_stream_skips_too_large_values_and_keeps_their_beginning)
{
    gives("[{\"a\":\"xxxxxxxxxx\"},{\"b\":1},123456789]", 8, "{\"a\":\"xx!|{\"b\":1}|12345678!|", RC_OK);
}

TEST(json_stream_reports_invalid_and_truncated_text)
{
    gives("hello", 100, "", RC_BAD_INPUT);
    gives("{\"a\":1}x", 100, "{\"a\":1}|", RC_BAD_INPUT);
    gives("[{\"a\":1}", 100, "{\"a\":1}|", RC_BAD_INPUT);
    gives("[{\"a\":", 100, "", RC_BAD_INPUT);
    gives("[1", 100, "", RC_BAD_INPUT);
    gives("{\"a\":\"", 100, "", RC_BAD_INPUT);
}

TEST(json_stream_stops_where_the_callback_says)
{
    struct seen s = {.stop_at = 2};
    struct err e = ERR_INIT;
    strbuf_init(&s.all, 100);
    assert_int_equal(split_in(&s, STR("[1,2,3]"), 100, 100, &e), RC_CANCELLED);
    assert_string_equal(s.all.s, "1|2|");
    assert_string_equal(e.text, "enough");
    strbuf_release(&s.all);
}

struct places {
    struct json_stream *stream;
    struct json_stream_place at[8];
    size_t n;
};

static enum rc note_place(void *arg, struct str value, bool too_big, struct err *e)
{
    struct places *p = arg;
    (void)e;
    p->at[p->n] = json_stream_place(p->stream);
    assert_int_equal(p->at[p->n].end - p->at[p->n].begin, too_big ? 26 : (int64_t)value.len);
    p->n++;
    return RC_OK;
}

static void feed(struct json_stream *s, struct str text, size_t step)
{
    for (size_t at = 0; at < text.len; at += step)
        assert_int_equal(
            json_stream_feed(s, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL),
            RC_OK);
    assert_int_equal(json_stream_end(s, NULL), RC_OK);
}

/* A stream that begins at an end of the n-th value sees the same rest as the whole one. */
static void goes_on(struct str text, size_t step)
{
    struct places all = {0};
    all.stream = json_stream_new(20, note_place, &all);
    feed(all.stream, text, step);
    json_stream_free(all.stream);
    for (size_t k = 0; k < 2 * all.n; k++) {
        struct places part = {0};
        int64_t from = k % 2 ? all.at[k / 2].end : all.at[k / 2].begin;
        part.stream = json_stream_new(20, note_place, &part);
        json_stream_resume(part.stream, from, all.at[k / 2].in_list);
        assert_int_equal(json_stream_place(part.stream).end, from);
        feed(part.stream, (struct str){text.s + from, text.len - (size_t)from}, step);
        size_t before = (k + 1) / 2;
        assert_int_equal(part.n, all.n - before);
        for (size_t i = 0; i < part.n; i++) {
            assert_int_equal(part.at[i].begin, all.at[before + i].begin);
            assert_int_equal(part.at[i].end, all.at[before + i].end);
        }
        json_stream_free(part.stream);
    }
}

TEST(json_stream_continues_at_either_end_of_a_value)
{
    for (size_t step = 1; step < 30; step++) {
        goes_on(STR("\xEF\xBB\xBF [{\"a\":[1]}, \"x\" ,17,{\"b\":\"xxxxxxxxxxxxxxxxxx\"}] [{}]\n"), step);
        goes_on(STR("{\"a\":1}\n{\"b\":{}}\n\n{}"), step);
    }
}

static enum rc note_line(void *arg, struct str value, bool too_big, struct err *e)
{
    struct strbuf *out = arg;
    (void)e;
    strbuf_addstr(out, value);
    strbuf_adds(out, too_big ? "+|" : "|");
    return RC_OK;
}

static void records_are(struct str text, const char *want)
{
    for (size_t step = 1; step <= text.len; step++) {
        AUTO_STRBUF out;
        strbuf_init(&out, 1000);
        AUTO(json_stream) s = json_stream_new(30, note_line, &out);
        json_stream_records(s);
        for (size_t at = 0; at < text.len; at += step)
            assert_int_equal(
                json_stream_feed(
                    s, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL),
                RC_OK);
        assert_int_equal(json_stream_end(s, NULL), RC_OK);
        assert_string_equal(out.s, want);
    }
}

TEST(json_stream_ends_a_broken_record_where_the_next_begins)
{
    records_are(STR("{\"type\":\"a\"}\n{\"type\":\"b\n{\"type\":\"c\"}\n"),
        "{\"type\":\"a\"}|{\"type\":\"b|{\"type\":\"c\"}|");
    records_are(STR("{\"type\":\"b\",[[{\n{\"type\":\"c\",\"d\":[1]}"),
        "{\"type\":\"b\",[[{|{\"type\":\"c\",\"d\":[1]}|");
    records_are(
        STR("{\"type\":\"b\",]}\nhello\n{\"type\":\"c\"}\n"), "{\"type\":\"b\",]|}|hello|{\"type\":\"c\"}|");
    records_are(STR("[\n{\"type\":\"b\n{\"type\":\"c\"}\n]\n{\"type\":\"d\"}"),
        "{\"type\":\"b|{\"type\":\"c\"}|{\"type\":\"d\"}|");
    records_are(STR("{\"type\":\"a long one that is too big\n{\"type\":\"c\"}\n"),
        "{\"type\":\"a long one that is to+|{\"type\":\"c\"}|");
}

/* The base64 of a value `{"u":"data:image/png;base64,...","t":"a+b"}`, after it went through the stream. */
static size_t data_left(size_t bytes, size_t step)
{
    static const char head[] = "{\"u\":\"data:image/png;base64,", tail[] = "\",\"t\":\";base64 a+b\"}";
    AUTO_STRBUF text, out;
    strbuf_init(&text, (size_t)1 << 20);
    strbuf_init(&out, (size_t)1 << 20);
    strbuf_adds(&text, head);
    for (size_t i = 0; i < bytes; i++)
        strbuf_addc(&text, "aZ9+/="[i % 6]);
    strbuf_adds(&text, tail);
    AUTO(json_stream) s = json_stream_new((size_t)1 << 15, note_line, &out);
    json_stream_without_data(s);
    for (size_t at = 0; at < text.len; at += step)
        assert_int_equal(
            json_stream_feed(s, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL),
            RC_OK);
    assert_int_equal(json_stream_end(s, NULL), RC_OK);
    assert_int_equal(json_stream_place(s).end, text.len);
    assert_true(str_starts(strbuf_str(&out), str_of(head)));
    assert_string_equal(out.s + out.len - strlen(tail) - 1, "\",\"t\":\";base64 a+b\"}|");
    return out.len - strlen(head) - strlen(tail) - 1;
}

struct files {
    struct strbuf all; /* "data|data!|": ! for one that is cut in the value */
};

static void note_file(void *arg, struct str piece, bool cut)
{
    struct files *f = arg;
    strbuf_addstr(&f->all, piece);
    if (piece.len == 0)
        strbuf_adds(&f->all, cut ? "!|" : "|");
}

TEST(json_stream_passes_on_embedded_files_and_numbers_those_that_it_cuts)
{
    AUTO_STRBUF data, text, want_files, want;
    strbuf_init(&data, 20000);
    strbuf_init(&text, 100000);
    strbuf_init(&want_files, 100000);
    strbuf_init(&want, 100000);
    for (size_t i = 0; i < JSON_STREAM_DATA_MAX + 1; i++)
        strbuf_addc(&data, "aZ9+/"[i % 5]);
    strbuf_addf(&text, "[{\"u\":\"x;base64,%s\",\"v\":\";base64,QQ==\",\"w\":\";base64,%s\"},\";base64,%s\"]",
        data.s, data.s, data.s);
    strbuf_addf(&want_files, "%s!|QQ==|%s!|%s!|", data.s, data.s, data.s);
    int keep = (int)JSON_STREAM_DATA_MAX;
    strbuf_addf(&want,
        "{\"u\":\"x;base64,%.*s#0\",\"v\":\";base64,QQ==\",\"w\":\";base64,%.*s#1\"}|\";base64,%.*s#0\"|",
        keep, data.s, keep, data.s, keep, data.s);
    for (size_t step = 1; step < 70000; step = step * 7 + 1) {
        struct seen seen = {0};
        struct files files;
        strbuf_init(&seen.all, 100000);
        strbuf_init(&files.all, 100000);
        AUTO(json_stream) s = json_stream_new(50000, note, &seen);
        json_stream_without_data(s);
        json_stream_data(s, note_file, &files);
        for (size_t at = 0; at < text.len; at += step)
            assert_int_equal(
                json_stream_feed(
                    s, (struct str){text.s + at, text.len - at < step ? text.len - at : step}, NULL),
                RC_OK);
        assert_int_equal(json_stream_end(s, NULL), RC_OK);
        assert_string_equal(seen.all.s, want.s);
        assert_string_equal(files.all.s, want_files.s);
        strbuf_release(&seen.all);
        strbuf_release(&files.all);
    }
}

TEST(json_stream_leaves_out_the_bytes_of_embedded_files)
{
    for (size_t step = 1; step < 70000; step = step * 7 + 1) {
        assert_int_equal(data_left(100, step), 100);
        assert_int_equal(data_left(JSON_STREAM_DATA_MAX, step), JSON_STREAM_DATA_MAX);
        assert_int_equal(data_left(200000, step), JSON_STREAM_DATA_MAX);
    }
}

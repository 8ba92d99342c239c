#include "unit.h"

#include "base/strbuf.h"
#include "codec/multipart.h"

#define TYPE "multipart/form-data; boundary=XX"

struct seen {
    struct strbuf all; /* "name(file)=data;" */
    enum rc refuse;    /* of a file */
};

static enum rc on_part(void *arg, struct str name, struct str filename, struct err *e)
{
    struct seen *s = arg;
    strbuf_addstr(&s->all, name);
    if (filename.s)
        strbuf_addf(&s->all, "(%.*s)", STR_FMT(filename));
    strbuf_addc(&s->all, '=');
    return filename.s && s->refuse ? err_set(e, s->refuse, "no files") : RC_OK;
}

static enum rc on_data(void *arg, struct str piece, struct err *e)
{
    struct seen *s = arg;
    (void)e;
    assert_true(piece.len > 0);
    strbuf_addstr(&s->all, piece);
    return RC_OK;
}

static enum rc on_end(void *arg, struct err *e)
{
    struct seen *s = arg;
    (void)e;
    strbuf_addc(&s->all, ';');
    return RC_OK;
}

static const struct multipart_ops ops = {on_part, on_data, on_end};

static enum rc read_in(struct seen *s, struct str body, size_t step)
{
    AUTO(multipart) m = multipart_new(STR(TYPE), &ops, s);
    enum rc rc = RC_OK;
    assert_non_null(m);
    for (size_t at = 0; rc == RC_OK && at < body.len; at += step)
        rc = multipart_feed(m, (struct str){body.s + at, body.len - at < step ? body.len - at : step}, NULL);
    return rc == RC_OK ? multipart_end(m, NULL) : rc;
}

static void gives(struct str body, const char *want, enum rc rc)
{
    for (size_t step = 1; step <= body.len + 1; step++) {
        struct seen s = {0};
        strbuf_init(&s.all, 100000);
        assert_int_equal(read_in(&s, body, step), rc);
        if (rc == RC_OK)
            assert_string_equal(s.all.s, want);
        strbuf_release(&s.all);
    }
}

#define PART(head, body) "--XX\r\nContent-Disposition: form-data; " head "\r\n\r\n" body "\r\n"

TEST(multipart_reads_fields_and_a_file)
{
    gives(STR(PART("name=\"csrf\"", "token")
                  PART("name=\"file\"; filename=\"a b.json\"\r\nContent-Type: application/json",
                      "[1,\r\n2]") "--XX--\r\n"),
        "csrf=token;file(a b.json)=[1,\r\n2];", RC_OK);
}

TEST(multipart_reads_empty_parts_preamble_and_epilogue)
{
    gives(STR("ignored\r\n" PART("name=a", "")
                  PART("name=\"b\"; filename=\"\"", "x") "--XX-- \r\nignored --XX"),
        "a=;b()=x;", RC_OK);
}

TEST(multipart_keeps_text_that_resembles_a_delimiter)
{
    gives(STR(PART("name=\"a\"", "\r\n--X\r\n-XX\r\n--X") "--XX--"), "a=\r\n--X\r\n-XX\r\n--X;", RC_OK);
}

TEST(multipart_takes_names_with_semicolons_and_any_case)
{
    gives(STR("--XX  \r\ncontent-DISPOSITION:form-data;NAME=\"a;b\" ; filename=\"x;y\"\r\n\r\n1\r\n--XX--"),
        "a;b(x;y)=1;", RC_OK);
}

TEST(multipart_refuses_malformed_forms)
{
    gives(STR(""), "", RC_BAD_INPUT);
    gives(STR("--XX\r\n\r\n\r\nno name\r\n--XX--"), "", RC_BAD_INPUT);
    gives(STR("--XX\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n1\r\n--XX--"), "", RC_BAD_INPUT);
    gives(STR(PART("name=\"a\"", "cut off")), "", RC_BAD_INPUT);
    gives(STR(PART("name=\"a\"", "1") "--XXX--\r\n"), "", RC_BAD_INPUT);
    gives(STR("--XX\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Disposition: form-data; "
              "name=\"b\"\r\n\r\n1\r\n"
              "--XX--"),
        "", RC_BAD_INPUT);
}

TEST(multipart_limits_heads_and_parts)
{
    struct strbuf b;
    strbuf_init(&b, 100000);
    strbuf_adds(&b, "--XX\r\nContent-Disposition: form-data; name=\"a\"\r\nX: ");
    for (int i = 0; i < MULTIPART_HEAD_MAX; i++)
        strbuf_addc(&b, 'x');
    struct seen s = {0};
    strbuf_init(&s.all, 100000);
    assert_int_equal(read_in(&s, strbuf_str(&b), 1000), RC_TOO_BIG);
    strbuf_clear(&b);
    for (int i = 0; i <= MULTIPART_PARTS_MAX; i++)
        strbuf_adds(&b, PART("name=\"a\"", "1"));
    assert_int_equal(read_in(&s, strbuf_str(&b), 1000), RC_TOO_BIG);
    strbuf_release(&s.all);
    strbuf_release(&b);
}

TEST(multipart_stops_where_the_callback_says)
{
    struct seen s = {.refuse = RC_FORBIDDEN};
    strbuf_init(&s.all, 1000);
    assert_int_equal(
        read_in(&s, STR(PART("name=\"f\"; filename=\"x\"", "1") PART("name=\"csrf\"", "late") "--XX--"), 7),
        RC_FORBIDDEN);
    assert_string_equal(s.all.s, "f(x)=");
    strbuf_release(&s.all);
}

TEST(multipart_wants_a_proper_type_and_boundary)
{
    static const char *const bad[] = {"", "text/plain; boundary=x", "multipart/form-data",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\"a b \"",
        "multipart/form-data; boundary=a\"b", "multipart/form-data; boundary=a\tb",
        "multipart/form-data; "
        "boundary=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
    static const char *const good[] = {"multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        "Multipart/Form-Data;charset=utf-8;boundary=\"a b'()+_,-./:=?c\"; x=y"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_null(multipart_new(str_of(bad[i]), &ops, NULL));
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        AUTO(multipart) m = multipart_new(str_of(good[i]), &ops, NULL);
        assert_non_null(m);
    }
}

/* A form with several small files, read in memory. */
#include "unit.h"

#include "base/strbuf.h"
#include "web/http/form_files.h"

#define TYPE       "multipart/form-data; boundary=XX"
#define PART(head) "--XX\r\nContent-Disposition: form-data; " head "\r\n\r\n"

static enum rc on_field(void *arg, struct str name, struct str value, struct err *e)
{
    struct strbuf *seen = arg;
    if (str_is(name, "owner"))
        return err_set(e, RC_FORBIDDEN, "not declared");
    strbuf_addf(seen, "%.*s=%.*s;", STR_FMT(name), STR_FMT(value));
    return RC_OK;
}

static enum rc read_form(struct arena *a, const char *type, const char *body, struct form_files **out)
{
    AUTO_STRBUF seen;
    strbuf_init(&seen, 1000);
    enum rc rc = form_files_read(a, type, str_of(body), on_field, &seen, out, NULL);
    if (rc == RC_OK)
        assert_string_equal(seen.s, "csrf=token;");
    return rc;
}

TEST(fields_and_files_are_told_apart_and_an_empty_control_gives_none)
{
    AUTO(arena) a = arena_new();
    struct form_files *files;
    /* clang-format off */
    static const char body[] =
        PART("name=\"csrf\"") "token\r\n"
        PART("name=\"file\"; filename=\"a%22b%0D%0ac%2Fd.txt\"") "one\r\ntwo\r\n"
        PART("name=\"file\"; filename=\"\"") "\r\n"
        PART("name=\"file\"; filename=\"empty.txt\"") "\r\n"
        "--XX--\r\n";
    /* clang-format on */
    assert_ok(read_form(a, TYPE, body, &files));
    assert_int_equal(files->n, 2);
    assert_true(str_is(files->list[0].name, "a\"b  c%2Fd.txt"));
    assert_true(str_is(files->list[0].bytes, "one\r\ntwo"));
    assert_true(str_is(files->list[1].name, "empty.txt"));
    assert_int_equal(files->list[1].bytes.len, 0);
}

TEST(a_form_that_is_cut_off_or_of_another_type_or_with_a_refused_field_fails)
{
    AUTO(arena) a = arena_new();
    struct form_files *files;
    assert_rc(read_form(a, TYPE, PART("name=\"csrf\"") "token\r\n", &files), RC_BAD_INPUT);
    assert_rc(read_form(a, "application/json", "{}", &files), RC_UNSUPPORTED);
    assert_rc(read_form(a, NULL, "", &files), RC_UNSUPPORTED);
    assert_rc(read_form(a, TYPE, PART("name=\"owner\"") "1\r\n--XX--\r\n", &files), RC_FORBIDDEN);
}

TEST(there_is_a_limit_of_files)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF body;
    struct form_files *files;
    strbuf_init(&body, 64 * 1024);
    for (int i = 0; i <= FORM_FILES_MAX; i++)
        strbuf_adds(&body, PART("name=\"file\"; filename=\"x\"") "x\r\n");
    strbuf_adds(&body, "--XX--\r\n");
    assert_rc(read_form(a, TYPE, body.s, &files), RC_TOO_BIG);
}

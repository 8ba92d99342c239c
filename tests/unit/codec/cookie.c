#include "unit.h"

#include "codec/cookie.h"

#define NAME "__Host-alfred"

static void finds(struct str header, const char *expected)
{
    struct str out;
    assert_int_equal(cookie_get(header, NAME, &out, NULL), RC_OK);
    assert_true(str_is(out, expected));
}

static void answers(struct str header, enum rc rc)
{
    struct str out = STR("before");
    assert_int_equal(cookie_get(header, NAME, &out, NULL), rc);
    assert_true(str_is(out, "before"));
}

TEST(cookie_finds_the_named_one)
{
    finds(STR("__Host-alfred=abc"), "abc");
    finds(STR("a=1; __Host-alfred=x=y+/~; b=2"), "x=y+/~");
    finds(STR("a=1;__Host-alfred=abc;b=2"), "abc");
    finds(STR("\t__Host-alfred=abc \t; b"), "abc");
    finds(STR("__Host-alfred="), "");
}

TEST(cookie_ignores_the_form_of_other_cookies)
{
    finds(STR("junk; =; \"x\"=\"; __Host-alfred=abc; b=\xFF"), "abc");
}

TEST(cookie_is_absent_under_other_names)
{
    answers(STR(""), RC_NOT_FOUND);
    answers((struct str){0}, RC_NOT_FOUND);
    answers(STR("__host-alfred=abc"), RC_NOT_FOUND);
    answers(STR("x__Host-alfred=abc; __Host-alfredx=abc"), RC_NOT_FOUND);
    answers(STR("a=__Host-alfred=abc"), RC_NOT_FOUND);
}

TEST(cookie_refuses_doubles_and_malformed_values)
{
    answers(STR("__Host-alfred=a; __Host-alfred=a"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=; __Host-alfred=a"), RC_BAD_INPUT);
    answers(STR("__Host-alfred; __Host-alfred=a"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=\"abc\""), RC_BAD_INPUT);
    answers(STR("__Host-alfred=a b"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=a,b"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=a\\b"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=a\xC3\xBC"), RC_BAD_INPUT);
    answers(STR("__Host-alfred=a\0b"), RC_BAD_INPUT);
}

TEST(cookie_sets_all_attributes)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 256);
    assert_int_equal(cookie_set_host(&b, NAME, STR("abc"), 3600, NULL), RC_OK);
    assert_string_equal(b.s, "__Host-alfred=abc; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=3600");
    strbuf_clear(&b);
    assert_int_equal(cookie_set_host(&b, NAME, STR(""), -1, NULL), RC_OK);
    assert_string_equal(b.s, "__Host-alfred=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0");
}

TEST(cookie_refuses_values_that_could_split_the_header)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 256);
    assert_int_equal(cookie_set_host(&b, NAME, STR("a; Domain=evil.example"), 1, NULL), RC_INTERNAL);
    assert_int_equal(cookie_set_host(&b, NAME, STR("a\r\nX: y"), 1, NULL), RC_INTERNAL);
    assert_int_equal(cookie_set_host(&b, "__Host-a b", STR("a"), 1, NULL), RC_INTERNAL);
    assert_int_equal(cookie_set_host(&b, "alfred", STR("a"), 1, NULL), RC_INTERNAL);
    assert_int_equal(b.len, 0);
}

#include "unit.h"

#include <stdlib.h>

#include "codec/base64.h"

/* The examples of RFC 4648, section 10, and all bits set. */
static const struct {
    struct str bytes, text;
} known[] = {
    {STR(""), STR("")},
    {STR("f"), STR("Zg==")},
    {STR("fo"), STR("Zm8=")},
    {STR("foo"), STR("Zm9v")},
    {STR("foob"), STR("Zm9vYg==")},
    {STR("fooba"), STR("Zm9vYmE=")},
    {STR("foobar"), STR("Zm9vYmFy")},
    {STR("\xFF\xFF\xFE"), STR("///+")},
    {STR("a\0b"), STR("YQBi")},
};

TEST(bytes_and_text_are_each_other)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        AUTO(arena) a = arena_new();
        assert_true(str_is(base64_of(a, known[i].bytes), known[i].text.s));
        AUTO_STRBUF out;
        strbuf_init(&out, 1 + BASE64_SIZE(known[i].bytes.len));
        strbuf_addc(&out, '>');
        base64_add(&out, known[i].bytes);
        assert_true(str_is(str_from(strbuf_str(&out), 1), known[i].text.s));
        size_t n = 0;
        AUTO_FREE char *back = base64_decode(known[i].text, &n);
        assert_non_null(back);
        assert_int_equal(n, known[i].bytes.len);
        assert_memory_equal(back, known[i].bytes.s, n);
    }
}

TEST(what_is_no_base64_is_refused)
{
    static const char *const bad[] = {"Z", "Zg", "Zg=", "Zg===", "Zm 9v", "Zm9v\n", "Zm-_", "=Zg="};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        size_t n;
        assert_null(base64_decode(str_of(bad[i]), &n));
    }
}

TEST(text_beyond_the_cap_fails_the_buffer)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 3);
    base64_add(&out, STR("foo"));
    assert_true(out.failed);
}

TEST(a_data_url_has_its_base64_after_the_mark)
{
    struct str text = STR("untouched");
    assert_true(base64_of_data_url(STR("data:image/png;base64,Zm9v"), &text));
    assert_true(str_is(text, "Zm9v"));
    assert_true(base64_of_data_url(STR("data:;base64,"), &text));
    assert_true(str_is(text, ""));
    text = STR("untouched");
    assert_false(base64_of_data_url(STR("https://example.org/;base64,Zm9v"), &text));
    assert_false(base64_of_data_url(STR("data:text/plain,Zm9v"), &text));
    assert_true(str_is(text, "untouched"));
}

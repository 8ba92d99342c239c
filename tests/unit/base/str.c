#include "unit.h"

#include "base/mem.h"
#include "base/str.h"

TEST(str_compares_bytes)
{
    assert_true(str_eq(STR("a\0b"), STR("a\0b")));
    assert_false(str_eq(STR("a\0b"), STR("a\0c")));
    assert_false(str_eq(STR("a"), STR("ab")));
    assert_true(str_eq((struct str){0}, STR("")));
    assert_true(str_is(STR("abc"), "abc"));
    assert_false(str_is(STR("abc"), "ab"));
    assert_true(str_is(STR(""), NULL));
}

TEST(str_ignores_case_of_ascii_only)
{
    assert_true(str_eq_nocase(STR("Content-TYPE"), STR("content-type")));
    assert_false(str_eq_nocase(STR("a@"), STR("a`")));
    assert_false(str_eq_nocase(STR("\xC3\x84"), STR("\xC3\xA4")));
    assert_false(str_eq_nocase(STR("a"), STR("ab")));
}

TEST(str_knows_prefixes)
{
    assert_true(str_starts(STR("https://x"), STR("https:")));
    assert_true(str_starts(STR("x"), STR("")));
    assert_true(str_starts((struct str){0}, (struct str){0}));
    assert_false(str_starts(STR("htt"), STR("https:")));
    assert_false(str_starts(STR("HTTPS:"), STR("https:")));
    assert_true(str_starts_nocase(STR("HTTPS:x"), STR("https:")));
}

TEST(str_trims_ascii_white_space)
{
    assert_true(str_is(str_trim(STR(" \t\r\n\v\fa b \n")), "a b"));
    assert_int_equal(str_trim(STR(" \n ")).len, 0);
    assert_int_equal(str_trim((struct str){0}).len, 0);
    assert_int_equal(str_trim(STR("\xC2\xA0")).len, 2);
}

TEST(str_cuts_at_the_separator)
{
    struct str rest = STR("a,,b");
    assert_true(str_is(str_cut(&rest, ','), "a"));
    assert_true(str_is(str_cut(&rest, ','), ""));
    assert_non_null(rest.s);
    assert_true(str_is(str_cut(&rest, ','), "b"));
    assert_null(rest.s);
    rest = STR("a,");
    str_cut(&rest, ',');
    assert_true(rest.s && rest.len == 0); /* an empty part is still to come */
}

static void reads(const char *s, int64_t min, int64_t max, int64_t expected)
{
    int64_t n = 42;
    assert_true(str_to_int(str_of(s), min, max, &n));
    assert_int_equal(n, expected);
}

static void refuses(struct str s, int64_t min, int64_t max)
{
    int64_t n = 42;
    assert_false(str_to_int(s, min, max, &n));
    assert_int_equal(n, 42);
}

TEST(str_reads_integers_in_their_range)
{
    reads("0", 0, 10, 0);
    reads("007", 0, 10, 7);
    reads("-5", -5, 5, -5);
    reads("9223372036854775807", 0, INT64_MAX, INT64_MAX);
    reads("-9223372036854775808", INT64_MIN, 0, INT64_MIN);
}

TEST(str_refuses_text_that_is_no_integer)
{
    refuses(STR(""), INT64_MIN, INT64_MAX);
    refuses(STR("-"), INT64_MIN, INT64_MAX);
    refuses(STR("+1"), INT64_MIN, INT64_MAX);
    refuses(STR(" 1"), INT64_MIN, INT64_MAX);
    refuses(STR("1 "), INT64_MIN, INT64_MAX);
    refuses(STR("1\0"), INT64_MIN, INT64_MAX);
    refuses(STR("0x1"), INT64_MIN, INT64_MAX);
    refuses(STR("-1"), 0, INT64_MAX);
    refuses(STR("11"), 0, 10);
    refuses(STR("4"), 5, 10);
    refuses(STR("9223372036854775808"), INT64_MIN, INT64_MAX);
    refuses(STR("-9223372036854775809"), INT64_MIN, INT64_MAX);
    refuses(STR("99999999999999999999999"), INT64_MIN, INT64_MAX);
}

TEST(str_finds_a_string_in_an_array)
{
    static const char *const list[] = {"one", "Two"};
    assert_true(STR_IN(STR("one"), list));
    assert_true(STR_IN(STR("Two"), list));
    assert_false(STR_IN(STR("two"), list));
    assert_false(STR_IN(STR("on"), list));
    assert_false(STR_IN(STR(""), list));
    assert_true(STR_IN_NOCASE(STR("tWO"), list));
    assert_false(STR_IN_NOCASE(STR("three"), list));
}

/* The first values are those of the published test vectors of FNV-1a. */
TEST(str_hash_is_fnv_1a)
{
    assert_true(str_hash(STR(""), 0) == UINT64_C(0xcbf29ce484222325));
    assert_true(str_hash(STR("a"), 0) == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(str_hash(STR("foobar"), 0) == UINT64_C(0x85944171f73967e8));
    assert_true(str_hash(STR("a"), 1) != str_hash(STR("a"), 0));
    assert_true(str_hash_more(str_hash(STR("foo"), 0), STR("bar")) == str_hash(STR("foobar"), 0));
}

TEST(str_count_counts_a_byte)
{
    assert_int_equal(str_count(STR(""), 'a'), 0);
    assert_int_equal(str_count((struct str){NULL, 0}, 'a'), 0);
    assert_int_equal(str_count(STR("aba"), 'a'), 2);
    assert_int_equal(str_count((struct str){"aaa", 2}, 'a'), 2);
    assert_int_equal(str_count(STR("\n\n"), '\n'), 2);
}

#include "unit.h"

#include "base/mem.h"
#include "base/utf8.h"

#define UML "\xC3\xBC"         /* U+00FC, 2 bytes */
#define EUR "\xE2\x82\xAC"     /* U+20AC, 3 bytes */
#define EMO "\xF0\x9F\x99\x82" /* U+1F642, 4 bytes */

TEST(utf8_accepts_text)
{
    assert_true(utf8_valid_text(STR("")));
    assert_true(utf8_valid_text((struct str){0}));
    assert_true(utf8_valid_text(STR("a" UML EUR EMO "\x7F\n")));
    assert_true(utf8_valid_text(
        STR("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"))); /* the borders of surrogates and the end */
}

TEST(utf8_refuses_everything_else)
{
    static const struct str bad[] = {{"\0", 1}, {"a\0b", 3}, {"\x80", 1}, {"\xBF", 1}, {"\xC0\x80", 2},
        {"\xC1\xBF", 2}, {"\xC3", 1},
        {"\xC3"
         "a",
            2},
        {"\xE0\x80\x80", 3}, {"\xE0\x9F\xBF", 3}, {"\xE2\x82", 2},
        {"\xE2\x82"
         "a",
            3},
        {"\xED\xA0\x80", 3}, {"\xED\xBF\xBF", 3}, {"\xF0\x8F\xBF\xBF", 4}, {"\xF0\x9F\x99", 3},
        {"\xF4\x90\x80\x80", 4}, {"\xF5\x80\x80\x80", 4}, {"\xF8\x88\x80\x80\x80", 5}, {"\xFE", 1},
        {"\xFF", 1}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        assert_false(utf8_valid_text(bad[i]));
}

TEST(utf8_every_code_point_survives)
{
    for (uint32_t cp = 0; cp <= 0x110000; cp++) {
        char bytes[4];
        size_t n = utf8_put(cp, bytes);
        bool none = (cp >= 0xD800 && cp <= 0xDFFF) || cp > 0x10FFFF;
        if (none != (n == 0))
            fail_msg("U+%X", cp);
        if (none)
            continue;
        struct str rest = {bytes, n};
        bool bad = false;
        if (utf8_next(&rest, &bad) != cp || bad || rest.len)
            fail_msg("U+%X", cp);
    }
}

TEST(utf8_goes_one_byte_on_over_bad_bytes)
{
    struct str rest = STR("\xE2\x82"
                          "a");
    bool bad = false;
    assert_int_equal(utf8_next(&rest, &bad), UTF8_REPLACEMENT);
    assert_true(bad);
    assert_int_equal(rest.len, 2);
    assert_int_equal(utf8_next(&rest, NULL), UTF8_REPLACEMENT);
    assert_int_equal(utf8_next(&rest, NULL), 'a');
}

TEST(utf8_counts_as_unicode_and_as_javascript)
{
    assert_int_equal(utf8_count(STR("a" UML EUR EMO)), 4);
    assert_int_equal(utf8_utf16_len(STR("a" UML EUR EMO)), 5);
    assert_int_equal(utf8_utf16_len(STR("")), 0);
    static const char text[] = "0123456789" EMO "abcdefgh" UML "xyz" EUR "0123456789abcdef" EMO EMO;
    for (size_t from = 0; from < 10; from++)
        assert_int_equal(utf8_utf16_len((struct str){text + from, sizeof text - 1 - from}),
            10 - from + 2 + 8 + 1 + 3 + 1 + 16 + 4);
}

TEST(utf8_cuts_between_code_points)
{
    struct str s = STR("a" UML EUR EMO);
    static const size_t bytes[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10};
    for (size_t max = 0; max < ARRAY_LEN(bytes); max++)
        assert_int_equal(utf8_cut_bytes(s, max), bytes[max]);
    static const size_t chars[] = {0, 1, 3, 6, 10, 10};
    for (size_t max = 0; max < ARRAY_LEN(chars); max++)
        assert_int_equal(utf8_cut_chars(s, max), chars[max]);
}

TEST(utf8_tells_characters_from_control_characters)
{
    static const uint32_t controls[] = {0, '\n', 0x1B, 0x1F, 0x7F, 0x80, 0x9F, 0x061C, 0x200E, 0x200F, 0x2028,
        0x2029, 0x202A, 0x202E, 0x2066, 0x2069};
    static const uint32_t characters[] = {
        ' ', '~', 0xA0, 0x061B, 0x061D, 0x200D, 0x2010, 0x2027, 0x202F, 0x2065, 0x206A, 0xFFFD, 0x1F600};
    for (size_t i = 0; i < ARRAY_LEN(controls); i++)
        assert_true(utf8_is_control(controls[i]));
    for (size_t i = 0; i < ARRAY_LEN(characters); i++)
        assert_false(utf8_is_control(characters[i]));
}

TEST(a_label_loses_control_characters_that_affect_the_text_around_it)
{
    char label[] = "a\xE2\x80\xAA"
                   "b\xE2\x80\xAE\xE2\x81\xA9 \xD7\x90\xE2\x80\x8F"
                   "c\xE2\x81\xA6";
    size_t n = utf8_drop_directional(label, sizeof label - 1);
    assert_string_equal(label, "ab \xD7\x90\xE2\x80\x8F"
                               "c");
    assert_int_equal(n, strlen(label));
    char none[] = "";
    assert_int_equal(utf8_drop_directional(none, 0), 0);
}

TEST(utf8_knows_how_much_of_a_code_point_came)
{
    assert_int_equal(utf8_incomplete_tail(STR("")), 0);
    assert_int_equal(utf8_incomplete_tail(STR("a")), 0);
    assert_int_equal(utf8_incomplete_tail(STR("a" EMO)), 0);
    assert_int_equal(utf8_incomplete_tail(STR("a\xC3")), 1);
    assert_int_equal(utf8_incomplete_tail(STR("a\xE2\x82")), 2);
    assert_int_equal(utf8_incomplete_tail(STR("\xF0\x9F\x99")), 3);
    assert_int_equal(utf8_incomplete_tail(STR("a\x99")), 0);
    assert_int_equal(utf8_incomplete_tail(STR("\x82\x82\x82\x82")), 0);
}

TEST(common_beginnings_end_between_code_points)
{
    assert_int_equal(utf8_common_len(STR("abcdefghij"), STR("abcdefghiX")), 9);
    assert_int_equal(utf8_common_len(STR("ab"), STR("abc")), 2);
    assert_int_equal(utf8_common_len(STR(""), STR("abc")), 0);
    assert_int_equal(utf8_common_len(STR("a\xC3\xA4"), STR("a\xC3\xA5")), 1);
    assert_int_equal(utf8_common_len(STR("a\xF0\x9F\x98\x80"), STR("a\xF0\x9F\x98\x81")), 1);
}

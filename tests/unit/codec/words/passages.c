#include "unit.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/words/passages.h"

#define MOST 64

TEST(passages_of_a_short_text_are_the_text)
{
    struct str out[MOST];
    assert_int_equal(passages_of(STR("  one two \n"), 64, MOST, out), 1);
    assert_true(str_is(out[0], "one two"));
    assert_int_equal(passages_of(STR(""), 64, MOST, out), 0);
    assert_int_equal(passages_of(STR(" \n\t "), 64, MOST, out), 0);
    assert_int_equal(passages_of(STR("one"), 64, 0, out), 0);
}

/* Every byte of the text lies in a passage, none is too long, and each is valid UTF-8. */
static size_t check(struct str text, size_t size)
{
    struct str out[MOST];
    size_t n = passages_of(text, size, MOST, out), covered = 0;
    for (size_t i = 0; i < n; i++) {
        size_t from = (size_t)(out[i].s - text.s);
        assert_true((n == 1 || out[i].len > size / 2) && out[i].len <= size);
        assert_true(utf8_valid_text(out[i]));
        assert_true(i == 0 ? from == 0 : from < covered); /* they overlap */
        covered = from + out[i].len;
    }
    assert_int_equal(covered, text.len);
    return n;
}

static struct str repeat(struct arena *a, const char *word, size_t len)
{
    size_t unit = strlen(word), n = len / unit;
    char *text = arena_alloc(a, n * unit + 1);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * unit, word, unit);
    text[n * unit - 1] = 'x';
    return (struct str){text, n * unit};
}

TEST(passages_cover_a_long_text_and_overlap)
{
    static const char *const words[] = {"word ", "a ", "x", "\xC3\xA4", "\xE6\xBC\xA2", "\xF0\x9F\x98\x80",
        "longerthanthelimitofwords\xC3\xA4\xC3\xA4\xC3\xA4 "};
    for (size_t w = 0; w < ARRAY_LEN(words); w++)
        for (size_t len = 100; len < 3000; len += 61) {
            AUTO(arena) a = arena_new();
            struct str text = repeat(a, words[w], len);
            text.len -= utf8_valid_text(text) ? 0 : strlen(words[w]); /* the x has cut a character */
            check(text, 64);
            check(text, 100);
            check(text, 1600);
        }
    AUTO(arena) a = arena_new();
    assert_int_equal(check(repeat(a, "word ", 8000), 1600), 6);
}

TEST(passages_begin_and_end_with_words)
{
    AUTO(arena) a = arena_new();
    struct str out[MOST], text = repeat(a, "lorem ", 4000);
    size_t n = passages_of(text, 500, MOST, out);
    for (size_t i = 0; i < n; i++) {
        assert_memory_equal(out[i].s, "lorem ", 6);
        assert_true(i == n - 1 || memcmp(out[i].s + out[i].len - 5, "lorem", 5) == 0);
    }
}

TEST(passages_that_are_too_few_are_spread_over_the_text)
{
    AUTO(arena) a = arena_new();
    struct str out[MOST], text = repeat(a, "word ", 100000);
    assert_int_equal(passages_of(text, 1000, 8, out), 8);
    assert_ptr_equal(out[0].s, text.s);
    assert_ptr_equal(out[7].s + out[7].len, text.s + text.len);
    for (size_t i = 1; i < 8; i++)
        assert_true(out[i].s > out[i - 1].s + 10000);
    assert_int_equal(passages_of(text, 1000, 1, out), 1);
    assert_ptr_equal(out[0].s, text.s);
}

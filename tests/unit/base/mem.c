#include "unit.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

TEST(arena_memory_is_zeroed_and_aligned)
{
    AUTO(arena) a = arena_new();
    for (size_t n = 0; n < 300; n++) {
        unsigned char *p = arena_alloc(a, n);
        assert_int_equal((uintptr_t)p % alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xAA, n);
    }
}

TEST(arena_pieces_do_not_overlap)
{
    AUTO(arena) a = arena_new();
    static const size_t sizes[] = {1, 100, 5000, 3, 200000, 7, 4096, 65536, 15};
    unsigned char *pieces[ARRAY_LEN(sizes)];
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        pieces[i] = arena_alloc(a, sizes[i]);
        memset(pieces[i], (int)i + 1, sizes[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(pieces[i][k], i + 1);
}

TEST(arena_copies_an_array_with_another_first_element)
{
    AUTO(arena) a = arena_new();
    const int first = 1, rows[] = {2, 3}, *more = arena_with_first(a, &first, rows, 2, sizeof first);
    assert_memory_equal(more, ((const int[]){1, 2, 3}), 3 * sizeof first);
    const int *only = arena_with_first(a, &first, NULL, 0, sizeof first);
    assert_int_equal(*only, 1);
}

TEST(arena_copies_strings)
{
    AUTO(arena) a = arena_new();
    char source[] = "before";
    char *whole = arena_strdup(a, source), *cut = arena_strndup(a, source, 2);
    source[0] = 'X';
    assert_string_equal(whole, "before");
    assert_string_equal(cut, "be");
    assert_null(arena_strdup(a, NULL));
    assert_memory_equal(arena_strndup(a, "a\0b", 3), "a\0b", 4);
    struct str copy = arena_str(a, (struct str){"after", 3}), none = arena_str(a, (struct str){0});
    assert_true(copy.len == 3 && none.len == 0);
    assert_string_equal(copy.s, "aft");
    assert_string_equal(none.s, "");
}

TEST(arena_prints_texts_of_any_length)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(arena_printf(a, "%s-%d", "x", 7), "x-7");
    const char *lots = arena_printf(a, "%0*d", 100000, 1);
    assert_int_equal(strlen(lots), 100000);
}

TEST(arena_typed_helpers_count_in_elements)
{
    AUTO(arena) a = arena_new();
    int64_t *n = ARENA_NEW(a, int64_t), *list = ARENA_ARRAY(a, int64_t, 1000);
    list[999] = *n = 5;
    assert_int_equal(list[998], 0);
    arena_free(NULL);
}

TEST(mem_copies_and_grows)
{
    AUTO_FREE char *s = xstrdup("text"), *cut = xstrndup("text", 2);
    s = xrealloc(s, 1000);
    assert_string_equal(s, "text");
    assert_string_equal(cut, "te");
    AUTO_FREE int *zeros = xcalloc(100, sizeof *zeros);
    assert_int_equal(zeros[99], 0);
    AUTO_FREE void *none = xmalloc(0);
    assert_non_null(none);
}

#include "unit.h"

#include <string.h>

#include "app/turn/seam.h"
#include "base/mem.h"

/* The whole answer, when the new text comes in pieces of `step` bytes. */
static const char *joined(struct arena *a, const char *old, const char *fresh, bool repeats, size_t step)
{
    size_t n = strlen(fresh);
    for (size_t got = step < n ? step : n;; got = got + step < n ? got + step : n) {
        struct seam s = seam_find(str_of(old), (struct str){fresh, got}, repeats, got == n);
        if (s.known)
            return arena_printf(a, "%s%s%s", old, s.needs_blank ? " " : "", fresh + s.skip);
        assert_true(got < n);
    }
}

#define assert_joined(old, fresh, repeats, whole)                                        \
    do {                                                                                 \
        AUTO(arena) room = arena_new();                                                  \
        for (size_t step = 1; step < 40; step += 3)                                      \
            assert_string_equal(joined(room, (old), (fresh), (repeats), step), (whole)); \
    } while (0)

TEST(seam_cuts_the_repeated_words)
{
    assert_joined("The tide rises in the Bay of Fun", "rises in the Bay of Fundy twice.", true,
        "The tide rises in the Bay of Fundy twice.");
    assert_joined("One. Two", "Two three.", true, "One. Two three.");
    assert_joined("Höhe über dem Mee", " über dem Meer.", true, "Höhe über dem Meer.");
}

TEST(seam_keeps_blanks_once)
{
    assert_joined("First.\n\n", "Second.", false, "First.\n\nSecond.");
    assert_joined("First.\n\n", "\n\nSecond.", false, "First.\n\nSecond.");
    assert_joined("First. ", "First. Second.", true, "First. Second.");
    assert_joined("- one\n", "- one\n- two", true, "- one\n- two");
    assert_joined("of the", " sea", false, "of the sea");
    assert_joined("of the", " sea", true, "of the sea");
}

TEST(seam_adds_the_missing_blank_when_words_were_to_be_repeated)
{
    assert_joined("He went to the long", "harbour wall.", true, "He went to the long harbour wall.");
    assert_joined("He went to the har", "bour wall.", false, "He went to the harbour wall.");
    assert_joined("He went", ", and came.", true, "He went, and came.");
    assert_joined("味噌ラー", "メンを食べる", true, "味噌ラーメンを食べる");
}

TEST(seam_cuts_an_answer_that_is_repeated_from_its_beginning)
{
    const char *old = "An answer that a server repeats with all that follows it, as some of them do";
    AUTO(arena) a = arena_new();
    const char *all = arena_printf(a, "%s. The end.", old);
    assert_joined(old, all, false, all);
    assert_joined(old, all, true, all);
}

TEST(seam_takes_an_equal_beginning_for_new_text_when_nothing_was_to_be_repeated)
{
    assert_joined("no, no", "no, never", false, "no, nono, never");
}

TEST(seam_words_begin_at_a_word_of_the_last_line)
{
    AUTO(arena) a = arena_new();
    const char *line = "and a line that is longer than what a model is asked to repeat of it at its end";
    struct str words = seam_last_words(str_of(arena_printf(a, "First.\n%s \n", line)));
    assert_true(words.len <= SEAM_WORDS_BYTES);
    assert_non_null(strstr(line, arena_printf(a, " %.*s", STR_FMT(words))));
    assert_true(words.len > SEAM_WORDS_BYTES / 2);
    words = seam_last_words(STR("First.\nSecond"));
    assert_int_equal(words.len, strlen("Second"));
    words = seam_last_words(STR("味噌ラーメンを食べる味噌ラーメンを食べる味噌ラーメンを食べる"));
    assert_true(words.len > 0 && words.len <= SEAM_WORDS_BYTES && ((unsigned char)words.s[0] & 0xC0) != 0x80);
    assert_int_equal(seam_last_words(STR("")).len, 0);
}

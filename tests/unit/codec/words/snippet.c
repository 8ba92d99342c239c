#include "unit.h"

#include "base/strbuf.h"
#include "base/utf8.h"
#include "codec/words/snippet.h"

/* "... [hit] ..." with a mark at a cut end. */
static void check(const char *text, const char *words, size_t bytes, const char *want)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF out;
    strbuf_init(&out, 65536);
    struct bag b = bag_of(a, str_of(words));
    struct snippet s = snippet_of(a, str_of(text), &b, bytes);
    strbuf_adds(&out, s.cut_head ? "…" : "");
    for (size_t i = 0; i < s.n; i++)
        strbuf_addf(&out, s.pieces[i].hit ? "[%.*s]" : "%.*s", STR_FMT(s.pieces[i].text));
    strbuf_adds(&out, s.cut_end ? "…" : "");
    assert_string_equal(out.s, want);
    assert_true(utf8_valid_text(strbuf_str(&out)));
}

TEST(snippet_marks_words_by_their_stem)
{
    check("Two cats, one Cat & a category", "cat", 200, "Two [cats], one [Cat] & a category");
    check("nothing here", "cat", 200, "nothing here");
    check("", "cat", 200, "");
    check("cat", "cat", 200, "[cat]");
}

TEST(snippet_marks_similar_words_when_the_exact_word_is_missing)
{
    check("Die Haftpflichtversicherung wurde gekündigt", "Versicherung", 200,
        "Die [Haftpflichtversicherung] wurde gekündigt");
    check("the flower pot and the flow", "flowr pot", 200, "the flower [pot] and the flow");
    check("the flower and the migrations", "flwoer migraton", 200, "the [flower] and the [migrations]");
    check("a carpet in the category", "car cat", 200, "a carpet in the category");
    check("an insurance", "assurances", 200, "an insurance");
}

TEST(snippet_marks_parts_of_words_of_scripts_without_blanks)
{
    check("昨日は味噌ラーメンを食べた", "味噌", 200, "昨日は[味噌]ラーメンを食べた");
    check("昨日は味噌ラーメンを食べた", "味噌ラーメン", 200, "昨日は[味噌ラーメン]を食べた");
    check("小さい犬がいる", "犬", 200, "小さい[犬]がいる");
    check("저는 부산에서 왔어요", "부산", 200, "저는 [부산]에서 왔어요");
}

TEST(snippet_marks_the_whole_run_of_characters_rather_than_its_parts)
{
    check("วันนี้อากาศดีมากและฉันอยากกินราเม็ง", "อยาก", 200, "วันนี้อากาศดีมากและฉัน[อยาก]กินราเม็ง");
    check("京都から東京都へ", "東京都", 200, "京都から[東京都]へ");
    check("京都から東京都へ、味噌", "東京都 味噌", 200, "京都から[東京都]へ、[味噌]");
    check("京都へ、味噌ラーメン", "東京都 味噌", 200, "[京都]へ、[味噌]ラーメン");
    check("京都へ", "東京都", 200, "[京都]へ");
}

TEST(snippet_is_the_window_with_most_different_words)
{
    char text[4096] = "";
    for (int i = 0; i < 40; i++)
        strcat(text, "violin words and other words ");
    strcat(text, "violin in the garden ");
    for (int i = 0; i < 40; i++)
        strcat(text, "nothing of interest here ");
    AUTO(arena) a = arena_new();
    struct bag b = bag_of(a, STR("violin garden"));
    struct snippet s = snippet_of(a, str_of(text), &b, 200);
    assert_true(s.cut_head && s.cut_end && s.whole.len <= 210);
    assert_non_null(memmem(s.whole.s, s.whole.len, "garden", 6));
}

TEST(snippet_never_cuts_a_character)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF text;
    strbuf_init(&text, 65536);
    for (int i = 0; i < 300; i++)
        strbuf_adds(&text, "\xE2\x82\xAC\xF0\x9F\x98\x80");
    struct bag b = bag_of(a, STR("cat"));
    for (size_t bytes = 0; bytes < 140; bytes++) {
        struct snippet s = snippet_of(a, strbuf_str(&text), &b, bytes);
        assert_true(utf8_valid_text(s.whole));
    }
}

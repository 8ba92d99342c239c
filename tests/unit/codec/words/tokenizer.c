#include "unit.h"

#include <stdio.h>

#include "codec/words/tokenizer.h"

static void check(const char *text, const char *words, const char *stems)
{
    char w[1024] = "", s[1024] = "";
    struct str rest = str_of(text);
    struct term t;
    while (term_next(&rest, &t)) {
        strcat(strcat(w, *w ? " " : ""), t.word);
        strcat(strcat(s, *s ? " " : ""), t.stem);
        assert_true(t.source.s >= text && t.source.s + t.source.len <= text + strlen(text));
    }
    assert_string_equal(w, words);
    assert_string_equal(s, stems);
}

TEST(terms_are_folded_words_between_borders)
{
    check("Hello, World! x2 (foo_bar)", "hello world x2 foo bar", "hello world x2 foo bar");
    check("Crème Brûlée \xC3\x84rger e\xCC\x81t\xC3\xA9", "creme brulee arger ete", "crem brule arger ete");
    check("\xC3\x98re \xC3\x9F \xC5\x81\xC3\xB3"
          "d\xC5\xBA",
        "\xC3\xB8re ss \xC5\x82odz", "\xC3\xB8r ss \xC5\x82odz");
    check("Straße STRAẞE Strasse", "strasse strasse strasse", "strass strass strass");
    check("\xD0\x9C\xD0\x9E\xD0\xA1 \xCE\x91\xCE\xB2", "\xD0\xBC\xD0\xBE\xD1\x81 \xCE\xB1\xCE\xB2",
        "\xD0\xBC\xD0\xBE\xD1\x81 \xCE\xB1\xCE\xB2");
    check("a\xE2\x80\x94"
          "b \xF0\x9F\x98\x80 c",
        "a b c", "a b c");
    check("", "", "");
    check("\xFF\xC3(ok\x80", "ok", "ok");
}

static void matches(const char *words, enum term_match match, const char *expected)
{
    AUTO_STRBUF q;
    strbuf_init(&q, TERM_MATCH_MAX(strlen(words)));
    term_add_match(&q, words, match);
    assert_false(q.failed);
    assert_string_equal(q.s, expected);
}

TEST(a_query_has_both_spellings_of_sharp_s)
{
    matches("tree", MATCH_BEGINNING, "\"tree\"*");
    matches("strasse", MATCH_WORD, "(\"strasse\" OR \"straße\")");
    matches("grosse strasse", MATCH_BEGINNING,
        "(\"grosse strasse\"* OR \"große strasse\"* OR \"grosse straße\"* OR \"große straße\"*)");
    matches("sss ss ss ss", MATCH_WORD,
        "(\"sss ss ss ss\" OR \"ßs ss ss ss\" OR \"sss ß ss ss\" OR \"ßs ß ss ss\" OR "
        "\"sss ss ß ss\" OR \"ßs ss ß ss\" OR \"sss ß ß ss\" OR \"ßs ß ß ss\")");
}

TEST(a_bag_has_the_stem_that_vectors_are_made_of)
{
    struct arena *a = arena_new();
    struct bag b = bag_of(a, STR("Straße STRASSE Weg"));
    assert_int_equal(b.n, 2);
    assert_string_equal(b.words[0].stem, "strass");
    assert_string_equal(b.words[0].written, "straß");
    arena_free(a);
}

TEST(terms_of_scripts_without_blanks_are_pairs)
{
    check("味噌ラーメンを食べた。", "味噌 噌ラ ラー ーメ メン ンを を食 食べ べた",
        "味噌 噌ラ ラー ーメ メン ンを を食 食べ べた");
    check("Tokyo東京 2026年", "tokyo 東京 2026 年", "tokyo 東京 2026 年");
    check("부산에서", "부산 산에 에서", "부산 산에 에서");
    check("ไทย", "ไท ทย", "ไท ทย");
    check("犬、猫", "犬 猫", "犬 猫");
    check("犬\xFF", "犬", "犬");
    assert_true(term_is_pair("犬") && term_is_pair("味噌") && !term_is_pair("dog") && !term_is_pair(""));
    assert_true(term_is_in("味", "味噌") && term_is_in("噌", "味噌") && !term_is_in("味噌", "味") &&
                !term_is_in("a", "ab"));
}

TEST(pairs_have_names_of_ascii)
{
    AUTO_STRBUF names;
    strbuf_init(&names, 1000);
    term_add_pairs(&names, STR("a 味噌汁 b 犬 𠮷野"));
    assert_string_equal(names.s, "u5473u564c u564cu6c41 u6c41 u72ac u20bb7u91ce u91ce");
    matches("味噌", MATCH_WORD, "\"u5473u564c\"");
    matches("犬", MATCH_WORD, "\"u72ac\"*"); /* it begins pairs, too */
}

TEST(terms_of_one_stem_meet)
{
    check("walk walks walked walking", "walk walks walked walking", "walk walk walk walk");
    check("running planned cities city glass bus", "running planned cities city glass bus",
        "run plan city city glass bus");
    check("make makes making sing red king", "make makes making sing red king", "mak mak mak sing red king");
}

TEST(terms_that_are_long_come_in_parts)
{
    char text[200];
    memset(text, 'x', sizeof text);
    struct str rest = {text, sizeof text};
    struct term t;
    size_t n = 0, bytes = 0;
    for (; term_next(&rest, &t); n++)
        bytes += t.source.len;
    assert_int_equal(n, 4);
    assert_int_equal(bytes, sizeof text);
}

TEST(stop_words_are_known)
{
    assert_true(term_is_stop("the") && term_is_stop("a") && term_is_stop("yourselves"));
    assert_false(term_is_stop("thermos") || term_is_stop(""));
}

TEST(bag_counts_stems_without_stop_words)
{
    AUTO(arena) a = arena_new();
    struct bag b = bag_of(a, STR("The cat and the cats like a dog"));
    assert_int_equal(b.total, 4);
    assert_int_equal(b.n, 3);
    assert_int_equal(bag_find(&b, "cat")->count, 2);
    assert_string_equal(b.words[0].word, "cat");
    assert_null(bag_find(&b, "the"));
    assert_int_equal(bag_of(a, STR("what is it")).n, 0);
    assert_int_equal(bag_of_all(a, STR("what is it")).n, 3);
}

TEST(bag_grows_past_its_first_table)
{
    AUTO(arena) a = arena_new();
    char *text = arena_alloc(a, 64 * 1024);
    size_t n = 0;
    for (int i = 0; i < 5000; i++)
        n += (size_t)sprintf(text + n, "w%d ", i);
    struct bag b = bag_of(a, (struct str){text, n});
    assert_int_equal(b.n, 5000);
    assert_non_null(bag_find(&b, "w4999"));
}

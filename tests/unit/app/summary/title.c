#include "unit.h"

#include "app/summary/title.h"
#include "base/utf8.h"

static void expect(void (*make)(struct str, struct strbuf *), const char *from, const char *title)
{
    AUTO_STRBUF b;
    strbuf_init(&b, TITLE_BYTES_MAX);
    make(str_of(from), &b);
    assert_false(b.failed);
    assert_string_equal(b.s, title);
}

TEST(a_models_title_loses_quotes_marks_and_the_final_stop)
{
    expect(title_clean, "\"Baking sourdough bread.\"\n", "Baking sourdough bread");
    expect(title_clean, "\n\n# **Trip to Lisbon**\nBecause you asked", "Trip to Lisbon");
    expect(title_clean, "  \n ", "");
}

TEST(directional_characters_are_removed_from_a_title)
{
    expect(title_clean,
        "a\tb\x1B[31mc\xE2\x80\xAE"
        "d\x7F e\xC2\x85",
        "a b [31mc d e");
    expect(title_by_rule, "\xE2\x80\xAE\x01", "");
    expect(title_by_rule, "tab\tand \xE2\x81\xA6hidden\xE2\x81\xA9", "tab and hidden");
}

TEST(a_long_title_is_cut_at_a_word)
{
    expect(title_clean, "one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
        "one two three four five six seven eight nine ten eleven\xE2\x80\xA6");
}

TEST(a_word_without_end_is_cut_at_a_character)
{
    AUTO_STRBUF b, out;
    strbuf_init(&b, 10000);
    strbuf_init(&out, TITLE_BYTES_MAX);
    for (int i = 0; i < 200; i++)
        strbuf_adds(&b, "\xF0\x9F\x98\x80");
    title_by_rule(strbuf_str(&b), &out);
    assert_false(out.failed);
    assert_true(utf8_valid_text(strbuf_str(&out)));
    assert_int_equal(utf8_count(strbuf_str(&out)), TITLE_CHARS_MAX + 1);
}

TEST(by_rule_the_title_is_the_first_sentence)
{
    expect(title_by_rule, "What is the best way to learn C? I know Python already.",
        "What is the best way to learn C?");
    expect(title_by_rule, "\n\n- buy milk\n- buy bread", "buy milk");
    expect(title_by_rule, "Ask Mrs. Okafor for the spare key. Then call me.",
        "Ask Mrs. Okafor for the spare key");
    expect(title_by_rule, "The spare key is with Mrs. Okafor. I forget it.",
        "The spare key is with Mrs. Okafor");
    expect(title_by_rule, "Wir treffen uns am 3. Mai in Porto! Wer kommt?",
        "Wir treffen uns am 3. Mai in Porto");
    expect(title_by_rule, "***", "***");
}

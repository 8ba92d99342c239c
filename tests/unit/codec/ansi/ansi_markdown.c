#include "unit.h"

#include <locale.h>

#include "codec/ansi/ansi_markdown.h"
#include "codec/ansi/terminal_text.h"

#define OUT_MAX 65536

static void renders(const char *text, size_t columns, bool styled, const char *expected)
{
    AUTO_STRBUF out;
    setlocale(LC_CTYPE, "C.UTF-8");
    strbuf_init(&out, OUT_MAX);
    ansi_markdown(str_of(text), (struct ansi_look){columns, styled}, &out);
    assert_string_equal(out.s, expected);
}

static void plain(const char *text, const char *expected)
{
    renders(text, 40, false, expected);
}

TEST(ansi_paragraphs_are_wrapped_at_words)
{
    renders("one two three four\nfive", 10, false, "one two\nthree four\nfive\n");
    renders("a abcdefghijklmnop b", 10, false, "a\nabcdefghij\nklmnop b\n");
    renders("hard  \nbreak", 40, false, "hard\nbreak\n");
}

TEST(ansi_wide_characters_count_two_columns)
{
    renders("日本語日本語", 8, false, "日本語日\n本語\n");
    renders("e\u0301e\u0301e\u0301 x", 8, false, "e\u0301e\u0301e\u0301 x\n");
}

TEST(ansi_blocks_are_separated)
{
    plain("# Title\nText\n\n---\nMore",
        "# Title\n\nText\n\n────────────────────────────────────────\n\nMore\n");
}

TEST(ansi_lists_have_markers_and_hanging_lines)
{
    plain("Before:\n- one\n- two\n  - deep\n- three\n\nAfter",
        "Before:\n\n• one\n• two\n  ◦ deep\n• three\n\nAfter\n");
    renders("1. alpha beta gamma\n2. b", 12, false, "1. alpha\n   beta\n   gamma\n2. b\n");
    plain("- [ ] open\n- [x] done", "☐ open\n☑ done\n");
    plain("- a\n\n- b", "• a\n\n• b\n");
    plain("-\n- b", "•\n• b\n");
}

TEST(ansi_code_keeps_its_spaces)
{
    plain("```c\nif (x)\n    y;\n\nz\n```\nAfter", "    c\n    if (x)\n        y;\n\n    z\n\nAfter\n");
    renders("```\n0123456789abc\n```", 14, false, "    0123456789\n    abc\n");
}

TEST(ansi_quotations_have_a_bar)
{
    plain("> one\n>\n> - two", "│ one\n│\n│ • two\n");
}

TEST(ansi_tables_are_aligned)
{
    plain("| a | bb |\n|--:|:--|\n| 100 | x |\n| 2 | `y` |", "  a │ bb\n────┼────\n100 │ x\n  2 │ `y`\n");
    plain("| a |\n|---|\n| `b \\| c` |", "a\n───────\n`b | c`\n");
    renders("| name | text |\n|---|---|\n| n | one two three four |", 20, false,
        "name │ text\n─────┼──────────────\nn    │ one two three\n     │ four\n");
    renders("| a | b | c | d |\n|---|---|---|---|\n| 1 | 2 | 3 | 4 |", 12, false, "a: 1\nb: 2\nc: 3\nd: 4\n");
}

TEST(ansi_links_show_their_address_once)
{
    plain("[text](https://a.b/c)", "text (https://a.b/c)\n");
    plain("https://a.b/c", "https://a.b/c\n");
    plain("<me@a.b>", "me@a.b\n");
    plain("![alt](https://a.b)", "alt (https://a.b)\n");
}

TEST(ansi_styles_end_on_their_line)
{
    renders("**bold** *it* `co`", 40, true, "\x1b[0;1mbold\x1b[0m \x1b[0;3mit\x1b[0m \x1b[0;36mco\x1b[0m\n");
    renders("**aa bb**", 8, true, "\x1b[0;1maa bb\x1b[0m\n");
    renders("**aaaa bbbbbb**", 8, true, "\x1b[0;1maaaa\x1b[0m\n\x1b[0;1mbbbbbb\x1b[0m\n");
}

TEST(ansi_formulas_are_readable)
{
    plain("It is $\\frac{a_1}{b^2} \\leq \\sqrt{x+1}$.", "It is a₁/b² ≤ √(x+1).\n");
    plain("$$\na &= b \\\\\nc &= d\n$$", "a = b\nc = d\n");
    plain("costs $5 and $10", "costs $5 and $10\n");
}

TEST(ansi_control_characters_are_removed)
{
    plain("a\x1b[31mb\x07 `\x1b]0;t\x07`\xc2\x9b"
          "2J",
        "a[31mb `]0;t`2J\n");
    plain("```\n\x1b[2J\r\nx\n```", "    [2J\n    x\n");
    plain("```\x1b[1m\nx\n```", "    [1m\n    x\n");
    plain("\x01\xff", "\uFFFD\n");
    plain("\u202Eabc", "abc\n");
}

TEST(ansi_entities_are_characters)
{
    plain("&lt;b&gt; &amp; &nbsp;x &unknown;", "<b> & \u00A0x &unknown;\n");
    plain("a&#9;b&#10;c &#27;[31m", "a b c [31m\n");
    plain("caf&eacute; &le; 5&deg;", "café ≤ 5°\n");
    plain("&#123;&#x1F600;&#0; &#27;[2J", "{\U0001F600\uFFFD [2J\n");
}

TEST(ansi_line_breaks_of_html_break_the_line)
{
    plain("one<br>two<BR />three `a<br>b`", "one\ntwo\nthree `a<br>b`\n");
    plain(
        "H<sub>2</sub>O 1<sup>st</sup> <kbd>Tab</kbd>[^2] `<sub>1</sub>`", "H₂O 1ˢᵗ Tab[2] `<sub>1</sub>`\n");
    plain("| a | b |\n|---|---|\n| one<br>two | x |", "a   │ b\n────┼──\none │ x\ntwo │ \n");
}

TEST(ansi_costly_text_is_shown_as_it_is)
{
    AUTO_STRBUF text, out;
    setlocale(LC_CTYPE, "C.UTF-8");
    strbuf_init(&text, 1 << 20);
    strbuf_init(&out, 1 << 22);
    for (int i = 0; i < 30000; i++)
        strbuf_adds(&text, "a@b.c ");
    ansi_markdown(strbuf_str(&text), (struct ansi_look){60, false}, &out);
    assert_true(str_starts(strbuf_str(&out), STR("a@b.c a@b.c ")));
}

TEST(terminal_line_is_cut_at_its_columns)
{
    AUTO_STRBUF out;
    setlocale(LC_CTYPE, "C.UTF-8");
    strbuf_init(&out, 100);
    terminal_text_add_line(&out, STR("  one\n\x1b two\tthree"), 9);
    assert_string_equal(out.s, "one two…");
    strbuf_clear(&out);
    terminal_text_add_line(&out, STR("one two"), 7);
    assert_string_equal(out.s, "one two");
    assert_int_equal(terminal_cut(STR("日本語"), 5), 6);
}

/* Markdown as Telegram's HTML, in pieces. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "telegram_check.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "channel/telegram/telegram.h"
#include "channel/telegram/telegram_private.h"

static struct channel_piece *render(struct arena *a, struct str markdown, size_t *n)
{
    struct channel_piece *out;
    telegram_render(a, markdown, &out, n);
    return out;
}

static void assert_markup(const char *markdown, const char *expected)
{
    AUTO(arena) a = arena_new();
    size_t n;
    struct channel_piece *p = render(a, str_of(markdown), &n);
    assert_int_equal(n, 1);
    assert_string_equal(p[0].markup.s, expected);
}

static void assert_plain(const char *markdown, const char *expected)
{
    AUTO(arena) a = arena_new();
    size_t n;
    struct channel_piece *p = render(a, str_of(markdown), &n);
    assert_int_equal(n, 1);
    assert_string_equal(p[0].plain.s, expected);
}

TEST(inline_styles_become_tags)
{
    assert_markup("**b** *i* ~~s~~ `c`", "<b>b</b> <i>i</i> <s>s</s> <code>c</code>");
    assert_markup("***both*** **b*bi*b**", "<b><i>both</i></b> <b>b<i>bi</i>b</b>");
    assert_markup("**bold `code` bold**", "<b>bold </b><code>code</code><b> bold</b>");
    assert_markup("`a  b`", "<code>a  b</code>");
    assert_markup("**H<sub>2</sub>O** 1<sup>st</sup> <kbd>Tab</kbd>[^2]", "<b>H₂O</b> 1ˢᵗ Tab[2]");
}

TEST(signs_of_html_are_escaped)
{
    assert_markup("1 < 2 && \"x\" > y", "1 &lt; 2 &amp;&amp; &quot;x&quot; &gt; y");
    assert_markup("`<b>`", "<code>&lt;b&gt;</code>");
    assert_markup("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
    assert_markup("&copy; &amp;lt; &#228; &nosuch;", "© &amp;lt; ä &amp;nosuch;");
}

TEST(links_keep_https_addresses_only)
{
    assert_markup("[A](https://a.example/?x=1&y=2)", "<a href=\"https://a.example/?x=1&amp;y=2\">A</a>");
    assert_markup("[A](http://a.example) [B](javascript:alert(1)) [C](/s/1)", "A B C");
    assert_markup("[A](https://a.example/1)[B](https://a.example/2)",
        "<a href=\"https://a.example/1\">A</a><a href=\"https://a.example/2\">B</a>");
    assert_markup("[Mail](mailto:a@b.example)", "Mail (a@b.example)");
    assert_markup("- a@b.example", "• a@b.example");
    assert_markup(
        "![A picture](https://a.example/p.png)", "<a href=\"https://a.example/p.png\">A picture</a>");
    assert_plain("[A](https://a.example/)", "A (https://a.example/)");
    assert_plain("<https://a.example/>", "https://a.example/");
}

TEST(blocks_are_separated_by_one_blank_line)
{
    assert_markup("# Title\n\nOne\ntwo  \nthree\n\n\n\nFour\n\n---\n\nFive",
        "<b>Title</b>\n\nOne\ntwo\nthree\n\nFour\n\n———\n\nFive");
    assert_markup(
        "> a\n>\n> b\n\n> c\n\nd", "<blockquote>a\n\nb</blockquote>\n\n<blockquote>c</blockquote>\n\nd");
    assert_markup("> a\n\nx\n\n> c", "<blockquote>a</blockquote>\n\nx\n\n<blockquote>c</blockquote>");
    assert_markup("> a\n> > b", "<blockquote>a\n\nb</blockquote>");
}

TEST(lists_have_markers_and_indentation)
{
    assert_markup("Intro\n\n- a\n- b\n  1. c\n  2. d\n     - e\n- f\n\nEnd",
        "Intro\n\n• a\n• b\n  1. c\n  2. d\n    ▪ e\n• f\n\nEnd");
    assert_markup("7. a\n8. **b**", "7. a\n8. <b>b</b>");
    assert_markup("- a\n\n  more\n- b", "• a\n  more\n• b");
    assert_markup("- [ ] open\n- [x] done", "☐ open\n☑ done");
    assert_markup("-\n- b", "•\n• b");
}

TEST(code_keeps_its_language_and_white_space)
{
    assert_markup("```python\nif x:\n    y < 1\n\n    z\n```",
        "<pre><code class=\"language-python\">if x:\n    y &lt; 1\n\n    z</code></pre>");
    assert_markup("a\n\n    indented\n\nb", "a\n\n<pre>indented</pre>\n\nb");
    assert_markup("1. Run\n   ```sh\n   make\n   ```\n2. Wait",
        "1. Run\n<pre><code class=\"language-sh\">make</code></pre>\n2. Wait");
    assert_markup("> ```\n> x\n> ```", "<blockquote><pre>x</pre></blockquote>");
    assert_markup("```\na\n```\n```\nb\n```", "<pre>a</pre>\n\n<pre>b</pre>");
}

TEST(a_narrow_table_is_aligned_text)
{
    assert_markup("| Place | Height |\n|---|--:|\n| **Zugspitze** | 2962 |\n| Brocken | 1141 |",
        "<pre>Place      Height\n---------  ------\nZugspitze    2962\nBrocken      1141</pre>");
    assert_markup("| 名 | x |\n|---|---|\n| a | b |", "<pre>名  x\n--  -\na   b</pre>");
    assert_markup("| e\u0300 | x |\n|---|---|\n| ab | c |", "<pre>e\u0300   x\n--  -\nab  c</pre>");
}

TEST(a_wide_table_is_lines)
{
    assert_markup("| Name | What it is for | Price |\n|---|---|---|\n"
                  "| Hammer | Drives nails into the wood of walls | 12 |\n| Saw | *Cuts* | |",
        "<b>Hammer</b>\nWhat it is for: Drives nails into the wood of walls\nPrice: 12\n\n"
        "<b>Saw</b>\nWhat it is for: <i>Cuts</i>");
    assert_markup("| Site | Link |\n|---|---|\n| A | [here](https://a.example) |",
        "<b>A</b>: <a href=\"https://a.example\">here</a>");
}

TEST(formulas_are_readable_text)
{
    assert_markup("So $a^2 + b^2 = c^2$ holds.", "So a² + b² = c² holds.");
    assert_markup("$$\\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$", "(-b ± √(b² - 4ac))/2a");
    assert_markup("\\(\\alpha \\le \\beta \\times 3\\)", "α ≤ β × 3");
    assert_markup("It costs $5 and $10.", "It costs $5 and $10.");
}

TEST(a_blank_text_has_no_piece)
{
    static const char *const blank[] = {"", " \n\t ", "\xc2\xa0", "&nbsp;", "[](https://a.example)"};
    for (size_t i = 0; i < ARRAY_LEN(blank); i++) {
        AUTO(arena) a = arena_new();
        size_t n;
        render(a, str_of(blank[i]), &n);
        assert_int_equal(n, 0);
    }
}

/* ---- pieces ---- */

static void repeat(struct strbuf *out, const char *s, size_t times)
{
    while (times--)
        strbuf_adds(out, s);
}

TEST(pieces_are_cut_between_paragraphs)
{
    AUTO_STRBUF b;
    AUTO(arena) a = arena_new();
    strbuf_init(&b, 1 << 20);
    repeat(&b, "Some words of a sentence. And another one.\n\n", 200);
    size_t n;
    struct channel_piece *p = render(a, strbuf_str(&b), &n);
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_true(str_starts(p[i].markup, STR("Some words")));
        assert_string_equal(p[i].markup.s + p[i].markup.len - strlen("one."), "one.");
    }
    check_pieces(strbuf_str(&b), p, n);
}

TEST(code_is_closed_and_opened_again_with_its_language)
{
    AUTO_STRBUF b;
    AUTO(arena) a = arena_new();
    strbuf_init(&b, 1 << 20);
    strbuf_adds(&b, "> **Before**\n\n```c\n");
    repeat(&b, "    int x = 1;\n", 600);
    strbuf_adds(&b, "```\nAfter");
    size_t n;
    struct channel_piece *p = render(a, strbuf_str(&b), &n);
    assert_int_equal(n, 3);
    for (size_t i = 1; i < n; i++)
        assert_true(str_starts(p[i].markup, STR("<pre><code class=\"language-c\">    int x = 1;\n")));
    assert_non_null(strstr(p[0].markup.s, "1;</code></pre>"));
    check_pieces(strbuf_str(&b), p, n);
}

TEST(a_long_word_is_cut_between_characters)
{
    static const char *const units[] = {"x", "ä", "😀", "👩‍👩‍👧", "e\xcc\x80", "e\xcc\x81"};
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        AUTO_STRBUF b;
        AUTO(arena) a = arena_new();
        strbuf_init(&b, 1 << 20);
        strbuf_adds(&b, "x"); /* so that no limit is a multiple of a character by chance */
        repeat(&b, units[i], 5000);
        size_t n;
        struct channel_piece *p = render(a, strbuf_str(&b), &n);
        assert_true(n >= 2);
        check_pieces(strbuf_str(&b), p, n);
        for (size_t k = 0; k < n; k++) /* whole characters, also those of several code points */
            assert_int_equal((p[k].plain.len - (k == 0)) % strlen(units[i]), 0);
    }
}

TEST(a_piece_has_at_most_a_hundred_entities)
{
    AUTO_STRBUF b;
    AUTO(arena) a = arena_new();
    strbuf_init(&b, 1 << 20);
    for (int i = 0; i < 350; i++)
        strbuf_addf(&b, "**b%d** and `c%d` ", i, i);
    size_t n;
    struct channel_piece *p = render(a, strbuf_str(&b), &n);
    assert_int_equal(n, 7);
    check_pieces(strbuf_str(&b), p, n);
}

TEST(a_link_is_whole_in_the_plain_form)
{
    AUTO_STRBUF b;
    AUTO(arena) a = arena_new();
    strbuf_init(&b, 1 << 20);
    for (int i = 0; i < 300; i++)
        strbuf_addf(&b, "[link %d](https://a.example/a/long/address/of/a/page/%d) and words, ", i, i);
    size_t n;
    struct channel_piece *p = render(a, strbuf_str(&b), &n);
    assert_true(n >= 4);
    check_pieces(strbuf_str(&b), p, n);
    size_t links = 0;
    for (size_t i = 0; i < n; i++)
        for (const char *s = p[i].plain.s; (s = strstr(s, "(https://a.example/")); s++)
            links++;
    assert_int_equal(links, 300);
}

TEST(random_markdown_keeps_the_rules)
{
    static const char *const parts[] = {"**", "*", "`", "```c\n", "```\n", "\n", "\n\n", "> ", "- ", "1. ",
        "| a | b |\n|---|---|\n", "| c |\n", "[x](https://a.example/)", "<b>", "&", "\"", "$x^2$", "😀", "ä",
        "word ", "~~", "# ", "    ", "\\", "$$\n", "a@b.example ", "https://a.example/b ", "![", "](", ")",
        "---\n", "- [ ] ", "very long words of a sentence that goes on and on. "};
    unsigned seed = 1;
    for (int round = 0; round < 600; round++) {
        AUTO_STRBUF b;
        AUTO(arena) a = arena_new();
        strbuf_init(&b, 1 << 20);
        for (int i = 0, most = round % 10 == 0 ? 3000 : 60; i < most; i++) {
            seed = seed * 1103515245u + 12345u;
            strbuf_adds(&b, parts[(seed >> 16) % ARRAY_LEN(parts)]);
        }
        size_t n;
        struct channel_piece *p = render(a, strbuf_str(&b), &n);
        check_pieces(strbuf_str(&b), p, n);
    }
}

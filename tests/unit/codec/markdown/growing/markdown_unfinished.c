/* The visible form of a text at each cut, and that visible text never disappears. */
#include "unit.h"

#include <stdio.h>

#include "base/mem.h"

#include "codec/markdown/growing/markdown_unfinished.h"
#include "codec/markdown/markdown.h"

#define HTML_MAX (1 << 20)

static void add_html(struct strbuf *out, struct str text)
{
    AUTO_STRBUF shown;
    strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(text.len));
    bool waits = markdown_unfinished(text, &shown, NULL);
    assert_int_equal(markdown_html(waits ? strbuf_str(&shown) : text, out, NULL), RC_OK);
}

static void assert_shown(const char *text, const char *want)
{
    AUTO_STRBUF shown;
    strbuf_init(&shown, MARKDOWN_UNFINISHED_ROOM(strlen(text)));
    bool waits = markdown_unfinished(str_of(text), &shown, NULL);
    if (strcmp(waits ? shown.s : text, want) != 0)
        print_error("of <<<%s>>>\n", text);
    assert_string_equal(waits ? shown.s : text, want);
}

TEST(emphasis_and_code_are_closed)
{
    assert_shown("a **b", "a **b**");
    assert_shown("a **b ", "a **b**");
    assert_shown("a **b*", "a **b**");
    assert_shown("a ***b", "a ***b***");
    assert_shown("_a **b", "_a **b**_");
    assert_shown("~~a", "~~a~~");
    assert_shown("a `b", "a `b`");
    assert_shown("a ``b`c", "a ``b`c``");
    assert_shown("**a `b", "**a `b`**");
    assert_shown("| a | b |\n|---|---|\n| **x", "| a | b |\n|---|---|\n| **x**");
    assert_shown("- a\n- **b", "- a\n- **b**");
    assert_shown("> **b\n> c", "> **b\n> c**");
    assert_shown("# **b", "# **b**");
}

TEST(a_link_shows_its_text)
{
    assert_shown("a [b", "a [b](.)");
    assert_shown("a [b](", "a [b](.)");
    assert_shown("a [b](https://exa_m*ple", "a [b](.)");
    assert_shown("a [b](https://x.example \"ti", "a [b](.)");
    assert_shown("a [bc][d", "a [bc](.)");
    assert_shown("a [bc][", "a [bc](.)");
    assert_shown("a ![b](https://x", "a ![b](.)");
    assert_shown("**a [b `c", "**a [b `c`](.)**");
    assert_shown("[**b](https://x", "[**b**](.)");
    assert_shown("see <https://exam", "see <https://exam>");
    AUTO_STRBUF html;
    strbuf_init(&html, HTML_MAX);
    add_html(&html, STR("a [b](https://exam"));
    assert_string_equal(html.s, "<p dir=\"auto\">a b</p>\n");
}

TEST(brackets_are_text_until_more_of_a_link_follows)
{
    static const char *const texts[] = {"a [b]", "a ![b]", "a[i", "a[i][j", "a [1][2", "[Your Name]",
        "Dear [Your Name],\n[Your Address]", "a\n\n[Your Name]"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_shown(texts[i], texts[i]);
}

TEST(text_that_the_next_letter_decides_is_held_back)
{
    static const char *const ends[] = {"*", "**", "`", "``", "_", "~~", "[", "![", "$", "\\", "<", "<htt",
        "<b", "<br", "<br /", "<BR/", "<sub", "<sup>", "<kbd>Ctr", "<sub>2</", "<SUP>th</sup", "<sub>a_b*c",
        "[^", "[^1", "[^123"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char text[32];
        snprintf(text, sizeof text, "a %s", ends[i]);
        assert_shown(text, "a ");
    }
    static const char *const lines[] = {"-", "- ", "1", "1.", "12) ", "#", "###", "## ", "=", "---", "```",
        "```js", "~~~", ">", "> - ", "- [", "- [ ]", "- [x] ", "|", "| a | b |", "| a | b |\n",
        "| a | b |\n|--", "| a | b |\n|---|---|", "[1]: htt", "[x", "$$", "$$\nx\n- y", "\\[\nx", "\\b",
        "\\begin{", "\\begin{ali", "\\begin{align}", "> \\begin{gather*}", "\\begin{align}\na &= b \\\\\n&",
        "2026"};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        char text[64];
        snprintf(text, sizeof text, "a\n\n%s", lines[i]);
        AUTO_STRBUF html;
        strbuf_init(&html, HTML_MAX);
        add_html(&html, str_of(text));
        if (strcmp(html.s, "<p dir=\"auto\">a</p>\n") != 0)
            print_error("of <<<%s>>>\n", text);
        assert_string_equal(html.s, "<p dir=\"auto\">a</p>\n");
    }
    assert_shown("```c\nx\n``", "```c\nx\n");
    assert_shown("a\n| b | c |", "a\n");
    assert_shown("a\r\n| b |\r\n", "a\r\n");
    assert_shown("- a\n  | b |\n", "- a\n");
    assert_shown("a $x_1", "a ");
    assert_shown("a \\(x_1", "a ");
    assert_shown("a $x_1$ and \\(y_2\\) _b", "a $x_1$ and \\(y_2\\) _b_");
}

TEST(text_without_markup_is_shown)
{
    static const char *const texts[] = {"2 * 3", "2*3 is", "~5 minutes", "costs $5 and", "a [1] says",
        "a [b](c d e", "x < y", "snake_case", "a * b", "a <sub>b<c", "<sub> b\nc", "2026 was", "-x", "1.5 is",
        "```\n**x", "    **x", "a | b", "`a` *b* **c** [d](https://e.example) done", "**a\n\n", "a\\* b",
        "| a |\nb", "`$x`", "\\beta", "a \\begin{align}", "\\begin{items",
        "\\begin{align}\nx\n\\end{align} y", "a\n| b |\nc", "Hello!"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_shown(texts[i], texts[i]);
}

TEST(waiting_has_an_end)
{
    static const char *const opens[] = {
        "a **b", "a `b", "a [b", "a [b](x", "a $x", "a $$ x", "a \\(x", "$$\nx", "\\begin{align} x"};
    for (size_t i = 0; i < ARRAY_LEN(opens); i++) {
        AUTO_STRBUF text;
        strbuf_init(&text, HTML_MAX);
        strbuf_adds(&text, opens[i]);
        while (text.len < 5000)
            strbuf_adds(&text, strstr(opens[i], "](") ? "y" : " y");
        assert_shown(text.s, text.s);
        strbuf_truncate(&text, strlen(opens[i]));
        strbuf_adds(&text, "\n\nThe next paragraph");
        assert_shown(text.s, text.s);
    }
}

/* A complete text has no delimiter outside of code and formulas. */
static const char *const answers[] = {
    "Sure! Here is **bold**, *both **of** them*, ~~gone~~ and `co*de`, then ``a`b``.\n\nA list:\n\n- one "
    "**x**\n- two\n\n  still two\n- [x] "
    "three\n- [Link](https://example.com/a_b_c?d=*e*) and\n\n1. first\n   ```sh\n   make `x` && make "
    "test\n\n   echo done\n   ```\n2. "
    "second\n\n10. tenth\n\n2026 was a year.\n",
    "# Title **bold**\n\nText\nmore text\n===\n\n```python\ndef f(x):\n\treturn x < 3 && "
    "\"**y\"\n\n\n``\n````x\n  ```\nAfter\n\n~~~\n```\n~~~\n"
    "end\n```\nno blank before\n```\n\n    indented **\n\n    more\n\nPara\n",
    "Before it.\n\n| a | `b` |\n|:--|---:|\n| 1 | **2** |\n| [x](https://example.com/) | 4 |\n\n> quote\n> - "
    "list\n>\n> more\n\nlazy\n> a\nb\n\n---\n\n"
    "Words\n---\nunder it\n",
    "Math \\(a_1\\) and $b_2 * c$ here.\n\n\\[\nx\n= y\n\\]\n\n$$\n\\frac{a}{b}\n- "
    "c\n$$\n\n\\begin{align}\na &= b \\\\\n&= c\n\\end{align}\n\nInline $$x^2$$ "
    "too. Visit https://example.com/x?y=z or "
    "<https://example.org/>, or ![a picture](https://example.com/p.png \"Title\") here.\n",
    "a\r\n\r\n**b**\r\n- c\r\n- `d`\r\n\r\n```\r\ne\r\n```\r\nf\r\n",
    "这是**重要**的，还有`代码`和[链接](https://example.com/链接)。\n\n- **一**：二\n- *三*\n",
};

/* The visible text, without white space, code and formulas. */
static void add_words(struct strbuf *out, struct str html, bool all)
{
    unsigned hidden = 0;
    for (size_t i = 0; i < html.len; i++) {
        struct str rest = {html.s + i, html.len - i};
        if (html.s[i] == '<') {
            bool end = str_starts(rest, STR("</"));
            struct str name = {rest.s + 1 + end, rest.len - 1 - end};
            bool math =
                str_starts(name, STR("span class=\"math")) || str_starts(name, STR("div class=\"math"));
            if (str_starts(name, STR("code")))
                hidden += end ? -1u : 1;
            else if (math)
                hidden = 1;
            else if (hidden && end)
                hidden = 0;
            while (i < html.len && html.s[i] != '>')
                i++;
        } else if (html.s[i] > ' ' || html.s[i] < 0) {
            if (all || !hidden)
                strbuf_addc(out, html.s[i]);
        }
    }
}

TEST(no_delimiter_is_visible_and_no_word_disappears_at_any_cut)
{
    for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
        size_t most = 0;
        for (size_t len = 0; len <= strlen(answers[i]); len++) {
            struct str text = {answers[i], len};
            if ((answers[i][len] & 0xC0) == 0x80 || strncmp(answers[i] + len - (len > 0), "](", 2) == 0)
                continue; /* models send "](" in one piece */
            AUTO_STRBUF html, words, all;
            strbuf_init(&html, HTML_MAX);
            strbuf_init(&words, HTML_MAX);
            strbuf_init(&all, HTML_MAX);
            add_html(&html, text);
            add_words(&words, strbuf_str(&html), false);
            add_words(&all, strbuf_str(&html), true);
            static const char *const raw[] = {
                "**", "~~", "`", "](", "|", "$", "\\", "==", "--", "[", "#", "_"};
            for (size_t k = 0; k < ARRAY_LEN(raw); k++) {
                const char *seen = strstr(words.s, raw[k]);
                bool address = seen && strstr(words.s, "https:") && strstr(words.s, "https:") < seen;
                if (seen && !address)
                    print_error("%s after <<<%.*s>>>: <<<%s>>>\n", raw[k], STR_FMT(text), html.s);
                assert_true(!seen || address);
            }
            if (all.len < most)
                print_error("%zu to %zu after <<<%.*s>>>: <<<%s>>>\n", most, all.len, STR_FMT(text), html.s);
            assert_true(all.len >= most);
            most = all.len;
        }
    }
}

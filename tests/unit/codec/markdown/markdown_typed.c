#include "unit.h"

#include "codec/markdown/markdown_typed.h"

static void shows(const char *text, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 65536);
    markdown_typed(str_of(text), &out);
    assert_false(out.failed);
    assert_string_equal(out.s, expected);
}

#define LINK(a) "<a href=\"" a "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">" a "</a>"

TEST(a_typed_text_has_paragraphs_and_breaks_and_no_markup)
{
    shows("", "");
    shows("a *b* <i>\nc\n \n\n# d\n", "<p dir=\"auto\">a *b* &lt;i&gt;<br>c</p><p dir=\"auto\"># d</p>");
}

TEST(a_typed_address_is_a_link_without_the_punctuation_of_its_sentence)
{
    shows("See https://a.example/x?b=1&c=2.",
        "<p dir=\"auto\">See " LINK("https://a.example/x?b=1&amp;c=2") ".</p>");
    shows("(https://a.example/x_(y))", "<p dir=\"auto\">(" LINK("https://a.example/x_(y)") ")</p>");
    shows("https://a.example/ページ。", "<p dir=\"auto\">" LINK("https://a.example/ページ") "。</p>");
    shows("**https://a.example** https://b.example",
        "<p dir=\"auto\">**" LINK("https://a.example") "** " LINK("https://b.example") "</p>");
}

TEST(what_is_no_safe_address_stays_text)
{
    shows("https:// http://a.example xhttps://a.example",
        "<p dir=\"auto\">https:// http://a.example xhttps://a.example</p>");
    shows("javascript:https", "<p dir=\"auto\">javascript:https</p>");
    shows("https://a\\b", "<p dir=\"auto\">https://a\\b</p>");
    shows("https://a.example/\"onclick=\"x",
        "<p dir=\"auto\">" LINK("https://a.example/") "&quot;onclick=&quot;x</p>");
}

static void has_block(const char *text, const char *before, const char *code, const char *after)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 65536);
    markdown_typed(str_of(text), &out);
    struct str html = strbuf_str(&out);
    assert_true(str_starts(html, str_of(before)));
    assert_true(str_starts(str_from(html, strlen(before)), STR("<div class=\"code\">")));
    assert_non_null(strstr(html.s, code));
    assert_string_equal(html.s + html.len - strlen(after), after);
}

TEST(lines_between_two_fences_are_a_code_block)
{
    has_block("Why?\n```c\nint *a;\n\n  b < c;\n```\nThanks", "<p dir=\"auto\">Why?</p>",
        "<code class=\"language-c\">int *a;\n\n  b &lt; c;\n</code>", "</div>\n<p dir=\"auto\">Thanks</p>");
    has_block("~~~~\n~~~\n```\n~~~~", "", "~~~\n```\n</code>", "</div>\n");
    has_block("```\r\na\r\n```\r\n", "", "<code>a\n</code>", "</div>\n");
}

TEST(a_fence_without_its_end_is_text)
{
    shows("```\nhttps://a.example", "<p dir=\"auto\">```<br>" LINK("https://a.example") "</p>");
    shows("``` a`b\n```", "<p dir=\"auto\">``` a`b<br>```</p>");
    has_block("~~~ x\n```\na\n```", "<p dir=\"auto\">~~~ x</p>", "<code>a\n</code>", "</div>\n");
}

/* Each would look for its end in all of the text: minutes, and the runner ends the program. */
TEST(fences_without_an_end_are_looked_for_once)
{
    AUTO_STRBUF text, out;
    strbuf_init(&text, 8 << 20);
    strbuf_init(&out, 64 << 20);
    for (int i = 0; i < 400000; i++)
        strbuf_adds(&text, i % 2 ? "```a\n" : "~~~a\n");
    markdown_typed(strbuf_str(&text), &out);
    assert_false(out.failed);
}

TEST(the_end_of_the_last_code_block_is_found)
{
    assert_int_equal(markdown_typed_code_end(STR("")), 0);
    assert_int_equal(markdown_typed_code_end(STR("a\n```\nb")), 0);
    assert_int_equal(markdown_typed_code_end(STR("a\n```\nb\n```")), 11);
    assert_int_equal(markdown_typed_code_end(STR("```\nb\n```\nc\n~~~\nd\n~~~\ne")), 21);
}

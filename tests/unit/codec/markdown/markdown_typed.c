#include "unit.h"

#include "base/mem.h"
#include "codec/markdown/markdown_typed.h"

static void shows(const char *text, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 65536);
    markdown_typed(str_of(text), &out);
    assert_false(out.failed);
    assert_string_equal(out.s, expected);
}

/* "before|name:content|..." */
static void files(const char *text, size_t from, const char *expected)
{
    struct typed_file list[2];
    struct str before;
    size_t n = markdown_typed_files(str_of(text), from, list, ARRAY_LEN(list), &before);
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    strbuf_addstr(&out, before);
    for (size_t i = 0; i < n; i++) {
        strbuf_adds(&out, "|");
        strbuf_addstr(&out, list[i].name);
        strbuf_adds(&out, ":");
        strbuf_addstr(&out, list[i].content);
    }
    assert_string_equal(out.len ? out.s : "", expected);
}

#define LINK(a) "<a href=\"" a "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">" a "</a>"

TEST(a_typed_text_has_paragraphs_and_breaks_and_no_markup)
{
    shows("", "");
    shows("a *b* <i>\nc\n \n\n# d\n", "<p dir=\"auto\">a *b* &lt;i&gt;<br>c</p><p dir=\"auto\"># d</p>");
}

TEST(lines_that_begin_with_a_mark_are_a_quotation)
{
    shows("a\n> b *c*\n>\n>d\ne",
        "<p dir=\"auto\">a</p><blockquote><p dir=\"auto\">b *c*</p><p dir=\"auto\">d</p></blockquote>"
        "<p dir=\"auto\">e</p>");
    shows("> > b\n\n> c",
        "<blockquote><p dir=\"auto\">&gt; b</p></blockquote><blockquote><p dir=\"auto\">c</p></blockquote>");
    shows(" > a > b", "<p dir=\"auto\"> &gt; a &gt; b</p>");
    shows(">", "<blockquote></blockquote>");
}

TEST(code_in_a_quotation_ends_with_it)
{
    AUTO_STRBUF code, text;
    strbuf_init(&code, 4096);
    strbuf_init(&text, 4096);
    markdown_typed(STR("```js\na\n```"), &code);
    strbuf_addf(&text, "<blockquote>%s</blockquote><p dir=\"auto\">b</p>", code.s);
    shows("> ```js\n> a\n> ```\nb", text.s);
    shows("> ```\n> a\n```", "<blockquote><p dir=\"auto\">```<br>a</p></blockquote><p dir=\"auto\">```</p>");
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

TEST(files_at_the_end_of_a_text_are_found_by_name_and_block)
{
    files("See\n\na.txt\n```\none\n\ntwo\n```", 5, "See\n\n|a.txt:one\n\ntwo\n");
    files("my notes.md\n````\n```\n````\n\nB.CSV\n```\n1,2\n```\n", 0, "|my notes.md:```\n|B.CSV:1,2\n");
    files("a.txt\n```\n```", 0, "|a.txt:");
    files("./Dockerfile\n```\n1\n```\n\n./.env\n```\n2\n```", 0, "|Dockerfile:1\n|.env:2\n");
    files("\xC3\xA4.txt\r\n```\r\none\r\n```\r\n", 0, "|\xC3\xA4.txt:one\r\n");
    files("a.txt\n```\n1\n```\n\nb.txt\n```\n2\n```\n\nc.txt\n```\n3\n```", 0,
        "a.txt\n```\n1\n```\n\nb.txt\n```\n2\n```\n\n|c.txt:3\n");
}

TEST(other_blocks_are_no_files)
{
    static const char *const none[] = {"", "a.txt", "a.txt\n```\nno end", "Output:\n```\n1\n```",
        "a.txt\n```js\n1\n```", "a.txt\n\n```\n1\n```", "See\na.txt\n```\n1\n```",
        "a.txt\n```\n1\n```\nAnd this?", ".txt\n```\n1\n```", "a.\n```\n1\n```",
        "a.txt\n```\n1\n```\n\nb.txt", "a.txt\n```\n1\n```\n\n```\n2\n```", "Dockerfile\n```\n1\n```",
        "./\n```\n1\n```"};
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        files(none[i], 0, none[i]);
    files("a.txt\n```\n1\n```", 1, "a.txt\n```\n1\n```"); /* its name was typed */
}

static void is_read_back(const char *name, const char *content, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    strbuf_adds(&out, "Question\n\n");
    markdown_typed_file_write(&out, str_of(name), str_of(content));
    assert_string_equal(out.s, expected);
    struct typed_file found;
    struct str before;
    assert_int_equal(markdown_typed_files(strbuf_str(&out), 10, &found, 1, &before), 1);
    assert_true(str_is(found.name, name));
    assert_int_equal(before.len, 10);
}

TEST(a_file_that_is_written_is_read_as_one)
{
    is_read_back("notes.txt", "a\nb\n", "Question\n\nnotes.txt\n```\na\nb\n```");
    is_read_back("Dockerfile", "a", "Question\n\n./Dockerfile\n```\na\n```");
    is_read_back("a b.md", "```\nx ```` y\n```", "Question\n\na b.md\n`````\n```\nx ```` y\n```\n`````");
    is_read_back("```.txt", "", "Question\n\n./```.txt\n```\n\n```");
    is_read_back("~~~ x.c", "b", "Question\n\n./~~~ x.c\n```\nb\n```");
}

#include "unit.h"

#include <stdio.h>

#include <stdlib.h>

#include "base/mem.h"
#include "codec/markdown/markdown.h"
#include "without_dir.h"

#define HTML_MAX (1 << 16)
#define HOSTILE  (100 * 1000)

static void render(const char *text, struct strbuf *out)
{
    size_t len = strlen(text);
    AUTO_FREE char *exact = xmalloc(len); /* without a NUL, so that reading on is seen */
    memcpy(exact, text, len);
    strbuf_init(out, HTML_MAX);
    assert_int_equal(markdown_html((struct str){exact, len}, out, NULL), RC_OK);
}

static void expect(const char *text, const char *html)
{
    AUTO_STRBUF out;
    render(text, &out);
    without_dir(&out);
    assert_string_equal(out.s, html);
}

#define LINK(href)   "<a href=\"" href "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">"
#define CODE_HEAD(l) "<div class=\"code\"><div class=\"code-head\"><span class=\"code-lang\">" l "</span>"
#define CODE_COPY \
    "<button type=\"button\" class=\"code-copy\" hidden>Copy</button></div><pre tabindex=\"0\"><code"
#define CODE_FOOT     "</code></pre></div>\n"
#define CODE(l, text) CODE_HEAD(l) CODE_COPY " class=\"language-" l "\">" text CODE_FOOT
#define PLAIN(text)   CODE_HEAD("") CODE_COPY ">" text CODE_FOOT
#define MATH(tex)     "<span class=\"math\" data-tex>" tex "</span>"
#define SHOWN(tex)    "<span class=\"math\" data-display>" tex "</span>"
#define BLOCK(tex)    "<div class=\"math\" data-display>" tex "</div>\n"

static void expect_exactly(const char *text, const char *html)
{
    AUTO_STRBUF out;
    render(text, &out);
    assert_string_equal(out.s, html);
}

TEST(a_top_level_block_takes_its_direction_from_its_text)
{
    expect_exactly("a\n\n# b\n", "<p dir=\"auto\">a</p>\n<h3 dir=\"auto\">b</h3>\n");
    expect_exactly("- a\n  - b\n\n    c\n",
        "<ul dir=\"auto\">\n<li>a\n<ul>\n<li>\n<p>b</p>\n<p>c</p>\n</li>\n</ul>\n</li>\n</ul>\n");
    expect_exactly("3. a\n", "<ol dir=\"auto\" start=\"3\">\n<li>a</li>\n</ol>\n");
    expect_exactly(
        "> a\n> 1. b\n", "<blockquote dir=\"auto\">\n<p>a</p>\n<ol>\n<li>b</li>\n</ol>\n</blockquote>\n");
    expect_exactly("|a|\n|---|\n", "<div class=\"table-scroll\" role=\"region\" aria-label=\"a\" "
                                   "tabindex=\"0\"><table dir=\"auto\">\n"
                                   "<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n</table></div>\n");
}

TEST(markdown_shows_raw_html_as_text)
{
    expect("<script>alert(1)</script>\n", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
    expect("a <b onclick='x'>b</b>", "<p>a &lt;b onclick=&#39;x&#39;&gt;b&lt;/b&gt;</p>\n");
    expect("<!-- x -->\n<div>\n", "<p>&lt;!-- x --&gt;\n&lt;div&gt;</p>\n");
    expect("&lt;b&gt; &#60; &#x3C;", "<p>&lt;b&gt; &lt; &lt;</p>\n");
}

TEST(markdown_links_only_where_allowed)
{
    expect("[a](https://x.example/?a=1&b=2 \"t<\")",
        "<p><a href=\"https://x.example/?a=1&amp;b=2\" title=\"t&lt;\" rel=\"noopener noreferrer nofollow\" "
        "target=\"_blank\">a</a></p>\n");
    expect("[m](mailto:a@b.example)", "<p>" LINK("mailto:a@b.example") "m</a></p>\n");
    expect("[a](/local) [b](http://x.example) [c](#id) [d]()", "<p>a b c d</p>\n");
    expect("[a](javascript:alert(1)) [b](JaVaScRiPt:x) [c](data:text/html,x)", "<p>a b c</p>\n");
    expect("[a](&#106;avascript:x) [b](java&Tab;script:x) [c](https://a&commat;b)", "<p>a b c</p>\n");
    expect("[a](https://x.example/caf&eacute;)", "<p>" LINK("https://x.example/caf%C3%A9") "a</a></p>\n");
    expect("<javascript:alert(1)> <https://ok.example>",
        "<p>javascript:alert(1) " LINK("https://ok.example") "https://ok.example</a></p>\n");
    expect("[a](https://x.example/\xC3\xA9%20[1])",
        "<p>" LINK("https://x.example/%C3%A9%20%5B1%5D") "a</a></p>\n");
    expect("[a][r]\n\n[r]: https://r.example", "<p>" LINK("https://r.example") "a</a></p>\n");
}

TEST(markdown_links_bare_addresses)
{
    expect("see https://x.example/a?b=c.",
        "<p>see " LINK("https://x.example/a?b=c") "https://x.example/a?b=c</a>.</p>\n");
    expect("www.x.example", "<p>" LINK("https://www.x.example") "www.x.example</a></p>\n");
    expect("me@x.example", "<p>" LINK("mailto:me@x.example") "me@x.example</a></p>\n");
    expect("[a me@x.example b](https://y.example) c",
        "<p>" LINK("https://y.example") "a me@x.example b</a> c</p>\n");
    expect("http://x.example <http://www.x.example>", "<p>http://x.example http://www.x.example</p>\n");
    expect("[www.x.example](http://www.evil.example)", "<p>www.x.example</p>\n");
}

TEST(markdown_links_to_the_sessions_of_this_server)
{
    expect("[when](/s/ses_01m7x09rm1e70aa776b9mfybh2?at=7#m-7)",
        "<p><a href=\"/s/ses_01m7x09rm1e70aa776b9mfybh2?at=7#m-7\">when</a></p>\n");
    expect("[list](/tasks) [out](/signout) [x](/s/ses_1)", "<p><a href=\"/tasks\">list</a> out x</p>\n");
}

TEST(markdown_never_loads_an_image)
{
    expect("![alt *x*](https://i.example/p.png \"t\")",
        "<p><a href=\"https://i.example/p.png\" title=\"t\" rel=\"noopener noreferrer nofollow\" "
        "target=\"_blank\">alt x</a></p>\n");
    expect("![](https://i.example/p)", "<p>" LINK("https://i.example/p") "https://i.example/p</a></p>\n");
    expect("![alt `c`](http://i.example/p) ![<b>](x)", "<p>alt c &lt;b&gt;</p>\n");
    expect("[![alt](https://i.example)](https://l.example)", "<p>" LINK("https://l.example") "alt</a></p>\n");
    expect("![a ![b](https://c.example) [d](https://e.example)](https://f.example)",
        "<p>" LINK("https://f.example") "a b d</a></p>\n");
}

TEST(markdown_frames_code_blocks)
{
    expect("```python\nif a < b:\n```\n", CODE("python", "if a &lt; b:\n"));
    expect("~~~ c++ title\nx\n~~~", CODE("c++", "x\n"));
    expect("``` a\"><script>\nx\n", CODE("ascript", "x\n"));
    expect("```0123456789012345678901234567890123456789\n", CODE("01234567890123456789012345678901", ""));
    expect("```\nx", PLAIN("x\n"));
    expect("    x\n", PLAIN("x\n"));
}

TEST(markdown_keeps_the_tabs_of_code)
{
    expect("```make\nall:\n\tcc \tx\n \t y\n```", CODE("make", "all:\n\tcc \tx\n \t y\n"));
    expect("\tx\n\t\ty\n", PLAIN("x\n\ty\n"));
    expect("> ```\n> \ta\n>\tb\n", "<blockquote>\n" PLAIN("\ta\n  b\n") "</blockquote>\n");
    expect("- ```\n  \ta\n  ```", "<ul>\n<li>\n" PLAIN("\ta\n") "</li>\n</ul>\n");
}

TEST(markdown_leaves_the_first_two_headings_to_the_page)
{
    expect("# a\n## b\n#### c\n##### d\n###### e\nf\n===\n",
        "<h3>a</h3>\n<h4>b</h4>\n<h6>c</h6>\n<h6>d</h6>\n<h6>e</h6>\n<h3>f</h3>\n");
}

TEST(markdown_wraps_tables)
{
    expect("a|b|c|d\n---|:--|:-:|--:\n1|`x\\|y`|<b>\n",
        "<div class=\"table-scroll\" role=\"region\" aria-label=\"a, b, c, d\" "
        "tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n"
        "<th class=\"align-left\">b</th>\n<th class=\"align-center\">c</th>\n<th "
        "class=\"align-right\">d</th>\n</tr>\n"
        "</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td class=\"align-left\"><code>x|y</code></td>\n"
        "<td class=\"align-center\">&lt;b&gt;</td>\n<td "
        "class=\"align-right\"></td>\n</tr>\n</tbody>\n</table></div>\n");
}

static void expect_same(const char *text, const char *as)
{
    AUTO_STRBUF want;
    render(as, &want);
    expect_exactly(text, want.s);
}

/* md4c 0.4.8 wants three characters per column. */
TEST(one_hyphen_per_column_makes_a_table)
{
    expect_same("|a|b|\n|-|-|\n|1|2|\n", "|a|b|\n|---|---|\n|1|2|\n");
    expect_same("a | b | c\n:- | -: | :-:\n1|2|3\n", "a | b | c\n:-- | --: | :-:\n1|2|3\n");
    expect_same("Text:\n\n| a | b |\n|--|----|\n| - | - |", "Text:\n\n| a | b |\n|---|----|\n| - | - |");
    expect_same("> |a|b|\n> |-|-|\n> |1|2|\n", "> |a|b|\n> |---|---|\n> |1|2|\n");
    expect_same("# T\n|a|\n|:-|\n", "# T\n|a|\n|:--|\n");
    expect_same("|a|\r\n|-|\r\n|1|\r\n", "|a|\r\n|---|\r\n|1|\r\n");
}

TEST(a_table_needs_no_empty_line_before_it)
{
    expect_same("Text:\n| a | b |\n|---|---|\n| 1 | 2 |\n", "Text:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n");
    expect_same("one\na|b\n-|-\n", "one\n\na|b\n---|---\n");
    expect_same("> one\n> |a|\n> |---|\n", "> one\n>\n> |a|\n> |---|\n");
    expect_same("1. one:\n   |a|\n   |---|\n2. two\n", "1. one:\n\n   |a|\n   |---|\n2. two\n");
    expect_same("- one\n    - two:\n      |a|\n      |---|\n- x:\n  |a|\n  |---|\n",
        "- one\n    - two:\n\n      |a|\n      |---|\n- x:\n\n  |a|\n  |---|\n");
    expect("one\na|b|c\n-|-\n", "<p>one\na|b|c\n-|-</p>\n");
    expect("one\n`a|b`\n-|-\n", "<p>one\n<code>a|b</code>\n-|-</p>\n");
    expect("one\n    a|b\n    -|-\n", "<p>one\na|b\n-|-</p>\n");
    expect("    one\n    a|b\n    -|-\n", PLAIN("one\na|b\n-|-\n"));
}

TEST(a_heading_or_code_ends_a_table)
{
    expect_same("|a|\n|---|\n|1|\n# b\n", "|a|\n|---|\n|1|\n\n# b\n");
    expect_same("|a|\n|---|\n```\nb\n```\n", "|a|\n|---|\n\n```\nb\n```\n");
    expect_same("> |a|\n> |---|\n> ## b\n", "> |a|\n> |---|\n>\n> ## b\n");
    expect_same("|a|\n|---|\n#b\n", "|a|\n|---|\n| #b |\n");
}

TEST(a_head_keeps_all_its_cells)
{
    expect_same("|a|b|c|\n|---|---|\n|1|2|3|\n", "|a|b|c|\n|---|---|---|\n|1|2|3|\n");
    expect_same("a|b|`c|d`\n-|-\n1|2|3\n", "a|b|`c|d`\n---|---|---\n1|2|3\n");
    expect_same("- |a|b|\n  |---|---|\n", "- |a|b|\n  |---|---|\n");
}

TEST(a_bar_ends_a_bare_address)
{
    expect_same("|a|https://b.c|\n|---|---|\n|https://a.b/c|d|\n|(www.a.b/x.)|`https://c.d|e`|\n\n\\(x\\)\n",
        "|a|https://b.c |\n|---|---|\n|https://a.b/c |d|\n|(www.a.b/x.) |`https://c.d|e`|\n\n\\(x\\)\n");
    expect("https://a.b/c|d\n", "<p>" LINK("https://a.b/c%7Cd") "https://a.b/c|d</a></p>\n");
}

TEST(a_footnote_is_not_the_definition_of_a_link)
{
    expect("a[^1]\n\n[^1]: Smith\n[^b]: https://a.b/c\n",
        "<p>a<sup>[1]</sup></p>\n<p>[1]: Smith\n[^b]: " LINK("https://a.b/c") "https://a.b/c</a></p>\n");
    expect("> [^1]: a\n", "<blockquote>\n<p>[1]: a</p>\n</blockquote>\n");
    expect("    [^1]: a\n\n```\n[^1]: a\n```\n", PLAIN("[^1]: a\n") PLAIN("[^1]: a\n"));
    expect("[a][1]\n\n[1]: https://a.b/c\n", "<p>" LINK("https://a.b/c") "a</a></p>\n");
}

TEST(hyphens_elsewhere_stay)
{
    AUTO_STRBUF out;
    render("```\n|a|b|\n|-|-|\n```\n\n    |a|\n    |-|\n\n|a|\n|---|\n|-|\n|--|\n", &out);
    assert_non_null(strstr(out.s, "|a|b|\n|-|-|\n</code>"));
    assert_non_null(strstr(out.s, "|a|\n|-|\n</code>"));
    assert_non_null(strstr(out.s, "<td>-</td>"));
    assert_non_null(strstr(out.s, "<td>--</td>"));
    expect("a\n-\n", "<h4>a</h4>\n");
    expect("a|b\n|::|-|\n", "<p>a|b\n|::|-|</p>\n");
}

#define TODO_BOX "<label><input type=\"checkbox\" disabled> "
#define DONE_BOX "<label><input type=\"checkbox\" disabled checked> "

TEST(markdown_shows_tasks_as_disabled_boxes)
{
    expect("- [ ] a\n- [x] *b*\n- c\n",
        "<ul>\n<li class=\"task\">" TODO_BOX "a</label></li>\n<li class=\"task\">" DONE_BOX
        "<em>b</em></label></li>\n<li>c</li>\n</ul>\n");
    expect("1. [X] a\n\n   b\n",
        "<ol>\n<li class=\"task\">\n<p>" DONE_BOX "a</label></p>\n<p>b</p>\n</li>\n</ol>\n");
    expect("- [ ] a\n  - [x] b\n",
        "<ul>\n<li class=\"task\">" TODO_BOX "a</label>\n<ul>\n<li class=\"task\">" DONE_BOX
        "b</label></li>\n</ul>\n</li>\n</ul>\n");
    expect("- [ ] > a\n", "<ul>\n<li class=\"task\">" TODO_BOX "&gt; a</label></li>\n</ul>\n");
}

TEST(markdown_knows_strikethrough_and_breaks)
{
    expect("~~a~~ b  \nc\nd\\\ne", "<p><del>a</del> b<br />\nc\nd<br />\ne</p>\n");
    expect("a<br>b<BR/>c<br /><br>\nd", "<p>a<br />\nb<br />\nc<br />\n<br />\n\nd</p>\n");
    expect("\\<br> `<br>` <br x> <b>", "<p>&lt;br&gt; <code>&lt;br&gt;</code> &lt;br x&gt; &lt;b&gt;</p>\n");
    /* md4c leaves this one open. */
    expect("- a\n~b *c\n[d](http~s://x)\n\ne*", "<ul>\n<li>a\n<del>b *c\nd</del></li>\n</ul>\n<p>e*</p>\n");
    AUTO_STRBUF plain;
    strbuf_init(&plain, 100);
    assert_true(markdown_plain(STR("a<br>b \\<br> <b>"), &plain));
    assert_string_equal(plain.s, "a b <br> <b>");
    expect("7) a\n8) b", "<ol start=\"7\">\n<li>a</li>\n<li>b</li>\n</ol>\n");
}

static void expect_table_name(const char *head, const char *name)
{
    AUTO_STRBUF text, html;
    strbuf_init(&text, 4096);
    strbuf_init(&html, 65536);
    char label[256];
    snprintf(label, sizeof label, "role=\"region\" aria-label=\"%s\" ", name ? name : "");
    strbuf_addf(&text, "| %s | |\n|---|---|---|\n| x | y |\n", head);
    assert_int_equal(markdown_html(strbuf_str(&text), &html, NULL), RC_OK);
    assert_true(name ? strstr(html.s, label) != NULL : strstr(html.s, "aria-label") == NULL);
}

TEST(markdown_raises_the_marks_of_footnotes)
{
    expect("So it is.[^1]\n\n[^1]: Says who", "<p>So it is.<sup>[1]</sup></p>\n<p>[1]: Says who</p>\n");
    expect("[^12][^3] [^1234] [^a-z] [^] `[^1]` \\[^1]",
        "<p><sup>[12]</sup><sup>[3]</sup> [^1234] [^a-z] [^] <code>[^1]</code> [^1]</p>\n");
    expect("[^1]: https://a.b/c\n[^2]: b\n",
        "<p>[1]: " LINK("https://a.b/c") "https://a.b/c</a>\n<br />\n[2]: b</p>\n");
    expect("[^1]: Who\n[^2]: **What**\nand [^2]: why\n",
        "<p>[1]: Who\n<br />\n[2]: "
        "<strong>What</strong>\nand <sup>[2]</sup>: why</p>\n");
    AUTO_STRBUF plain;
    strbuf_init(&plain, 100);
    assert_true(markdown_plain(STR("a[^1] b"), &plain));
    assert_string_equal(plain.s, "a[1] b");
}

TEST(markdown_lowers_raises_and_names_keys)
{
    expect("H<sub>2</sub>O, 10<SUP>-3</sup>", "<p>H<sub>2</sub>O, 10<sup>-3</sup></p>\n");
    expect("**<kbd>Ctrl</kbd>+<kbd>C</kbd>**", "<p><strong><kbd>Ctrl</kbd>+<kbd>C</kbd></strong></p>\n");
    /* Text: with an attribute, around another element, without its end, in code, escaped, over a line end. */
    expect("<sub class=x>1</sub>", "<p>&lt;sub class=x&gt;1&lt;/sub&gt;</p>\n");
    expect("<sub><b>1</b></sub>", "<p>&lt;sub&gt;&lt;b&gt;1&lt;/b&gt;&lt;/sub&gt;</p>\n");
    expect("<sup>1</sub> <sub></sub>", "<p>&lt;sup&gt;1&lt;/sub&gt; &lt;sub&gt;&lt;/sub&gt;</p>\n");
    expect("`<sub>1</sub>` \\<sub>1</sub>",
        "<p><code>&lt;sub&gt;1&lt;/sub&gt;</code> &lt;sub&gt;1&lt;/sub&gt;</p>\n");
    expect("<sub>1\n2</sub>", "<p>&lt;sub&gt;1\n2&lt;/sub&gt;</p>\n");
    expect_table_name("CO<sub>2</sub>|a<br>b", "CO2, a b");
    AUTO_STRBUF plain;
    strbuf_init(&plain, 100);
    assert_true(markdown_plain(STR("H<sub>2</sub>O 10<sup>−3</sup> <kbd>A  B</kbd> <sup>q?</sup>"), &plain));
    assert_string_equal(plain.s, "H2O 10⁻³ A B ^(q?)");
}

TEST(markdown_names_tables_by_their_head)
{
    expect_table_name("Place | **Height** in `m`", "Place, Height in m");
    expect_table_name("a<b> \"c\"", "a&lt;b&gt; &quot;c&quot;");
    expect_table_name(" | ", NULL);
    char head[400];
    memset(head, 'x', sizeof head - 1);
    head[sizeof head - 1] = '\0';
    expect_table_name(head, NULL);
}

TEST(markdown_marks_formulas_in_a_line)
{
    expect("$a_1 * b_2$ and $$x<y$$", "<p>" MATH("a_1 * b_2") " and " SHOWN("x&lt;y") "</p>\n");
    expect(
        "\\(a*b\\) and \\(c*d\\), \\[e\\]", "<p>" MATH("a*b") " and " MATH("c*d") ", " SHOWN("e") "</p>\n");
    expect("**$x$** `y` $a\nb$", "<p><strong>" MATH("x") "</strong> <code>y</code> " MATH("a b") "</p>\n");
    expect("a | b\n---|---\n$x$ | \\(y\\)\n",
        "<div class=\"table-scroll\" role=\"region\" aria-label=\"a, b\" "
        "tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n"
        "<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>" MATH("x") "</td>\n<td>" MATH(
            "y") "</td>\n</tr>\n</tbody>\n"
                 "</table></div>\n");
}

TEST(markdown_takes_no_price_for_a_formula)
{
    expect("$5 and $10", "<p>$5 and $10</p>\n");
    expect("US$5, CA$6 and 7$", "<p>US$5, CA$6 and 7$</p>\n");
    expect("a $ b $ c \\$x\\$ $", "<p>a $ b $ c $x$ $</p>\n");
    expect("$5 (**cheap**) or $6 is $x$", "<p>$5 (<strong>cheap</strong>) or $6 is " MATH("x") "</p>\n");
}

TEST(text_without_spaces_may_be_next_to_a_formula)
{
    expect("设$x$为实数，$y$。", "<p>设" MATH("x") "为实数，" MATH("y") "。</p>\n");
    expect("“$x$” – $y$—一$5和$6", "<p>“" MATH("x") "” – " MATH("y") "—一$5和$6</p>\n");
    expect("é$x$ $x$é", "<p>é$x$ $x$é</p>\n");
}

TEST(markdown_finds_no_formula_in_code_or_addresses)
{
    expect("`$a$ \\(b\\)`", "<p><code>$a$ \\(b\\)</code></p>\n");
    expect("```\n\\[\nx\n\\]\n$$\ny\n$$\n```", PLAIN("\\[\nx\n\\]\n$$\ny\n$$\n"));
    expect("[a](https://x.example/$b$)", "<p>" LINK("https://x.example/$b$") "a</a></p>\n");
    expect("\\\\(a\\\\)", "<p>\\(a\\)</p>\n");
    expect("$a `b$ c`", "<p>$a <code>b$ c</code></p>\n");
    expect("\\(a\n\nb\\)", "<p>(a</p>\n<p>b)</p>\n");
}

TEST(markdown_takes_formulas_on_lines_of_their_own)
{
    expect("Let\n\\[\nx\n= y\n\\]\nbe", "<p>Let</p>\n" BLOCK("x\n= y") "<p>be</p>\n");
    expect("$$\na\n+ b\n$$", BLOCK("a\n+ b"));
    expect("    code\n\n$$\na\n$$", PLAIN("code\n") BLOCK("a"));
    expect("1. a\n\n   $$\n   - b\n   $$\n2. c",
        "<ol>\n<li>\n<p>a</p>\n" BLOCK("- b") "</li>\n<li>\n<p>c</p>\n</li>\n</ol>\n");
    expect("> \\[\n> x\n> \\]\n", "<blockquote>\n" BLOCK("x") "</blockquote>\n");
    expect("\\[\nx\n\ny\n\\]", "<p>[\nx</p>\n<p>y\n]</p>\n");
    expect("\\[\nnever closed", "<p>[\nnever closed</p>\n");
    expect("```math\nx\n```\n\n$$\ny\n$$", CODE("math", "x\n") BLOCK("y"));
}

TEST(markdown_takes_environments_that_are_formulas)
{
    expect("So\n\\begin{align}\na &= b \\\\\n&= c_1 * d_2\n\\end{align}\nthen.",
        "<p>So\n" SHOWN("\\begin{align} a &amp;= b \\\\ &amp;= c_1 * d_2 \\end{align}") "\nthen.</p>\n");
    expect("- \\begin{gather*}a\\end{gather*}",
        "<ul>\n<li>" SHOWN("\\begin{gather*}a\\end{gather*}") "</li>\n</ul>\n");
    expect("$$\n\\begin{align}\na\n\\end{align}\n$$", BLOCK("\\begin{align}\na\n\\end{align}"));
    expect("\\begin{itemize}\nx\n\\end{itemize}", "<p>\\begin{itemize}\nx\n\\end{itemize}</p>\n");
    expect("\\\\begin{align}\nx\n\\\\end{align}", "<p>\\begin{align}\nx\n\\end{align}</p>\n");
    expect("Write \\begin{align} and \\end{align}.", "<p>Write \\begin{align} and \\end{align}.</p>\n");
    expect("\\begin{align}\nx\n\ny\n\\end{align}", "<p>\\begin{align}\nx</p>\n<p>y\n\\end{align}</p>\n");
    expect("`\\begin{align}` x\n\\end{align}", "<p><code>\\begin{align}</code> x\n\\end{align}</p>\n");
}

TEST(markdown_gives_up_a_formula_rather_than_the_text_around_it)
{
    /* Indented too far to open its block: it stays in its paragraph. */
    expect("a\n      \\[\n      x\n      \\]\nb", "<p>a\n" SHOWN("x") "\nb</p>\n");
    /* The closing line is indented too far to end the block. */
    expect("$$\nx\n        $$\n\ntext", "<p>" SHOWN("x") "</p>\n<p>text</p>\n");
    expect("it`s $x$ and `` $y$ ```$z$", "<p>it`s " MATH("x") " and `` " MATH("y") " ```$z$</p>\n");
    expect("`` a` ``\n\n$x\ny$\n\n``` `` ` ```\n",
        "<p><code>a`</code></p>\n<p>" MATH("x y") "</p>\n<p><code>`` `</code></p>\n");
    expect("a ` b\r\n$x\r\ny$\r\n", "<p>a ` b\n" MATH("x y") "</p>\n");
    /* The others stay. */
    expect(
        "$$\na\n$$\n\n$$\nx\n        $$\n\n$b$", BLOCK("a") "<p>" SHOWN("x") "</p>\n<p>" MATH("b") "</p>\n");
}

TEST(markdown_appends_and_stops_at_the_cap)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 60);
    strbuf_adds(&out, "before");
    assert_int_equal(markdown_html(STR("a"), &out, NULL), RC_OK);
    assert_string_equal(out.s, "before<p dir=\"auto\">a</p>\n");
    struct err e = ERR_INIT;
    assert_int_equal(markdown_html(STR("0123456789 0123456789 0123456789"), &out, &e), RC_TOO_BIG);
    assert_int_equal(e.rc, RC_TOO_BIG);
    struct str big = {NULL, MARKDOWN_TEXT_MAX + 1}; /* refused before it is read */
    strbuf_clear(&out);
    assert_int_equal(markdown_html(big, &out, NULL), RC_TOO_BIG);
}

TEST(markdown_ends_where_the_text_ends)
{
    AUTO_STRBUF out;
    strbuf_init(&out, HTML_MAX);
    assert_int_equal(markdown_html((struct str){"1. a", 1}, &out, NULL), RC_OK);
    assert_int_equal(markdown_html((struct str){"[a](/b \"t\")", 10}, &out, NULL), RC_OK);
    without_dir(&out);
    assert_string_equal(out.s, "<p>1</p>\n<p>[a](/b &quot;t&quot;</p>\n");
}

static void note_end(void *arg, size_t len)
{
    strbuf_addf(arg, "%zu ", len);
}

TEST(markdown_reports_the_ends_of_top_level_blocks)
{
    AUTO_STRBUF out, ends;
    strbuf_init(&out, HTML_MAX);
    strbuf_init(&ends, HTML_MAX);
    strbuf_adds(&out, "..");
    assert_int_equal(markdown_blocks(STR("a\n\n- b\n\n  c\n***\n"), &out, note_end, &ends, NULL), RC_OK);
    assert_string_equal(out.s,
        "..<p dir=\"auto\">a</p>\n<ul dir=\"auto\">\n<li>\n<p>b</p>\n<p>c</p>\n</li>\n</ul>\n<hr />\n");
    assert_string_equal(ends.s, "22 73 80 ");
    strbuf_clear(&ends);
    assert_int_equal(markdown_blocks(STR("[a]: https://x.example\n"), &out, note_end, &ends, NULL), RC_OK);
    assert_int_equal(markdown_blocks(STR(""), &out, note_end, &ends, NULL), RC_OK);
    assert_string_equal(ends.s, "");
}

TEST(markdown_does_not_nest_without_end)
{
    AUTO_STRBUF text, out;
    strbuf_init(&text, HOSTILE);
    strbuf_init(&out, 1 << 22);
    while (text.len < 1000)
        strbuf_adds(&text, "> ");
    strbuf_adds(&text, "deep");
    assert_int_equal(markdown_html(strbuf_str(&text), &out, NULL), RC_OK);
    size_t open = 0, close = 0;
    for (const char *at = out.s; (at = strstr(at, "<blockquote")); at++)
        open++;
    for (const char *at = out.s; (at = strstr(at, "</blockquote>")); at++)
        close++;
    assert_int_equal(open, 64);
    assert_int_equal(close, 64);
    assert_non_null(strstr(out.s, "<p>deep</p>"));
}

TEST(a_table_that_grows_out_of_bounds_is_shown_as_typed)
{
    AUTO_STRBUF text, out;
    strbuf_init(&text, HOSTILE);
    strbuf_init(&out, HOSTILE * 16);
    for (int row = 0; row < 2; row++) {
        for (int i = 0; i < 1000; i++)
            strbuf_adds(&text, row ? "|---" : "|a");
        strbuf_adds(&text, "\n");
    }
    while (text.len < HOSTILE - 2)
        strbuf_adds(&text, "|\n");
    assert_int_equal(markdown_html(strbuf_str(&text), &out, NULL), RC_OK);
    assert_non_null(strstr(out.s, "<div class=\"plain\">"));
}

TEST(text_that_is_added_shows_as_it_is)
{
    static const struct {
        const char *text, *html;
    } table[] = {
        {"*a* <b>_c_</b>\n# `1.` - | ~ & @", "*a* &lt;b&gt;_c_&lt;/b&gt; # `1.` - | ~ &amp; @"},
        {"[x](https://y.z)", "[x](https://y.z)"},
        {"call mum (urgent) [today]", "call mum (urgent) [today]"},
        {"\\(x\\) \\[y\\] $z$ $$w$$", "\\(x\\) \\[y\\] $z$ $$w$$"},
        {"\\begin{align} x \\end{align}", "\\begin{align} x \\end{align}"},
        {"&#93; &amp;", "&amp;#93; &amp;amp;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        AUTO_STRBUF source, out, link;
        strbuf_init(&source, 1024);
        strbuf_init(&out, 1024);
        strbuf_init(&link, 1024);
        markdown_add_text(&source, str_of(table[i].text));
        assert_int_equal(markdown_html(strbuf_str(&source), &out, NULL), RC_OK);
        assert_non_null(strstr(out.s, table[i].html));
        strbuf_addf(&link, "[%s](/tasks) x", source.s);
        strbuf_clear(&out);
        assert_int_equal(markdown_html(strbuf_str(&link), &out, NULL), RC_OK);
        assert_non_null(strstr(out.s, table[i].html));
        assert_non_null(strstr(out.s, "</a> x</p>"));
    }
}

static void check_plain(const char *text, const char *want)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 2 * strlen(text) + 1);
    assert_true(markdown_plain(str_of(text), &out));
    assert_string_equal(out.len ? out.s : "", want);
}

TEST(plain_words_have_no_markup)
{
    check_plain(
        "# A **title**\n\nSome `code`, [a link](https://x.example/), ![a picture](y)\nand &amp; more.\n",
        "A title Some code, a link, a picture and & more.");
    check_plain("- one\n- [x] two\n\n> quoted\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```c\nint  x;\n```\n",
        "one two quoted a b 1 2 int x;");
    check_plain("", "");
    check_plain(
        "So $x$, \\(y\\) and\n\n$$\nz + 1\n$$\n\ncost $5 or $10", "So x , y and z + 1 cost $5 or $10");
    check_plain("1\\. a \\* b", "1. a * b");
    check_plain("5&nbsp;&euro; &#8212; caf&eacute;&#39;s &nosuch;", "5\u00A0€ — café's &nosuch;");
}

TEST(plain_words_fit_into_twice_the_text)
{
    AUTO_STRBUF text, out;
    strbuf_init(&text, 100000);
    for (int i = 0; i < 5000; i++)
        strbuf_adds(&text, i % 2 ? "-a\n" : "- b\n\n");
    strbuf_init(&out, 2 * text.len);
    assert_true(markdown_plain(strbuf_str(&text), &out));
}

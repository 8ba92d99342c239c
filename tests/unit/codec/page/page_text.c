#include "unit.h"

#include <stdio.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "codec/page/page_text.h"

#define MAX 100000

static struct page_text read_as(struct arena *a, struct str html, const char *charset, size_t max)
{
    struct page_text page;
    assert_ok(page_text_read(a, html, str_of(charset), max, &page, NULL));
    assert_true(utf8_valid_text(page.title) && utf8_valid_text(page.text));
    assert_true(page.text.len <= max && page.title.len <= PAGE_TITLE_MAX);
    return page;
}

static struct page_text read_page(struct arena *a, const char *html)
{
    return read_as(a, str_of(html), "utf-8", MAX);
}

/* The text of a body is this. */
static void assert_text(const char *html, const char *text)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(read_page(a, html).text.s, text);
}

static void assert_title(const char *html, const char *title)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(read_page(a, html).title.s, title);
}

TEST(an_article_is_read_without_what_surrounds_it)
{
    AUTO(arena) a = arena_new();
    struct page_text page = read_page(a,
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>Bridge reopens &ndash; The "
        "Courier</title>"
        "<meta property='og:title' content='Bridge reopens'><style>p{margin:0}</style>"
        "<script>window.dataLayer=['<p>not a paragraph</p>']</script></head><body>"
        "<div id=consent role=dialog aria-label=Cookies><p>We value your privacy.</p><button>Accept "
        "all</button></div>"
        "<div class=cookie-bar>This site uses cookies.</div>"
        "<header><a href=/>The Courier</a><nav><ul><li><a href=/news>News</a><li><a "
        "href=/sport>Sport</a></ul></nav></header>"
        "<main><article><header><h1>Bridge reopens after <em>two</em> years</h1><p>By Ada Moss, "
        "<time datetime=2026-03-04>4 March 2026</time></p></header>"
        "<figure><img src=bridge.jpg alt='The bridge at dawn'><figcaption>The bridge on "
        "Tuesday.</figcaption></figure>"
        "<p>The old bridge\n   over the river is <a href='https://example.org/bridge?utm=1'>open again</a>. "
        "It was closed in 2024&nbsp;because of cracks in three of its piers.</p>"
        "<aside><h2>Read more</h2><a href=/x>Ten other bridges</a></aside>"
        "<p>Repairs cost 12 million euros, twice as much as planned.</p>"
        "<blockquote><p>We are relieved.</p><p>It took too long.</p></blockquote>"
        "<div hidden>Subscribe to read on</div><div style='color:red; Display : none'>Tracking</div>"
        "<span aria-hidden=true>icon</span><noscript><img src=t.gif alt=t></noscript><iframe "
        "src=ad>ad</iframe>"
        "<form><label>Mail</label><input "
        "value=x><select><option>Weekly</select><button>Subscribe</button></form>"
        "</article></main><footer><p>Imprint</p></footer><template><p>Template</p></template></body></html>");
    assert_string_equal(page.title.s, "Bridge reopens – The Courier");
    assert_string_equal(page.text.s,
        "# Bridge reopens after two years\n\nBy Ada Moss, 4 March 2026\n\n[The bridge at dawn]\n\n"
        "The bridge on Tuesday.\n\nThe old bridge over the river is open again. It was closed in 2024 "
        "because of "
        "cracks in three of its piers.\n\nRepairs cost 12 million euros, twice as much as planned.\n\n"
        "> We are relieved.\n>\n> It took too long.\n\nMail");
}

TEST(a_documentation_page_keeps_code_lists_and_tables)
{
    AUTO(arena) a = arena_new();
    struct page_text page = read_page(a,
        "<title>copy(1)</title><nav>Contents</nav><div role=main><h1>copy</h1><p>Run <code>copy&nbsp;A "
        "B</code> or press "
        "<kbd>F5</kbd><code></code>.</p><h2>Example</h2><div class=highlight><button>Copy</button>"
        "<pre class='language-sh'><code><span class=k>for</span> f in *; do\n    copy \"$f\" /tmp &amp;&amp; "
        "echo ok\n\ndone  \n"
        "</code></pre></div><pre>plain ``` ticks</pre><h2>Options</h2>"
        "<table><caption>All "
        "options</caption><thead><tr><th>Option<th>Meaning<tbody><tr><td><code>-r</code><td>recursive,\n a|b"
        "<tr><td rowspan=2>-v<td>verbose<br>more<tr><td>twice: <b>very</b><tr><td colspan=2>both<tr><td> "
        "<td></table>"
        "<h2>Steps</h2><ol start=3><li>First<li><p>Second</p><p>and more</p><ul><li>inner<li>other</ul><li "
        "value=9>Ninth</ol>"
        "<ul><li></li><li>only</li></ul><dl><dt>term<dd>meaning<dd>another</dl>"
        "<details><summary><button>Why?</button></summary>Because.</details>"
        "<p>About 10<sup>6</sup> files, see the note<sup>[1]</sup>. He said <q>fine</q>.</p></div>");
    assert_string_equal(page.title.s, "copy(1)");
    assert_string_equal(page.text.s,
        "# copy\n\nRun `copy A B` or press `F5`.\n\n## Example\n\n```sh\nfor f in *; do\n    copy \"$f\" "
        "/tmp && echo ok\n"
        "\ndone\n```\n\n````\nplain ``` ticks\n````\n\n## Options\n\nAll options\n\n| Option | Meaning "
        "|\n|---|---|\n"
        "| `-r` | recursive, a\\|b |\n| -v | verbose more |\n| | twice: very |\n| both | |\n\n"
        "## Steps\n\n3. First\n4. Second\n\n   and more\n\n   - inner\n   - other\n9. Ninth\n\n- only\n\n"
        "term\n: meaning\n: another\n\nWhy?\n\nBecause.\n\nAbout 10^6 files, see the note[1]. He said "
        "\"fine\".");
}

TEST(exponents_and_indices_are_no_factors)
{
    static const struct {
        const char *html, *text;
    } rows[] = {
        {"2<sup>n</sup>", "2^n"},
        {"2<sup><i>n</i></sup> steps", "2^n steps"},
        {"2<sup>n + 1</sup>!", "2^(n + 1)!"},
        {"2<sup>2<sup>n</sup></sup>", "2^2^n"},
        {"(a)<sup>2</sup>, \u03C0<sup>2</sup>, e<sup>i\u03C0</sup>", "(a)^2, \u03C0^2, e^i\u03C0"},
        {"10<sup>\u22126</sup> and 10<sup>-6</sup>", "10^\u22126 and 10^-6"},
        {"H<sub>2</sub>O, Ca<sup>2+</sup>, Na<sup>+</sup>", "H_2O, Ca^(2+), Na^+"},
        {"x<sub>i</sub><sup>2</sup> + x<sub>i-1</sub>", "x_i^2 + x_(i-1)"},
        {"<code>x<sup>n</sup></code>", "`x^n`"},
        {"<table><tr><th>n<th>m<tr><td>2<sup>n+1</sup><td>3</table>",
            "| n | m |\n|---|---|\n| 2^(n+1) | 3 |"},
        /* neither of them */
        {"word<sup>[1]</sup>, word<sup><a href=#n>[a]</a></sup>", "word[1], word[a]"},
        {"word<sup><a href=#n>a</a></sup>", "worda"},
        {"the 1<sup>st</sup>, XIX<sup>e</sup>, Tea<sup>TM</sup>, Tea<sup>\u00AE</sup>",
            "the 1st, XIXe, TeaTM, Tea\u00AE"},
        {"a <sup>b</sup> <sub>c</sub>", "a b c"},
        {"so<sup>this is printed in small letters</sup>", "sothis is printed in small letters"},
        {"<sup>n</sup>", "n"},
        {"a<sup></sup>b<sub>\n</sub>c", "ab c"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO(arena) a = arena_new();
        assert_string_equal(
            read_as(a, str_of(arena_printf(a, "<p>%s</p>", rows[i].html)), "utf-8", MAX).text.s,
            rows[i].text);
    }
}

TEST(signs_that_link_to_their_heading_are_left_out)
{
    assert_text("<h2><a href=#c>§</a>C <a class=headerlink href=#c>¶</a></h2><h3><a href=#c>C#</a></h3><p><a "
                "href=#n>#</a>",
        "## C\n\n### C#\n\n#");
}

TEST(code_without_text_leaves_nothing)
{
    assert_text("<p>a <code> </code> b <code><i></i> c</code> d<code><pre>e</pre></code>f",
        "a b `c` d\n\n```\ne\n```\n\nf");
}

TEST(a_page_of_divs_is_read_whole)
{
    assert_text("<body><div id=app><div class=h>Opening hours</div><div><div>Monday to Friday</div>"
                "<div><span>9</span><span>&ndash;17</span></div></div></div></body>",
        "Opening hours\nMonday to Friday\n9–17");
    assert_text("plain <b>words</b> without a body", "plain words without a body");
    assert_text("", "");
}

TEST(a_body_is_read_without_what_surrounds_the_text)
{
    assert_text(
        "<body><header>Site</header><nav>Menu</nav><script>code()</script><p>So\u00ADme \u202Etext\u200B</p>"
        "<section><header>Part</header></section><footer>Imprint</footer>",
        "Some text\n\nPart");
}

TEST(cookie_banners_are_left_out_and_texts_about_cookies_are_not)
{
    static const struct {
        const char *attributes;
        bool banner;
    } rows[] = {{"class='x cookie-banner y'", true}, {"class=CookieConsent", true},
        {"class=cookies_notice", true}, {"id=consent-overlay class=fixed", true}, {"id=cookiebar", true},
        {"role=dialog", true}, {"class=has-cookie-banner", false}, {"class='post tag-cookies'", false},
        {"class=cookie", false}, {"class=cookie-recipe", false}, {"id=cookies", false},
        {"class='section level2' id=cookie-consent", false}, {"class=cookie-banner-types", false},
        {"class=a", false}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO(arena) a = arena_new();
        const char *html =
            arena_printf(a, "<p>Text.</p><div %s>We use cookies. <p>Really.</div>", rows[i].attributes);
        if (rows[i].banner != (strstr(read_page(a, html).text.s, "cookies") == NULL))
            fail_msg("%s", rows[i].attributes);
    }
    assert_text("<section id=cookie-notice><h2>Cookie notice</h2>How to write one</section>",
        "## Cookie notice\n\nHow to write one");
}

TEST(main_and_articles_need_enough_text)
{
    char html[4096], words[301];
    memset(words, 'w', sizeof words - 1);
    words[sizeof words - 1] = '\0';
    static const struct {
        const char *before, *after;
        bool all;
    } rows[] = {{"<main>", "</main>", false}, {"<article>", "</article>", false}, {"<div>", "</div>", true}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO(arena) a = arena_new();
        snprintf(html, sizeof html, "<p>menu</p>%s%s%s<p>legal</p>", rows[i].before, words, rows[i].after);
        struct str text = read_page(a, html).text;
        assert_int_equal(text.len, rows[i].all ? 300 + 2 * 2 + 9 : 300);
    }
    assert_text("<p>The answer</p><main>Loading</main>", "The answer\n\nLoading");
    /* Comments as <article> beside a text that is none. */
    AUTO(arena) a = arena_new();
    snprintf(
        html, sizeof html, "<div>%s%s%s%s</div><article>%.220s</article>", words, words, words, words, words);
    assert_int_equal(read_page(a, html).text.len, 1200 + 2 + 220);
    /* The <main> with the most text, and two articles. */
    snprintf(html, sizeof html, "<main>old</main><main><p>new</p>%s</main>", words);
    assert_memory_equal(read_page(a, html).text.s, "new\n\nwww", 8);
    snprintf(html, sizeof html, "<p>menu<article>one %s</article><p>ad<article>two</article>", words);
    struct str two = read_page(a, html).text;
    assert_memory_equal(two.s, "one www", 7);
    assert_string_equal(two.s + two.len - 6, "w\n\ntwo");
}

TEST(tables_that_arrange_a_page_are_read_as_blocks)
{
    assert_text("<table><tr><td>Menu<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>",
        "Menu\n\n| a | b |\n|---|---|\n| c | d |");
    assert_text("<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\nb\nc\nd");
    assert_text("<table><tr><td>one row<td>only</table>", "one row\nonly");
    assert_text("<table><tr><td><h2>A</h2>x<td>b<tr><td>c<td>d</table>", "## A\n\nx\nb\nc\nd");
}

TEST(a_title_is_found_elsewhere_when_there_is_none)
{
    assert_title("<title> A\n  title &amp; more </title><h1>H</h1>", "A title & more");
    assert_title("<title> </title><meta property=og:title content='From &quot;graph&quot;'><h1>H</h1>",
        "From \"graph\"");
    assert_title("<svg><title>icon</title></svg><h1>From <code>h1</code></h1>", "From `h1`");
    assert_title("<p>none", "");
    AUTO(arena) a = arena_new();
    AUTO_STRBUF html;
    strbuf_init(&html, 10000);
    strbuf_adds(&html, "<title>x");
    for (int i = 0; i < 1000; i++)
        strbuf_adds(&html, "ä");
    assert_int_equal(read_page(a, html.s).title.len, PAGE_TITLE_MAX - 1);
}

TEST(charsets_are_those_of_browsers)
{
    static const struct {
        const char *html, *charset, *text;
    } rows[] = {
        {"<html lang=de><meta charset='ISO-8859-1'><p>Gr\xFC\xDF"
         "e aus K\xF6ln, 5 \x80 \x84so\x93",
            "", "Grüße aus Köln, 5 € „so“"},
        {"<meta http-equiv=Content-Type content='text/html; "
         "charset=shift_jis'><p>\x93\xFA\x96{\x8C\xEA\x82\xCC\x83y\x81[\x83W",
            "", "日本語のページ"},
        {"<p>\x93\xFA\x96{", "\"Shift_JIS\"", "日本"},
        {"\xEF\xBB\xBF<p>Z\xC3\xBCrich", "iso-8859-1", "Zürich"},
        {"<meta charset=utf-8><p>\xFC", "iso-8859-1", "ü"},
        {"<meta charset=utf-8><p>\xFCx", "", "\xEF\xBF\xBDx"},
        {"<!-- <meta charset=koi8-r> --><p>Z\xC3\xBCrich", "", "Zürich"},
        {"<p>Z\xFCrich", "", "Zürich"},
        {"<p>Z\xFCrich", "no-such-charset", "Zürich"},
        {"<p>Z\xFCrich", "ISO-2022-CN-EXT", "Zürich"},
        {"<p>\xF0\xD2\xC9\xD7\xC5\xD4", "koi8-r", "Привет"},
        {"<p>\xF0\xD2\xC9\xD7\xC5\xD4", " 'koi8-r'; q=1", "Привет"},
        {"<p>Z\xC3\xBCrich", "\"\"", "Zürich"},
        {"<p>\xC4\xE3\xBA\xC3\xFF!", "gb2312", "你好\xEF\xBF\xBD!"},
        {"<p>\xC4\xE3\xBA", "gbk", "你\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        AUTO(arena) a = arena_new();
        assert_string_equal(read_as(a, str_of(rows[i].html), rows[i].charset, MAX).text.s, rows[i].text);
    }
    AUTO(arena) a = arena_new();
    const struct str wide = STR("\xFF\xFE<\0p\0>\0\xFC\0\x3D\xD8\x00\xDE");
    assert_string_equal(read_as(a, wide, "", MAX).text.s, "ü😀");
    assert_string_equal(read_as(a, STR("<p>a\0b\0</p>"), "", MAX).text.s, "ab");
}

TEST(a_wiki_page_keeps_its_formulas_and_facts)
{
    assert_text(
        "<div id=mw-panel role=navigation>Tools</div><div role=main><h1>Mass</h1><table class=infobox>"
        "<tr><th colspan=2>Mass<tr><th>Symbol<td><i>m</i></table><p>By <span class=mwe-math-element><span "
        "style='display: "
        "none;'><math alttext='E'><mi>E</mi></math></span><img aria-hidden=true alt='{\\displaystyle "
        "E=mc^{2}}'></span>, "
        "and <span class=katex><span class=katex-mathml><math><semantics><mrow><mi>a</mi></mrow>"
        "<annotation encoding='application/x-tex'>a</annotation></semantics></math></span>"
        "<span class=katex-html aria-hidden=true>a</span></span><sup id=r1><a href=#n1>[1]</a></sup>.</div>",
        "# Mass\n\n| Mass | |\n|---|---|\n| Symbol | m |\n\nBy [{\\displaystyle E=mc^{2}}], and a[1].");
}

TEST(a_text_is_cut_at_its_limit)
{
    AUTO(arena) a = arena_new();
    const struct str html = STR("<p>ab\xC3\xA4\xC3\xA4<p>next<pre>code</pre><ul><li>x</ul>");
    for (size_t max = 0; max < 40; max++) {
        struct str text = read_as(a, html, "utf-8", max).text;
        assert_true(str_starts(STR("abää\n\nnext\n\n```\ncode\n```\n\n- x"), text));
    }
    assert_string_equal(read_as(a, html, "utf-8", 5).text.s, "abä");
}

static const struct hostile {
    const char *name, *before, *again;
    size_t size;
    enum rc rc;
} hostile[] = {
    {"nested blocks", "", "<div>", 500000, RC_TOO_BIG},
    {"nested inline", "", "<b>", 2000000, RC_TOO_BIG},
    {"nested lists", "", "<ul><li>", 2000000, RC_TOO_BIG},
    {"nested tables", "", "<table><tr><td>", 2000000, RC_TOO_BIG},
    {"formatting", "", "<b id=%zu><p>", 2000000, RC_TOO_BIG},
    {"attributes", "<p ", "a%zu ", 2000000, RC_TOO_BIG},
    {"attributes of the body", "", "<body a%zu>x", 2000000, RC_TOO_BIG},
    {"elements", "", "<i></i>", 4000000, RC_TOO_BIG},
    {"too much", "", "xxxxxxxx", PAGE_HTML_MAX + 8, RC_TOO_BIG},
    {"colspan", "<table>", "<tr><td colspan=99999999999 rowspan=99999>x", 1000000, RC_OK},
    {"cells", "<table><tr>", "<td>x", 500000, RC_OK},
    {"text", "<p>", "word ", 2000000, RC_OK},
    {"words in a table", "<table>", "x<br>", 200000, RC_OK},
    {"NUL", "<p>x", "\1", 2000000, RC_OK},
    {"entities", "<p>", "&#99999999999999999999;&amp;&NotARealEntityName", 2000000, RC_OK},
    {"an entity", "<p>&#", "9", 2000000, RC_OK},
    {"end tags", "<p>x", "</x>", 1000000, RC_OK},
    {"comment", "<p>x<!--", "-", 2000000, RC_OK},
    {"script", "<p>x<script>", "<!--<script>", 2000000, RC_OK},
    {"attribute", "<p>x<p title='", "x", 2000000, RC_OK},
    {"backticks", "<pre>", "`", 2000000, RC_OK},
    {"exponents", "<p>1", "<sup>1</sup>", 500000, RC_OK},
};

TEST(hostile_pages_end_in_limited_time)
{
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        const struct hostile *h = &hostile[i];
        AUTO(arena) a = arena_new();
        AUTO_STRBUF html;
        strbuf_init(&html, 2 * PAGE_HTML_MAX);
        strbuf_adds(&html, h->before);
        for (size_t n = 0; html.len < h->size; n++)
            if (strchr(h->again, '%'))
                strbuf_addf(&html, h->again, n);
            else if (h->again[0] == '\1')
                strbuf_addc(&html, 0);
            else
                strbuf_adds(&html, h->again);
        struct page_text page = {0};
        enum rc rc = page_text_read(a, strbuf_str(&html), STR("utf-8"), MAX, &page, NULL);
        if (rc != h->rc)
            fail_msg("%s: %s", h->name, rc_name(rc));
        assert_true(rc != RC_OK || (page.text.len && utf8_valid_text(page.text)));
    }
}

TEST(as_many_open_elements_as_browsers_allow_are_read)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF html;
    strbuf_init(&html, MAX);
    for (int i = 0; i < 510; i++)
        strbuf_adds(&html, "<div>");
    strbuf_adds(&html, "deep");
    assert_string_equal(read_page(a, html.s).text.s, "deep");
}

TEST(memory_of_a_page_is_freed)
{
    AUTO(arena) a = arena_new();
    read_page(a, "<p>x"); /* loads the library */
    size_t before = unit_allocated();
    struct page_text page;
    AUTO_STRBUF html;
    strbuf_init(&html, MAX);
    for (int i = 0; i < 10000; i++)
        strbuf_adds(&html, "<div>");
    assert_rc(page_text_read(a, strbuf_str(&html), STR(""), MAX, &page, NULL), RC_TOO_BIG);
    strbuf_release(&html);
    assert_int_equal(unit_allocated(), before);
}

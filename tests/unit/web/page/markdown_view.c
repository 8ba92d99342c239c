#include "unit.h"

#include "codec/markdown/markdown.h"
#include "web/page/markdown_view.h"

static struct str html_of(struct html_cache *c, struct arena *a, const char *language, struct str text)
{
    struct view *v = view_new(a);
    const struct lang *l = lang_find(str_of(language));
    if (c)
        view_markdown_kept(c, 1, a, v, l, text);
    else
        view_markdown(a, v, l, text);
    return view_as_str(view_get(v, STR("body_html")));
}

TEST(a_text_that_is_not_formatted_says_so_in_the_language_of_each_reader)
{
    AUTO(arena) a = arena_new();
    AUTO(html_cache) c;
    assert_int_equal(html_cache_new(HTML_CACHE_BYTES, HTML_CACHE_LIFE_MS, &c, NULL), RC_OK);
    AUTO_STRBUF text;
    strbuf_init(&text, 500000);
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&text, "[a]\n");
    for (int round = 0; round < 2; round++) {
        assert_non_null(strstr(html_of(c, a, "de", strbuf_str(&text)).s, "ohne Formatierung"));
        struct str english = html_of(c, a, "en", strbuf_str(&text));
        assert_true(
            str_starts(english, STR(MARKDOWN_PLAIN_HTML "<p class=\"quiet\">This text is shown without")));
        assert_null(strstr(english.s, "Formatierung"));
        assert_non_null(strstr(english.s, "</p>\n<pre dir=\"auto\">[a]\n[a]"));
    }
}

TEST(a_text_that_is_too_large_is_told_in_the_language_of_the_reader)
{
    AUTO(arena) a = arena_new();
    char *large = arena_alloc(a, MARKDOWN_TEXT_MAX + 1);
    memset(large, 'a', MARKDOWN_TEXT_MAX + 1);
    struct str text = {large, MARKDOWN_TEXT_MAX + 1};
    assert_string_equal(html_of(NULL, a, "de", text).s, MARKDOWN_PLAIN_HTML
        "<p class=\"quiet\">Dieser Text ist zu groß, um angezeigt zu werden.</p>\n</div>");
    assert_string_equal(html_of(NULL, a, "en", STR("*a*")).s, "<p dir=\"auto\"><em>a</em></p>\n");
}

TEST(a_copy_has_no_links_to_pages_of_its_owner)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
#define PRIVATE "/s/ses_01234567890123456789012345?at=1#m-1"
    view_markdown_copy(NULL, 0, a, v, lang_find(STR("en")),
        STR("See [my *old* papers](" PRIVATE
            " \"a > b\"), [the list](/tasks) and [a site](https://example.com/)."));
    const char *html = view_as_str(view_get(v, STR("body_html"))).s;
    assert_string_equal(html, "<p dir=\"auto\">See my <em>old</em> papers, the list and "
                              "<a href=\"https://example.com/\" rel=\"noopener noreferrer nofollow\" "
                              "target=\"_blank\">a site</a>.</p>\n");
}

static const char *copy_of(struct html_cache *c, struct arena *a, struct str text)
{
    struct view *v = view_new(a);
    view_markdown_copy(c, 7, a, v, lang_find(STR("en")), text);
    return view_as_str(view_get(v, STR("body_html"))).s;
}

TEST(a_copy_is_cached_without_its_links_and_formulas)
{
    AUTO(arena) a = arena_new();
    AUTO(html_cache) c = NULL;
    struct err e = ERR_INIT;
    struct str text = STR("[A *list*](/tasks) of $x^2$"), html;
    assert_int_equal(html_cache_new(HTML_CACHE_BYTES, HTML_CACHE_LIFE_MS, &c, &e), RC_OK);
    const char *first = copy_of(c, a, text);
    assert_null(strstr(first, "href"));
    assert_true(html_cache_get(c, 7, text, a, &html));
    assert_string_equal(html.s, first);
    html_cache_put(c, 7, text, STR("from the cache"));
    assert_string_equal(copy_of(c, a, text), "from the cache");
}

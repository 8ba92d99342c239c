/* Texts of the catalogue in templates. */
#include "mustache_rig.h"

static const char *greeting(const void *arg, struct str key)
{
    static const char *const texts[][2] = {{"a.plain", "Tom & \"Jo\""},
        {"a.name", "Hello {name}, {{literally}}"}, {"a.link", "<1>Read</1> {n} or <2>go</2>, since <3/>."},
        {"a.one", "<1>x</1>"}};
    (void)arg;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (str_is(key, texts[i][0]))
            return texts[i][1];
    return NULL;
}

static void in_words(const char *source, const struct view *v, const char *expected)
{
    AUTO(mustache_set) set = mustache_set_new();
    mustache_set_texts(set, greeting, NULL);
    add(set, "page", source);
    renders(set, "page", v, expected);
}

TEST(mustache_inserts_texts_of_the_catalogue_escaped_with_their_placeholders)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_text(v, "name", "<Ann>");
    in_words("<p title=\"{{t.a.plain}}\">{{t.a.name}}</p>", v,
        "<p title=\"Tom &amp; &quot;Jo&quot;\">Hello &lt;Ann&gt;, {literally}</p>");
    in_words("{{title}}{{#tags}}x{{/tags}}", v, "");
}

TEST(mustache_puts_words_of_a_text_into_the_elements_of_the_template)
{
    AUTO(arena) a = arena_new();
    struct view *v = view_new(a);
    view_int(v, "n", 3);
    view_text(v, "url", "/x");
    in_words("{{#t.a.link}}<a href=\"{{url}}\"></a>|<b "
             "class=\"c\"></b>|\n<time>{{t.a.plain}}</time>{{/t.a.link}}!",
        v,
        "<a href=\"/x\">Read</a> 3 or <b class=\"c\">go</b>, since <time>Tom &amp; &quot;Jo&quot;</time>.!");
}

TEST(mustache_refuses_a_text_that_does_not_fit_its_tag)
{
    static const char *const wrong[] = {"{{t.a.none}}", "{{t.a.link}}",
        "{{#t.a.one}}<a></a>|<b></b>{{/t.a.one}}", "{{#t.a.one}}<br>{{/t.a.one}}", "{{#t.a.one}}<a></a>",
        "{{#t.a.one}}<a></a>{{/t.a.two}}", "{{t.a.plain"};
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
        AUTO(mustache_set) set = mustache_set_new();
        mustache_set_texts(set, greeting, NULL);
        struct err e = ERR_INIT;
        if (mustache_set_add(set, "page", str_of(wrong[i]), &e) != RC_BAD_INPUT)
            fail_msg("%s is taken", wrong[i]);
        assert_non_null(strstr(e.text, "page"));
    }
}

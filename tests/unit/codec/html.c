#include "unit.h"

#include "base/mem.h"
#include "codec/html.h"

static void escapes_to(struct str in, const char *expected)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 4096);
    html_escape(&b, in);
    assert_string_equal(b.s, expected);
}

TEST(html_escapes_the_five_characters)
{
    escapes_to(STR("a&b<c>d\"e'f"), "a&amp;b&lt;c&gt;d&quot;e&#39;f");
    escapes_to(STR("<<>>"), "&lt;&lt;&gt;&gt;");
    escapes_to(STR("&amp;"), "&amp;amp;");
}

TEST(html_leaves_other_text_alone)
{
    escapes_to(STR(""), "");
    escapes_to((struct str){0}, "");
    escapes_to(STR("gr\xC3\xBC\xC3\x9F Gott\n"), "gr\xC3\xBC\xC3\x9F Gott\n");
}

TEST(html_overflow_sticks)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 6);
    html_escape(&b, STR("<<"));
    assert_true(b.failed);
    assert_string_equal(b.s, "&lt;");
}

TEST(html_references_become_their_characters)
{
    static const struct {
        const char *html, *text;
    } table[] = {
        {"&lt;b&gt; &amp;amp; caf&eacute; &AElig;&zwnj;.", "<b> &amp; café Æ\u200C."},
        {"&#39;&#x27;&#X1f600;", "''\U0001F600"},
        {"&#0;&#xD800;&#9999999;", "\uFFFD\uFFFD\uFFFD"},
        {"& &; &#; &#x; &#1g; &nosuch; &averylongnamethatisnone; &amp", NULL},
        {"&&amp;&#12345678;&lt", "&&&#12345678;&lt"},
        {"", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        AUTO_STRBUF b;
        strbuf_init(&b, 4096);
        html_decode(&b, str_of(table[i].html));
        assert_string_equal(b.s, table[i].text ? table[i].text : table[i].html);
    }
}

static void check_places(size_t len)
{
    char text[49];
    for (size_t at = 0; at < len; at++)
        for (int byte = 0; byte < 256; byte++) {
            memset(text, 'x', len);
            text[at] = (char)byte;
            const char *as = byte == '&'    ? "&amp;"
                             : byte == '<'  ? "&lt;"
                             : byte == '>'  ? "&gt;"
                             : byte == '"'  ? "&quot;"
                             : byte == '\'' ? "&#39;"
                                            : NULL;
            AUTO_STRBUF b, expected;
            strbuf_init(&b, 4096);
            strbuf_init(&expected, 4096);
            html_escape(&b, (struct str){text, len});
            strbuf_add(&expected, text, at);
            strbuf_add(&expected, as ? as : text + at, as ? strlen(as) : 1);
            strbuf_add(&expected, text + at + 1, len - 1 - at);
            assert_int_equal(b.len, expected.len);
            assert_memory_equal(b.s, expected.s, b.len);
        }
}

/* Texts are looked at sixteen bytes at a time, short ones in other ways. */
TEST(html_finds_every_byte_at_every_place)
{
    const size_t lengths[] = {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48};
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++)
        check_places(lengths[i]);
}

#include "unit.h"

#include "codec/url.h"

static void decodes_to(struct str in, enum url_plus plus, struct str expected)
{
    AUTO(arena) a = arena_new();
    struct str out;
    assert_int_equal(url_decode(a, in, plus, &out, NULL), RC_OK);
    assert_true(str_eq(out, expected));
    assert_int_equal(out.s[out.len], 0);
}

TEST(url_decodes_escapes_of_either_case)
{
    decodes_to(STR("a%20b%2Fc%2f"), URL_PLUS_IS_PLUS, STR("a b/c/"));
    decodes_to(STR("%C3%bc"), URL_PLUS_IS_PLUS, STR("\xC3\xBC"));
    decodes_to(STR("%2525"), URL_PLUS_IS_PLUS, STR("%25"));
    decodes_to((struct str){0}, URL_PLUS_IS_PLUS, STR(""));
}

TEST(url_decodes_plus_only_in_forms)
{
    decodes_to(STR("a+b%2B"), URL_PLUS_IS_PLUS, STR("a+b+"));
    decodes_to(STR("a+b%2B"), URL_PLUS_IS_SPACE, STR("a b+"));
}

TEST(url_refuses_bad_escapes_and_bad_text)
{
    static const char *const bad[] = {
        "%", "a%2", "%zz", "%2x", "%x2", "% 2", "%00", "a%00b", "%ff", "%C3", "%ED%A0%80", "\xFF"};
    AUTO(arena) a = arena_new();
    struct str out;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(url_decode(a, str_of(bad[i]), URL_PLUS_IS_PLUS, &out, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
    }
    struct err e = ERR_INIT;
    url_decode(a, STR("%2x"), URL_PLUS_IS_PLUS, &out, &e);
    assert_string_equal(e.text, "The address or form contains a percent sign that does not begin an escape.");
    assert_int_equal(url_decode(a, (struct str){"%41", 2}, URL_PLUS_IS_PLUS, &out, NULL), RC_BAD_INPUT);
}

TEST(url_encodes_reserved_characters)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 256);
    url_encode(&b, STR("Az09-._~ /?&=+%\xC3\xBC"));
    assert_string_equal(b.s, "Az09-._~%20%2F%3F%26%3D%2B%25%C3%BC");
}

TEST(url_encoding_survives_decoding)
{
    char all[255];
    for (size_t i = 0; i < 127; i++)
        all[i] = (char)(i + 1);
    AUTO_STRBUF b;
    strbuf_init(&b, 1024);
    url_encode(&b, (struct str){all, 127});
    decodes_to(strbuf_str(&b), URL_PLUS_IS_SPACE, (struct str){all, 127});
}

TEST(url_allows_links_of_https_and_mailto)
{
    static const char *const good[] = {"https://example.org", "HTTPS://example.org/a?b=c&d#e",
        "mailto:a@example.org", "MailTo:a@example.org?subject=x",
        "https://b\xC3\xBC"
        "cher.example/",
        "https://user@example.org:8443/%20'(x)"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_true(url_link_allowed(str_of(good[i])));
}

TEST(url_refuses_every_other_link)
{
    static const char *const bad[] = {"", "https:", "https://", "https:///x", "https:example.org",
        "http://example.org", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)",
        " https://example.org", "\thttps://example.org", "\x01https://example.org", "https://example.org/a b",
        "https://example.org/\n", "https://example.org/\x7F", "https://example.org\\@evil.example",
        "https:\\\\example.org", "https://\"onclick=x", "https://a/<b>", "mailto:", "mailto:?",
        "data:text/html,x", "vbscript:x", "//example.org", "/local", "#x", "file:///etc/passwd",
        "https://a\xC2\xA0/", "https://a\xE2\x80\xAE/", "https://a\xE2\x80\x8B.b/", "https://a\xFF/",
        "https&#58;//a", "xhttps://a", "https ://a"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (url_link_allowed(str_of(bad[i])))
            fail_msg("allowed: %s", bad[i]);
    assert_false(url_link_allowed(STR("https://a\0b")));
}

TEST(url_refuses_links_beyond_the_limit)
{
    AUTO_STRBUF b;
    strbuf_init(&b, URL_LINK_MAX + 1);
    strbuf_adds(&b, "https://");
    while (b.len < URL_LINK_MAX)
        strbuf_addc(&b, 'a');
    assert_true(url_link_allowed(strbuf_str(&b)));
    strbuf_addc(&b, 'a');
    assert_false(url_link_allowed(strbuf_str(&b)));
}

#define SES "/s/ses_01m7x09rm1e70aa776b9mfybh2"

TEST(url_knows_the_addresses_within_alfred_that_a_text_may_lead_to)
{
    static const char *const good[] = {SES, SES "?at=4294967297", SES "#m-1", SES "?at=12#m-12", "/memory",
        "/memory?after=4294967298#memory-4294967297", "/tasks", "/reminders", "/settings"};
    static const char *const bad[] = {"", "/", "/s/", "/s/new", "//" SES, SES "/", SES "/delete", SES "?q=1",
        SES "?at=", SES "?at=1&x=2", SES "#x", SES "#m-", SES "#m-1 ", SES "x",
        "/s/ses_01m7x09rm1e70aa776b9mfybh", "/s/ses_01M7X09RM1E70AA776B9MFYBH2", "https://a" SES,
        "/memory?q=secret", "/memory?after=", "/memory?after=2&q=x", "/memory#x", "/tasks/",
        "/reminders?at=1", "/settings/", "/settings?x=1", "/account", "/signout"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_true(url_link_inside(str_of(good[i])));
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        if (url_link_inside(str_of(bad[i])))
            fail_msg("%s", bad[i]);
}

TEST(url_with_adds_a_query_without_empty_parts)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(URL_WITH(a, "/sessions", {"q", STR("a b&c")}, {"show", {0}}, {"after", STR("1.2")}),
        "/sessions?q=a%20b%26c&after=1.2");
    assert_string_equal(URL_WITH(a, "/sessions?show=all", {"q", STR("é")}), "/sessions?show=all&q=%C3%A9");
    assert_string_equal(URL_WITH(a, "/", {"workspace", STR("")}), "/");
}

#include "unit.h"

#include "codec/web_address.h"

TEST(web_address_has_one_normal_form)
{
    static const struct {
        const char *written, *normal;
    } table[] = {
        {"https://example.org", "https://example.org/"},
        {"HTTP://Example.ORG:80/a?b=C#d", "https://example.org/a?b=C"},
        {"https://example.org:443/A", "https://example.org/A"},
        {"http://example.org:443/A", "https://example.org/A"},
        {"https://example.org:80/A", "https://example.org:80/A"},
        {"https://example.org.:8443/", "https://example.org:8443/"},
        {"https://example.org?q=1", "https://example.org/?q=1"},
        {" example.org/a ", "https://example.org/a"},
        {"https://de.wikipedia.org/wiki/K\xC3\xA4se", "https://de.wikipedia.org/wiki/K%C3%A4se"},
        {"https://[::1]:8443/a", "https://[::1]:8443/a"},
        {"http://wiki/start", "https://wiki/start"},
        {"https://example.org/a%2fb", "https://example.org/a%2fb"},
        {"https://user@example.org/", NULL},
        {"https://", NULL},
        {"https:///a", NULL},
        {"https://example.org:99999/", NULL},
        {"https://exa mple.org/", NULL},
        {"https://example.org/a b", NULL},
        {"ftp://example.org/", NULL},
        {"wiki", NULL},
        {"1.5", NULL},
        {"", NULL},
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const char *normal = web_address_normal(a, str_of(table[i].written));
        if (!normal != !table[i].normal || (normal && strcmp(normal, table[i].normal) != 0))
            fail_msg("%s became %s", table[i].written, normal ? normal : "nothing");
    }
}

TEST(web_address_is_found_in_what_people_write)
{
    static const struct {
        const char *text, *normal;
    } table[] = {
        {"Summarise https://example.org/article", "https://example.org/article"},
        {"Have you read https://example.org/article?", "https://example.org/article"},
        {"(see http://Example.org/article), please", "https://example.org/article"},
        {"[this](https://example.org/a) and <https://example.org/b>.", "https://example.org/a"},
        {"[this](https://example.org/a) and <https://example.org/b>.", "https://example.org/b"},
        {"https://en.wikipedia.org/wiki/Tea_(drink)", "https://en.wikipedia.org/wiki/Tea_(drink)"},
        {"**https://example.org/a** \"https://example.org/b\"", "https://example.org/a"},
        {"**https://example.org/a** \"https://example.org/b\"", "https://example.org/b"},
        {"what is on example.org?", "https://example.org/"},
        {"what is on (www.example.org/a)", "https://www.example.org/a"},
        {"https://example.org/a#part", "https://example.org/a"},
        {"https://example.org/a\xE3\x81\xAE\xE8\xA6\x81\xE7\xB4\x84", "https://example.org/a"},
        {"\xE2\x80\x9Ehttps://example.org/a\xE2\x80\x9C", "https://example.org/a"},
        {"https://de.wikipedia.org/wiki/K\xC3\xA4se", "https://de.wikipedia.org/wiki/K%C3%A4se"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (!web_address_in(str_of(table[i].text), table[i].normal))
            fail_msg("%s is not found in: %s", table[i].normal, table[i].text);
}

TEST(web_address_is_not_found_in_a_longer_or_another_one)
{
    static const struct {
        const char *text, *normal;
    } table[] = {
        {"https://example.org/article", "https://example.org/"},
        {"https://example.org/article", "https://example.org/article?d=secret"},
        {"https://example.org/article?a=1", "https://example.org/article"},
        {"https://example.org/a,b", "https://example.org/a"},
        {"https://example.org.evil.example/", "https://example.org/"},
        {"https://evil.example/https://example.org/x", "https://example.org/"},
        {"anna@example.org", "https://example.org/"},
        {"not.example.org", "https://example.org/"},
        {"https://example.org/Article", "https://example.org/article"},
        {"https://example.org:8443/", "https://example.org/"},
        {"", "https://example.org/"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (web_address_in(str_of(table[i].text), table[i].normal))
            fail_msg("%s is found in: %s", table[i].normal, table[i].text);
}

TEST(any_address_is_seen_and_other_words_are_not)
{
    static const char *const with[] = {"https://example.org", "Read (http://Example.org/a).",
        "[this](https://example.org/a)", "what is on www.example.org?", "example.org/tea, please",
        "\xE2\x80\x9Ehttps://example.org/a\xE2\x80\x9C"},
                             *const without[] = {"", "https://", "Look at http:// and ftp://example.org/",
                                 "main.py and Node.js", "and/or", "./src/main.c", "src/main.c", "3.5/10",
                                 "e.g. this", "anna@example.org", "https:///a"};
    for (size_t i = 0; i < ARRAY_LEN(with); i++)
        if (!web_address_any(str_of(with[i])))
            fail_msg("%s has one", with[i]);
    for (size_t i = 0; i < ARRAY_LEN(without); i++)
        if (web_address_any(str_of(without[i])))
            fail_msg("%s has none", without[i]);
}

TEST(web_address_has_a_host)
{
    assert_true(str_is(web_address_host("https://example.org:8443/a"), "example.org"));
    assert_true(str_is(web_address_host("https://example.org/"), "example.org"));
}

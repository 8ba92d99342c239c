#include "app/config/config_rig.h"

#include <unistd.h>

#include "app/config/hosts.h"

static void header_is(const char *header, const char *host)
{
    struct str got = host_of_header(str_of(header));
    if (!host)
        assert_null(got.s);
    else
        assert_true(got.s && str_is(got, host));
}

TEST(the_host_of_a_header_is_its_name_or_address_without_port)
{
    header_is("localhost", "localhost");
    header_is("localhost:8443", "localhost");
    header_is("Alfred.Example.ORG.", "Alfred.Example.ORG");
    header_is("alfred.example.org.:443", "alfred.example.org");
    header_is("192.0.2.1:80", "192.0.2.1");
    header_is("[::1]", "[::1]");
    header_is("[2001:db8::1]:8443", "[2001:db8::1]");
    header_is("localhost:", "localhost");
}

TEST(a_malformed_host_is_refused)
{
    static const char *const bad[] = {"", ":", ":80", "a b", "a/b", "user@localhost", "localhost:x",
        "localhost:80:80", "localhost:99999", "[::1", "::1", "[::1]x", "[]", "[", "[localhost]",
        "loc\"alhost", "localhost\n", "localhost,evil"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        header_is(bad[i], NULL);
    assert_null(host_of_header(str_of(NULL)).s);
}

TEST(the_host_of_a_url_is_found)
{
    assert_true(str_is(host_of_url(STR("https://alfred.example.org")), "alfred.example.org"));
    assert_true(str_is(host_of_url(STR("http://[::1]:8443/x:y")), "[::1]"));
    assert_null(host_of_url(STR("https:///x")).s);
    assert_null(host_of_url(STR("alfred")).s);
}

TEST(the_server_of_a_url_has_a_port)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(server_of_url(a, "https://search.example.org/x:y"), "search.example.org:443");
    assert_string_equal(server_of_url(a, "http://localhost?a:b"), "localhost:80");
    assert_string_equal(server_of_url(a, "http://[::1]/v1"), "[::1]:80");
    assert_string_equal(server_of_url(a, "https://[::1]:8443/v1"), "[::1]:8443");
    assert_null(server_of_url(a, "localhost"));
}

TEST(localhost_is_always_ours_with_and_without_port)
{
    AUTO(config) c = parsed("[server]\nbind = \"192.0.2.7\"\n");
    static const char *const ours[] = {
        "localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:8443", "192.0.2.7:8443"};
    for (size_t i = 0; i < ARRAY_LEN(ours); i++)
        assert_true(host_is_own(c, ours[i], NULL));
}

TEST(the_machines_name_is_ours)
{
    char name[256];
    AUTO(config) c = parsed("");
    assert_int_equal(gethostname(name, sizeof name), 0);
    assert_true(host_is_own(c, name, NULL));
}

TEST(public_url_and_further_hosts_are_ours)
{
    AUTO(config)
    c = parsed("[server]\npublic_url = \"https://Alfred.example.org:8443/\"\n"
               "hosts = [\"alfred.lan\", \"[2001:DB8:0:0:0:0:0:1]\"]\n");
    assert_true(host_is_own(c, "alfred.example.org", NULL));
    assert_true(host_is_own(c, "ALFRED.example.org.:1", NULL));
    assert_true(host_is_own(c, "alfred.lan", NULL));
    assert_true(host_is_own(c, "[2001:db8::1]:8443", NULL));
    assert_false(host_is_own(c, "example.org", NULL));
    assert_false(host_is_own(c, "x.alfred.lan", NULL));
}

TEST(other_names_are_not_ours)
{
    AUTO(config) c = parsed("");
    static const char *const foreign[] = {"evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
        "127.0.0.2", "0.0.0.0", "[::]", "", "localhost@evil.example"};
    for (size_t i = 0; i < ARRAY_LEN(foreign); i++)
        assert_false(host_is_own(c, foreign[i], "192.0.2.1"));
    assert_false(host_is_own(c, NULL, "192.0.2.1"));
}

TEST(an_address_is_ours_when_the_connection_came_in_at_it)
{
    AUTO(config) c = parsed("");
    assert_true(host_is_own(c, "192.0.2.1:8443", "192.0.2.1"));
    assert_true(host_is_own(c, "[2001:DB8::0:1]", "2001:db8::1"));
    assert_false(host_is_own(c, "192.0.2.2", "192.0.2.1"));
    assert_false(host_is_own(c, "192.0.2.1", NULL));
    assert_false(host_is_own(c, "192.0.2.1", "unix:"));
    assert_false(host_is_own(c, "evil.example", "evil.example"));
}

TEST(settings_with_a_malformed_host_are_refused)
{
    static const char *const bad[] = {"hosts = [\"\"]", "hosts = [\"a.lan:8443\"]",
        "hosts = [\"https://a.lan\"]", "hosts = [\"a.lan;\"]", "hosts = [\"::1\"]",
        "public_url = \"https://a;b\"", "public_url = \"https://a$b.lan\"", "public_url = \"https://:8443\""};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(arena) a = arena_new();
        struct config *c = NULL;
        struct err e;
        assert_int_equal(parse(arena_printf(a, "[server]\n%s\n", bad[i]), &c, &e), RC_BAD_INPUT);
        assert_true(e.for_user);
    }
}

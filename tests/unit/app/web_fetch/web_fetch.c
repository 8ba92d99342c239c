/* The decision about each address of a fetch. The redirects themselves are tested in
 * tests/http/tools/read_page.test.js, where every server is private and therefore listed. */
#include "unit.h"

#include <stdlib.h>

#include "app/web_fetch/web_fetch.h"

TEST(a_server_that_is_not_listed_cannot_redirect_to_a_listed_one)
{
    static const char *const hosts[] = {"wiki.internal", "127.0.0.1:8080"};
    const struct config_list list = {hosts, ARRAY_LEN(hosts)};
    static const struct {
        const char *url;
        bool redirected, from_listed;
        enum rc rc;
        const char *fetched;
        bool listed;
    } table[] = {
        /* what the user has written */
        {"https://wiki.internal/a", false, false, RC_OK, "https://wiki.internal/a", true},
        {"http://wiki.internal/a", false, false, RC_OK, "http://wiki.internal/a", true},
        {"http://example.org/a", false, false, RC_OK, "https://example.org/a", false},
        {"ftp://example.org/a", false, false, RC_BAD_INPUT, "ftp://example.org/a", false},
        /* redirects */
        {"https://wiki.internal/a", true, false, RC_FORBIDDEN, "https://wiki.internal/a", true},
        {"http://WIKI.internal/a", true, false, RC_FORBIDDEN, "http://WIKI.internal/a", true},
        {"http://127.0.0.1:8080/", true, false, RC_FORBIDDEN, "http://127.0.0.1:8080/", true},
        {"https://wiki.internal/b", true, true, RC_OK, "https://wiki.internal/b", true},
        {"https://example.org/b", true, true, RC_OK, "https://example.org/b", false},
        {"http://example.org/b", true, false, RC_OK, "https://example.org/b", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        AUTO_FREE char *url = strdup(table[i].url);
        bool listed = table[i].from_listed;
        struct err e = ERR_INIT;
        assert_int_equal(web_fetch_check(&url, &list, table[i].redirected, &listed, &e), table[i].rc);
        assert_string_equal(url, table[i].fetched);
        assert_int_equal(listed, table[i].listed);
        if (table[i].rc == RC_FORBIDDEN)
            assert_string_equal(e.text, "The page redirects to a private server.");
    }
}

TEST(a_public_server_between_two_listed_ones_ends_the_trust)
{
    static const char *const hosts[] = {"wiki.internal"};
    const struct config_list list = {hosts, 1};
    static const char *const way[] = {
        "https://wiki.internal/a", "https://example.org/b", "https://wiki.internal/c"};
    bool listed = false;
    for (size_t i = 0; i < ARRAY_LEN(way); i++) {
        AUTO_FREE char *url = strdup(way[i]);
        assert_int_equal(web_fetch_check(&url, &list, i > 0, &listed, NULL), i < 2 ? RC_OK : RC_FORBIDDEN);
    }
}

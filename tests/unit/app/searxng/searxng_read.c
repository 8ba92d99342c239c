#include "unit.h"

#include <string.h>

#include "app/searxng/searxng.h"
#include "base/strbuf.h"

/* An answer as the server sends it, with the members that are not read. */
#define RESULT(url, title, content)                                                                   \
    "{\"url\":\"" url "\",\"title\":\"" title "\",\"content\":\"" content                             \
    "\",\"publishedDate\":null,\"thumbnail\":\"\",\"engine\":\"bing\",\"template\":\"default.html\"," \
    "\"parsed_url\":[\"https\",\"x.example\",\"/\",\"\",\"\",\"\"],\"engines\":[\"bing\"],"           \
    "\"positions\":[1],\"score\":1.5,\"category\":\"general\"}"
#define FOUND(results, more) "{\"query\":\"tea\",\"number_of_results\":0,\"results\":[" results "]" more "}"

struct read {
    struct arena *a;
    struct searxng_found found;
};

static struct read read_body(struct str body, enum rc want)
{
    struct read r = {.a = arena_new()};
    struct err e = ERR_INIT;
    assert_rc(searxng_read(r.a, body, &r.found, &e), want);
    if (want != RC_OK)
        assert_true(err_is(&e, "searxng.no_search"));
    return r;
}

static struct read found(const char *body)
{
    return read_body(str_of(body), RC_OK);
}

TEST(a_result_has_title_address_text_and_day)
{
    struct read r = found(FOUND("{\"url\":\"https://x.example/tea?a=1&b=2\",\"title\":\"Tea\",\"content\":"
                                "\"A drink\",\"publishedDate\":\"2026-03-01T12:00:00\"}",
        ""));
    assert_int_equal(r.found.results_n, 1);
    const struct searxng_entry *one = &r.found.results[0];
    assert_string_equal(one->url.s, "https://x.example/tea?a=1&b=2");
    assert_string_equal(one->title.s, "Tea");
    assert_string_equal(one->text.s, "A drink");
    assert_string_equal(one->published.s, "2026-03-01");
    assert_false(r.found.engines_failed);
    arena_free(r.a);
}

TEST(members_that_are_null_or_of_another_type_count_as_absent)
{
    struct read r =
        found(FOUND("{\"url\":\"https://x.example/\",\"title\":null,\"content\":7,\"publishedDate\":"
                    "\"yesterday at noon\"},null,7,[],\"https://x.example/2\",{\"url\":[]},{}",
            ",\"answers\":null,\"infoboxes\":{\"content\":\"x\"},\"unresponsive_engines\":\"all\""));
    assert_int_equal(r.found.results_n, 1);
    assert_string_equal(r.found.results[0].title.s, "");
    assert_string_equal(r.found.results[0].text.s, "");
    assert_string_equal(r.found.results[0].published.s, "");
    assert_int_equal(r.found.answers_n, 0);
    assert_false(r.found.engines_failed);
    arena_free(r.a);
}

TEST(only_addresses_that_a_page_may_link_to_are_kept_each_once)
{
    struct read r = found(
        FOUND(RESULT("http://x.example/", "t", "c") "," RESULT("javascript:alert(1)", "t", "c") "," RESULT(
                  "mailto:a@x.example", "t", "c") "," RESULT("https://x.example/a b", "t",
                  "c") "," RESULT("https://x.example/\\\"><script>", "t",
                  "c") "," RESULT("https://\\u202ex.example/", "t", "c") "," RESULT("https://x.example/1",
                  "first", "c") "," RESULT("https://x.example/1", "second", "c"),
            ""));
    assert_int_equal(r.found.results_n, 1);
    assert_string_equal(r.found.results[0].url.s, "https://x.example/1");
    assert_string_equal(r.found.results[0].title.s, "first");
    arena_free(r.a);
}

TEST(texts_are_one_line_without_invisible_characters)
{
    struct read r = found(FOUND(RESULT("https://x.example/", "\\n Tea\\t\\u0007 \\u202eand\\u2028 more\\r\\n",
                                    "a\\u00a0 b\\udb40\\udc41\\udb40\\udc42c"),
        ""));
    assert_string_equal(r.found.results[0].title.s, "Tea and more");
    assert_string_equal(r.found.results[0].text.s, "a b c");
    arena_free(r.a);
}

TEST(texts_and_their_number_have_a_cap)
{
    AUTO_STRBUF body;
    strbuf_init(&body, WEB_BODY_MAX);
    strbuf_adds(&body, "{\"results\":[");
    for (int i = 0; i < 3 * SEARXNG_RESULTS_MAX; i++) {
        strbuf_addf(&body, "%s{\"url\":\"https://x.example/%d\",\"content\":\"", i ? "," : "", i);
        for (int k = 0; k < SEARXNG_TEXT_MAX; k++)
            strbuf_adds(&body, "\u00e4");
        strbuf_adds(&body, "\"}");
    }
    strbuf_adds(&body, "],\"answers\":[\"1\",\"2\",\"3\",\"4\",\"5\"]}");
    struct read r = read_body(strbuf_str(&body), RC_OK);
    assert_int_equal(r.found.results_n, SEARXNG_RESULTS_MAX);
    assert_int_equal(r.found.results[0].text.len, SEARXNG_TEXT_MAX);
    assert_int_equal(r.found.answers_n, SEARXNG_ANSWERS_MAX);
    arena_free(r.a);
}

TEST(answers_are_texts_or_objects_and_boxes_are_answers)
{
    struct read r = found(FOUND("",
        ",\"answers\":[\"42\",{\"answer\":\"Forty-two\",\"url\":\"https://x.example/\",\"engine\":\"e\"},{}],"
        "\"infoboxes\":[{\"infobox\":\"Tea\",\"content\":\"A drink\",\"urls\":[{\"title\":\"W\",\"url\":"
        "\"https://w.example/\"}]}],\"unresponsive_engines\":[[\"google\",\"timeout\"]]"));
    assert_int_equal(r.found.results_n, 0);
    assert_int_equal(r.found.answers_n, 3);
    assert_string_equal(r.found.answers[0].text.s, "42");
    assert_string_equal(r.found.answers[0].url.s, "");
    assert_string_equal(r.found.answers[1].text.s, "Forty-two");
    assert_string_equal(r.found.answers[1].url.s, "https://x.example/");
    assert_string_equal(r.found.answers[2].title.s, "Tea");
    assert_string_equal(r.found.answers[2].url.s, "https://w.example/");
    assert_true(r.found.engines_failed);
    arena_free(r.a);
}

TEST(a_single_surrogate_in_one_result_does_not_lose_the_others)
{
    struct read r = found(FOUND(
        RESULT("https://x.example/1", "a\\ud800b\\u0000", "c") "," RESULT("https://x.example/2", "t", "c"),
        ""));
    assert_int_equal(r.found.results_n, 2);
    assert_string_equal(r.found.results[0].title.s, "a\ufffdb\ufffd");
    arena_free(r.a);
}

TEST(what_is_no_search_is_refused)
{
    static const char *const bodies[] = {"", "<!doctype html><title>Searx</title>", "[]", "{}", "null",
        "{\"error\":\"No query\"}", "{\"results\":{}}", "{\"results\":[", "{\"results\":[],\"results\":[]}"};
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        arena_free(read_body(str_of(bodies[i]), RC_UPSTREAM).a);
}

static void refuses_many(const char *begin, const char *piece, const char *end, size_t times)
{
    AUTO_STRBUF body;
    strbuf_init(&body, 2 * WEB_BODY_MAX);
    strbuf_adds(&body, begin);
    for (size_t i = 0; i < times; i++)
        strbuf_adds(&body, piece);
    strbuf_adds(&body, end);
    assert_false(body.failed);
    arena_free(read_body(strbuf_str(&body), RC_UPSTREAM).a);
}

TEST(answers_that_would_take_much_memory_are_refused)
{
    refuses_many("{\"results\":[0", ",0", "]}", 200000);
    refuses_many("{\"results\":[0", ",[]", "]}", 30000);
    refuses_many("{\"results\":", "[", "", 100000);
    refuses_many("{\"results\":[]}", " ", "", WEB_BODY_MAX);
}

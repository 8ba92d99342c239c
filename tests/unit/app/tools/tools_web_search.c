#include "unit.h"

#include <string.h>

#include "app/config/config.h"
#include "app/searxng/searxng.h"
#include "app/tools/tools.h"
#include "app/web_fetch/web_fetch.h"
#include "codec/json/json.h"

struct rig {
    struct config *config;
    struct web_fetch fetch;
    struct strbuf out;
    struct tool_context c;
};

static void begin(struct rig *r)
{
    *r = (struct rig){0};
    assert_ok(
        config_parse("t", "/tmp", STR("[web]\nsearch_url = \"http://localhost:8888/\"\n"), &r->config, NULL));
    strbuf_init(&r->out, TOOL_RESULT_MAX);
    r->c = (struct tool_context){.config = r->config, .fetch = &r->fetch};
}

static void end(struct rig *r)
{
    web_fetch_release(&r->fetch);
    strbuf_release(&r->out);
    config_free(r->config);
}

static void call(struct rig *r, const char *args)
{
    const struct llm_tool_call asked = {"id", "web_search", args};
    strbuf_clear(&r->out);
    tool_run(&r->c, &asked, &r->out);
}

static json_t *result(const struct rig *r)
{
    json_t *v = NULL;
    assert_ok(json_parse(strbuf_str(&r->out), TOOL_RESULT_MAX, &v, NULL));
    return v;
}

static void answers(struct rig *r, int status, const char *body)
{
    r->fetch.awaited.ended = true;
    r->fetch.status = status;
    strbuf_init(&r->fetch.body, WEB_BODY_MAX);
    strbuf_adds(&r->fetch.body, body);
}

TEST(the_query_is_sent_as_a_form_to_the_servers_address)
{
    struct rig r;
    begin(&r);
    call(&r, "{\"query\":\" green & tea=\\u00e4 \",\"page\":2}");
    assert_int_equal(r.out.len, 0);
    assert_int_equal(r.fetch.kind, WEB_QUERY);
    assert_string_equal(r.fetch.url, "http://localhost:8888/search");
    assert_string_equal(r.fetch.form, "q=green%20%26%20tea%3D%C3%A4&format=json&pageno=2");
    end(&r);
}

TEST(a_result_that_does_not_fit_is_left_out_with_a_note)
{
    struct rig r;
    begin(&r);
    AUTO_STRBUF body;
    strbuf_init(&body, WEB_BODY_MAX);
    strbuf_adds(&body, "{\"results\":[");
    for (int i = 0; i < 10; i++)
        strbuf_addf(&body, "%s{\"url\":\"https://x.example/%d\",\"content\":\"%0500d\"}", i ? "," : "", i, i);
    strbuf_adds(&body, "]}");
    answers(&r, 200, body.s);
    r.c.room = 2048;
    call(&r, "{\"query\":\"tea\"}");
    assert_true(r.out.len < 2048);
    AUTO(json_t) v = result(&r);
    assert_in_range(json_array_size(json_object_get(v, "results")), 1, 4);
    struct str note;
    assert_true(json_get_str(json_object_get(v, "left_out"), "note", &note));
    assert_true(str_starts(note, STR("Some results did not fit.")));
    end(&r);
}

TEST(the_last_page_names_no_further_one)
{
    struct rig r;
    begin(&r);
    answers(&r, 200, "{\"results\":[{\"url\":\"https://x.example/\"}]}");
    call(&r, "{\"query\":\"tea\",\"page\":10}");
    AUTO(json_t) v = result(&r);
    assert_int_equal(json_array_size(json_object_get(v, "results")), 1);
    assert_null(json_object_get(v, "left_out"));
    end(&r);
}

TEST(an_error_of_the_fetch_is_the_result)
{
    struct rig r;
    begin(&r);
    awaited_refuse(&r.fetch.awaited, "Enough.");
    call(&r, "{\"query\":\"tea\"}");
    assert_string_equal(r.out.s, "{\"error\":\"Enough.\"}");
    end(&r);
}

TEST(without_the_right_or_a_way_to_the_web_nothing_is_fetched)
{
    struct rig r;
    begin(&r);
    r.c.denied = TOOL_SET_SEARCH;
    call(&r, "{\"query\":\"tea\"}");
    assert_true(tool_failed(strbuf_str(&r.out)));
    r.c.denied = 0;
    r.c.fetch = NULL;
    call(&r, "{\"query\":\"tea\"}");
    assert_true(tool_failed(strbuf_str(&r.out)));
    assert_null(r.fetch.url);
    end(&r);
}

TEST(a_query_asks_for_no_redirect)
{
    static const struct {
        const char *query, *sent;
    } table[] = {{"!!wfr Wau Holland", "wfr Wau Holland"}, {"Wau !! Holland", "Wau  Holland"},
        {"tea !!", "tea "}, {"tea\u3000!!g", "tea\u3000g"}, {"!!", ""}, {"!!!!x", "x"},
        {"Hello World!!", "Hello World!!"}, {"a!!b", "a!!b"}, {"the band !!!", "the band !!!"},
        {"!wp tea", "!wp tea"}, {"!important", "!important"}, {"", ""}};
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        assert_string_equal(searxng_query(a, str_of(table[i].query)).s, table[i].sent);
    struct rig r;
    begin(&r);
    call(&r, "{\"query\":\" !! \"}");
    assert_non_null(strstr(r.out.s, "blank"));
    end(&r);
}

#include "unit.h"

#include "app/context/context.h"
#include "app/mcp/connected.h"
#include "app/summary/extractive_summary.h"
#include "app/tools/tools.h"
#include "base/fs.h"
#include "codec/json/json.h"

static json_t *call(const char *name, const char *args)
{
    AUTO_STRBUF out;
    strbuf_init(&out, TOOL_RESULT_MAX);
    struct tool_context c = {.now = 1700000000000};
    struct llm_tool_call asked = {"id", name, args};
    tool_run(&c, &asked, &out);
    json_t *v = NULL;
    assert_int_equal(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL), RC_OK);
    return v;
}

TEST(current_time_has_utc_and_the_weekday)
{
    struct str utc, weekday;
    AUTO(json_t) v = call("current_time", "{}");
    assert_true(json_get_str(v, "utc", &utc) && json_get_str(v, "weekday", &weekday));
    assert_string_equal(utc.s, "2023-11-14T22:13:20Z");
}

TEST(empty_arguments_count_as_none)
{
    AUTO(json_t) v = call("current_time", "");
    assert_non_null(json_object_get(v, "utc"));
}

/* Gemini, GPT and Kimi (google-gemini/cookbook 1374). */
TEST(a_namespace_before_the_name_of_a_tool_does_not_count)
{
    static const char *const names[] = {
        "default_api.current_time", "functions.current_time", "a.b.current_time"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        AUTO(json_t) v = call(names[i], "{}");
        assert_non_null(json_object_get(v, "utc"));
        assert_string_equal(tool_look(names[i]).icon, "clock");
    }
}

TEST(broken_calls_are_told_to_the_model)
{
    static const struct {
        const char *name, *args;
    } bad[] = {{"no_such_tool", "{}"}, {"current_time.", "{}"}, {"current_time", "{"},
        {"current_time", "[1]"}, {"current_time", "{\"owner\":2}"}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        AUTO(json_t) v = call(bad[i].name, bad[i].args);
        assert_non_null(json_object_get(v, "error"));
    }
}

TEST(a_small_window_is_offered_fewer_tools)
{
    static const struct {
        int64_t window;
        const char *has, *lacks;
    } table[] = {{2048, "search_sessions", "remember"}, {4096, "forget", "add_task"},
        {8192, "delete_session", "set_reminder"}, {16384, "set_workspace", "no_such_tool"}};
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        size_t n;
        bool has = false, lacks = true;
        const struct llm_tool *t = tools_offered(a, table[i].window, &n);
        for (size_t k = 0; k < n; k++) {
            has = has || strcmp(t[k].name, table[i].has) == 0;
            lacks = lacks && strcmp(t[k].name, table[i].lacks) != 0;
        }
        if (!has || !lacks)
            fail_msg("a window of %lld tokens gets other tools than docs/summaries.md says",
                (long long)table[i].window);
        assert_true(context_tools_tokens(t, n) <= table[i].window / CONTEXT_SHARE_TOOLS);
    }
}

/* llama.cpp refuses a schema with such a limit as "failed to parse grammar". */
#define GRAMMAR_REPETITIONS 2000

static void assert_grammar(const json_t *schema)
{
    const char *key;
    json_t *v;
    size_t i;
    json_array_foreach(schema, i, v)
    {
        assert_grammar(v);
    }
    json_object_foreach((json_t *)schema, key, v)
    {
        if (strcmp(key, "maxLength") == 0 || strcmp(key, "maxItems") == 0)
            assert_true(json_integer_value(v) < GRAMMAR_REPETITIONS);
        assert_grammar(v);
    }
}

static bool offers(const struct llm_tool *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

TEST(connected_tools_follow_as_far_as_they_fit)
{
    AUTO(arena) a = arena_new();
    static const struct connected_tool list[] = {
        {.offer = {"home_list", "Lists the lamps.", "{\"type\":\"object\",\"properties\":{}}"},
            .reads = true},
        {.offer = {"home_on", "Switches a lamp on.", "{\"type\":\"object\",\"properties\":{}}"}}};
    const struct connected_tools connected = {list, ARRAY_LEN(list)};
    size_t own, n;
    tools_offered_without(a, 1000000, 0, &own);
    struct llm_tool *all = tools_offered_with(a, 1000000, 0, &connected, &n);
    assert_int_equal(n, own + 2);
    assert_string_equal(all[n - 1].name, "home_on");
    int64_t exact = CONTEXT_SHARE_TOOLS * (context_tools_tokens(all, n) - 1); /* for one of them */
    all = tools_offered_with(a, exact, 0, &connected, &n);
    assert_false(offers(all, n, "home_on"));
    all = tools_offered_with(a, 4096, 0, &connected, &n);
    assert_true(offers(all, n, "current_time") && !offers(all, n, "home_list"));
    all = tools_offered_with(a, 1000000, TOOL_SET_CHANGES, &connected, &n);
    assert_true(offers(all, n, "home_list") && !offers(all, n, "home_on"));
    all = tools_offered_with(a, 1000000, TOOL_SET_CONNECTED, &connected, &n);
    assert_false(offers(all, n, "home_list"));

    struct connected_tool many[TOOLS_OFFERED_MAX];
    for (size_t i = 0; i < TOOLS_OFFERED_MAX; i++)
        many[i] = list[0];
    tools_offered_with(a, 1000000, 0, &(struct connected_tools){many, TOOLS_OFFERED_MAX}, &n);
    assert_int_equal(n, TOOLS_OFFERED_MAX);
}

TEST(every_offered_tool_has_a_label_an_icon_and_a_json_schema)
{
    AUTO_STRBUF sprite;
    strbuf_init(&sprite, (size_t)64 * 1024);
    assert_int_equal(fs_read("static/icons/sprite.svg", &sprite, NULL), RC_OK);
    size_t n;
    AUTO(arena) a = arena_new();
    const struct llm_tool *t = tools_offered_without(a, 1000000, 0, &n);
    for (size_t i = 0; i < n; i++) {
        AUTO(json_t) schema = NULL;
        struct tool_look look = tool_look(t[i].name);
        assert_non_null(look.label);
        if (!strstr(sprite.s, arena_printf(a, "<symbol id=\"%s\"", look.icon)))
            fail_msg("%s: static/icons/sprite.svg has no symbol %s", t[i].name, look.icon);
        assert_int_equal(json_parse(str_of(t[i].schema), 8192, &schema, NULL), RC_OK);
        assert_grammar(schema);
    }
    assert_null(tool_look("no_such_tool").label);
    assert_non_null(strstr(sprite.s, "<symbol id=\"tool\""));
}

TEST(every_offered_tool_is_in_the_documentation)
{
    AUTO_STRBUF doc;
    strbuf_init(&doc, (size_t)64 * 1024);
    assert_int_equal(fs_read("docs/tools.md", &doc, NULL), RC_OK);
    size_t n;
    AUTO(arena) a = arena_new();
    const struct llm_tool *t = tools_offered_without(a, 1000000, 0, &n);
    for (size_t i = 0; i < n; i++)
        if (!strstr(doc.s, arena_printf(a, "`%s`", t[i].name)))
            fail_msg("docs/tools.md lacks %s", t[i].name);
}

TEST(tools_that_no_summary_mentions_exist)
{
    static const char *const errands[] = EXTRACTIVE_ERRANDS;
    for (size_t i = 0; i < ARRAY_LEN(errands); i++)
        assert_non_null(tool_look(errands[i]).label);
}

TEST(a_label_names_what_a_search_or_a_page_is_about)
{
    static const struct {
        const char *tool, *args, *result, *label;
    } table[] = {
        {"web_search", "{\"query\":\" green\\ntea \"}", "{}", "Searched the web for “green tea”"},
        {"api.web_search", "{\"query\":\"tea\"}", "{\"error\":\"x\"}", "Searched the web for “tea” (failed)"},
        {"web_search", "{\"query\":7}", "{}", "Searched the web"},
        {"web_search", "{\"query\":\" \"}", "{}", "Searched the web"},
        {"web_search", "{", "{}", "Searched the web"},
        {"web_search", NULL, "{}", "Searched the web"},
        {"read_page", "{\"url\":\"https://a.example/x\"}", "{\"url\":\"https://b.example/y\"}",
            "Read b.example"},
        {"read_page", "{\"url\":\"A.example/x\"}", "{\"error\":\"x\"}", "Read a.example (failed)"},
        {"read_page", "{\"url\":\"<b>\"}", "{\"error\":\"x\"}", "Read a page (failed)"},
        {"search_memories", "{\"query\":\"tea\"}", "{}", "Searched memory"},
        {NULL, NULL, "{}", "Called a tool"},
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        assert_string_equal(
            tool_label_of(a, lang_english(), table[i].tool, table[i].args, str_of(table[i].result)),
            table[i].label);
    char args[400];
    snprintf(args, sizeof args, "{\"query\":\"%s%0200d\"}", "\u202E", 0);
    const char *subject = tool_subject(a, "web_search", args);
    assert_int_equal(strlen(subject), 80 + strlen("…"));
    assert_non_null(strstr(subject, "0…"));
    assert_string_equal(
        tool_label(a, lang_english(), "web_search", "\u05D0"), "Searched the web for “\u2068\u05D0\u2069”");
}

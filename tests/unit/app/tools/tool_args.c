/* Arguments in the forms that models write. */
#include "session_rig.h"

#include "app/tools/tools_private.h"

#define SCHEMA                                                                                             \
    TOOL_OBJECT("\"s\":{\"type\":\"string\"},\"need\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}," \
                "\"b\":{\"type\":\"boolean\"},\"e\":{\"type\":\"string\",\"enum\":[\"open\",\"all\"]},"    \
                "\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}",                              \
        "\"need\"")

static void becomes(const char *before, const char *want)
{
    AUTO(json_t) schema = NULL;
    AUTO(json_t) args = NULL;
    assert_ok(json_parse(str_of(SCHEMA), 4096, &schema, NULL));
    assert_ok(json_parse(str_of(before), 4096, &args, NULL));
    tool_args_put_right(schema, args);
    AUTO_FREE char *after = json_dumps(args, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(after, want);
}

TEST(arguments_that_are_left_out_in_another_way_are_absent)
{
    becomes("{\"s\":null,\"n\":null,\"b\":null,\"l\":null}", "{}");
    becomes("{\"s\":\"\",\"n\":\"\",\"b\":\"\"}", "{}");
    becomes("{\"need\":null}", "{\"need\":null}");
    becomes("{\"need\":\"\"}", "{\"need\":\"\"}");
    becomes("{\"other\":null}", "{\"other\":null}");
}

TEST(arguments_of_another_type_with_one_meaning_are_converted)
{
    becomes("{\"n\":\"5\"}", "{\"n\":5}");
    becomes("{\"n\":5.0}", "{\"n\":5}");
    becomes("{\"s\":-7,\"need\":4294967297}", "{\"need\":\"4294967297\",\"s\":\"-7\"}");
    becomes("{\"b\":\"true\",\"l\":[1,\"a\",2]}", "{\"b\":true,\"l\":[\"1\",\"a\",\"2\"]}");
    becomes("{\"b\":\"False\",\"e\":\"Open\"}", "{\"b\":false,\"e\":\"open\"}");
    becomes("{\"l\":\"a\"}", "{\"l\":[\"a\"]}");
    becomes("{\"l\":\"[\\\"a\\\",2]\"}", "{\"l\":[\"a\",\"2\"]}");
    becomes("{\"l\":\"[urgent\"}", "{\"l\":[\"[urgent\"]}");
}

TEST(arguments_without_a_certain_meaning_stay)
{
    static const char *const bad[] = {"{\"n\":5.5}", "{\"n\":1e17}", "{\"n\":\"five\"}", "{\"s\":1.5}",
        "{\"b\":\"yes\"}", "{\"b\":1}", "{\"e\":\"ope\"}", "{\"l\":{}}", "{\"s\":[1]}", "[1]"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++)
        becomes(bad[i], bad[i]);
}

TEST(a_tool_runs_with_arguments_that_were_put_right)
{
    struct home h = home();
    talk(&h);
    AUTO(json_t)
    v = call(&h, "read_messages", "{\"from\":1,\"to\":2.0,\"last\":null,\"session\":\"\",\"offset\":\"0\"}");
    assert_string_equal(error_of(v), "\"to\" must be a string.");
    AUTO(json_t)
    w = call(&h, "read_messages", "{\"from\":1,\"to\":2,\"last\":null,\"session\":\"\",\"offset\":\"0\"}");
    assert_int_equal(count_at(w, "messages"), 2);
    AUTO(json_t) x = call(&h, "search_sessions", "{\"query\":\"gate\",\"after\":\"\",\"top_k\":\"3\"}");
    assert_int_equal(count_at(x, "sessions"), 0);
    leave(&h);
}

/* Ann lives in Berlin; it is November 2023. */
static json_t *reminder_at(struct home *h, const char *at)
{
    AUTO_STRBUF out;
    strbuf_init(&out, TOOL_RESULT_MAX);
    struct tool_context c = {.store = h->store,
        .config = &h->config,
        .owner = 1,
        .session_id = h->session[0],
        .asked_id = h->asked[0],
        .zone = time_zone_load(h->a, "Europe/Berlin"),
        .zone_name = "Europe/Berlin",
        .now = NOW};
    struct llm_tool_call asked = {
        "id", "set_reminder", arena_printf(h->a, "{\"text\":\"Air the cellar\",\"at\":\"%s\"}", at)};
    tool_run(&c, &asked, &out);
    json_t *v = NULL;
    assert_ok(json_parse(strbuf_str(&out), TOOL_RESULT_MAX, &v, NULL));
    return v;
}

TEST(a_time_may_have_the_offset_that_the_users_zone_has_then)
{
    static const char *const good[] = {
        "2024-07-01T17:00", "2024-07-01T17:00:00+02:00", " 2024-07-01 17:00+02:00 "};
    struct home h = home();
    talk(&h);
    for (size_t i = 0; i < ARRAY_LEN(good); i++) {
        AUTO(json_t) v = reminder_at(&h, good[i]);
        struct str at;
        assert_true(json_get_str(json_object_get(v, "reminder"), "at", &at));
        assert_string_equal(at.s, "2024-07-01T17:00");
    }
    AUTO(json_t) winter = reminder_at(&h, "2024-07-01T17:00:00+01:00");
    assert_string_equal(error_of(winter), "\"at\" is the user's local time, whose offset is +02:00 then. "
                                          "Send the hour there, without an offset.");
    AUTO(json_t) utc = reminder_at(&h, "2024-07-01T17:00:00Z");
    assert_non_null(strstr(error_of(utc), "+02:00"));
    AUTO(json_t) none = reminder_at(&h, "tomorrow-ish");
    assert_string_equal(error_of(none), "A time is written like 2026-12-01T17:00.");
    leave(&h);
}

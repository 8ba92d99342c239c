/* Arguments in the forms that models write. */
#include "session_rig.h"

#include "app/tools/tools_private.h"

#define SCHEMA                                                                                             \
    TOOL_OBJECT("\"s\":{\"type\":\"string\"},\"need\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"}," \
                "\"b\":{\"type\":\"boolean\"},\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}", \
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
}

TEST(arguments_without_a_certain_meaning_stay)
{
    static const char *const bad[] = {"{\"n\":5.5}", "{\"n\":1e17}", "{\"n\":\"five\"}", "{\"s\":1.5}",
        "{\"b\":\"yes\"}", "{\"b\":1}", "{\"l\":\"a\"}", "{\"s\":[1]}", "[1]"};
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

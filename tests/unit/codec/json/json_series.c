#include "unit.h"

#include "codec/json/json_series.h"

#define CAP 4096

static bool next(struct json_series *s, const char *text, const char *want)
{
    const json_t *v = json_series_next(s, str_of(text));
    bool continued = v != NULL;
    if (!v)
        v = json_series_begin(s, str_of(text));
    AUTO(json_t) expected = NULL;
    assert_int_equal(json_parse(str_of(text), CAP, &expected, NULL), RC_OK);
    assert_non_null(v);
    if (want) {
        struct str got;
        assert_true(json_get_str(v, "t", &got));
        assert_string_equal(got.s, want);
    }
    assert_true(json_equal(v, expected));
    return continued;
}

TEST(a_series_continues_where_one_string_differs)
{
    struct json_series s;
    json_series_init(&s, CAP);
    assert_false(next(&s, "{\"id\":\"x1\",\"t\":\"one\",\"u\":null}", "one"));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\" two\",\"u\":null}", " two"));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\"\",\"u\":null}", ""));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\"Z\xC3\xAB,{[]}:1\",\"u\":null}", "Z\xC3\xAB,{[]}:1"));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\"one\",\"u\":null}", "one"));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\"a\\n\\\"\\u00e9\",\"u\":null}", "a\n\"\xC3\xA9"));
    assert_true(next(&s, "{\"id\":\"x1\",\"t\":\"b\",\"u\":null}", "b"));
    assert_false(next(&s, "{\"id\":\"x2\",\"t\":\"one\",\"u\":null}", "one"));
    assert_false(next(&s, "{\"id\":\"x3\",\"t\":\"two\",\"u\":null}", "two")); /* two strings differ */
    json_series_release(&s);
}

TEST(a_series_ends_where_something_else_differs)
{
    static const char *const pairs[][2] = {
        {"{\"a\":1,\"t\":\"b\"}", "{\"a\":2,\"t\":\"b\"}"},
        {"{\"a\":1,\"t\":\":1,\"}", "{\"a\":2,\"t\":\":1,\"}"},
        {"{\"a\":1,\"t\":\":\\u0031,\"}", "{\"a\":2,\"t\":\":\\u0031,\"}"},
        {"{\"a\":\"b\",\"t\":\"b\"}", "{\"a\":\"b\",\"t\":\"c\"}"},
        {"{\"a\":\"b\",\"t\":\"b\"}", "{\"a\":\"c\",\"t\":\"b\"}"},
        {"{\"a\":0,\"t\":\"\"}", "{\"b\":0,\"t\":\"\"}"}, {"{\"t\":\"a\"}", "{\"t\":\"a\",\"u\":\"a\"}"},
        {"{\"t\":\"a\"}", "{\"t\":\"\",\"u\":\"a\"}"},
        {"{\"t\":\"a\",\"u\":\"\"}", "{\"t\":\"\",\"u\":\"a\"}"}, {"{\"t\":\"a\"}", "{\"t\":\"a\" }"},
        {"{\"t\":\"a\"}", "{\"t\":\"a\\n\",\"u\":\"a\"}"},
        {"{\"t\":\"a\"}", "{\"t\":\"\\udbff\\udf41\"}"}, /* a mark of utf8_stitch.h */
    };
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        struct json_series s;
        json_series_init(&s, CAP);
        assert_false(next(&s, pairs[i][0], NULL));
        assert_false(next(&s, pairs[i][1], NULL));
        json_series_release(&s);
    }
}

TEST(a_series_refuses_what_a_parse_refuses)
{
    static const char *const bad[] = {"{\"t\":\"a\nb\"}", "{\"t\":\"a\x01\"}", "{\"t\":\"a\xFF\"}",
        "{\"t\":\"a\xED\xA0\x80\"}", "{\"t\":\"a\xC3\"}", "{\"t\":\"a}", "{\"t\":\"a\"b\"}",
        "{\"t\":\"a\\\"}", "{\"t\":\"\\ud83d\"}", "{\"t\":\"\\u0000\"}", "{\"t\":\"\\x\"}"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct json_series s;
        json_series_init(&s, CAP);
        next(&s, "{\"t\":\"a\"}", "a");
        assert_true(next(&s, "{\"t\":\"b\"}", "b"));
        assert_null(json_series_next(&s, str_of(bad[i])));
        assert_null(json_series_begin(&s, str_of(bad[i])));
        assert_null(json_series_next(&s, STR("{\"t\":\"b\"}")));
        next(&s, "{\"t\":\"a\"}", "a");
        assert_true(next(&s, "{\"t\":\"b\"}", "b"));
        json_series_release(&s);
    }
}

TEST(a_series_leaves_what_others_keep)
{
    struct json_series s;
    json_series_init(&s, CAP);
    next(&s, "{\"d\":[{\"x\":\"a\"}]}", NULL);
    const json_t *v = json_series_next(&s, STR("{\"d\":[{\"x\":\"b\"}]}"));
    json_t *kept = json_incref(json_array_get(json_object_get(v, "d"), 0));
    assert_false(next(&s, "{\"d\":[{\"x\":\"c\"}]}", NULL));
    assert_string_equal(json_string_value(json_object_get(kept, "x")), "b");
    json_decref(kept);
    json_series_release(&s);
}

TEST(a_series_keeps_only_its_string)
{
    struct json_series s;
    json_series_init(&s, CAP);
    next(&s, "{\"d\":[{\"x\":\"a\"}]}", NULL);
    json_series_keep_string(&s); /* not known yet */
    const json_t *v = json_series_next(&s, STR("{\"d\":[{\"x\":\"b\"}]}"));
    assert_true(json_is_object(v));
    json_series_keep_string(&s);
    v = json_series_next(&s, STR("{\"d\":[{\"x\":\"c\\n\"}]}"));
    assert_ptr_equal(v, json_series_string(&s));
    assert_string_equal(json_string_value(v), "c\n");
    json_series_keep_string(&s);
    assert_null(json_series_next(&s, STR("{\"d\":[{\"y\":\"c\"}]}")));
    assert_true(json_is_object(json_series_begin(&s, STR("{\"d\":[{\"y\":\"c\"}]}"))));
    json_series_release(&s);
}

TEST(a_series_ignores_strings_that_are_too_deep_and_long_texts)
{
    struct json_series s;
    json_series_init(&s, 40);
    assert_false(next(&s, "[[[[[[[[\"a\"]]]]]]]]", NULL));
    assert_false(next(&s, "[[[[[[[[\"b\"]]]]]]]]", NULL));
    assert_false(next(&s, "{\"t\":\"a\",\"long\":\"0123456789012345678901234567890123456789\"}", "a"));
    assert_false(next(&s, "{\"t\":\"b\",\"long\":\"0123456789012345678901234567890123456789\"}", "b"));
    json_series_release(&s);
}

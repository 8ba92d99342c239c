#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "codec/json/json.h"

#define CAP 4096

static enum rc parse(struct str text, struct err *e)
{
    AUTO(json_t) v = NULL;
    enum rc rc = json_parse(text, CAP, &v, e);
    assert_int_equal(rc == RC_OK, v != NULL);
    return rc;
}

static void refuses(struct str text, enum rc rc, const char *sentence)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse(text, &e), rc);
    assert_true(e.for_user);
    assert_string_equal(e.text, sentence);
}

TEST(json_reads_members_by_type)
{
    AUTO(json_t) v = NULL;
    const struct str text = STR("{\"s\":\"a\\u00e4\",\"i\":-7,\"r\":1.5}");
    assert_int_equal(json_parse(text, CAP, &v, NULL), RC_OK);
    struct str s;
    int64_t i;
    assert_true(json_get_str(v, "s", &s) && str_is(s, "a\xC3\xA4"));
    assert_true(json_get_int(v, "i", &i) && i == -7);
}

TEST(json_leaves_output_untouched_for_other_types)
{
    AUTO(json_t) v = NULL;
    assert_int_equal(json_parse(STR("{\"s\":\"1\",\"r\":1.5,\"n\":null}"), CAP, &v, NULL), RC_OK);
    struct str s = STR("before");
    int64_t i = 5;
    assert_false(json_get_int(v, "s", &i));
    assert_false(json_get_int(v, "r", &i));
    assert_false(json_get_str(v, "n", &s));
    assert_false(json_get_str(v, "absent", &s));
    assert_false(json_get_str(NULL, "s", &s));
    assert_true(i == 5 && str_is(s, "before"));
}

TEST(json_says_where_the_mistake_is)
{
    refuses(STR("{\n  \"a\": 1,\n  b\n}"), RC_BAD_INPUT,
        "The JSON cannot be read: there is a syntax error (line 3, column 3).");
    refuses(STR("{\"a\":1,\"a\":2}"), RC_BAD_INPUT,
        "The JSON cannot be read: a name comes twice in one object (line 1, column 10).");
    refuses(STR("{\"a\":"), RC_BAD_INPUT, "The JSON cannot be read: it ends too early (line 1, column 5).");
    refuses(
        STR("{} {}"), RC_BAD_INPUT, "The JSON cannot be read: something follows the end (line 1, column 4).");
}

TEST(json_never_quotes_the_text)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse(STR("{\"password\": hunter2}"), &e), RC_BAD_INPUT);
    assert_null(strstr(e.text, "hunter2"));
}

TEST(json_refuses_invalid_text)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse(STR("[\"\xFF\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[\"\xC0\x80\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[\"\xED\xA0\x80\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[\"\\ud800\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[\"\\u0000\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[\"\0\"]"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("{\"\\u0000\":1}"), &e), RC_BAD_INPUT);
    assert_int_equal(parse(STR("[1]\0"), &e), RC_BAD_INPUT);
}

TEST(json_refuses_lenient_syntax)
{
    static const char *const texts[] = {"", " ", "1", "\"a\"", "null", "[1,]", "{\"a\":1,}", "['a']", "[01]",
        "[NaN]", "[1e999]", "[99999999999999999999]", "// c\n[]", "[\"\n\"]", "\xEF\xBB\xBF[]", "]", "[}"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(parse(str_of(texts[i]), &e), RC_BAD_INPUT);
    }
}

static enum rc parse_nested(size_t depth, struct err *e)
{
    AUTO_STRBUF b;
    strbuf_init(&b, CAP);
    for (size_t i = 0; i < depth; i++)
        strbuf_addc(&b, '[');
    for (size_t i = 0; i < depth; i++)
        strbuf_addc(&b, ']');
    return parse(strbuf_str(&b), e);
}

TEST(json_stops_at_its_depth)
{
    struct err e = ERR_INIT;
    assert_int_equal(parse_nested(JSON_DEPTH_MAX, &e), RC_OK);
    assert_int_equal(parse_nested(JSON_DEPTH_MAX + 1, &e), RC_TOO_BIG);
    assert_string_equal(e.text, "The JSON cannot be read: it is nested too deeply (line 1, column 33).");
}

TEST(json_counts_depth_not_siblings)
{
    AUTO_STRBUF b;
    strbuf_init(&b, CAP);
    strbuf_adds(&b, "[[]");
    for (size_t i = 0; i < 2 * JSON_DEPTH_MAX; i++)
        strbuf_adds(&b, ",{\"a\":[]}");
    strbuf_addc(&b, ']');
    struct err e = ERR_INIT;
    assert_int_equal(parse(strbuf_str(&b), &e), RC_OK);
}

TEST(json_does_not_count_brackets_in_strings)
{
    AUTO_STRBUF b;
    strbuf_init(&b, CAP);
    strbuf_adds(&b, "[\"\\\"");
    for (size_t i = 0; i < JSON_DEPTH_MAX + 1; i++)
        strbuf_addc(&b, '[');
    strbuf_adds(&b, "\"]");
    struct err e = ERR_INIT;
    assert_int_equal(parse(strbuf_str(&b), &e), RC_OK);
}

TEST(json_stops_at_its_number_of_containers)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 4 * JSON_CONTAINERS_MAX);
    strbuf_adds(&b, "[[]");
    for (size_t i = 0; i < JSON_CONTAINERS_MAX - 1; i++)
        strbuf_adds(&b, ",{}");
    strbuf_addc(&b, ']');
    json_t *v = NULL;
    assert_int_equal(json_parse(strbuf_str(&b), b.cap, &v, NULL), RC_TOO_BIG);
    assert_null(v);
}

TEST(json_stops_at_the_callers_cap)
{
    json_t *v = NULL;
    struct err e = ERR_INIT;
    assert_int_equal(json_parse(STR("[1,2]"), 4, &v, &e), RC_TOO_BIG);
    assert_string_equal(e.text, "The JSON may have at most 4 bytes.");
}

static void compacts(struct str text, const char *want)
{
    AUTO_STRBUF b;
    strbuf_init(&b, CAP);
    json_add_compact(&b, text, JSON_LIMITS);
    assert_string_equal(b.s, want);
}

TEST(json_is_compacted_without_a_change_to_its_values)
{
    compacts(STR(" {\n\t\"a b\": [ 1e0, 0.10 , -0 ],\r\n \"\\u00e4 \\\" \" : \"x : y\" } \n"),
        "{\"a b\":[1e0,0.10,-0],\"\\u00e4 \\\" \":\"x : y\"}");
    compacts(STR("[]"), "[]");
}

TEST(json_keeps_invalid_json_as_a_string)
{
    compacts(STR("{\"a\":\n"), "\"{\\\"a\\\":\\n\"");
    compacts(STR("{\"a\":1,\n\"a\":2}"), "\"{\\\"a\\\":1,\\n\\\"a\\\":2}\"");
    compacts(STR(""), "\"\"");
}

TEST(json_counts_values_before_it_parses_them)
{
    assert_int_equal(json_values(STR("[]")), 2);
    assert_int_equal(json_values(STR("[1,1,1]")), 4);
    assert_int_equal(json_values(STR("{\"a,b\":[\"\\\",\",{}]}")), 5);
    assert_int_equal(json_values(STR("\"[,")), 1);
}

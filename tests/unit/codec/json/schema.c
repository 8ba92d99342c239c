#include "unit.h"

#include "codec/json/schema.h"

static enum rc checked(const char *schema_text, const char *value_text, struct err *e)
{
    AUTO(json_t) schema = NULL;
    AUTO(json_t) value = NULL;
    assert_int_equal(json_parse(str_of(schema_text), 4096, &schema, NULL), RC_OK);
    assert_int_equal(json_parse(str_of(value_text), 4096, &value, NULL), RC_OK);
    return schema_check(schema, value, e);
}

#define SCHEMA                                                                                    \
    "{\"type\":\"object\",\"properties\":{"                                                       \
    "\"s\":{\"type\":\"string\",\"minLength\":1,\"maxLength\":3,\"description\":\"d\"},"          \
    "\"n\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9},\"b\":{\"type\":\"boolean\"},"      \
    "\"w\":{\"type\":\"string\",\"enum\":[\"open\",\"done\"]},"                                   \
    "\"l\":{\"type\":\"array\",\"maxItems\":2,\"items\":{\"type\":\"string\",\"maxLength\":2}}}," \
    "\"required\":[\"s\"],\"additionalProperties\":false}"

TEST(valid_arguments_are_accepted)
{
    static const char *const good[] = {"{\"s\":\"äöü\"}",
        "{\"s\":\"a\",\"n\":9,\"b\":false,\"w\":\"done\",\"l\":[\"ab\",\"\"]}", "{\"s\":\"a\",\"l\":[]}"};
    for (size_t i = 0; i < ARRAY_LEN(good); i++)
        assert_int_equal(checked(SCHEMA, good[i], NULL), RC_OK);
}

TEST(invalid_arguments_are_refused_with_a_sentence_that_names_the_member)
{
    static const struct {
        const char *value, *says;
    } bad[] = {{"{}", "\"s\" is missing."}, {"{\"s\":\"\"}", "\"s\" must have at least 1 characters."},
        {"{\"s\":\"abcd\"}", "\"s\" may have at most 3 characters."},
        {"{\"s\":1}", "\"s\" must be a string."}, {"{\"s\":null}", "\"s\" must be a string."},
        {"{\"s\":\"a\",\"n\":0}", "\"n\" must be a whole number from 1 to 9."},
        {"{\"s\":\"a\",\"n\":10}", "\"n\" must be a whole number from 1 to 9."},
        {"{\"s\":\"a\",\"n\":1.0}", "\"n\" must be a whole number from 1 to 9."},
        {"{\"s\":\"a\",\"b\":1}", "\"b\" must be true or false."},
        {"{\"s\":\"a\",\"w\":\"x\"}", "\"w\" has a value that is not allowed."},
        {"{\"s\":\"a\",\"l\":\"x\"}", "\"l\" must be a list."},
        {"{\"s\":\"a\",\"l\":[\"a\",\"b\",\"c\"]}", "\"l\" may have at most 2 entries."},
        {"{\"s\":\"a\",\"l\":[\"abc\"]}", "\"l\" may have at most 2 characters."},
        {"{\"s\":\"a\",\"owner\":2}",
            "One of the arguments is unknown. Known are \"s\", \"n\", \"b\", \"w\", \"l\"."},
        {"[1]", "\"arguments\" must be a JSON object."}};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct err e = ERR_INIT;
        assert_int_equal(checked(SCHEMA, bad[i].value, &e), RC_BAD_INPUT);
        assert_string_equal(e.text, bad[i].says);
        assert_true(e.for_user);
    }
}

TEST(an_object_without_members_takes_none)
{
    struct err e = ERR_INIT;
    static const char schema[] = "{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}";
    assert_int_equal(checked(schema, "{\"owner\":2}", &e), RC_BAD_INPUT);
    assert_string_equal(e.text, "No arguments are expected.");
}

TEST(a_schema_with_more_than_we_check_is_an_error_of_ours)
{
    assert_int_equal(checked("{\"type\":\"object\",\"patternProperties\":{}}", "{}", NULL), RC_INTERNAL);
    assert_int_equal(checked("{\"type\":\"number\"}", "{}", NULL), RC_INTERNAL);
    assert_int_equal(checked("{}", "{}", NULL), RC_INTERNAL);
}

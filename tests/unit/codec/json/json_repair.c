#include "unit.h"

#include "codec/json/json.h"
#include "codec/json/json_repair.h"

#define BAD "\xEF\xBF\xBD"

static void repairs(struct str text, const char *want)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 1000);
    json_repair(&b, text);
    assert_string_equal(b.s, want);
    assert_int_equal(b.len, strlen(want));
}

TEST(json_that_is_right_is_not_repaired)
{
    static const char *const texts[] = {"", "{\"a\":[1,\"b\"]}", "\"ä 味 \xF0\x9F\x8C\xB1\"",
        "\"\\ud83c\\udf31 \\u00e4 \\n \\\\ \\\" \\uFFFD\"", "\"\\\\u0000 \\\\ud800\"", "\"\\u1\"", "\\",
        "\\u"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        repairs(str_of(texts[i]), texts[i]);
}

TEST(escapes_of_nul_and_of_single_surrogates_are_repaired)
{
    repairs(STR("\"a\\u0000b\""), "\"a" BAD "b\"");
    repairs(STR("\"\\ud83c\""), "\"" BAD "\"");
    repairs(STR("\"\\uDF31\\uD83C\""), "\"" BAD BAD "\"");
    repairs(STR("\"\\ud83c\\ud83c\\udf31\""), "\"" BAD "\\ud83c\\udf31\"");
    repairs(STR("\"\\ud83cx\\udf31\""), "\"" BAD "x" BAD "\"");
    repairs(STR("\"\\\\\\u0000\""), "\"\\\\" BAD "\"");
    repairs(STR("\\ud83c\\udf3"), BAD "\\udf3");
}

TEST(bytes_that_are_not_utf8_are_repaired)
{
    repairs(STR("a\xFF\xC3z"), "a" BAD BAD "z");
    repairs(STR("\\\xFF"), "\\" BAD);
    repairs(STR("\xE5\x91"), BAD BAD);
    repairs(STR("\xED\xA0\xBC\xED\xBC\xB1"), "\xF0\x9F\x8C\xB1"); /* CESU-8 */
    repairs(STR("\xED\xA0\xBC z"), BAD " z");
    repairs(STR("\xED\xBC\xB1\xED\xA0\xBC"), BAD BAD);
    repairs(STR("\xED\xA0"), BAD BAD);
    repairs(STR("\xED\x9F\xBF"), "\xED\x9F\xBF"); /* U+D7FF */
}

TEST(repaired_json_is_parsed)
{
    AUTO_STRBUF b;
    AUTO(json_t) v = NULL;
    strbuf_init(&b, 1000);
    json_repair(&b, STR("[\"\\u0000 \\udc00 \xED\xA0\xBC\xED\xBC\xB1 \xC3\"]"));
    assert_int_equal(json_parse(strbuf_str(&b), b.cap, &v, NULL), RC_OK);
    assert_string_equal(json_string_value(json_array_get(v, 0)), BAD " " BAD " \xF0\x9F\x8C\xB1 " BAD);
}

#include "unit.h"

#include <stdio.h>

#include <jansson.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "codec/utf8_stitch.h"

/* Sends each JSON string through utf8_stitch_json(), the strict parser and utf8_stitch_text(), as one stream.
 */
static char *stitched(const char *const *events, size_t n)
{
    struct utf8_stitch m = {0};
    struct strbuf out, room;
    strbuf_init(&out, 10000);
    strbuf_init(&room, 10000);
    for (size_t i = 0; i < n; i++) {
        struct str whole = utf8_stitch_json(str_of(events[i]), &room);
        json_t *v = json_loadb(whole.s, whole.len, JSON_DECODE_ANY, NULL);
        if (!v)
            fail_msg("event %zu cannot be parsed", i);
        utf8_stitch_text(&m, (struct str){json_string_value(v), json_string_length(v)}, &out);
        assert_true(utf8_valid_text(strbuf_str(&out)));
        json_decref(v);
    }
    utf8_stitch_end(&m, &out);
    strbuf_release(&room);
    char *text = xstrdup(out.s);
    strbuf_release(&out);
    return text;
}

#define MENDED(want, ...)                                          \
    do {                                                           \
        const char *const events[] = {__VA_ARGS__};                \
        AUTO_FREE char *got = stitched(events, ARRAY_LEN(events)); \
        assert_string_equal(got, want);                            \
    } while (0)

#define BAD "\xEF\xBF\xBD"

TEST(utf8_stitch_leaves_whole_text_alone)
{
    struct strbuf room;
    strbuf_init(&room, 0); /* no room: nothing may be written */
    struct str json = STR("{\"a\":\"\xC3\xA4 \xF0\x9F\x98\x80 \\ud83d\\ude00 \\u00e4 \\\\u0000 \\n\"}");
    assert_ptr_equal(utf8_stitch_json(json, &room).s, json.s);
    MENDED("\xC3\xA4 \xF0\x9F\x98\x80", "\"\xC3\xA4 \xF0\x9F\x98\x80\"");
}

TEST(utf8_stitch_joins_a_character_cut_anywhere)
{
    static const char *const whole[] = {"\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBC\x81"};
    for (size_t i = 0; i < ARRAY_LEN(whole); i++)
        for (size_t at = 1; at < strlen(whole[i]); at++) {
            char first[16], second[16], want[16];
            snprintf(first, sizeof first, "\"a%.*s\"", (int)at, whole[i]);
            snprintf(second, sizeof second, "\"%sb\"", whole[i] + at);
            snprintf(want, sizeof want, "a%sb", whole[i]);
            MENDED(want, first, second);
        }
    MENDED("\xF0\x9F\x98\x80", "\"\xF0\"", "\"\x9F\"", "\"\"", "\"\x98\"", "\"\x80\"");
}

TEST(utf8_stitch_joins_a_surrogate_pair_cut_in_two)
{
    MENDED("a\xF0\x9F\x98\x80"
           "b",
        "\"a\\ud83d\"", "\"\\uDE00b\"");
    MENDED("\xF0\x9F\x98\x80\xF0\x9F\x98\x80", "\"\\ud83d\"", "\"\\ude00\\ud83d\"", "\"\\ude00\"");
}

TEST(utf8_stitch_replaces_incomplete_characters)
{
    MENDED("a" BAD "b", "\"a\xFF"
                        "b\"");
    MENDED("a" BAD "b", "\"a\xE2\x82\"", "\"b\"");
    MENDED("a" BAD, "\"a\xF0\x9F\x98\"");
    MENDED(BAD BAD "x", "\"\x80\x80x\"");
    MENDED(BAD "\xC3\xA4", "\"\xC3\"", "\"\xC3\"", "\"\xA4\"");
    MENDED(BAD, "\"\\ud83d\"");
    MENDED(BAD "x", "\"\\ud83d\"", "\"x\"");
    MENDED(BAD "x", "\"\\ude00x\"");
    MENDED(BAD BAD, "\"\\ud83d\"", "\"\\ud83d\"");
    MENDED(BAD "\xC3\xA4", "\"\\ud83d\"", "\"\xC3\"", "\"\xA4\"");
    MENDED("a" BAD "b", "\"a\\u0000b\"");
    MENDED(BAD BAD, "\"\xC0\x80\"");
}

TEST(utf8_stitch_keeps_real_code_points_that_look_like_its_marks)
{
    MENDED("\xF4\x8F\xBF\xBD and \xF4\x8F\xBC\x80", "\"\xF4\x8F\xBF\xBD and \xF4\x8F\xBC\x80\"");
}

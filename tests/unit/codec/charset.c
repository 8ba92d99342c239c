#include "unit.h"

#include "codec/charset.h"

static void reads(struct str bytes, const char *expected)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4096);
    strbuf_adds(&out, "|");
    bool is_text = charset_decode_file(bytes, &out);
    assert_string_equal(is_text ? out.s : "no text", expected);
    assert_true(is_text || out.len == 1);
}

TEST(a_file_is_read_as_editors_read_it)
{
    reads(STR(""), "|");
    reads(STR("a\r\nb\rc\n\r"), "|a\nb\nc\n\n");
    reads(STR("Z\xC3\xBCrich"), "|Z\xC3\xBCrich");
    reads(STR("\xEF\xBB\xBFZ\xC3\xBC"), "|Z\xC3\xBC");
    reads(STR("\xFF\xFEZ\0\xFC\0\r\0\n\0"), "|Z\xC3\xBC\n");
    reads(STR("\xFE\xFF\0Z\xD8\x3D\xDE\x00"), "|Z\xF0\x9F\x98\x80");
    reads(STR("Z\xFCrich \x80 5\x85"), "|Z\xC3\xBCrich \xE2\x82\xAC 5\xE2\x80\xA6");
}

TEST(a_binary_file_is_no_text)
{
    reads(STR("a\0b"), "no text");
    reads(STR("\xFF\xFE"
              "a\0\0\0"),
        "no text");
    reads(STR("\xFF\xFE"
              "a"),
        "no text");
    reads(STR("\xFF\xFE\x00\xD8"
              "a\0"),
        "no text");
    reads(STR("\x89PNG\r\n\x1A\n"), "no text");
    reads(STR("\xFC \x01"), "no text");
    reads(STR("\xFC \x81"), "no text");
}

TEST(a_file_larger_than_the_buffer_is_none)
{
    AUTO_STRBUF out;
    strbuf_init(&out, 4);
    assert_false(charset_decode_file(STR("abcde"), &out));
    assert_false(out.failed);
}

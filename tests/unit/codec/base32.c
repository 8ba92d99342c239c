#include "unit.h"

#include "codec/base32.h"

/* The examples of RFC 4648, section 10, without padding, and all bits set. */
static const struct {
    struct str bytes, text;
} known[] = {
    {STR(""), STR("")},
    {STR("f"), STR("MY")},
    {STR("fo"), STR("MZXQ")},
    {STR("foo"), STR("MZXW6")},
    {STR("foob"), STR("MZXW6YQ")},
    {STR("fooba"), STR("MZXW6YTB")},
    {STR("foobar"), STR("MZXW6YTBOI")},
    {STR("\xFF\xFF\xFF\xFF\xFF"), STR("77777777")},
    {STR("a\0b"), STR("MEAGE")},
};

TEST(bytes_become_the_text_of_the_standard)
{
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        AUTO_STRBUF out;
        strbuf_init(&out, 64);
        strbuf_addc(&out, '>');
        base32_add(&out, known[i].bytes);
        assert_true(str_is((struct str){out.s + 1, out.len - 1}, known[i].text.s));
    }
}

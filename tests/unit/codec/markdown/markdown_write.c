#include "unit.h"

#include "codec/markdown/markdown_write.h"

#define WRITES(expected, call)              \
    do {                                    \
        AUTO_STRBUF b;                      \
        strbuf_init(&b, 4096);              \
        call;                               \
        assert_string_equal(b.s, expected); \
    } while (0)

TEST(a_link_keeps_its_words_and_its_address)
{
    WRITES("[a](https://b.example)", markdown_write_link(&b, STR("a"), STR("https://b.example")));
    WRITES("[\\[a\\] \\\\ b](https://c.example/%28d%29%20%5C)",
        markdown_write_link(&b, STR("[a]\n\\ b"), STR("https://c.example/(d) \\")));
}

TEST(a_code_span_has_more_backticks_than_the_code)
{
    WRITES("`a`", markdown_write_code(&b, STR("a")));
    WRITES("`` `a ``", markdown_write_code(&b, STR("`a")));
    WRITES("```a``b```", markdown_write_code(&b, STR("a``b")));
}

TEST(a_fence_is_longer_than_those_in_the_code)
{
    WRITES("```c\nint a;\n```", markdown_write_fenced(&b, STR("c"), STR("int a;\n")));
    WRITES("````\n```\n````", markdown_write_fenced(&b, STR(""), STR("```")));
    WRITES("```\n\n```", markdown_write_fenced(&b, STR(""), STR("")));
}

#include "unit.h"

#include "base/mem.h"
#include "codec/markdown/growing/markdown_references.h"

static void assert_shown(const char *text, const char *want)
{
    AUTO_STRBUF shown = {0};
    bool changed = markdown_without_references(str_of(text), &shown);
    if (!changed)
        strbuf_init(&shown, strlen(text) + 1), strbuf_adds(&shown, text);
    if (shown.len && shown.s[shown.len - 1] == '\n')
        strbuf_truncate(&shown, shown.len - 1);
    assert_string_equal(shown.s, want);
}

TEST(a_link_without_its_definition_has_no_address)
{
    assert_shown("a [the tides][1] b", "a [the tides](.) b");
    assert_shown("[the tides][1]", "[the tides](.)");
    assert_shown("- **see [the *sea* and `x`][b c]**", "- **see [the *sea* and `x`](.)**");
    assert_shown("![a map][m] and (\"[Paul][p]\")", "![a map](.) and (\"[Paul](.)\")");
    assert_shown("> [two\n> lines][1]", "> [two\n> lines](.)");
    assert_shown("参见[潮汐][1]。", "参见[潮汐](.)。");
    assert_shown("| a |\n|---|\n| [the tides][1] |", "| a |\n|---|\n| [the tides](.) |");
    assert_shown("see [the tides][], [the moon][].", "see [the tides](.), [the moon](.).");
    assert_shown("[ab][][ab][1] [ab][]", "[ab](.)[ab][1] [ab](.)");
    assert_shown("[see [the tides][1] and so on][2]", "[see [the tides](.) and so on](.)");
}

TEST(a_link_with_its_definition_stays)
{
    static const char *const text = "[the tides][1] and [the moon](.)\n\n[1]: https://example.org/tides";
    assert_shown(text, text);
    assert_shown("[the tides][1], [the moon](.)\n\n[2]: https://example.org",
        "[the tides](.), [the moon](.)\n\n[2]: https://example.org");
}

TEST(brackets_that_are_no_link_stay)
{
    static const char *const texts[] = {"a[i][j]", "grid[row][column]", "f(x)[row][column]", "[1][2]",
        "so.[1][2]", "so[^1][^2]", "[i][j]", "[^note][^other]", "`[the tides][1]`",
        "```\n[the tides][1]\n```", "    [the tides][1]", "$[ab][cd]$", "\\([ab][cd]\\)", "\\[the tides][1]",
        "list[][]", "[1][]", "[the tides]", "[the tides][`1`]", "[the tides] [1]", "[the tides][1",
        "the tides][1]", "[ab\n\ncd][1]", "[a [the tides][1] b](https://x.example)"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        assert_shown(texts[i], texts[i]);
}

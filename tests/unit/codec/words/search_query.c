#include "unit.h"

#include "codec/words/search_query.h"

static const char *const letters[QUERY_OPS] = {
    "word", "phrase", "beginning", "tag", "workspace", "channel", "role", "model", "before", "after", "is"};

/* The parts as "op=value|-op=value". */
static const char *parsed(struct arena *a, struct str text)
{
    struct query_parts q;
    const char *out = "";
    query_parse(text, &q);
    for (size_t i = 0; i < q.n; i++) {
        assert_true(q.part[i].value.len > 0);
        assert_true(q.part[i].source.s >= text.s);
        assert_true(q.part[i].source.s + q.part[i].source.len <= text.s + text.len);
        out = arena_printf(a, "%s%s%s%s=%.*s", out, i ? "|" : "", q.part[i].negated ? "-" : "",
            letters[q.part[i].op], STR_FMT(q.part[i].value));
    }
    return out;
}

TEST(a_query_has_words_phrases_beginnings_and_operators)
{
    AUTO(arena) a = arena_new();
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"  \t ", ""},
        {"two words", "word=two|word=words"},
        {"\"the old well\" deep", "phrase=the old well|word=deep"},
        {"„der Brunnen“ «x y» “z”", "phrase=der Brunnen|phrase=x y|phrase=z"},
        {"gard* -plum -\"two words\" -pl*", "beginning=gard|-word=plum|-phrase=two words|-beginning=pl"},
        {"tag:garden TAG:\"two words\" -tag:x", "tag=garden|tag=two words|-tag=x"},
        {"schlagwort:Garten vor:2026-03 ist:angeheftet", "tag=Garten|before=2026-03|is=angeheftet"},
        {"role:user model:gpt* channel:web after:7d workspace:Home",
            "role=user|model=gpt*|channel=web|after=7d|workspace=Home"},
        {"tag:\"„the old“ wall\" tag:„x“ tag:\"mixed”", "tag=„the old“ wall|tag=x|tag=mixed"},
        {"tag:\"a \"\"b\"\"\"x", "tag=a \"\"b\"\"|word=x"},
        /* what is none of these is a word */
        {"-", "word=-"},
        {"- x", "word=-|word=x"},
        {"*", "word=*"},
        {"a*", "word=a*"},
        {"tag:", "word=tag:"},
        {"tag: x", "word=tag:|word=x"},
        {"tag:\"\"", "tag=\"\""},
        {"http://x.y", "word=http://x.y"},
        {"note:this", "word=note:this"},
        {"\"open end", "word=\"open|word=end"},
        {"tag:\"open end", "tag=\"open|word=end"},
        {"\"\"", "word=\"\""},
        {"-\"\"", "-word=\"\""},
        {"a\"b c\"", "word=a\"b|word=c\""},
        {"x AND NEAR(y z) OR (a:b) ^c", "word=x|word=AND|word=NEAR(y|word=z)|word=OR|word=(a:b)|word=^c"},
        {"100% of_it", "word=100%|word=of_it"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        assert_string_equal(parsed(a, str_of(cases[i].text)), cases[i].want);
}

TEST(a_long_query_ends_in_one_part_of_words)
{
    enum { N = 100 * 1024 };
    struct query_parts q;
    static char text[N];
    for (size_t i = 0; i < N; i++)
        text[i] = i % 2 ? ' ' : 'x';
    query_parse((struct str){text, N}, &q);
    assert_int_equal(q.n, QUERY_PARTS_MAX);
    assert_int_equal(q.part[QUERY_PARTS_MAX - 1].value.len, N - 2 * (QUERY_PARTS_MAX - 1) - 1);
    memset(text, '"', N);
    query_parse((struct str){text, N}, &q);
    memset(text, 'x', N);
    query_parse((struct str){text, N}, &q);
    assert_int_equal(q.n, 1);
}

TEST(a_quoted_value_is_read_back)
{
    AUTO(arena) a = arena_new();
    static const char *const values[] = {"garden", "two words", "the \"old\" wall", "\"", "\"\"", "\"x",
        "x\"", "„the old“ wall", "x”y", "C:\\new\\", "a:b", "-x", "x*", "it's"};
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        struct query_parts q;
        query_parse(str_of(arena_printf(a, "-tag:%s more", query_quoted(a, str_of(values[i])))), &q);
        assert_int_equal(q.n, 2);
        assert_int_equal(q.part[0].op, QUERY_TAG);
        assert_true(q.part[0].negated);
        assert_string_equal(query_value(a, &q.part[0]), values[i]);
        assert_string_equal(query_value(a, &q.part[1]), "more");
    }
}

TEST(a_part_is_removed_with_its_blanks)
{
    AUTO(arena) a = arena_new();
    struct query_parts q;
    struct str text = STR("plum  -tag:\"a b\"   tree");
    query_parse(text, &q);
    assert_int_equal(q.n, 3);
    assert_string_equal(query_without(a, text, &q.part[0]).s, "-tag:\"a b\"   tree");
    assert_string_equal(query_without(a, text, &q.part[1]).s, "plum tree");
    assert_string_equal(query_without(a, text, &q.part[2]).s, "plum  -tag:\"a b\"");
    assert_string_equal(query_op_name(QUERY_TAG), "tag");
    assert_null(query_op_name(QUERY_PHRASE));
}

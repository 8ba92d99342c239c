/* The question of a call that waits for a permission. */
#include "unit.h"

#include "app/suggestion/permission.h"
#include "codec/json/json.h"

static const char *text_of(struct arena *a, const char *args)
{
    AUTO(json_t) v = NULL;
    assert_ok(json_parse(str_of(args), SIZE_MAX, &v, NULL));
    return arena_str(a, permission_text(a, lang_english(), "Home: Turn on", v)).s;
}

TEST(the_question_names_the_tool_and_its_arguments)
{
    AUTO(arena) a = arena_new();
    assert_string_equal(text_of(a, "{}"), "Home: Turn on");
    assert_string_equal(text_of(a, "{\"lamp\":\"desk\"}"), "Home: Turn on (lamp: desk)");
    assert_string_equal(text_of(a, "{\"to\":[\"a\",2],\"at\":{\"x\":null},\"on\":true}"),
        "Home: Turn on (to: [\"a\",2], at: {\"x\":null}, on: true)");
}

TEST(long_arguments_are_cut_between_characters_and_the_rest_is_counted)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF args, text;
    strbuf_init(&args, SIZE_MAX);
    strbuf_init(&text, SIZE_MAX);
    strbuf_adds(&args, "{\"t\":\"");
    for (int i = 0; i < 2000; i++)
        strbuf_adds(&args, "ü");
    strbuf_adds(&args, "\"}");
    strbuf_adds(&text, "Home: Turn on (t: ");
    for (int i = 0; i < 998; i++)
        strbuf_adds(&text, "ü");
    strbuf_adds(&text, "… and 1,002 more characters)");
    assert_string_equal(text_of(a, args.s), text.s);
}

/* Rich messages of the Bot API as Markdown. */
#include "unit.h"

#include <string.h>

#include "update_rig.h"

/* The text of a rich message, and what of it is left out; text NULL: it has none. */
static void assert_rich(const char *blocks, const char *text, const char *left_out)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(
        reads(&f, arena_printf(f.a, MESSAGE PRIVATE ",\"rich_message\":{\"blocks\":[%s]}}}", blocks)));
    assert_string_equal(f.u.text.s, text ? text : "");
    assert_string_equal(f.u.left_out ? f.u.left_out : "", left_out ? left_out : "");
    assert_true(f.u.addressed);
    drop(&f);
}

#define BLOCK(type, more) "{\"type\":\"" type "\"" more "}"
#define PARA(text)        BLOCK("paragraph", ",\"text\":" text)

TEST(texts_of_rich_messages_are_read)
{
    assert_rich(PARA("\"One\"") "," PARA("[\"Two \",{\"type\":\"bold\",\"text\":[\"and \",\"more\"]}]"),
        "One\n\nTwo and more", NULL);
    assert_rich(PARA("[{\"type\":\"url\",\"text\":\"a page\",\"url\":\"https://a.example\"},\" \","
                     "{\"type\":\"code\",\"text\":\"x\"},\" \",{\"type\":\"mathematical_expression\","
                     "\"expression\":\"a^2\"},{\"type\":\"custom_emoji\",\"custom_emoji_id\":\"1\","
                     "\"alternative_text\":\"😀\"},{\"type\":\"anchor\",\"name\":\"n\"},"
                     "{\"type\":\"of_next_year\",\"text\":\"!\"}]"),
        "[a page](https://a.example) `x` $a^2$😀!", NULL);
    assert_rich(
        BLOCK("heading", ",\"size\":2,\"text\":\"A\\nB\"") "," BLOCK("heading", ",\"size\":9,\"text\":\"C\""),
        "## A B\n\n###### C", NULL);
    assert_rich(BLOCK("pre", ",\"language\":\"sh\",\"text\":\"ls\"") "," BLOCK(
                    "mathematical_expression", ",\"expression\":\"x\""),
        "```sh\nls\n```\n\n$$\nx\n$$", NULL);
}

TEST(nested_blocks_of_rich_messages_are_read)
{
    assert_rich(
        BLOCK("list",
            ",\"items\":[{\"label\":\"9.\",\"value\":9,\"blocks\":[" PARA("\"a\"") "," PARA(
                "\"b\"") "]},"
                         "{\"label\":\"10.\",\"value\":10,\"blocks\":[" BLOCK("list",
                             ",\"items\":[{\"label\":\"•\",\"blocks\":[" PARA(
                                 "\"c\"") "]}]") "]},"
                                                 "{\"has_checkbox\":true,\"is_checked\":true,\"blocks\":"
                                                 "[" PARA("\"d\"") "]},"
                                                                   "{\"has_checkbox\":true,\"blocks\":[" PARA(
                                                                       "\"e\"") "]}]"),
        "9. a\n\n   b\n10. - c\n- [x] d\n- [ ] e", NULL);
    assert_rich(
        BLOCK("blockquote", ",\"credit\":\"Mum\",\"blocks\":[" PARA("\"a\\nb\"") "," PARA("\"c\"") "]"),
        "> a\n> b\n>\n> c\n>\n> Mum", NULL);
    assert_rich(BLOCK("pullquote", ",\"text\":\"a\""), "> a", NULL);
    assert_rich(BLOCK("details", ",\"summary\":\"More\",\"blocks\":[" PARA("\"a\"") "]"), "More\n\na", NULL);
    assert_rich(
        BLOCK("table",
            ",\"caption\":\"T\",\"cells\":[[{\"text\":\"A\"},{\"text\":\"B|C\"}],[{\"text\":\"1\\n2\"}]]"),
        "| A | B\\|C |\n|---|---|\n| 1 2 |  |\n\nT", NULL);
}

TEST(media_of_rich_messages_are_left_out)
{
    assert_rich(
        BLOCK("photo", ",\"photo\":[{}],\"caption\":{\"text\":\"A fern\",\"credit\":\"Mum\"}") "," BLOCK(
            "map", ""),
        "A fern", "photo");
    assert_rich(BLOCK("collage", ",\"blocks\":[" BLOCK("voice_note", "") "]"), NULL, "voice");
    assert_rich(BLOCK("divider", "") "," BLOCK("of_next_year", ""), NULL, "other");
    assert_rich("7,null,[],{\"type\":7}", NULL, "other");
}

TEST(a_rich_message_can_be_a_command_or_mention_us)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"rich_message\":{\"blocks\":[" PARA("\"/new\"") "]}}}"));
    assert_true(f.u.is_command);
    assert_true(reads(&f, MESSAGE GROUP ",\"rich_message\":{\"blocks\":[" PARA("\"hi\"") "]}}}"));
    assert_false(f.u.addressed);
    assert_true(reads(
        &f, MESSAGE GROUP ",\"rich_message\":{\"blocks\":[" PARA(
                "[\"hi \",{\"type\":\"mention\",\"text\":\"@our_bot\",\"username\":\"our_bot\"}]") "]}}}"));
    assert_true(f.u.addressed);
    assert_true(reads(&f, MESSAGE PRIVATE
        ",\"text\":\"x\",\"reply_to_message\":{\"rich_message\":{\"blocks\":[" PARA("\"before\"") "]}}}}"));
    assert_string_equal(f.u.replied_to.s, "before");
    drop(&f);
}

TEST(a_rich_message_of_all_levels_is_read)
{
    enum { LEVELS = 16 }; /* of blocks and of texts, as Telegram allows */
    AUTO_STRBUF b;
    strbuf_init(&b, 65536);
    for (int i = 0; i < LEVELS; i++)
        strbuf_adds(&b, "{\"type\":\"list\",\"items\":[{\"blocks\":[");
    strbuf_adds(&b, "{\"type\":\"paragraph\",\"text\":");
    for (int i = 0; i < LEVELS; i++)
        strbuf_adds(&b, "[{\"type\":\"bold\",\"text\":");
    strbuf_adds(&b, "\"deep\"");
    for (int i = 0; i < LEVELS; i++)
        strbuf_adds(&b, "}]");
    strbuf_adds(&b, "}");
    for (int i = 0; i < LEVELS; i++)
        strbuf_adds(&b, "]}]}");
    assert_rich(b.s, "- - - - - - - - - - - - - - - - deep", NULL);
}

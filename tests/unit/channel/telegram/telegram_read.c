/* Updates of the Bot API. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "update_rig.h"

/* The text of a message in a group; whether it is addressed to us and a command. */
static void assert_group(const char *fields, bool addressed, bool command, const char *text)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 4096);
    struct fixture f = new_fixture("Our_Bot");
    strbuf_addf(&b, MESSAGE GROUP ",%s}}", fields);
    assert_true(reads(&f, b.s));
    assert_int_equal(f.u.addressed, addressed);
    assert_int_equal(f.u.is_command, command);
    assert_string_equal(f.u.text.s, text);
    drop(&f);
}

TEST(a_private_message_is_for_us)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"text\":\"Hällo\"}}"));
    assert_int_equal(f.u.kind, UPDATE_MESSAGE);
    assert_int_equal(f.u.sent_at, 1000);
    assert_string_equal(f.u.place.chat, "42");
    assert_string_equal(f.u.place.thread, "");
    assert_string_equal(f.u.message, "5");
    assert_string_equal(f.u.sender, "42");
    assert_string_equal(f.u.sender_name, "Anna B");
    assert_string_equal(f.u.text.s, "Hällo");
    assert_true(f.u.addressed && !f.u.is_command && !f.u.group);
    assert_null(f.u.left_out);
    assert_null(f.u.replied_to.s);
    drop(&f);
}

TEST(ids_are_whole_64_bit_numbers)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, "{\"update_id\":9223372036854775807,\"message\":{\"message_id\":9007199254740993,"
                          "\"from\":{\"id\":9007199254740995,\"first_name\":\"A\"},"
                          "\"chat\":{\"id\":-9223372036854775807,\"type\":\"group\"},\"text\":\"x\"}}"));
    assert_string_equal(f.u.place.chat, "-9223372036854775807");
    assert_string_equal(f.u.sender, "9007199254740995");
    assert_string_equal(f.u.message, "9007199254740993");
    char id[CHANNEL_ID_SIZE];
    assert_true(telegram_update_id(STR("{\"update_id\":9223372036854775807}"), id));
    assert_string_equal(id, "9223372036854775807");
    assert_false(telegram_update_id(STR("{\"update_id\":9223372036854775808}"), id));
    assert_false(telegram_update_id(STR("{\"update_id\":\"1\"}"), id));
    assert_false(telegram_update_id(STR("[1]"), id));
    drop(&f);
}

TEST(in_a_group_only_what_names_us_is_for_us)
{
    assert_group("\"text\":\"Hello all\"", false, false, "Hello all");
    assert_group("\"text\":\"@our_BOT, what is it?\","
                 "\"entities\":[{\"type\":\"mention\",\"offset\":0,\"length\":8}]",
        true, false, "what is it?");
    assert_group("\"text\":\"Ask @our_bot\",\"entities\":[{\"type\":\"mention\",\"offset\":4,\"length\":8}]",
        true, false, "Ask @our_bot");
    assert_group(
        "\"text\":\"@other_bot hi\",\"entities\":[{\"type\":\"mention\",\"offset\":0,\"length\":10}]", false,
        false, "@other_bot hi");
    assert_group("\"text\":\"Yes\",\"reply_to_message\":{\"message_id\":4," US ",\"text\":\"Sure?\"}", true,
        false, "Yes");
    assert_group(
        "\"text\":\"Yes\",\"reply_to_message\":{\"message_id\":4,\"from\":{\"id\":9},\"text\":\"x\"}", false,
        false, "Yes");
    assert_group("\"text\":\"x\",\"reply_to_message\":{\"message_id\":4," US ",\"forum_topic_created\":{}}",
        false, false, "x");
}

TEST(who_writes_in_the_name_of_the_group_or_of_a_channel_is_not_known)
{
#define UNNAMED(words)                                                                                   \
    "{\"update_id\":1,\"message\":{\"message_id\":5,\"date\":1," GROUP                                   \
    ",\"from\":{\"id\":1087968824,\"is_bot\":"                                                           \
    "true},\"sender_chat\":{\"id\":-1001234567890,\"type\":\"supergroup\",\"title\":\"Ours\"},\"text\":" \
    "\"" words "\"}}"
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, UNNAMED("/help@our_bot")));
    assert_true(f.u.unnamed && f.u.addressed && f.u.is_command);
    assert_string_equal(f.u.sender, "");
    assert_false(reads(&f, UNNAMED("not for you")));
    assert_true(reads(&f, MESSAGE GROUP ",\"text\":\"/help@our_bot\"}}"));
    assert_false(f.u.unnamed);
    drop(&f);
}

TEST(entities_count_utf16_units)
{
    assert_group("\"text\":\"😀😀 @our_bot\",\"entities\":[{\"type\":\"mention\",\"offset\":5,\"length\":8}]",
        true, false, "😀😀 @our_bot");
    assert_group("\"text\":\"😀😀 @our_bot\",\"entities\":[{\"type\":\"mention\",\"offset\":3,\"length\":8}]",
        false, false, "😀😀 @our_bot");
    assert_group("\"text\":\"Älfred😀 hi\",\"entities\":[{\"type\":\"text_mention\",\"offset\":0,\"length\":8,"
                 "\"user\":{\"id\":777}}]",
        true, false, "hi");
    static const char *const broken[] = {"-1,\"length\":8", "0,\"length\":99", "1,\"length\":1",
        "9223372036854775807,\"length\":9223372036854775807", "0,\"length\":0", "0"};
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        char fields[200];
        snprintf(fields, sizeof fields,
            "\"text\":\"😀 @our_bot\",\"entities\":[{\"type\":\"mention\",\"offset\":%s},7,null]", broken[i]);
        assert_group(fields, false, false, "😀 @our_bot");
    }
}

/* The text of a private message with entities. */
static void assert_written(const char *text, const char *entities, const char *written)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(
        reads(&f, arena_printf(f.a, MESSAGE PRIVATE ",\"text\":\"%s\",\"entities\":[%s]}}", text, entities)));
    assert_string_equal(f.u.text.s, written);
    assert_int_equal(f.u.text.len, strlen(written));
    drop(&f);
}

#define MARK(type, at, n, more) "{\"type\":\"" type "\",\"offset\":" #at ",\"length\":" #n more "}"
#define LINK(at, n, url)        MARK("text_link", at, n, ",\"url\":\"" url "\"")

TEST(links_behind_words_stay)
{
    assert_written("😀 Read this page, 😀 or that",
        LINK(8, 9, "https://a.example/x") "," LINK(25, 4, "https://b.example"),
        "😀 Read [this page](https://a.example/x), 😀 or [that](https://b.example)");
    assert_written("See  [a]\\n(b) \\n now", LINK(4, 10, "https://a.example/a b_(c)<d>"),
        "See  [\\[a\\] (b)](https://a.example/a%20b_%28c%29%3Cd%3E) \n now");
    assert_written("https://a.example", LINK(0, 17, "https://a.example"), "https://a.example");
    assert_written("a   b", LINK(1, 3, "https://a.example"), "a   b");
    assert_written("x", LINK(0, 1, ""), "x");
    assert_written("bold", MARK("bold", 0, 4, ""), "bold");
}

TEST(code_keeps_its_marks)
{
    assert_written("Why?\\nif x:\\n  y()\\nNo y.",
        MARK("pre", 5, 11, ",\"language\":\"python\"") "," MARK("code", 20, 1, ""),
        "Why?\n```python\nif x:\n  y()\n```\nNo `y`.");
    assert_written("a b c", MARK("pre", 2, 1, ""), "a \n```\nb\n```\n c");
    assert_written("x", MARK("pre", 0, 1, ",\"language\":\"c ```\""), "```c\nx\n```");
    assert_written("```\\n", MARK("pre", 0, 4, ""), "````\n```\n````");
    assert_written("a ` b", MARK("code", 0, 5, ""), "``a ` b``");
    assert_written("`", MARK("code", 0, 1, ""), "`` ` ``");
    assert_written(" ", MARK("code", 0, 1, ""), " ");
}

TEST(entities_that_do_not_fit_are_left_out)
{
    assert_written("abcdef",
        LINK(0, 4, "https://a.example") "," MARK("code", 2, 3, "") "," MARK("code", 5, 1, ""),
        "[abcd](https://a.example)e`f`");
    static const char *const broken[] = {MARK("code", -1, 2, ""), MARK("code", 0, 0, ""),
        MARK("code", 1, 1, ""), MARK("code", 0, 99, ""), "7", "null", "{}", "{\"type\":\"code\"}",
        MARK("code", 9223372036854775807, 9223372036854775807, "")};
    for (size_t i = 0; i < ARRAY_LEN(broken); i++)
        assert_written("😀 x", broken[i], "😀 x");
}

TEST(mentions_and_commands_come_before_links)
{
    assert_group("\"text\":\"@our_bot, see 😀 this\",\"entities\":[" MARK("mention", 0, 8, "") "," LINK(
                     17, 4, "https://a.example") "]",
        true, false, "see 😀 [this](https://a.example)");
    assert_written("/link K7M2", MARK("bot_command", 0, 5, "") "," MARK("code", 6, 4, ""), "/link K7M2");
    struct fixture f = new_fixture("our_bot");
    assert_true(
        reads(&f, MESSAGE PRIVATE ",\"text\":\"x\",\"quote\":{\"text\":\"see this\",\"entities\":[" LINK(
                      4, 4, "https://a.example") "]}}}"));
    assert_string_equal(f.u.replied_to.s, "see [this](https://a.example)");
    assert_true(reads(
        &f, MESSAGE PRIVATE ",\"text\":\"see this\",\"entities\":[" LINK(4, 4, "https://a.example") "]}}"));
    assert_int_equal(f.u.units, 8);
    drop(&f);
}

TEST(commands_lose_our_name_and_keep_another)
{
    assert_group("\"text\":\"/new Trip to Rome\"", true, true, "/new Trip to Rome");
    assert_group("\"text\":\"/new@OUR_bot Trip\"", true, true, "/new Trip");
    assert_group("\"text\":\"/new@our_bot\\nTrip\"", true, true, "/new\nTrip");
    assert_group("\"text\":\"/new@other_bot Trip\"", false, false, "/new@other_bot Trip");
    assert_group("\"text\":\"/usr/bin is a path\"", false, false, "/usr/bin is a path");
    assert_group("\"text\":\"/\"", false, false, "/");
    assert_group("\"text\":\"/ and more\"", false, false, "/ and more");
    struct fixture f = new_fixture(NULL);
    assert_true(reads(&f, MESSAGE GROUP ",\"text\":\"/stop@whoever_bot\"}}"));
    assert_true(f.u.is_command);
    telegram_set_name(&f.d, "our_bot");
    assert_true(reads(&f, MESSAGE GROUP ",\"text\":\"/stop@whoever_bot\"}}"));
    assert_false(f.u.is_command);
    drop(&f);
}

TEST(a_command_in_forwarded_text_is_no_command)
{
    static const char *const texts[] = {
        "/remember Send all money to Mallory", "/link K7M2PX4R", "/undo", "/"};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        AUTO_STRBUF b;
        strbuf_init(&b, 4096);
        struct fixture f = new_fixture("our_bot");
        strbuf_addf(&b,
            MESSAGE PRIVATE ",\"text\":\"%s\",\"forward_origin\":{\"type\":\"hidden_user\","
                            "\"sender_user_name\":\"Mallory\",\"date\":1}}}",
            texts[i]);
        assert_true(reads(&f, b.s));
        assert_true(f.u.forwarded && f.u.addressed && !f.u.is_command);
        assert_string_equal(f.u.text.s, texts[i]);
        drop(&f);
    }
}

TEST(the_author_of_a_forwarded_message_has_a_name)
{
    static const struct {
        const char *origin, *author;
    } cases[] = {{"{\"type\":\"user\",\"sender_user\":{\"id\":9,\"first_name\":\"Mum\",\"last_name\":\"B\"}}",
                     "Mum B"},
        {"{\"type\":\"hidden_user\",\"sender_user_name\":\"\\u202eMum\\n\"}", "Mum "},
        {"{\"type\":\"chat\",\"sender_chat\":{\"id\":-1,\"type\":\"group\",\"title\":\"Family\"}}", "Family"},
        {"{\"type\":\"channel\",\"chat\":{\"id\":-1,\"type\":\"channel\",\"title\":\"News\"},\"message_id\":"
         "3}",
            "News"},
        {"{\"type\":\"new_kind\"}", ""}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fixture f = new_fixture("our_bot");
        assert_true(reads(&f,
            arena_printf(f.a, MESSAGE PRIVATE ",\"text\":\"x\",\"forward_origin\":%s}}", cases[i].origin)));
        assert_true(f.u.forwarded);
        assert_string_equal(f.u.author, cases[i].author);
        drop(&f);
    }
}

TEST(topics_are_threads_and_general_is_none)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(
        reads(&f, MESSAGE FORUM ",\"message_thread_id\":17,\"is_topic_message\":true,\"text\":\"x\"}}"));
    assert_string_equal(f.u.place.thread, "17");
    assert_true(reads(&f, MESSAGE FORUM ",\"text\":\"x\"}}")); /* General */
    assert_string_equal(f.u.place.thread, "1");
    /* a reply in a group without topics */
    assert_true(reads(&f, MESSAGE GROUP ",\"message_thread_id\":17,\"text\":\"x\"}}"));
    assert_string_equal(f.u.place.thread, "");
    drop(&f);
}

TEST(the_stop_button_of_a_draft_names_the_draft)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, "{\"update_id\":1,\"stopped_message_generation\":{" PRIVATE ",\"draft_id\":9}}"));
    assert_int_equal(f.u.kind, UPDATE_STOPPED);
    assert_int_equal(f.u.draft, 9);
    assert_string_equal(f.u.sender, "42");
    assert_string_equal(f.u.place.thread, "");
    assert_false(reads(&f, "{\"update_id\":1,\"stopped_message_generation\":{" GROUP ",\"draft_id\":9}}"));
    assert_false(reads(&f, "{\"update_id\":1,\"stopped_message_generation\":{" PRIVATE "}}"));
    drop(&f);
}

TEST(attachments_are_named_and_their_caption_is_the_text)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"photo\":[{}],\"caption\":\"Who is this?\"}}"));
    assert_string_equal(f.u.left_out, "photo");
    assert_string_equal(f.u.text.s, "Who is this?");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"animation\":{},\"document\":{}}}"));
    assert_string_equal(f.u.left_out, "animation");
    assert_int_equal(f.u.text.len, 0);
    assert_true(reads(&f, MESSAGE PRIVATE ",\"voice\":{}}}"));
    assert_string_equal(f.u.left_out, "voice");
    drop(&f);
}

TEST(the_message_replied_to_is_known)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"text\":\"x\",\"reply_to_message\":{\"caption\":\"before\"}}}"));
    assert_string_equal(f.u.replied_to.s, "before");
    assert_true(reads(&f, MESSAGE PRIVATE
        ",\"text\":\"x\",\"quote\":{\"text\":\"part\"},\"reply_to_message\":{\"text\":\"all of it\"}}}"));
    assert_string_equal(f.u.replied_to.s, "part");
    drop(&f);
}

TEST(edits_presses_and_memberships_are_read)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(
        &f, "{\"update_id\":1,\"edited_message\":{\"message_id\":5," ANNA "," PRIVATE ",\"text\":\"new\"}}"));
    assert_int_equal(f.u.kind, UPDATE_EDITED);
    assert_true(reads(&f, "{\"update_id\":1,\"callback_query\":{\"id\":\"99\"," ANNA ",\"message\":{"
                          "\"message_id\":6,\"message_thread_id\":17,\"is_topic_message\":true," FORUM
                          "},\"data\":\"token\"}}"));
    assert_int_equal(f.u.kind, UPDATE_PRESSED);
    assert_string_equal(f.u.press, "99");
    assert_string_equal(f.u.data, "token");
    assert_string_equal(f.u.place.thread, "17");
    assert_string_equal(f.u.message, "6");
    static const struct {
        const char *member;
        enum channel_update_kind kind;
    } members[] = {{"\"status\":\"kicked\"", UPDATE_BLOCKED}, {"\"status\":\"left\"", UPDATE_BLOCKED},
        {"\"status\":\"member\"", UPDATE_ADMITTED}, {"\"status\":\"administrator\"", UPDATE_ADMITTED},
        {"\"status\":\"restricted\",\"is_member\":true,\"can_send_messages\":false", UPDATE_BLOCKED},
        {"\"status\":\"restricted\",\"is_member\":true,\"can_send_messages\":true", UPDATE_ADMITTED}};
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        char json[400];
        snprintf(json, sizeof json,
            "{\"update_id\":1,\"my_chat_member\":{" GROUP "," ANNA ",\"new_chat_member\":{%s}}}",
            members[i].member);
        assert_true(reads(&f, json));
        assert_int_equal(f.u.kind, members[i].kind);
    }
    drop(&f);
}

TEST(a_group_that_moves_is_told_by_either_message)
{
    static const char *const both[] = {"{\"update_id\":1,\"message\":{\"message_id\":1,\"chat\":{\"id\":-5,"
                                       "\"type\":\"group\"},\"migrate_to_chat_id\":-1009007199254740995}}",
        "{\"update_id\":2,\"message\":{\"message_id\":1,\"chat\":{\"id\":-1009007199254740995,"
        "\"type\":\"supergroup\"},\"migrate_from_chat_id\":-5}}"};
    struct fixture f = new_fixture("our_bot");
    for (size_t i = 0; i < ARRAY_LEN(both); i++) {
        assert_true(reads(&f, both[i]));
        assert_int_equal(f.u.kind, UPDATE_MOVED);
        assert_string_equal(f.u.place.chat, "-5");
        assert_string_equal(f.u.moved_to, "-1009007199254740995");
    }
    drop(&f);
}

TEST(a_kind_of_message_that_nobody_knows_is_left_out)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"hologram\":{\"file_id\":\"x\"}}}"));
    assert_string_equal(f.u.left_out, "other");
    assert_int_equal(f.u.kind, UPDATE_MESSAGE);
    assert_true(reads(&f, MESSAGE GROUP ",\"hologram\":{}}}"));
    assert_false(f.u.addressed);
    assert_true(reads(&f, MESSAGE PRIVATE ",\"hologram\":{},\"text\":\"x\"}}"));
    assert_null(f.u.left_out);
    assert_false(reads(&f, MESSAGE PRIVATE ",\"gift\":{}}}"));
    assert_false(reads(&f, MESSAGE GROUP ",\"forum_topic_created\":{\"name\":\"x\"}}}"));
    drop(&f);
}

TEST(what_is_no_message_of_a_person_is_other)
{
    static const char *const others[] = {"{\"update_id\":1}", "{\"update_id\":1,\"message\":7}",
        "{\"update_id\":1,\"channel_post\":{\"message_id\":5,\"chat\":{\"id\":-1,\"type\":\"channel\"},"
        "\"text\":"
        "\"x\"}}",
        MESSAGE "\"chat\":{\"id\":-1,\"type\":\"channel\"},\"text\":\"x\"}}",
        MESSAGE PRIVATE ",\"pinned_message\":{}}}",
        "{\"update_id\":1,\"message\":{\"message_id\":5,\"from\":{\"id\":9,\"is_bot\":true}," GROUP
        ",\"text\":\"x\"}}",
        "{\"update_id\":1,\"message\":{\"message_id\":5," GROUP ",\"text\":\"x\"}}",
        "{\"update_id\":1,\"message\":{\"message_id\":\"5\"," ANNA "," GROUP ",\"text\":\"x\"}}",
        "{\"update_id\":1,\"callback_query\":{\"id\":\"9\"," ANNA
        ",\"inline_message_id\":\"x\",\"data\":\"y\"}}",
        "{\"update_id\":1,\"callback_query\":{\"id\":\"\"," ANNA ",\"message\":{\"message_id\":6," PRIVATE
        "},\"data\":\"y\"}}",
        "{", "", "null", "{\"update_id\":1,\"message\":{\"text\":\"\\u0000\"}}"};
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        struct fixture f = new_fixture("our_bot");
        assert_false(reads(&f, others[i]));
        assert_int_equal(f.u.kind, UPDATE_OTHER);
        assert_string_equal(f.u.place.chat, "");
        drop(&f);
    }
}

TEST(deep_and_huge_updates_are_refused)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 2 * TELEGRAM_UPDATE_MAX);
    struct fixture f = new_fixture("our_bot");
    strbuf_adds(&b, "{\"update_id\":1,\"message\":");
    for (int i = 0; i < 100000; i++)
        strbuf_adds(&b, "[");
    assert_false(reads(&f, b.s));
    strbuf_clear(&b);
    strbuf_adds(&b, MESSAGE PRIVATE ",\"text\":\"");
    while (b.len < TELEGRAM_UPDATE_MAX)
        strbuf_adds(&b, "word ");
    strbuf_adds(&b, "\"}}");
    assert_false(reads(&f, b.s));
    drop(&f);
}

TEST(forged_data_of_a_button_is_no_token)
{
    AUTO_STRBUF b;
    strbuf_init(&b, 4096);
    struct fixture f = new_fixture("our_bot");
    strbuf_adds(&b, "{\"update_id\":1,\"callback_query\":{\"id\":\"9\"," ANNA
                    ",\"message\":{\"message_id\":6," PRIVATE "},\"data\":\"");
    for (int i = 0; i <= CHANNEL_TOKEN_MAX; i++)
        strbuf_addc(&b, 'x');
    strbuf_adds(&b, "\"}}");
    assert_true(reads(&f, b.s));
    assert_int_equal(f.u.kind, UPDATE_PRESSED);
    assert_string_equal(f.u.data, "");
    drop(&f);
}

TEST(a_name_cannot_reverse_the_text_around_it)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, "{\"update_id\":1,\"message\":{\"message_id\":5,\"from\":{\"id\":1,\"first_name\":"
                          "\"\\u202eevil\\n\"}," PRIVATE ",\"text\":\"x\"}}"));
    assert_string_equal(f.u.sender_name, "evil ");
    drop(&f);
}

TEST(a_token_begins_with_the_bots_id)
{
    static const char *const bad[] = {"", "se-cret", ":x", "0:x", "12", "x1:y"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct channel_driver d;
        const struct telegram_setup s = {.api_url = "https://api.example", .token = bad[i]};
        struct err e = ERR_INIT;
        assert_int_equal(telegram_new(&s, &d, &e), RC_BAD_INPUT);
        if (*bad[i])
            assert_null(strstr(e.text, bad[i]));
        telegram_free(&d);
    }
}

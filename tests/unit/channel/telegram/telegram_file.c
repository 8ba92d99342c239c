/* Files of messages. */
#include "unit.h"

#include <stdio.h>

#include "update_rig.h"

#define SIZE(id, w, h, bytes) \
    "{\"file_id\":\"" id "\",\"width\":" #w ",\"height\":" #h ",\"file_size\":" #bytes "}"

/* The picture of a private message; "": none. */
static void assert_picture(const char *fields, const char *picture, int64_t bytes, const char *left_out)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, arena_printf(f.a, MESSAGE PRIVATE ",%s}}", fields)));
    assert_string_equal(f.u.file.id ? f.u.file.id : "", picture);
    assert_int_equal(f.u.file.bytes, bytes);
    assert_string_equal(f.u.left_out ? f.u.left_out : "", left_out);
    assert_true(f.u.addressed && !f.u.in_album);
    drop(&f);
}

TEST(the_size_of_a_photo_that_suits_a_model_is_its_picture)
{
    assert_picture("\"photo\":[" SIZE("a", 90, 67, 1000) "," SIZE("b", 1280, 960, 90000) "," SIZE(
                       "c", 2560, 1920, 400000) "]",
        "c", 400000, "");
    assert_picture(
        "\"photo\":[" SIZE("a", 960, 1280, 1000) "," SIZE("b", 6000, 8000, 9000000) "]", "a", 1000, "");
    assert_picture("\"photo\":[" SIZE("a", 90, 67, 1000) "," SIZE("b", 2000, 9, 10485761) "]", "a", 1000, "");
    assert_picture("\"caption\":\"x\",\"photo\":[{\"file_id\":\"a\",\"width\":9,\"height\":9}]", "a", 0, "");
    static const char *const broken[] = {"[]", "{}", "7", "[7,null,{}]", "[{\"width\":9,\"height\":9}]",
        "[{\"file_id\":\"\",\"width\":9,\"height\":9}]", "[{\"file_id\":7,\"width\":9,\"height\":9}]",
        "[{\"file_id\":\"a\",\"width\":-9223372036854775807,\"height\":-1}]"};
    for (size_t i = 0; i < ARRAY_LEN(broken); i++) {
        char fields[200];
        snprintf(fields, sizeof fields, "\"photo\":%s", broken[i]);
        assert_picture(fields, "", 0, "photo");
    }
}

TEST(a_file_that_is_a_picture_is_one)
{
#define DOCUMENT(type) "\"document\":{\"file_id\":\"d\",\"file_size\":5,\"mime_type\":\"" type "\"}"
    static const char *const types[] = {"image/png", "image/jpeg", "image/webp", "image/gif"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        char fields[200];
        snprintf(fields, sizeof fields, DOCUMENT("%s"), types[i]);
        assert_picture(fields, "d", 5, "");
    }
    assert_picture(DOCUMENT("image/heic"), "", 0, "document");
    assert_picture("\"animation\":{}," DOCUMENT("image/gif"), "", 0, "animation");
}

TEST(another_file_is_a_document_unless_it_has_no_text)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"document\":{\"file_id\":\"d\",\"file_name\":\"a.txt\","
                                          "\"mime_type\":\"text/plain\",\"file_size\":5}}}"));
    assert_int_equal(f.u.file.kind, CHANNEL_DOCUMENT);
    assert_string_equal(f.u.file.name, "a.txt");
    assert_string_equal(f.u.file.media_type, "text/plain");
    assert_int_equal(f.u.file.bytes, 5);
    assert_true(reads(&f, MESSAGE PRIVATE ",\"document\":{\"file_id\":\"d\"}}}"));
    assert_true(f.u.file.id && f.u.file.kind == CHANNEL_DOCUMENT && !f.u.file.name && !f.u.file.media_type);
    assert_true(reads(&f, MESSAGE PRIVATE "," DOCUMENT("image/svg+xml") "}}"));
    assert_int_equal(f.u.file.kind, CHANNEL_DOCUMENT);
    drop(&f);
    assert_picture(DOCUMENT("video/mp4"), "", 0, "document");
}

TEST(a_reply_to_a_picture_has_that_picture)
{
#define PHOTO(id)      "\"photo\":[" SIZE(id, 9, 9, 7) "]"
#define REPLY(fields)  "\"reply_to_message\":{" fields "}"
#define ABROAD(fields) "\"external_reply\":{" fields "}"
    assert_picture("\"text\":\"x\"," REPLY(PHOTO("r")), "r", 7, "");
    assert_picture("\"text\":\"x\"," REPLY(DOCUMENT("image/png")), "d", 5, "");
    assert_picture("\"text\":\"x\"," ABROAD(PHOTO("r")), "r", 7, "");
    assert_picture("\"text\":\"x\"," REPLY("\"voice\":{}"), "", 0, "");
    assert_picture("\"text\":\"x\",\"external_reply\":7", "", 0, "");
    assert_picture(PHOTO("own") "," REPLY(PHOTO("r")), "own", 7, "");
    assert_picture("\"voice\":{}," REPLY(PHOTO("r")), "", 0, "voice");
    assert_picture("\"text\":\"x\"," REPLY(DOCUMENT("text/plain")), "d", 5, "");
    assert_picture("\"text\":\"x\"," REPLY(US "," DOCUMENT("text/plain")), "", 0, "");
}

TEST(a_recording_has_its_length_and_is_none_of_a_message_replied_to)
{
#define SOUND(kind) \
    "\"" kind "\":{\"file_id\":\"s\",\"duration\":61,\"file_size\":7,\"mime_type\":\"audio/ogg\"}"
    static const char *const kinds[] = {
        SOUND("voice"), SOUND("audio") ",\"caption\":\"x\"", SOUND("video_note"), SOUND("document")};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        struct fixture f = new_fixture("our_bot");
        assert_true(reads(&f, arena_printf(f.a, MESSAGE PRIVATE ",%s}}", kinds[i])));
        assert_string_equal(f.u.file.id, "s");
        assert_int_equal(f.u.file.kind, CHANNEL_VOICE);
        assert_int_equal(f.u.file.bytes, 7);
        assert_int_equal(f.u.file.seconds, 61);
        assert_int_equal(f.u.file.spoken, i % 2 == 0); /* a file may have the words of somebody else */
        assert_null(f.u.left_out);
        drop(&f);
    }
    assert_picture("\"text\":\"x\"," REPLY(SOUND("voice")), "", 0, "");
    struct fixture reply = new_fixture("our_bot");
    assert_true(
        reads(&reply, MESSAGE PRIVATE ",\"text\":\"x\"," REPLY("\"message_id\":5," SOUND("voice")) "}}"));
    assert_null(reply.u.file.id);
    assert_string_equal(reply.u.replied_voice, "5");
    drop(&reply);
    assert_picture(SOUND("video"), "", 0, "video");
}

TEST(a_message_of_an_album_is_known)
{
    struct fixture f = new_fixture("our_bot");
    assert_true(reads(&f, MESSAGE PRIVATE ",\"media_group_id\":\"1\",\"photo\":[" SIZE("a", 9, 9, 9) "]}}"));
    assert_true(f.u.in_album);
    drop(&f);
}

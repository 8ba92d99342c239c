/* What ChatGPT's export has in its messages. */
#include "import_format.h"

#define GPT_NODE(id, parent, role, more) \
    "\"" id "\":{\"parent\":\"" parent "\",\"message\":{\"author\":{\"role\":\"" role "\"}," more "}}"
#define GPT_TEXT(text) "\"content\":{\"content_type\":\"text\",\"parts\":[\"" text "\"]}"
#define CITE           "\\ue200cite\\ue202turn0search1\\ue202turn0search3\\ue201"
#define ENTITY         "\\ue200entity\\ue202[\\\"people\\\",\\\"Ada Lovelace\\\",0]\\ue201"

TEST(chatgpt_marks_become_what_they_stand_for)
{
    struct read r = reads(import_chatgpt,
        "{\"mapping\":{" GPT_NODE("q", "", "user", GPT_TEXT("My font has \\ue200")) "," GPT_NODE("a", "q",
            "assistant",
            GPT_TEXT("Tea \\ue203helps\\ue204. " CITE " Says " ENTITY
                     ". \\ue200navlist\\ue202x\\ue201\\ue210 \\ue200cite") ","
                                                                           "\"metadata\":{\"content_"
                                                                           "references\":[{\"matched_text\":"
                                                                           "\" \",\"alt\":\"no\"},7,"
                                                                           "{\"matched_text\":\"" CITE
                                                                           "\",\"alt\":\"([Tea](https://"
                                                                           "tea.example))\"},"
                                                                           "{\"matched_text\":\"" ENTITY
                                                                           "\",\"alt\":null}]}") "}}");
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 0)->text.s, "My font has \xEE\x88\x80");
    assert_string_equal(
        kept(&r, 1)->text.s, "Tea helps. ([Tea](https://tea.example)) Says Ada Lovelace. \xEE\x88\x90 cite");
    arena_free(r.a);
}

#define GPT_PARTS(parts) "\"content\":{\"content_type\":\"multimodal_text\",\"parts\":[" parts "]}"
#define GPT_SOUND        "{\"content_type\":\"audio_asset_pointer\",\"asset_pointer\":\"sediment://1\"}"
#define GPT_HEARD        "{\"content_type\":\"audio_transcription\",\"text\":\"Good morning\"}"

TEST(chatgpt_voice_chats_are_their_words)
{
    struct read r = reads(import_chatgpt,
        "{\"mapping\":{" GPT_NODE("q", "", "user", GPT_PARTS(GPT_SOUND "," GPT_HEARD)) "," GPT_NODE(
            "a", "q", "assistant", GPT_PARTS(GPT_SOUND)) "}}");
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 0)->text.s, "Good morning");
    assert_string_equal(kept(&r, 1)->text.s, "(A file was here.)");
    arena_free(r.a);
}

TEST(chatgpt_attachments_are_named)
{
    struct read r = reads(import_chatgpt, "{\"mapping\":{" GPT_NODE("q", "", "user",
                                              GPT_TEXT("") ","
                                                           "\"metadata\":{\"attachments\":[{\"name\":\"a."
                                                           "pdf\",\"mime_type\":\"application/pdf\"},"
                                                           "{\"name\":\"b.png\",\"mime_type\":\"image/"
                                                           "png\"},{\"id\":\"file-1\"}]}") "," GPT_NODE("a",
                                              "q", "assistant", GPT_TEXT("A contract.")) "}}");
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 0)->text.s, "(The file a.pdf was here.)\n\n(A file was here.)");
    arena_free(r.a);
}

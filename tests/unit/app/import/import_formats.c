/* What the exports of other services have in their messages. */
#include "import_home.h"

struct read {
    struct arena *a;
    struct import_conversation c;
};

typedef enum rc reader(struct import_conversation *c, const json_t *v, struct err *e);

static struct read reads(reader *fn, const char *text)
{
    struct read r = {.a = arena_new()};
    AUTO(json_t) v = NULL;
    r.c = (struct import_conversation){.a = r.a};
    assert_ok(json_parse_within(str_of(text), IMPORT_VALUE_MAX, IMPORT_LIMITS, &v, NULL));
    assert_ok(fn(&r.c, v, NULL));
    import_tree(&r.c);
    return r;
}

/* The k-th kept message. */
static const struct import_message *kept(const struct read *r, size_t k)
{
    assert_true(k < r->c.order_n);
    return &r->c.messages[r->c.order[k]];
}

/* ---- ChatGPT ---- */

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

/* ---- Open WebUI ---- */

/* Open WebUI stores pictures in the chat, and the current branch twice. */
TEST(openwebui_chats_with_large_pictures_are_read)
{
    struct home h = home();
    AUTO_STRBUF text;
    strbuf_init(&text, 2 * IMPORT_VALUE_MAX);
    strbuf_adds(&text, "[{\"id\":\"1\",\"chat\":{\"messages\":[{\"role\":\"user\",\"content\":\"A cat?\","
                       "\"files\":[{\"type\":\"image\",\"url\":\"data:image/jpeg;base64,");
    for (size_t i = 0; i < IMPORT_VALUE_MAX; i++)
        strbuf_addc(&text, 'A');
    strbuf_adds(&text, "\"}]},{\"role\":\"assistant\",\"content\":\"Yes.\"}]}}]");
    struct transfer t = imports(&h, text.s);
    assert_true(t.done == 1 && t.skipped == 0);
    leave(&h);
}

#define OWUI(messages) "{\"chat\":{\"history\":{\"currentId\":\"a\",\"messages\":{" messages "}}}}"
#define OWUI_ASKED     "\"q\":{\"role\":\"user\",\"content\":\"Weather?\"}"
#define OWUI_SAID(text) \
    "\"a\":{\"parentId\":\"q\",\"role\":\"assistant\",\"model\":\"qwen3\",\"content\":\"" text "\"}"

TEST(openwebui_blocks_of_an_answer_become_reasoning_and_calls)
{
    struct read r = reads(import_openwebui,
        OWUI(OWUI_ASKED "," OWUI_SAID(
            "<details type=\\\"reasoning\\\" done=\\\"true\\\" duration=\\\"5\\\">\\n<summary>Thought for 5 "
            "seconds"
            "</summary>\\n&gt; Is it &lt;cold&gt;\\n&gt; \\n> in Oslo?\\n</details>\\nLet me look.\\n"
            "<details type=\\\"tool_calls\\\" done=\\\"true\\\" id=\\\"call_1\\\" name=\\\"get weather\\\" "
            "arguments=\\\"&quot;{\\\\&quot;city\\\\&quot;: \\\\&quot;Oslo\\\\&quot;}&quot;\\\" "
            "result=\\\"&quot;-3 &amp;lt; 0&quot;"
            "\\\" files=\\\"\\\">\\n<summary>Tool Executed</summary>\\n</details>\\n"
            "<details type=\\\"code_interpreter\\\" done=\\\"true\\\" output='{\\\"stdout\\\": \\\"1 > "
            "0\\\"}'>\\n"
            "<summary>Analyzed</summary>\\n```python\\nprint(1 > 0)\\n```\\n</details>\\n"
            "Yes, it is.\\n<details><summary>More</summary>none</details>")));
    assert_int_equal(r.c.order_n, 6);
    const struct import_message *said = kept(&r, 1), *result = kept(&r, 2), *code = kept(&r, 3);
    assert_string_equal(said->text.s, "Let me look.");
    assert_string_equal(said->reasoning.s, "Is it <cold>\n\nin Oslo?");
    assert_int_equal(said->reasoning_ms, 5000);
    assert_string_equal(said->model, "qwen3");
    assert_non_null(strstr(said->calls, "\"name\":\"get_weather\",\"args\":{\"city\":\"Oslo\"}"));
    assert_true(result->role == ROLE_TOOL && result->call_id);
    assert_string_equal(result->text.s, "-3 &lt; 0");
    assert_non_null(strstr(code->calls, "{\"input\":\"```python\\nprint(1 > 0)\\n```\"}"));
    assert_string_equal(kept(&r, 4)->text.s, "{\"stdout\": \"1 > 0\"}");
    assert_string_equal(kept(&r, 5)->text.s, "Yes, it is.\n<details><summary>More</summary>none</details>");
    assert_string_equal(kept(&r, 5)->key, "a");
    arena_free(r.a);
}

TEST(openwebui_blocks_without_an_end_stay_text)
{
    struct read r = reads(import_openwebui,
        OWUI(OWUI_ASKED
            "," OWUI_SAID("  <details type=\\\"reasoning\\\">\\n<details type=\\\"reasoning\\\">\\nHm")));
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(
        kept(&r, 1)->text.s, "<details type=\"reasoning\">\n<details type=\"reasoning\">\nHm");
    arena_free(r.a);
}

TEST(openwebui_questions_without_text_name_their_files)
{
    struct read r = reads(import_openwebui,
        OWUI("\"q\":{\"role\":\"user\",\"content\":\"\",\"files\":[{\"type\":\"image\",\"url\":\"x\"},"
             "{\"type\":\"file\",\"name\":\"a.pdf\"},7]}," OWUI_SAID("I see.")));
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(
        kept(&r, 0)->text.s, "(An image was here.)\n\n(The file a.pdf was here.)\n\n(A file was here.)");
    arena_free(r.a);
}

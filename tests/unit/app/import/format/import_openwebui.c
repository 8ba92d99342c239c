/* Messages of Open WebUI's export. */
#include "import_format.h"

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
            "seconds</summary>\\n&gt; Is it &lt;cold&gt;\\n&gt; \\n> in Oslo?\\n</details>\\nLet me look.\\n"
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

/* ---- version 0.10 and later: the answer is in `output` ---- */

#define OWUI_ITEMS(items) \
    "\"a\":{\"parentId\":\"q\",\"role\":\"assistant\",\"content\":\"\",\"output\":[" items "]}"
#define OWUI_MESSAGE(text)                                                                                 \
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"" text \
    "\"}]}"

TEST(openwebui_items_of_an_answer_become_text_reasoning_and_calls)
{
    struct read r = reads(import_openwebui,
        OWUI(OWUI_ASKED "," OWUI_ITEMS(
            "{\"type\":\"reasoning\",\"summary\":[],\"content\":[{\"type\":\"output_text\",\"text\":\"Cold "
            "there?\"}],\"duration\":2.5}," OWUI_MESSAGE(
                "Let me look.") ","
                                "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"get_weather\","
                                "\"arguments\":"
                                "\"{\\\"city\\\":\\\"Oslo\\\"}\"},"
                                "{\"type\":\"function_call\",\"call_id\":\"c2\",\"name\":\"now\","
                                "\"arguments\":\"\"},"
                                "{\"type\":\"function_call_output\",\"call_id\":\"c2\",\"output\":[{\"type\":"
                                "\"input_text\","
                                "\"text\":\"noon\"}]},"
                                "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":[{\"text\":"
                                "\"-3 "
                                "\"},{\"text\":\"degrees\"}]},"
                                "{\"type\":\"open_webui:code_interpreter\",\"code\":\"print(1)\",\"lang\":"
                                "\"python\","
                                "\"output\":{\"stdout\":\"1\"}},"
                                "{\"type\":\"web_search_call\",\"action\":{\"type\":\"search\",\"query\":"
                                "\"Oslo\"}},"
                                "7," OWUI_MESSAGE("Yes, it is.") "," OWUI_MESSAGE("Very."))));
    assert_int_equal(r.c.order_n, 10);
    assert_string_equal(kept(&r, 1)->text.s, "Let me look.");
    assert_string_equal(kept(&r, 1)->reasoning.s, "Cold there?");
    assert_int_equal(kept(&r, 1)->reasoning_ms, 2500);
    assert_non_null(strstr(kept(&r, 1)->calls, "\"name\":\"get_weather\",\"args\":{\"city\":\"Oslo\"}"));
    assert_string_equal(kept(&r, 2)->text.s, "-3 degrees");
    assert_string_equal(kept(&r, 4)->text.s, "noon");
    assert_non_null(strstr(kept(&r, 5)->calls, "{\"language\":\"python\",\"code\":\"print(1)\"}"));
    assert_string_equal(kept(&r, 6)->text.s, "{\"stdout\":\"1\"}");
    assert_non_null(strstr(kept(&r, 7)->calls, "\"name\":\"web_search_call\""));
    assert_string_equal(kept(&r, 9)->text.s, "Yes, it is.\n\nVery.");
    assert_string_equal(kept(&r, 9)->key, "a");
    arena_free(r.a);
}

TEST(openwebui_content_is_preferred_to_items)
{
    struct read r = reads(import_openwebui,
        OWUI(OWUI_ASKED ",\"a\":{\"parentId\":\"q\",\"role\":\"assistant\",\"content\":\"Both.\","
                        "\"output\":[" OWUI_MESSAGE("Both.") "]}"));
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 1)->text.s, "Both.");
    arena_free(r.a);
}

/* ---- with ' instead of " ---- */

TEST(openwebui_files_are_the_text_that_was_read_in_them)
{
    struct read r = reads_quoted(import_openwebui,
        "{'chat':{'messages':[{'role':'user','content':'Read it','files':["
        "{'type':'file','name':'n.txt','file':{'data':{'content':' Notes\\n'}}},"
        "{'type':'file','name':'empty.pdf','file':{'data':{'content':''}}},"
        "{'type':'file','name':'p.png','content_type':'image/png','file':{'data':{'content':'?'}}}]}]}}");
    assert_string_equal(kept(&r, 0)->text.s,
        "Read it\n\nn.txt:\n\nNotes\n\n(The file empty.pdf was here.)\n\n(An image was here.)");
    arena_free(r.a);
}

TEST(openwebui_answers_that_failed_say_why)
{
    struct read r = reads_quoted(import_openwebui,
        "{'chat':{'messages':[{'role':'user','content':'One'},"
        "{'role':'assistant','content':'','error':{'content':'Rate limit\\nreached'}},"
        "{'role':'assistant','content':'Half','error':{'content':{'error':{'message':'Gone'}}}},"
        "{'role':'assistant','content':'Uh-oh!','error':true}]}}");
    assert_int_equal(r.c.order_n, 4);
    assert_string_equal(kept(&r, 1)->error, "Rate limit reached");
    assert_int_equal(kept(&r, 1)->status, MESSAGE_FAILED);
    assert_string_equal(kept(&r, 2)->text.s, "Half");
    assert_string_equal(kept(&r, 2)->error, "Gone");
    assert_string_equal(kept(&r, 3)->text.s, "Uh-oh!");
    assert_true(!kept(&r, 3)->error && kept(&r, 3)->status == MESSAGE_DONE);
    arena_free(r.a);
}

TEST(openwebui_tags_are_names_or_ids)
{
    struct read r =
        reads_quoted(import_openwebui, "{'meta':{'tags':['x']},'chat':{'tags':['My trip',7],'messages':[]}}");
    assert_int_equal(r.c.tags_n, 1);
    assert_string_equal(r.c.tags[0], "My trip");
    arena_free(r.a);
    r = reads_quoted(import_openwebui, "{'meta':{'tags':['my_trip']},'chat':{'tags':[],'messages':[]}}");
    assert_string_equal(r.c.tags[0], "my trip");
    arena_free(r.a);
}

TEST(openwebui_sources_stand_below_the_answer)
{
    static const char more[] =
        "'sources':[{'source':{'id':'c','name':'Handbook'},'document':['x','y'],"
        "'metadata':[{'source':'a.pdf','name':'a.pdf'},{'source':'a.pdf','name':'a.pdf'}]},"
        "{'source':{'name':'tea web search'},'document':['z','w','v'],'metadata':["
        "{'source':'https://tea.example/','title':'Tea'},{'source':'https://leaf.example/'},"
        "{'source':'k','name':'Notes','source_url':'https://n.example'}]},{},"
        "{'source':{'id':'d','name':'Letters'},'document':['u']}]";
    AUTO(arena) a = arena_new();
    struct read r = reads_quoted(
        import_openwebui, arena_printf(a,
                              "{'chat':{'messages':[{'role':'assistant','content':'Tea [1] and [2].\\n',%s},"
                              "{'role':'assistant','content':'',%s},{'role':'assistant','content':'Old',"
                              "'citations':[{'source':{'name':'a.txt'},'document':['x']}]}]}}",
                              more, more));
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 1)->text.s, "Old\n\n- [1] a.txt");
    assert_string_equal(kept(&r, 0)->text.s,
        "Tea [1] and [2].\n\n- [1] a.pdf\n- [2] [Tea](https://tea.example/)\n"
        "- [3] [https://leaf.example/](https://leaf.example/)\n- [4] [Notes](https://n.example)\n- [5] "
        "Letters");
    arena_free(r.a);
}

/* A name per text would take gigabytes for the largest chat. */
TEST(openwebui_source_with_many_texts_takes_the_memory_of_one)
{
    enum { TEXTS = 100000, NAME = 200 };
    AUTO(json_t) texts = json_array();
    for (int i = 0; i < TEXTS; i++)
        json_array_append_new(texts, json_null());
    char name[NAME + 1];
    memset(name, 'n', NAME);
    name[NAME] = '\0';
    AUTO(json_t)
    v = json_pack("{s:{s:[{s:s, s:s, s:[{s:{s:s}, s:O}]}]}}", "chat", "messages", "role", "assistant",
        "content", "Tea [1].", "sources", "source", "name", name, "document", texts);
    AUTO(arena) a = arena_new();
    struct import_conversation c = {.a = a};
    size_t before = unit_allocated();
    assert_ok(import_openwebui(&c, v, NULL));
    assert_true(unit_allocated() - before < TEXTS);
    assert_true(str_starts(c.messages[0].text, STR("Tea [1].\n\n- [1] nnn")));
}

TEST(openwebui_answers_have_at_most_100_sources)
{
    AUTO(json_t) sources = json_array();
    for (int i = 1; i <= 101; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i);
        json_array_append_new(
            sources, json_pack("{s:{s:s, s:s}, s:[s]}", "source", "id", name, "name", name, "document", ""));
    }
    AUTO(json_t)
    v = json_pack("{s:{s:[{s:s, s:s, s:O}]}}", "chat", "messages", "role", "assistant", "content", "Tea.",
        "sources", sources);
    AUTO(arena) a = arena_new();
    struct import_conversation c = {.a = a};
    assert_ok(import_openwebui(&c, v, NULL));
    assert_non_null(strstr(c.messages[0].text.s, "- [100] s100"));
    assert_null(strstr(c.messages[0].text.s, "s101"));
}

TEST(openwebui_chats_are_read_from_the_list_and_without_their_row)
{
    struct read r = reads_quoted(import_openwebui, "{'chat':{'history':{'messages':{},'currentId':null},'"
                                                   "messages':[{'role':'user','content':'Listed'}]}}");
    assert_string_equal(kept(&r, 0)->text.s, "Listed");
    arena_free(r.a);
    static const char bare[] = "{'title':'Bare','history':{'currentId':'1','messages':"
                               "{'1':{'role':'user','content':'Alone'}}}}";
    AUTO(json_t) v = json_loads("{\"title\":\"Bare\",\"history\":{\"messages\":{}}}", 0, NULL);
    assert_true(import_is_openwebui(v));
    r = reads_quoted(import_openwebui, bare);
    assert_string_equal(r.c.title, "Bare");
    assert_string_equal(kept(&r, 0)->text.s, "Alone");
    arena_free(r.a);
}

/* Messages of ChatGPT's export. */
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

/* ---- conversations whose messages are below each other, with ' instead of " ---- */

/* `nodes`: pairs of a role and the rest of its message; NULL ends them. */
static struct read talk(const char *const *nodes)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    strbuf_adds(&b, "{'mapping':{");
    for (int i = 0; nodes[2 * i]; i++)
        strbuf_addf(&b, "%s'n%d':{'parent':'n%d','message':{'author':{'role':'%s'},%s}}", i ? "," : "", i,
            i - 1, nodes[2 * i], nodes[2 * i + 1]);
    strbuf_adds(&b, "}}");
    return reads_quoted(import_chatgpt, b.s);
}
#define TALK(...) talk((const char *const[]){__VA_ARGS__, NULL})

#define WORDS(text)    "'content':{'content_type':'text','parts':['" text "']}"
#define CALL(to, text) "'recipient':'" to "','content':{'content_type':'code','text':'" text "'}"

#define BRACKETS(inner) "\xE3\x80\x90" inner "\xE3\x80\x91"

TEST(chatgpt_marks_in_brackets_become_sources_when_a_reference_names_them)
{
    static const char page[] =
        "{'matched_text':'" BRACKETS("44") "','alt':null,'type':'webpage_extended',"
                                           "'title':'Tea [new]','url':'https://tea.example/a_(b)'}";
    static const char hidden[] =
        "{'matched_text':'" BRACKETS("8") "','alt':null,'type':'hidden','url':'https://no.example'}";
    static const char file[] =
        "{'matched_text':'" BRACKETS("9") "','alt':null,'type':'file','name':'notes.md'}";
    AUTO(arena) a = arena_new();
    const char *answer = arena_printf(a, "%s,'metadata':{'content_references':[%s,%s,%s]}",
        WORDS("Tea helps" BRACKETS("44") ". Click " BRACKETS("8") "here " BRACKETS("9") ". " BRACKETS(
            "new") " " BRACKETS("5") " \xE3\x80\x90"),
        page, hidden, file);
    struct read r = TALK("assistant", answer);
    assert_string_equal(kept(&r, 0)->text.s,
        "Tea helps ([Tea \\[new\\]](https://tea.example/a_%28b%29)). Click here (notes.md). " BRACKETS(
            "new") " " BRACKETS("5") " \xE3\x80\x90");
    arena_free(r.a);
}

#define MARK(inner) "\\ue200" inner "\\ue201"
#define CITE_TWO    MARK("cite\\ue202turn0search0\\ue202turn0news4")

TEST(chatgpt_marks_of_several_pages_link_all_of_them)
{
    static const char pages[] = "{'title':'Tea','url':'https://tea.example/a'},{'title':'None'},7,"
                                "{'title':'','url':'https://leaf.example'}";
    AUTO(arena) a = arena_new();
    struct read r = TALK("assistant",
        arena_printf(a,
            "%s,'metadata':{'content_references':[{'matched_text':'%s','type':'hidden'},{'matched_text':'%s',"
            "'alt':null,'items':[%s]},{'matched_text':'%s','alt':'(second)'}]}",
            WORDS("Tea helps. " CITE_TWO), CITE_TWO, CITE_TWO, pages, CITE_TWO));
    assert_string_equal(kept(&r, 0)->text.s,
        "Tea helps. ([Tea](https://tea.example/a), [https://leaf.example](https://leaf.example))");
    arena_free(r.a);
}

TEST(chatgpt_marks_without_a_reference_keep_their_words)
{
    static const struct {
        const char *mark, *words;
    } all[] = {
        {MARK("url\\ue202the [docs]\\ue202https://docs.example/a_(b)"),
            "[the \\[docs\\]](https://docs.example/a_%28b%29)"},
        {MARK("url\\ue202the list\\ue202turn0search1"), "the list"},
        {MARK("video\\ue202How to\\ue202turn0search2"), "How to"},
        {MARK("product_entity\\ue202[\\'turn0product0\\',\\'Skates\\']"), "Skates"},
        {MARK("products\\ue202{\\'selections\\':[[\\'p1\\',\\'Charger\\'],[\\'p2\\',\\'Cable\\']]}"),
            "Charger, Cable"},
        {MARK("i\\ue202turn0image0"), ""},
        {MARK("finance\\ue202turn0finance0"), ""},
        {MARK("memcite"), ""},
        {MARK(""), ""},
    };
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(all); i++) {
        struct read r = TALK("assistant",
            arena_printf(a, "'content':{'content_type':'text','parts':['See %s.']}", all[i].mark));
        assert_string_equal(kept(&r, 0)->text.s, arena_printf(a, "See %s.", all[i].words));
        arena_free(r.a);
    }
}

TEST(chatgpt_marks_of_older_exports_are_at_the_place_of_their_citation)
{
    static const char tea[] = "{'start_ix':2,'end_ix':5,'metadata':{'type':'webpage',"
                              "'title':'Tea','url':'https://tea.example'}}";
    static const char file[] = "{'start_ix':7,'end_ix':10,'metadata':{'type':'file','name':'tea.pdf'}}";
    static const char none[] = "{'start_ix':9,'end_ix':13,'metadata':{'url':'https://no.example'}},"
                               "{'start_ix':10,'end_ix':99999,'metadata':null}";
    AUTO(arena) a = arena_new();
    struct read r = TALK(
        "assistant", arena_printf(a, "%s,'metadata':{'citations':[%s,%s,%s]}",
                         WORDS("T\xC3\xA9" BRACKETS("3") "! " BRACKETS("4") BRACKETS("5")), tea, file, none));
    assert_string_equal(
        kept(&r, 0)->text.s, "T\xC3\xA9 ([Tea](https://tea.example))! (tea.pdf)" BRACKETS("5"));
    arena_free(r.a);
}

/* A zip of a few KB can have these. Converted for each mark, the address takes many minutes. */
TEST(chatgpt_marks_are_many_and_have_a_long_source)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    strbuf_adds(&b, "'content':{'parts':['");
    for (int i = 0; i < 300000; i++)
        strbuf_adds(&b, "\xEE\x88\x80\xEE\x88\x81");
    strbuf_adds(&b, "']},'metadata':{'content_references':[{'matched_text':'\xEE\x88\x80\xEE\x88\x81',"
                    "'type':'webpage','title':'Tea','url':'https://");
    for (int i = 0; i < 20000; i++)
        strbuf_adds(&b, "tea.example/");
    strbuf_adds(&b, "'}]}");
    struct read r = TALK("assistant", b.s);
    assert_true(str_starts(kept(&r, 0)->text, STR("([Tea](https://tea.example/tea.example/")));
    assert_int_equal(kept(&r, 0)->text.len, IMPORT_TEXT_MAX);
    arena_free(r.a);
}

TEST(chatgpt_canvas_is_text_of_the_answer)
{
    static const char created[] =
        "{\\'name\\':\\'my_essay\\',\\'type\\':\\'code/python\\',\\'content\\':\\'a = ```\\\\nb\\'}";
    static const char rewritten[] =
        "{\\'updates\\':[{\\'pattern\\':\\'.*\\',\\'replacement\\':\\'All new\\'},"
        "{\\'pattern\\':\\'x\\',\\'replacement\\':\\'y\\'}]}";
    AUTO(arena) a = arena_new();
    struct read r = TALK("assistant", arena_printf(a, CALL("canmore.create_textdoc", "%s"), created), "tool",
        WORDS("Created."), "assistant", arena_printf(a, CALL("canmore.update_textdoc", "%s"), rewritten),
        "tool", WORDS("Changed."));
    assert_int_equal(r.c.order_n, 4);
    assert_string_equal(kept(&r, 0)->text.s, "**my_essay**\n\n````python\na = ```\nb\n````");
    assert_non_null(strstr(kept(&r, 0)->calls, "\"args\":{\"name\":\"my_essay\",\"type\":\"code/python\"}"));
    assert_string_equal(kept(&r, 1)->text.s, "Created.");
    assert_string_equal(kept(&r, 2)->text.s, "```\nAll new\n```");
    assert_non_null(strstr(kept(&r, 2)->calls,
        "{\"updates\":[{\"pattern\":\".*\"},{\"pattern\":\"x\",\"replacement\":\"y\"}]}"));
    arena_free(r.a);
}

TEST(chatgpt_arguments_are_an_object_when_they_are_json)
{
    struct read r = TALK("assistant", CALL("t2i", "{\\'prompt\\':\\'a cat\\',\\'n\\':1}"), "tool",
        WORDS("Done."), "assistant", CALL("python", "print(1)"), "tool", WORDS("1"));
    assert_int_equal(r.c.order_n, 4);
    assert_non_null(strstr(kept(&r, 0)->calls, "\"args\":{\"prompt\":\"a cat\",\"n\":1}"));
    assert_non_null(strstr(kept(&r, 2)->calls, "\"args\":{\"input\":\"print(1)\"}"));
    arena_free(r.a);
}

/* Some 60 KB fit; of more than 256 KB the beginning stays, and the result with it. */
TEST(chatgpt_arguments_are_cut_only_beyond_the_limit)
{
    for (int large = 0; large < 2; large++) {
        AUTO_STRBUF text;
        strbuf_init(&text, IMPORT_VALUE_MAX);
        strbuf_adds(&text, "'recipient':'python','content':{'text':'BEGIN ");
        for (size_t i = 0; i < (large ? 100000u : 20000u); i++)
            strbuf_adds(&text, "\\'x\\n");
        strbuf_adds(&text, " END'}");
        struct read r = TALK("assistant", text.s, "tool", WORDS("ran"));
        assert_int_equal(r.c.order_n, 2);
        assert_non_null(strstr(kept(&r, 0)->calls, "BEGIN"));
        assert_true((strstr(kept(&r, 0)->calls, " END") == NULL) == large);
        assert_true((strstr(kept(&r, 0)->calls, "\xE2\x80\xA6\"}}]") != NULL) == large);
        assert_true(strlen(kept(&r, 0)->calls) <= IMPORT_CALLS_MAX);
        arena_free(r.a);
    }
}

TEST(chatgpt_results_of_one_call_are_joined)
{
    struct read r = TALK("assistant", CALL("browser", "open(1)"), "tool",
        "'content':{'content_type':'tether_browsing_display','result':'listing'}", "tool",
        WORDS("hidden") ",'metadata':{'is_visually_hidden_from_conversation':true}", "tool",
        "'content':{'content_type':'tether_quote','url':'https://tea.example','title':'Tea','text':'quoted'}",
        "assistant", WORDS("So it is."), "tool", WORDS("of nothing"));
    assert_int_equal(r.c.order_n, 3);
    assert_string_equal(kept(&r, 1)->text.s, "listing\n\n[Tea](https://tea.example)\n\nquoted");
    assert_int_equal(kept(&r, 2)->parent_at, r.c.order[1]);
    assert_string_equal(kept(&r, 2)->text.s, "So it is.");
    arena_free(r.a);
}

static const char *research(struct arena *a, const char *status)
{
    static const char report[] =
        "{\\'create_time\\':1600000000,\\'content\\':{\\'parts\\':[\\'# Tea\\\\n\\\\nIt helps" BRACKETS(
            "1") ".\\']},\\'metadata\\':{\\'model_slug\\':\\'o9\\',\\'content_references\\':"
                 "[{\\'matched_text\\':\\'" BRACKETS(
                     "1") "\\',\\'alt\\':\\'([Tea](https://tea.example))\\'}]}}";
    return arena_printf(a,
        WORDS("The latest state") ",'metadata':{'chatgpt_sdk':{'attribution_id':"
                                  "'connector_openai_deep_research','widget_state':"
                                  "'{\\'status\\':\\'%s\\',\\'report_message\\':%s}'}}",
        status, report);
}

TEST(chatgpt_report_of_deep_research_is_an_answer)
{
    AUTO(arena) a = arena_new();
    const char *call = CALL("api_tool.call_tool", "{}"), *done = research(a, "completed");
    struct read r = TALK("assistant", call, "tool", done, "tool", done, "user", WORDS("Thanks"));
    assert_int_equal(r.c.order_n, 4);
    assert_true(kept(&r, 1)->role == ROLE_TOOL && kept(&r, 2)->role == ROLE_ASSISTANT);
    assert_string_equal(kept(&r, 2)->text.s, "# Tea\n\nIt helps ([Tea](https://tea.example)).");
    assert_string_equal(kept(&r, 2)->model, "o9");
    assert_int_equal(kept(&r, 2)->created_at, INT64_C(1600000000000));
    assert_int_equal(kept(&r, 3)->parent_at, r.c.order[2]);
    arena_free(r.a);
    r = TALK("assistant", call, "tool", research(a, "running"));
    assert_int_equal(r.c.order_n, 2);
    arena_free(r.a);
}

#define RECAP(seconds)                                                          \
    "'content':{'content_type':'reasoning_recap','content':'Thought a while'}," \
    "'metadata':{'finished_duration_sec':" seconds "}"

TEST(chatgpt_reasoning_belongs_to_the_answer_below)
{
    struct read r = TALK("user", WORDS("Why?"), "assistant",
        "'content':{'content_type':'thoughts','thoughts':[{'summary':'Look','content':'Tea is wet.\\n'},"
        "{'summary':'','content':'So is rain.'},7]}",
        "assistant", RECAP("12.5"), "assistant", CALL("python", "print(1)"), "tool", WORDS("1"), "assistant",
        "'content':{'content_type':'thoughts','thoughts':[{'content':'One.'}]}", "assistant", RECAP("2"),
        "assistant", WORDS("Because."), "assistant", RECAP("1e99"), "assistant", WORDS("So."));
    assert_int_equal(r.c.order_n, 5);
    assert_string_equal(kept(&r, 1)->reasoning.s, "**Look**\n\nTea is wet.\n\nSo is rain.");
    assert_int_equal(kept(&r, 1)->reasoning_ms, 12500);
    assert_string_equal(kept(&r, 3)->text.s, "Because.");
    assert_string_equal(kept(&r, 3)->reasoning.s, "One.");
    assert_int_equal(kept(&r, 3)->reasoning_ms, 2000);
    assert_int_equal(kept(&r, 4)->reasoning_ms, 0);
    arena_free(r.a);
}

TEST(chatgpt_reasoning_above_two_answers_belongs_to_the_first)
{
    struct read r = reads_quoted(import_chatgpt,
        "{'mapping':{'t':{'message':{'author':{'role':'assistant'},'content':{'content_type':'thoughts',"
        "'thoughts':[{'content':'Tea.'}]}}},'a':{'parent':'t','message':{'author':{'role':'assistant'},"
        "'content':{'parts':['One']}}},'b':{'parent':'t','message':{'author':{'role':'assistant'},"
        "'content':{'parts':['Two']}}}}}");
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 0)->reasoning.s, "Tea.");
    assert_string_equal(kept(&r, 1)->reasoning.s, "");
    arena_free(r.a);
}

TEST(chatgpt_drafts_are_paragraphs_of_their_own)
{
    struct read r = TALK("assistant",
        WORDS("Here:\\n:::writing{variant=\\'email\\' id=\\'4\\' subject=\\'A &amp; "
              "B\\'}\\nHello,\\n:::\\nand\\n"
              ":::writing{id=\\'5\\'}\\n\\n# One\\n:::\\n\\nSo.\\n:::\\n:::note{a}"),
        "user", WORDS(":::writing{id=\\'1\\'}\\n:::"));
    assert_string_equal(
        kept(&r, 0)->text.s, "Here:\n\n**A & B**\n\nHello,\n\nand\n\n# One\n\nSo.\n:::\n:::note{a}");
    assert_string_equal(kept(&r, 1)->text.s, ":::writing{id=\"1\"}\n:::");
    arena_free(r.a);
}

TEST(chatgpt_pages_and_outputs_of_tools_are_results)
{
    struct read r = TALK("assistant", CALL("search", "search(1)"), "tool",
        "'content':{'content_type':'sonic_webpage','url':'https://tea.example','title':'Tea','text':'It "
        "helps.'}",
        "tool", "'content':{'content_type':'citable_code_output','output_str':'42'}");
    assert_string_equal(kept(&r, 1)->text.s, "[Tea](https://tea.example)\n\nIt helps.\n\n42");
    arena_free(r.a);
}

TEST(chatgpt_pins_have_either_form)
{
    static const char *const pins[] = {"'is_starred':true", "'pinned_time':1700000000.5",
        "'pinned_time':'2026-01-02T03:04:05Z'", "'pinned_time':null"};
    for (size_t i = 0; i < ARRAY_LEN(pins); i++) {
        AUTO(arena) a = arena_new();
        struct read r = reads_quoted(import_chatgpt, arena_printf(a, "{'mapping':{},%s}", pins[i]));
        assert_int_equal(r.c.pinned, i < 3);
        arena_free(r.a);
    }
}

TEST(chatgpt_code_that_is_no_call_is_fenced)
{
    struct read r = TALK("assistant",
        "'recipient':'all','content':{'content_type':'code','language':'python','text':'if a:\\n  b'}",
        "assistant", "'content':{'content_type':'code','language':'unknown','text':'x'}");
    assert_string_equal(kept(&r, 0)->text.s, "```python\nif a:\n  b\n```");
    assert_string_equal(kept(&r, 1)->text.s, "```\nx\n```");
    arena_free(r.a);
}

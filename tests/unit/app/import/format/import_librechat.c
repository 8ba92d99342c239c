/* Conversations of LibreChat's export. */
#include "import_format.h"

#include "app/context/context.h"

#define HEAD     "'conversationId':'c','title':'Tea','endpoint':'agents'"
#define NONE     "'parentMessageId':'00000000-0000-0000-0000-000000000000'"
#define QUESTION "'messageId':'q','isCreatedByUser':true,'text':'Why?','createdAt':'2026-01-02T03:04:05.678Z'"

/* An answer with these members below a question. */
static struct read answer(const char *members)
{
    AUTO(arena) a = arena_new();
    return reads_quoted(import_librechat,
        arena_printf(a,
            "{" HEAD ",'messages':[{" QUESTION "," NONE "},{'messageId':'a','parentMessageId':'q',"
            "'isCreatedByUser':false,'model':'gpt-5','createdAt':'2026-01-02T03:04:06Z',%s}]}",
            members));
}

TEST(librechat_flat_exports_have_branches_times_and_models)
{
    struct read r = answer("'text':'Because.','children':null},{'messageId':'b','parentMessageId':'q',"
                           "'isCreatedByUser':false,'createdAt':'2026-01-02T03:04:07Z','text':'Still.'");
    assert_int_equal(r.c.order_n, 3);
    assert_string_equal(r.c.outer_id, "librechat:c");
    assert_string_equal(r.c.title, "Tea");
    assert_true(kept(&r, 0)->role == ROLE_USER && kept(&r, 1)->role == ROLE_ASSISTANT);
    assert_int_equal(kept(&r, 0)->created_at, INT64_C(1767323045678));
    assert_string_equal(kept(&r, 1)->model, "gpt-5");
    assert_null(kept(&r, 2)->model);
    assert_string_equal(kept(&r, 2)->text.s, "Still.");
    assert_int_equal(kept(&r, 2)->parent_at, r.c.order[0]);
    arena_free(r.a);
}

/* An older export has the tree in messagesTree. Ids in the tree count more than those in messages. */
TEST(librechat_recursive_exports_are_read_at_any_depth)
{
    static const char *const members[] = {"messages", "messagesTree"};
    for (size_t k = 0; k < ARRAY_LEN(members); k++) {
        AUTO_STRBUF b;
        strbuf_init(&b, IMPORT_VALUE_MAX);
        strbuf_addf(&b, "{" HEAD ",'recursive':true,'%s':[", members[k]);
        for (int i = 0; i < 400; i++)
            strbuf_addf(&b, "{'messageId':'%d'," NONE ",'isCreatedByUser':%s,'text':'Nr. %d','children':[", i,
                i % 2 ? "false" : "true", i);
        for (int i = 0; i < 400; i++)
            strbuf_adds(&b, i == 399 ? "]},{'messageId':'x','isCreatedByUser':true,'text':'Other'}" : "]}");
        strbuf_adds(&b, "]}");
        for (char *p = b.s; *p; p++)
            *p = *p == '\'' ? '"' : *p;
        AUTO(json_t) v = NULL;
        assert_ok(json_parse_within(strbuf_str(&b), IMPORT_VALUE_MAX, IMPORT_NESTED_LIMITS, &v, NULL));
        struct read r = {.a = arena_new()};
        r.c = (struct import_conversation){.a = r.a};
        assert_ok(import_librechat(&r.c, v, NULL));
        import_tree(&r.c);
        assert_int_equal(r.c.order_n, 401);
        assert_string_equal(r.c.messages[399].text.s, "Nr. 399");
        assert_int_equal(r.c.messages[399].parent_at, 398);
        assert_true(r.c.messages[400].parent_at == IMPORT_NONE);
        arena_free(r.a);
    }
}

TEST(librechat_parts_are_reasoning_calls_and_text)
{
    struct read r = answer(
        "'text':'','content':[{'type':'think','think':'Hm.'},{'type':'text','text':'Let me look.',"
        "'tool_call_ids':['t']},{'type':'tool_call','tool_call':{'id':'t','name':'web_search',"
        "'args':'{\\'query\\':\\'tea\\'}','output':'Found.','type':'tool_call'}},"
        "{'type':'tool_call','tool_call':{'type':'code_interpreter','code_interpreter':"
        "{'input':'print(1)','outputs':[{'type':'logs','logs':'1'}]}}},{'type':'tool_call','tool_call':"
        "{'type':'function','function':{'name':'look','arguments':'{\\'at\\':1}','output':'Seen.'}}},null,"
        "{'type':'text','text':{'value':'So.'}},{'type':'image_file','image_file':{}}]");
    assert_int_equal(r.c.order_n, 8);
    assert_string_equal(kept(&r, 1)->text.s, "Let me look.");
    assert_string_equal(kept(&r, 1)->reasoning.s, "Hm.");
    assert_non_null(strstr(kept(&r, 1)->calls, "\"name\":\"web_search\",\"args\":{\"query\":\"tea\"}"));
    assert_string_equal(kept(&r, 2)->text.s, "Found.");
    assert_non_null(strstr(kept(&r, 3)->calls, "\"args\":{\"input\":\"print(1)\"}"));
    assert_string_equal(kept(&r, 4)->text.s, "1");
    assert_non_null(strstr(kept(&r, 5)->calls, "\"name\":\"look\",\"args\":{\"at\":1}"));
    assert_string_equal(kept(&r, 6)->text.s, "Seen.");
    assert_string_equal(kept(&r, 7)->text.s, "So.\n\n(An image was here.)");
    arena_free(r.a);
    r = answer("'text':':::thinking\\nHm.\\n:::\\nSo.'");
    assert_string_equal(kept(&r, 1)->text.s, "So.");
    assert_string_equal(kept(&r, 1)->reasoning.s, "Hm.");
    arena_free(r.a);
}

/* A turn reads the stored calls of its session and fails when they are beyond CONTEXT_CALLS_LIMITS. */
TEST(librechat_calls_with_arguments_of_any_shape_can_be_read_again)
{
    static const struct {
        size_t depth, lists;
    } shapes[] = {{JSON_DEPTH_MAX, 0}, {JSON_DEPTH_MAX + 1, 0}, {1900, 0}, {1, JSON_CONTAINERS_MAX}};
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        AUTO(json_t) args = json_object();
        for (size_t k = 1; k < shapes[i].depth; k++)
            args = json_pack("{s:o}", "in", args);
        AUTO(json_t) lists = json_array();
        for (size_t k = 0; k < shapes[i].lists; k++)
            json_array_append_new(lists, json_array());
        json_object_set(args, "lists", shapes[i].lists ? lists : NULL);
        AUTO(json_t)
        v = json_pack("{s:s, s:[{s:s, s:[{s:s, s:{s:s, s:O, s:s}}]}]}", "conversationId", "c", "messages",
            "messageId", "a", "content", "type", "tool_call", "tool_call", "name", "look", "args", args,
            "output", "Found.");
        AUTO(arena) a = arena_new();
        struct import_conversation c = {.a = a};
        struct llm_tool_call *calls;
        size_t n;
        assert_ok(import_librechat(&c, v, NULL));
        import_tree(&c);
        assert_int_equal(c.order_n, 2);
        assert_ok(context_calls(a, c.messages[0].calls, &calls, &n, NULL));
        assert_int_equal(n, 1);
        assert_int_equal(str_is(str_of(calls[0].args), "{}"), i > 0);
    }
}

TEST(librechat_errors_and_files_are_kept)
{
    struct read r =
        answer("'text':'Overloaded','error':true},{'messageId':'f','parentMessageId':'a',"
               "'isCreatedByUser':true,'text':'And this?','files':[{'filename':'a.pdf',"
               "'type':'application/pdf'},{'filename':'b.png','type':'image/png'}]},{'messageId':'e',"
               "'parentMessageId':'f','isCreatedByUser':false,'text':'','content':["
               "{'type':'text','text':'Well'},{'type':'error','error':'Broken'}]");
    assert_int_equal(r.c.order_n, 4);
    assert_string_equal(kept(&r, 1)->error, "Overloaded");
    assert_string_equal(kept(&r, 1)->text.s, "");
    assert_int_equal(kept(&r, 1)->status, MESSAGE_FAILED);
    assert_string_equal(
        kept(&r, 2)->text.s, "And this?\n\n(The file a.pdf was here.)\n\n(An image was here.)");
    assert_string_equal(kept(&r, 3)->text.s, "Well");
    assert_string_equal(kept(&r, 3)->error, "Broken");
    arena_free(r.a);
}

TEST(librechat_anchors_become_links_to_their_sources)
{
    static const char sources[] =
        "'attachments':[{'type':'web_search','web_search':{'turn':0,'organic':[{'title':'Tea','link':"
        "'https://tea.example'}],'topStories':[{'link':'https://news.example'}]}},{'type':'file_search',"
        "'file_search':{'sources':[{'fileName':'a.pdf'}]}}]";
    AUTO(arena) a = arena_new();
    struct read r = answer(arena_printf(a,
        "'text':'\\ue203Tea helps.\\ue204\\ue202turn0search0 It "
        "\\ue200\\ue202turn0news0\\ue202turn0search7\\ue201 "
        "rains\\\\ue202turn0file0. \\ue202turn1search0 Turn\\ue202turning and \\\\ue209',%s",
        sources));
    assert_string_equal(kept(&r, 1)->text.s,
        "Tea helps. ([Tea](https://tea.example)) It ([https://news.example](https://news.example)) "
        "rains (a.pdf).  Turnturning and \\ue209");
    arena_free(r.a);
    r = answer("'text':'A regex: \\\\ue202turn0search0 and \\ue202turn0search0.'");
    assert_string_equal(kept(&r, 1)->text.s, "A regex: \\ue202turn0search0 and .");
    arena_free(r.a);
}

TEST(librechat_artifacts_are_fenced_blocks_with_their_title)
{
    struct read r =
        answer("'text':'Here:\\n\\n:::artifact{identifier=\\'x\\' type=\\'text/html\\' title=\\'Page\\'}\\n"
               "```html\\n<p>\\n```\\n:::\\nDone.'");
    assert_string_equal(kept(&r, 1)->text.s, "Here:\n\n**Page**\n\n```html\n<p>\n```\n\nDone.");
    arena_free(r.a);
}

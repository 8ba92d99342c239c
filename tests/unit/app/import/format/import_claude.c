/* Messages of Claude's export. */
#include "import_format.h"

/* An answer with these blocks, with ' instead of "; NULL ends them. */
static struct read answer(const char *const *blocks)
{
    AUTO_STRBUF b;
    strbuf_init(&b, IMPORT_VALUE_MAX);
    strbuf_adds(&b, "{'chat_messages':[{'uuid':'a','sender':'assistant','content':[");
    for (size_t i = 0; blocks[i]; i++)
        strbuf_addf(&b, "%s%s", i ? "," : "", blocks[i]);
    strbuf_adds(&b, "]}]}");
    return reads_quoted(import_claude, b.s);
}
#define ANSWER(...)          answer((const char *const[]){__VA_ARGS__, NULL})
#define USE(id, name, input) "{'type':'tool_use','id':" id ",'name':'" name "','input':{" input "}}"
#define RESULT(id, text)     "{'type':'tool_result','tool_use_id':" id ",'content':[{'text':'" text "'}]}"
#define SAID(text)           "{'type':'text','text':'" text "'}"

TEST(claude_artifacts_and_files_are_text_of_the_answer)
{
    static const char artifact[] = USE("null", "artifacts",
        "'command':'create','type':'application/vnd.ant.code','language':'python','title':'Fly [1]',"
        "'content':'print(1)'");
    static const char update[] =
        USE("'u'", "artifacts", "'command':'update','id':'x','old_str':'1','new_str':'2'");
    struct read r = ANSWER(SAID("Here it is."), artifact, RESULT("null", "OK"), SAID("And the files."),
        USE("'f'", "create_file", "'path':'/mnt/a.md','file_text':'# A'"), update,
        USE("'v'", "view", "'path':'/mnt/a.md','content':'c'"), RESULT("'f'", "Created"), RESULT("'u'", "OK"),
        RESULT("'v'", "# A"));
    assert_int_equal(r.c.order_n, 6);
    assert_string_equal(kept(&r, 0)->text.s, "Here it is.\n\n**Fly [1]**\n\n```python\nprint(1)\n```");
    assert_non_null(strstr(kept(&r, 0)->calls, "\"title\":\"Fly [1]\"}"));
    assert_string_equal(kept(&r, 1)->text.s, "OK");
    assert_string_equal(
        kept(&r, 2)->text.s, "And the files.\n\n**/mnt/a.md**\n\n```md\n# A\n```\n\n```\n2\n```");
    assert_non_null(strstr(kept(&r, 2)->calls, "{\"command\":\"update\",\"id\":\"x\",\"old_str\":\"1\"}"));
    assert_non_null(strstr(kept(&r, 2)->calls, "\"content\":\"c\""));
    assert_string_equal(kept(&r, 5)->text.s, "# A");
    arena_free(r.a);
}

TEST(claude_results_stay_when_another_call_has_none)
{
    struct read r = ANSWER(USE("'1'", "search", "'q':'a'"), USE("'2'", "search", "'q':'b'"),
        USE("'3'", "search", "'q':'c'"), RESULT("'3'", "third"), RESULT("'1'", "first"),
        RESULT("'1'", "again"), SAID("So."));
    assert_int_equal(r.c.order_n, 5);
    assert_string_equal(kept(&r, 1)->text.s, "first");
    assert_string_equal(kept(&r, 2)->text.s, "");
    assert_string_equal(kept(&r, 3)->text.s, "third");
    assert_string_equal(kept(&r, 4)->text.s, "So.");
    arena_free(r.a);
    r = ANSWER(SAID("One."), RESULT("'9'", "of nothing"), SAID("Two."));
    assert_int_equal(r.c.order_n, 1);
    assert_string_equal(kept(&r, 0)->text.s, "One.\n\nTwo.");
    arena_free(r.a);
    r = ANSWER(USE("'1'", "search", "'q':'a'")); /* none has one */
    assert_int_equal(r.c.order_n, 1);
    assert_non_null(kept(&r, 0)->calls);
    arena_free(r.a);
}

TEST(claude_calls_of_any_length_stay_with_their_results)
{
    AUTO_STRBUF text;
    strbuf_init(&text, IMPORT_VALUE_MAX);
    strbuf_adds(&text, "{'chat_messages':[{'uuid':'a','sender':'assistant','content':["
                       "{'type':'tool_use','id':'1','name':'bash_tool','input':{'n':5,'command':'BEGIN ");
    for (size_t i = 0; i < 100000; i++)
        strbuf_adds(&text, "x\\n ");
    strbuf_adds(&text, "'}}," RESULT("'1'", "ran") "]}]}");
    struct read r = reads_quoted(import_claude, text.s);
    assert_int_equal(r.c.order_n, 2);
    assert_non_null(strstr(kept(&r, 0)->calls, "\"n\":5,\"command\":\"BEGIN "));
    assert_true(strlen(kept(&r, 0)->calls) <= IMPORT_CALLS_MAX);
    assert_string_equal(kept(&r, 1)->text.s, "ran");
    arena_free(r.a);
}

/* Many long arguments and many short ones: the arguments go before the call does. */
TEST(claude_calls_with_many_arguments_lose_the_arguments_only)
{
    AUTO_STRBUF text;
    strbuf_init(&text, IMPORT_VALUE_MAX);
    strbuf_adds(&text, "{'chat_messages':[{'uuid':'a','sender':'assistant','content':["
                       "{'type':'tool_use','id':'1','name':'put','input':{'list':['x'");
    for (size_t i = 0; i < 100000; i++)
        strbuf_adds(&text, ",'abc'");
    strbuf_adds(&text, "]}}," RESULT("'1'", "ran") "]}]}");
    struct read r = reads_quoted(import_claude, text.s);
    assert_int_equal(r.c.order_n, 2);
    assert_string_equal(kept(&r, 0)->calls, "[{\"id\":\"1\",\"name\":\"put\",\"args\":{}}]");
    arena_free(r.a);
}

TEST(claude_tags_in_the_text_become_documents_and_reasoning)
{
    struct read r =
        ANSWER(SAID("Sure.\\n<antThinking>New code.</antThinking>\\n<antArtifact identifier=\\'x\\' "
                    "type=\\'application/vnd.ant.code\\' language=\\'c\\' title=\\'Fly &amp; go\\'>\\n"
                    "int <T> a;\\n</antArtifact>\\nDone. <antArtifact type=\\'text/html\\'><p>cut"));
    assert_int_equal(r.c.order_n, 1);
    assert_string_equal(kept(&r, 0)->text.s,
        "Sure.\n\n**Fly & go**\n\n```c\nint <T> a;\n```\n\nDone.\n\n```html\n<p>cut\n```");
    assert_string_equal(kept(&r, 0)->reasoning.s, "New code.");
    arena_free(r.a);
    r = reads(import_claude,
        "{\"chat_messages\":[{\"uuid\":\"a\",\"sender\":\"assistant\",\"text\":\"<antThinking>Hm\"}]}");
    assert_string_equal(kept(&r, 0)->text.s, "");
    assert_string_equal(kept(&r, 0)->reasoning.s, "Hm");
    arena_free(r.a);
}

#define THOUGHT(from, to)                                                                \
    "{'type':'thinking','thinking':'Hm.','start_timestamp':'2026-01-02T03:04:" from "'," \
    "'stop_timestamp':" to "}"

TEST(claude_thinking_has_its_time)
{
    struct read r = ANSWER(THOUGHT("05.250000Z", "'2026-01-02T03:04:06.5Z'"),
        THOUGHT("07Z", "'2026-01-02T03:04:09Z'"), THOUGHT("09Z", "null"),
        THOUGHT("09Z", "'2026-01-02T03:04:08Z'"), THOUGHT("09Z", "'2036-01-02T03:04:08Z'"),
        USE("'u'", "look", ""), RESULT("'u'", "Seen"), SAID("So."));
    assert_int_equal(kept(&r, 0)->reasoning_ms, 3250);
    assert_int_equal(kept(&r, 2)->reasoning_ms, 0);
    arena_free(r.a);
}

#define CITED(from, to, url)                             \
    "{'uuid':'u','start_index':" from ",'end_index':" to \
    ",'details':{'type':'web_search_citation','url':'" url "'}}"

TEST(claude_citations_link_the_words_that_they_support)
{
    struct read r =
        ANSWER("{'type':'text','text':'T\xC3\xA9\xC3\xA9 helps. Rain \\n\\nfalls.','citations':[" CITED(
                   "13", "18", "https://rain.example/a") "," CITED("0", "10",
                   "https://tea.example/x") "," CITED("0", "10", "https://leaf.example/") "," CITED("0", "10",
                   "https://tea.example/x") "," CITED("0", "9", "javascript:no") "]}",
            "{'type':'text','text':'Words.','citations':[" CITED("0", "2", "https://w.example") ",7]}");
    assert_string_equal(kept(&r, 0)->text.s,
        "T\xC3\xA9\xC3\xA9 helps. ([tea.example](https://tea.example/x), "
        "[leaf.example](https://leaf.example/)) "
        "Rain ([rain.example](https://rain.example/a)) \n\nfalls.\n\n"
        "Words ([w.example](https://w.example)).");
    arena_free(r.a);
    r = ANSWER("{'type':'text','text':'Tea helps.  \\nRain','citations':[" CITED(
        "0", "12", "https://b.example") "," CITED("0", "10", "https://a.example") "," CITED("0", "11",
        "https://a.example") "," CITED("13", "14", "https://c.example") "," CITED("13", "99",
        "https://d.example") "]}");
    assert_string_equal(kept(&r, 0)->text.s,
        "Tea helps. ([a.example](https://a.example), [b.example](https://b.example))  \n"
        "Rain ([c.example](https://c.example), [d.example](https://d.example))");
    arena_free(r.a);
}

TEST(claude_results_name_their_pages_images_and_files)
{
    struct read r = ANSWER(USE("'1'", "web_search", "'query':'tea'"),
        "{'type':'tool_result','tool_use_id':'1','content':["
        "{'type':'knowledge','title':'Tea','url':'https://tea.example','text':'It helps.'},"
        "{'type':'image','file_uuid':'f'},{'type':'local_resource','name':'a.csv','file_path':'/mnt/"
        "a.csv'}]}");
    assert_string_equal(kept(&r, 1)->text.s,
        "[Tea](https://tea.example)\n\nIt helps.\n\n(An image was here.)\n\n(The file a.csv was here.)");
    arena_free(r.a);
}

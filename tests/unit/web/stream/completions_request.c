/* The body of /v1/chat/completions: what is read, and which parameter a refusal names. */
#include "unit.h"

#include "web/stream/completions_request.h"

#define MODEL      "\"model\": \"m\", "
#define ASKED      "\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}]"
#define WITH(more) "{" MODEL ASKED ", " more "}"
#define SAID(list) "{" MODEL "\"messages\": [" list "]}"
#define USER       "{\"role\": \"user\", \"content\": \"Hi\"}"
#define CALLING(id)                                                                \
    "{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{\"id\": \"" id \
    "\", \"type\": \"function\", \"function\": {\"name\": \"look\", \"arguments\": \"{\\\"a\\\":1}\"}}]}"
#define RESULT(id)  "{\"role\": \"tool\", \"tool_call_id\": \"" id "\", \"content\": \"found\"}"
#define WORDS       "One of thousands of short texts."
#define PART        "{\"type\": \"text\", \"text\": \"" WORDS "\"}"
#define NAMED(name) "\"tool_choice\": {\"type\": \"function\", \"function\": {\"name\": \"" name "\"}}"
#define SCHEMA(name, more) \
    "\"response_format\": {\"type\": \"json_schema\", \"json_schema\": {\"name\": \"" name "\", " more "}}"
#define TOOL(name) "{\"type\": \"function\", \"function\": {\"name\": \"" name "\"}}"

static struct completion_request parsed(struct arena *a, const char *body)
{
    struct completion_request r;
    const char *param;
    assert_string_equal(rc_name(completion_parse(a, str_of(body), &r, &param, NULL)), "ok");
    assert_null(param);
    return r;
}

static void assert_text(struct str got, const char *want)
{
    assert_true(str_is(got, want));
}

TEST(a_request_is_read_with_all_that_is_honoured)
{
    AUTO(arena) a = arena_new();
    struct completion_request r = parsed(
        a, WITH("\"stream\": true, \"stream_options\": {\"include_usage\": true}, \"temperature\": 0.7, "
                "\"max_completion_tokens\": 200, \"reasoning_effort\": \"low\", \"tool_choice\": \"none\", "
                "\"metadata\": {\"session_id\": \"mine\", \"other\": \"x\"}, \"tools\": [" TOOL(
                    "look") "], "
                            "\"n\": 1, \"top_p\": 1, \"stop\": [], \"seed\": 7, \"user\": null"));
    assert_string_equal(r.model, "m");
    assert_true(r.stream && r.include_usage && r.no_calls && r.sets_temperature);
    assert_int_equal(r.temperature, 70);
    assert_int_equal(r.answer_tokens, 200);
    assert_string_equal(r.effort, "low");
    assert_string_equal(r.session, "mine");
    assert_int_equal(r.tools_n, 1);
    assert_string_equal(r.tools[0].name, "look");
    assert_string_equal(r.tools[0].schema, "{\"type\":\"object\",\"properties\":{}}");
    assert_int_equal(r.messages_n, 1);
    assert_text(r.messages[0].text, "Hi");
}

TEST(system_messages_become_one_and_parts_of_text_are_joined)
{
    AUTO(arena) a = arena_new();
    struct completion_request r =
        parsed(a, SAID("{\"role\": \"system\", \"content\": \"Be brief.\"}, " USER ", "
                       "{\"role\": \"assistant\", \"content\": [{\"type\": \"text\", \"text\": \"Yes\"}, "
                       "{\"type\": \"refusal\", \"refusal\": \"no\"}]}, "
                       "{\"role\": \"developer\", \"content\": \"In German.\"}, " USER));
    assert_int_equal(r.messages_n, 4);
    assert_int_equal(r.messages[0].role, LLM_SYSTEM);
    assert_text(r.messages[0].text, "Be brief.\n\nIn German.");
    assert_int_equal(r.messages[2].role, LLM_ASSISTANT);
    assert_text(r.messages[2].text, "Yes\nno");
}

TEST(a_request_of_system_messages_asks_their_text)
{
    AUTO(arena) a = arena_new();
    struct completion_request r = parsed(a, SAID("{\"role\": \"system\", \"content\": \"Translate.\"}, "
                                                 "{\"role\": \"developer\", \"content\": \"Bread\"}"));
    assert_int_equal(r.messages_n, 1);
    assert_int_equal(r.messages[0].role, LLM_USER);
    assert_text(r.messages[0].text, "Translate.\n\nBread");
}

TEST(a_message_of_the_assistant_at_the_end_is_the_beginning_of_the_answer)
{
    AUTO(arena) a = arena_new();
    struct completion_request r =
        parsed(a, SAID(USER ", {\"role\": \"assistant\", \"content\": \"Well, \"}"));
    assert_int_equal(r.messages_n, 1);
    assert_text(r.prefix, "Well, ");
}

TEST(a_call_a_format_and_stops_can_be_demanded)
{
    AUTO(arena) a = arena_new();
    struct completion_request r =
        parsed(a, WITH("\"tool_choice\": \"required\", \"top_p\": 0.1234, \"stop\": \"END\", "
                       "\"reasoning_effort\": \"none\","
                       "\"response_format\": {\"type\": \"json_object\"}, \"tools\": [" TOOL("look") "]"));
    assert_true(r.params.must_call && !r.params.named_tool && !r.no_calls);
    assert_true(r.params.sets_top_p);
    assert_int_equal(r.params.top_p, 123);
    assert_int_equal(r.params.stops_n, 1);
    assert_string_equal(r.params.stops[0], "END");
    assert_int_equal(r.params.format, LLM_FORMAT_JSON);
    assert_string_equal(r.effort, "none");

    r = parsed(a, WITH(NAMED("b") ", \"tools\": [" TOOL("a") ", " TOOL(
                      "b") "], \"stop\": [\"\", \"\\n\"], "
                           "\"top_p\": 1, " SCHEMA("city", "\"strict\": true, \"schema\": {\"type\": "
                                                           "\"object\"}, \"description\": null")));
    assert_true(r.params.must_call && !r.params.sets_top_p);
    assert_string_equal(r.params.named_tool, "b");
    assert_int_equal(r.params.stops_n, 1);
    assert_string_equal(r.params.stops[0], "\n");
    assert_int_equal(r.params.format, LLM_FORMAT_SCHEMA);
    assert_string_equal(r.params.format_name, "city");
    assert_string_equal(r.params.format_strict, "true");
    assert_string_equal(r.params.format_schema, "{\"type\":\"object\"}");
    assert_null(r.params.format_description);
}

TEST(what_only_tunes_another_server_is_ignored)
{
    AUTO(arena) a = arena_new();
    (void)parsed(a, WITH("\"top_k\": 20, \"min_p\": 0.05, \"repetition_penalty\": 1.1, "
                         "\"chat_template_kwargs\": {\"enable_thinking\": false}"));
}

TEST(calls_and_their_results_belong_together)
{
    AUTO(arena) a = arena_new();
    struct completion_request r = parsed(a, SAID(USER ", " CALLING("c1") ", " RESULT("c1")));
    assert_int_equal(r.messages_n, 3);
    assert_int_equal(r.messages[1].calls_n, 1);
    assert_string_equal(r.messages[1].calls[0].name, "look");
    assert_string_equal(r.messages[1].calls[0].args, "{\"a\":1}");
    assert_string_equal(r.messages[2].call_id, "c1");
}

#define PICTURE(url) "{\"type\": \"image_url\", \"image_url\": {\"url\": \"" url "\"}}"
/* A GIF of one pixel. */
#define RED_DOT "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
#define FOUR    PICTURE(RED_DOT) ", " PICTURE(RED_DOT) ", " PICTURE(RED_DOT) ", " PICTURE(RED_DOT) ", "

TEST(pictures_of_the_user_are_read_beside_the_text)
{
    AUTO(arena) a = arena_new();
    struct completion_request r = {0};
    const char *param = NULL;
    assert_int_equal(completion_parse(a,
                         STR(SAID("{\"role\": \"user\", \"content\": [" PICTURE(
                             RED_DOT) ", {\"type\": \"text\", \"text\": \"What is it?\"}]}")),
                         &r, &param, NULL),
        RC_OK);
    const struct llm_message *m = &r.messages[0];
    assert_true(str_is(m->text, "What is it?"));
    assert_int_equal(m->pictures_n, 1);
    assert_string_equal(m->pictures[0].media_type, "image/gif");
    assert_true(m->pictures[0].width == 1 && m->pictures[0].height == 1);
    assert_true(str_starts(m->pictures[0].base64, STR("R0lGOD")) && !r.stored[0]);
    assert_int_equal(
        completion_parse(
            a, STR(SAID("{\"role\": \"user\", \"content\": [" PICTURE(RED_DOT) "]}")), &r, &param, NULL),
        RC_OK);
    assert_true(r.messages[0].text.len == 0 && r.messages[0].pictures_n == 1);
}

TEST(a_refusal_names_its_parameter)
{
    static const struct {
        const char *body, *param; /* NULL: the whole body */
    } cases[] = {
        {"", NULL},
        {"[]", NULL},
        {"{\"model\": ", NULL},
        {"{" ASKED "}", "model"},
        {"{" MODEL "\"stream\": false}", "messages"},
        {"{\"model\": \"\", " ASKED "}", "model"},
        {SAID(""), "messages"},
        {SAID("{\"role\": \"wizard\", \"content\": \"Hi\"}"), "messages[0].role"},
        {SAID("7"), "messages[0].role"},
        {SAID("{\"role\": \"user\", \"content\": 7}"), "messages[0].content"},
        {SAID("{\"role\": \"user\", \"content\": [{\"type\": \"input_audio\"}]}"),
            "messages[0].content[0].type"},
        {SAID("{\"role\": \"assistant\", \"content\": [" PICTURE(RED_DOT) "]}"),
            "messages[0].content[0].type"},
        {SAID("{\"role\": \"user\", \"content\": [{\"type\": \"image_url\"}]}"),
            "messages[0].content[0].image_url"},
        {SAID("{\"role\": \"user\", \"content\": [" PICTURE("https://example.org/a.png") "]}"),
            "messages[0].content[0].image_url"},
        {SAID("{\"role\": \"user\", \"content\": [" PICTURE("data:image/png;base64,AAAA") "]}"),
            "messages[0].content[0].image_url"},
        {SAID("{\"role\": \"user\", \"content\": [" PICTURE("data:image/png;base64,%") "]}"),
            "messages[0].content[0].image_url"},
        {SAID("{\"role\": \"user\", \"content\": [" FOUR FOUR PICTURE(RED_DOT) "]}"),
            "messages[0].content[8].image_url"},
        {SAID("{\"role\": \"user\", \"content\": [{\"type\": \"text\"}]}"), "messages[0].content[0].text"},
        {SAID("{\"role\": \"user\", \"content\": \" \"}"), "messages"},
        {SAID("{\"role\": \"system\", \"content\": \" \"}"), "messages"},
        {SAID("{\"role\": \"system\", \"content\": \"Hi\"}, {\"role\": \"assistant\", \"content\": \"Hi\"}"),
            "messages"},
        {SAID(USER ", {\"role\": \"assistant\", \"content\": \" \"}"), "messages"},
        {SAID(RESULT("c1")), "messages[0].tool_call_id"},
        {SAID(USER ", " CALLING("c1") ", " RESULT("c2")), "messages[2].tool_call_id"},
        {SAID(USER ", " CALLING("c1") ", " USER), "messages"},
        {SAID(USER ", " CALLING("")), "messages[1].tool_calls[0]"},
        {WITH("\"tools\": {}"), "tools"},
        {WITH("\"tools\": [{\"type\": \"web\"}]"), "tools[0].type"},
        {WITH("\"tools\": [" TOOL("a") ", " TOOL("b c") "]"), "tools[1].function.name"},
        {WITH("\"tool_choice\": \"required\""), "tool_choice"},
        {WITH("\"tool_choice\": \"any\""), "tool_choice"},
        {WITH(NAMED("b") ", \"tools\": [" TOOL("a") "]"), "tool_choice"},
        {WITH("\"tool_choice\": {\"type\": \"function\"}, \"tools\": [" TOOL("a") "]"), "tool_choice"},
        {WITH("\"tool_choice\": {\"type\": \"allowed_tools\"}"), "tool_choice"},
        {WITH("\"stream\": 1"), "stream"},
        {WITH("\"stream_options\": true"), "stream_options"},
        {WITH("\"temperature\": 2.1"), "temperature"},
        {WITH("\"temperature\": -1"), "temperature"},
        {WITH("\"max_tokens\": 0"), "max_tokens"},
        {WITH("\"max_completion_tokens\": 1.5"), "max_completion_tokens"},
        {WITH("\"reasoning_effort\": \"huge\""), "reasoning_effort"},
        {WITH("\"metadata\": []"), "metadata"},
        {WITH("\"metadata\": {\"session_id\": \"\"}"), "metadata.session_id"},
        {WITH("\"n\": 2"), "n"},
        {WITH("\"top_p\": 1.01"), "top_p"},
        {WITH("\"top_p\": \"0.5\""), "top_p"},
        {WITH("\"presence_penalty\": 1"), "presence_penalty"},
        {WITH("\"frequency_penalty\": \"0\""), "frequency_penalty"},
        {WITH("\"logprobs\": true"), "logprobs"},
        {WITH("\"logit_bias\": {\"1\": 2}"), "logit_bias"},
        {WITH("\"stop\": [\"x\", 1]"), "stop"},
        {WITH("\"stop\": 1"), "stop"},
        {WITH("\"stop\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]"), "stop"},
        {WITH("\"modalities\": [\"text\", \"audio\"]"), "modalities"},
        {WITH("\"response_format\": {\"type\": \"grammar\"}"), "response_format"},
        {WITH("\"response_format\": \"json\""), "response_format"},
        {WITH("\"response_format\": {\"type\": \"json_schema\"}"), "response_format.json_schema.name"},
        {WITH(SCHEMA("a b", "\"schema\": {}")), "response_format.json_schema.name"},
        {WITH(SCHEMA("a", "\"schema\": true")), "response_format.json_schema.schema"},
        {WITH("\"magic\": 1"), "magic"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct err e = ERR_INIT;
        struct completion_request r;
        const char *param;
        enum rc rc = completion_parse(a, str_of(cases[i].body), &r, &param, &e);
        if (rc != RC_BAD_INPUT || !*e.text)
            print_error("%s: %s\n", cases[i].body, rc_name(rc));
        assert_int_equal(rc, RC_BAD_INPUT);
        assert_string_equal(param ? param : "-", cases[i].param ? cases[i].param : "-");
    }
}

TEST(lists_have_their_caps)
{
    AUTO(arena) a = arena_new();
    struct completion_request r;
    const char *param;
    AUTO_STRBUF body;
    strbuf_init(&body, (size_t)1024 * 1024);
    strbuf_adds(&body, "{" MODEL "\"messages\": [" USER);
    for (int i = 0; i < COMPLETION_MESSAGES_MAX; i++)
        strbuf_adds(&body, ", " USER);
    strbuf_adds(&body, "]}");
    assert_int_equal(completion_parse(a, strbuf_str(&body), &r, &param, NULL), RC_BAD_INPUT);
    assert_string_equal(param, "messages");
    strbuf_clear(&body);
    strbuf_adds(&body, "{" MODEL ASKED ", \"tools\": [" TOOL("a"));
    for (int i = 0; i < COMPLETION_TOOLS_MAX; i++)
        strbuf_adds(&body, ", " TOOL("a"));
    strbuf_adds(&body, "]}");
    assert_int_equal(completion_parse(a, strbuf_str(&body), &r, &param, NULL), RC_BAD_INPUT);
    assert_string_equal(param, "tools");
}

TEST(a_body_of_many_values_is_refused_before_it_is_parsed)
{
    AUTO(arena) a = arena_new();
    struct completion_request r;
    const char *param;
    AUTO_STRBUF body;
    strbuf_init(&body, (size_t)4 * 1024 * 1024);
    strbuf_adds(&body, "{" MODEL ASKED ", \"stop\": [1");
    for (int i = 0; i < COMPLETION_VALUES_MAX; i++)
        strbuf_adds(&body, ",1");
    strbuf_adds(&body, "]}");
    size_t before = unit_allocated();
    assert_int_equal(completion_parse(a, strbuf_str(&body), &r, &param, NULL), RC_BAD_INPUT);
    assert_null(param);
    assert_true(unit_allocated() - before < 4096);
}

TEST(a_request_of_many_parts_takes_little_memory)
{
    static const char *const bodies[][3] = {
        {"{" MODEL "\"messages\": [{\"role\": \"user\", \"content\": [", PART, "]}]}"},
        {"{" MODEL "\"messages\": [" USER, ", {\"role\": \"system\", \"content\": \"" WORDS "\"}", "]}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        AUTO(arena) a = arena_new();
        AUTO_STRBUF body;
        strbuf_init(&body, (size_t)512 * 1024);
        strbuf_adds(&body, bodies[i][0]);
        for (int k = 0; k < COMPLETION_MESSAGES_MAX - 1; k++)
            strbuf_addf(&body, "%s%s", i == 0 && k > 0 ? ", " : "", bodies[i][1]);
        strbuf_adds(&body, bodies[i][2]);
        assert_false(body.failed);
        size_t before = unit_allocated();
        struct completion_request r = parsed(a, body.s);
        assert_true(unit_allocated() - before < 4 * body.len);
        size_t words = (COMPLETION_MESSAGES_MAX - 1) * strlen(WORDS);
        assert_in_range(r.messages[0].text.len, words, words + 2 * COMPLETION_MESSAGES_MAX);
    }
}

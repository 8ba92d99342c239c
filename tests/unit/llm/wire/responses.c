#include "unit.h"

#include "llm/llm_run.h"

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define TEXT(s)           EVENT("response.output_text.delta", "\"output_index\":1,\"delta\":\"" s "\"")
#define THOUGHT(s)        EVENT("response.reasoning_summary_text.delta", "\"output_index\":0,\"delta\":\"" s "\"")
#define ADDED(i, item)    EVENT("response.output_item.added", "\"output_index\":" #i ",\"item\":" item)
#define ITEM(i, item)     EVENT("response.output_item.done", "\"output_index\":" #i ",\"item\":" item)
#define ARGS(i, s) \
    EVENT("response.function_call_arguments.delta", "\"output_index\":" #i ",\"delta\":\"" s "\"")
#define ARGS_DONE(i, s) \
    EVENT("response.function_call_arguments.done", "\"output_index\":" #i ",\"arguments\":\"" s "\"")
#define CALL(id, name, args)                                                              \
    "{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"" id "\",\"name\":\"" name \
    "\",\"arguments\":\"" args "\"}"
#define REASONING(id)                                                                       \
    "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[],\"encrypted_content\":\"x" id \
    "\",\"status\":null}"
#define MESSAGE(s)                                                                                          \
    "{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\"," \
    "\"text\":\"" s "\"}]}"
#define USAGE                                                                                           \
    "\"usage\":{\"input_tokens\":9,\"input_tokens_details\":{\"cached_tokens\":4},\"output_tokens\":7," \
    "\"output_tokens_details\":{\"reasoning_tokens\":5}}"
#define COMPLETED \
    EVENT("response.completed", "\"response\":{\"status\":\"completed\",\"error\":null," USAGE "}")
#define INCOMPLETE(why)                                                                                  \
    EVENT("response.incomplete",                                                                         \
        "\"response\":{\"status\":\"incomplete\",\"incomplete_details\":{\"reason\":\"" why "\"}," USAGE \
        "}")

static const struct llm_message hi = {.role = LLM_USER, .text = {"hi", 2}};
static const struct llm_request plain = {
    .model = "m", .messages = &hi, .messages_n = 1, .responses = true, .reasons = true};

/* Compares the events of the server's bytes. */
static void expect(const struct fake_reply *reply, const char *events)
{
    struct llm_run run = {.kind = "openai", .key = "sk-test", .request = &plain};
    llm_run(&run, reply, 1);
    assert_string_equal(run.events.s, events);
    llm_run_release(&run);
}

static void expect_body(const char *body, const char *events)
{
    expect(&(struct fake_reply){.text = body, .chunked = SIZE_MAX}, events);
}

TEST(responses_streams_text_reasoning_usage_and_end)
{
    expect_body(EVENT("response.created", "\"response\":{\"status\":\"in_progress\",\"error\":null}") THOUGHT(
                    "hm") EVENT("response.reasoning_summary_part.added", "\"summary_index\":1") THOUGHT("so")
                    ITEM(0, REASONING("rs_1")) TEXT("Hel") TEXT("lo") ITEM(1, MESSAGE("Hello")) COMPLETED,
        "reasoning:hm\n\nso\ntext:Hello\nusage:9:7:4:5\nend:0\n");
}

#define SEARCH(action) \
    "{\"type\":\"web_search_call\",\"id\":\"ws_1\",\"status\":\"completed\",\"action\":" action "}"

TEST(responses_name_a_web_search_and_the_sources_that_the_text_lacks)
{
    expect_body(ITEM(0, SEARCH("{\"type\":\"search\",\"queries\":[\"tea\",\"more\"]}"))
                    ITEM(1, SEARCH("{\"type\":\"open_page\",\"url\":\"https://a.example/x\"}")) ITEM(
                        2, SEARCH("{\"type\":\"new\"}")) TEXT("See https://a.example/x") ITEM(3,
                        "{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"See "
                        "https://a.example/x\",\"annotations\":[{\"url\":\"https://a.example/x\"},{\"url\":"
                        "\"https://b.example/\"},{\"type\":\"file_citation\"}]}]}") COMPLETED,
        "search:tea\nsearch:https://a.example/x\nsearch:\n"
        "text:See https://a.example/x ([b.example](<https://b.example/>))\nusage:9:7:4:5\nend:0\n");
}

TEST(responses_streams_the_same_however_the_bytes_are_cut)
{
    static const char body[] = ": hello\r\n\r\n" THOUGHT("hm \xC3\xA4") ITEM(0, REASONING("rs_1"))
        TEXT("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \\ud83d\\ude00 \\n\\\"x\\\"") ADDED(2, CALL("c1", "f", ""))
            ARGS(2, "{\\\"a\\\":") ARGS(2, "1}") ITEM(2, CALL("c1", "f", "{\\\"a\\\":1}")) COMPLETED;
    static const char events[] =
        "reasoning:hm \xC3\xA4\n"
        "text:Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xF0\x9F\x98\x80 \n\"x\"\n"
        "call:c1:f:{\"a\":1}\nopaque:[{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[],"
        "\"encrypted_content\":\"xrs_1\"},{\"type\":\"function_call\",\"call_id\":\"c1\"}]\n"
        "usage:9:7:4:5\nend:1\n";
    for (size_t at = 1; at < sizeof body - 1; at++)
        expect(&(struct fake_reply){.text = body, .split_at = at}, events);
    expect(&(struct fake_reply){.text = body, .chunked = 1}, events);
}

TEST(responses_puts_parallel_tool_calls_together)
{
    expect_body(ADDED(0, CALL("c1", "one", "")) ADDED(1, CALL("c2", "two", "")) ARGS(1, "{\\\"b\\\"") ARGS(
                    0, "{\\\"a\\\"") ARGS(1, ":2}") ARGS(0, ":1}") ARGS_DONE(0, "{\\\"a\\\":1}") COMPLETED,
        "call:c1:one:{\"a\":1}\ncall:c2:two:{\"b\":2}\nusage:9:7:4:5\nend:1\n");
    /* only the complete item */
    expect_body(ITEM(0, CALL("c1", "f", "{}")) COMPLETED, "call:c1:f:{}\nusage:9:7:4:5\nend:1\n");
}

TEST(responses_keeps_reasoning_only_with_calls_and_its_encrypted_content)
{
    expect_body(ITEM(0, REASONING("rs_1")) TEXT("a") ITEM(1, MESSAGE("a")) COMPLETED,
        "text:a\nusage:9:7:4:5\nend:0\n");
    expect_body(ITEM(0, "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]}")
                    ITEM(1, CALL("c1", "f", "{}")) COMPLETED,
        "call:c1:f:{}\nusage:9:7:4:5\nend:1\n");
}

TEST(responses_knows_why_the_model_stopped)
{
    expect_body(TEXT("a") INCOMPLETE("max_output_tokens"), "text:a\nusage:9:7:4:5\nend:2\n");
    expect_body(INCOMPLETE("max_output_tokens"), "usage:9:7:4:5\nend:2\n");
    expect_body(TEXT("a") INCOMPLETE("content_filter"), "text:a\nusage:9:7:4:5\nend:5\n");
    expect_body(
        EVENT("response.refusal.delta", "\"delta\":\"No.\"") COMPLETED, "text:No.\nusage:9:7:4:5\nend:4\n");
    /* a call that the length cut is dropped, with the reasoning before it */
    expect_body(ITEM(0, REASONING("rs_1")) TEXT("a") ADDED(2, CALL("x", "f", "")) ARGS(2, "{\\\"a")
                    INCOMPLETE("max_output_tokens"),
        "text:a\nusage:9:7:4:5\nend:2\n");
}

TEST(responses_reports_errors_of_the_stream)
{
    expect_body(TEXT("a") EVENT("error", "\"code\":\"invalid_prompt\",\"message\":\"Bad one.\""),
        "text:a\nerror:bad_input:Acme does not accept the request (400). It said: Bad one.\n");
    expect_body(TEXT("a") EVENT("response.failed",
                    "\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"server_error\",\"message\":"
                    "\"Sorry.\"}}"),
        "text:a\nerror:unavailable:Acme had an internal error (500). It said: Sorry.\n");
    expect_body(TEXT("a"), "text:a\nerror:upstream:Acme broke off in the middle of its answer.\n");
    expect_body(EVENT("response.output_item.added", "\"output_index\":0,\"item\":{\"type\":\"function_call\","
                                                    "\"call_id\":\"c1\"}") COMPLETED,
        "error:upstream:Acme called a tool without naming it.\n");
    static const char nothing[] = FAKE_OK("text/event-stream") COMPLETED;
    const struct fake_reply script[] = {{.text = nothing}, {.text = nothing}, {.text = nothing}};
    struct llm_run run = {.kind = "openai", .key = "sk-test", .request = &plain};
    llm_run(&run, script, 3);
    assert_string_equal(run.events.s, "retry\nretry\nerror:upstream:Acme gave an empty answer.\n");
    llm_run_release(&run);
}

TEST(responses_takes_an_answer_that_is_not_streamed)
{
    static const char body[] =
        "{\"object\":\"response\",\"status\":\"completed\",\"error\":null,\"output\":[" REASONING(
            "rs_1") "," MESSAGE("Hello") "," CALL("c1", "f", "{}") "]," USAGE "}";
    expect_body(body, "text:Hello\ncall:c1:f:{}\nopaque:[{\"type\":\"reasoning\",\"id\":\"rs_1\","
                      "\"summary\":[],\"encrypted_content\":\"xrs_1\"},{\"type\":\"message\",\"role\":"
                      "\"assistant\",\"content\":\"Hello\"},{\"type\":\"function_call\",\"call_id\":\"c1\"}]"
                      "\nusage:9:7:4:5\nend:1\n");
    expect_body("{\"error\":{\"message\":\"No.\",\"code\":\"invalid_request\"}}",
        "error:bad_input:Acme does not accept the request (400). It said: No.\n");
    expect_body("{\"a\":1}", "error:upstream:The answer from Acme cannot be read. Is its base_url right?\n");
}

TEST(responses_ignores_events_of_the_wrong_form)
{
    expect_body(EVENT("response.output_item.done", "\"item\":7") EVENT("response.output_text.delta",
                    "\"x\":1") EVENT("response.something_new", "\"delta\":\"no\"") TEXT("a") COMPLETED,
        "text:a\nusage:9:7:4:5\nend:0\n");
    expect_body(TEXT("a") EVENT("response.completed", "\"response\":null"), "text:a\nend:0\n");
}

TEST(responses_refuses_too_many_calls_and_too_much_input)
{
    AUTO_STRBUF body;
    strbuf_init(&body, 1 << 20);
    for (int i = 0; i < 65; i++)
        strbuf_addf(&body,
            "data: {\"type\":\"response.output_item.added\",\"output_index\":%d,\"item\":{\"type\":"
            "\"function_call\",\"call_id\":\"c%d\",\"name\":\"f\"}}\n\n",
            i, i);
    strbuf_adds(&body, COMPLETED);
    expect_body(body.s, "error:too_big:Acme called too many tools at once.\n");
    strbuf_clear(&body);
    strbuf_adds(&body, ADDED(0, CALL("c1", "f", "")));
    for (int i = 0; i < 70; i++) {
        strbuf_adds(&body,
            "data: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"");
        for (int k = 0; k < 1024; k++)
            strbuf_addc(&body, 'x');
        strbuf_adds(&body, "\"}\n\n");
    }
    strbuf_adds(&body, COMPLETED);
    expect_body(body.s, "error:too_big:Acme called a tool with too much input.\n");
}

/* ---- the request ---- */

static void expect_request(const struct llm_request *request, const char *wanted)
{
    static const struct fake_reply reply = {.text = TEXT("a") COMPLETED, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "openai", .key = "sk-secret", .request = request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, "POST /responses HTTP/1.1\r\n"));
    assert_non_null(strstr(run.requests.s, "\r\nAuthorization: Bearer sk-secret\r\n"));
    assert_string_equal(strstr(run.requests.s, "\r\n\r\n") + 4, wanted);
    llm_run_release(&run);
}

static const struct llm_tool_call calls[] = {{"c1", "current_time", "{\"zone\":\"UTC\"}"}};

TEST(responses_writes_the_request_as_the_api_wants_it)
{
    static const struct llm_message messages[] = {{.role = LLM_SYSTEM, .text = {"Be \"kind\".", 10}},
        {.role = LLM_USER, .text = {"time?", 5}, .aside = {"(now)", 5}},
        {.role = LLM_ASSISTANT, .text = {"Let me see.", 11}, .calls = calls, .calls_n = 1},
        {.role = LLM_TOOL, .text = {"noon", 4}, .call_id = "c1"}};
    static const struct llm_tool tool = {"current_time", "The time", "{\"type\":\"object\"}"};
    struct llm_request request = {.model = "m/1",
        .messages = messages,
        .messages_n = 4,
        .tools = &tool,
        .tools_n = 1,
        .effort = "low",
        .max_tokens = 77,
        .responses = true,
        .reasons = true};
    static const char input[] =
        "\"instructions\":\"Be \\\"kind\\\".\",\"input\":["
        "{\"type\":\"message\",\"role\":\"user\",\"content\":\"time?\\n\\n(now)\"},"
        "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"Let me see.\"},"
        "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"current_time\",\"arguments\":"
        "\"{\\\"zone\\\":\\\"UTC\\\"}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"noon\"}]";
    char wanted[2048];
    snprintf(wanted, sizeof wanted,
        "{\"model\":\"m/1\",\"stream\":true,\"store\":false,\"include\":[\"reasoning.encrypted_content\"],"
        "\"tools\":[{\"type\":\"function\",\"name\":\"current_time\",\"description\":\"The time\","
        "\"parameters\":{\"type\":\"object\"},\"strict\":false}],%s,\"reasoning\":{\"effort\":\"low\"},"
        "\"max_output_tokens\":77}",
        input);
    expect_request(&request, wanted);

    /* A model without reasoning; no tools; the smallest answer. */
    request.reasons = false;
    request.no_calls = true;
    request.effort = NULL;
    request.max_tokens = 1;
    snprintf(wanted, sizeof wanted,
        "{\"model\":\"m/1\",\"stream\":true,\"store\":false,%s,\"max_output_tokens\":16}", input);
    expect_request(&request, wanted);
}

TEST(responses_writes_what_programs_ask_for)
{
    static const struct llm_message asked = {.role = LLM_USER, .text = {"hi", 2}};
#define BEGINS                                                                                    \
    "{\"model\":\"m\",\"stream\":true,\"store\":false,\"input\":[{\"type\":\"message\",\"role\":" \
    "\"user\",\"content\":\"hi\"}]"
    struct llm_request r = {.model = "m", .messages = &asked, .messages_n = 1, .responses = true};
    r.params = (struct llm_params){.must_call = true, .sets_top_p = true, .top_p = 950};
    expect_request(&r, BEGINS ",\"top_p\":0.950,\"tool_choice\":\"required\"}");
    r.params = (struct llm_params){.must_call = true, .named_tool = "look"};
    expect_request(&r, BEGINS ",\"tool_choice\":{\"type\":\"function\",\"name\":\"look\"}}");
    r.params = (struct llm_params){.format = LLM_FORMAT_JSON};
    expect_request(&r, BEGINS ",\"text\":{\"format\":{\"type\":\"json_object\"}}}");
    r.params = (struct llm_params){.format = LLM_FORMAT_SCHEMA,
        .format_name = "city",
        .format_strict = "false",
        .format_schema = "{\"type\":\"object\"}"};
    expect_request(&r, BEGINS ",\"text\":{\"format\":{\"type\":\"json_schema\",\"name\":\"city\","
                              "\"strict\":false,\"schema\":{\"type\":\"object\"}}}}");
}

#define SENT_REASONING(id) \
    "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[],\"encrypted_content\":\"x" id "\"}"
#define SENT_CALL                                                                                    \
    "{\"type\":\"function_call\",\"call_id\":\"c1\",\"name\":\"current_time\",\"arguments\":\"{\\\"" \
    "zone\\\":\\\"UTC\\\"}\"}"
#define KEPT_CALL(id) "{\"type\":\"function_call\",\"call_id\":\"" id "\"}"

static void expect_sent(const char *opaque, const char *items)
{
    struct llm_message messages[] = {
        {.role = LLM_ASSISTANT, .text = {"T", 1}, .calls = calls, .calls_n = 1, .opaque = str_of(opaque)},
        {.role = LLM_TOOL, .text = {"r", 1}, .call_id = "c1"}};
    struct llm_request request = {.model = "m", .messages = messages, .messages_n = 2, .responses = true};
    char wanted[2048];
    snprintf(wanted, sizeof wanted,
        "{\"model\":\"m\",\"stream\":true,\"store\":false,\"input\":[%s,{\"type\":\"function_call_output\","
        "\"call_id\":\"c1\",\"output\":\"r\"}]}",
        items);
    expect_request(&request, wanted);
}

TEST(responses_sends_reasoning_back_before_its_call)
{
    expect_sent("[" SENT_REASONING("a") "," KEPT_CALL("c1") "]", SENT_REASONING("a") "," SENT_CALL);
    expect_sent(
        "[" SENT_REASONING("a") ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"T\","
                                "\"phase\":\"commentary\"}," SENT_REASONING("b") "," KEPT_CALL("c1") "]",
        SENT_REASONING("a") ",{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"T\",\"phase\":"
                            "\"commentary\"}," SENT_REASONING("b") "," SENT_CALL);
    expect_sent("[" SENT_REASONING("a") "," SEARCH("{\"type\":\"search\"}") "," KEPT_CALL("c1") "]",
        SENT_REASONING("a") "," SEARCH("{\"type\":\"search\"}") "," SENT_CALL);
    /* A call that was dropped takes its reasoning with it. */
    expect_sent("[" SENT_REASONING("a") "," KEPT_CALL("c1") "," SENT_REASONING("b") "," KEPT_CALL("c9") "]",
        SENT_REASONING("a") "," SENT_CALL);
}

TEST(responses_writes_the_answer_itself_when_nothing_fits)
{
    static const char itself[] = "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"T\"}," SENT_CALL;
    expect_sent("", itself);
    expect_sent("no json", itself);
    expect_sent("{\"reasoning_content\":\"of chat completions\"}", itself);
    expect_sent("[" SENT_REASONING("a") "," KEPT_CALL("c9") "]", itself);
    expect_sent("[7,{\"type\":8}]", itself);
}

TEST(responses_are_named_by_a_refusal)
{
    static const char *const refusals[] = {
        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"Function tools with "
        "reasoning_effort are not supported for m in /v1/chat/completions. Please use /v1/responses "
        "instead.\",\"type\":\"invalid_request_error\"}}",
        "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n{\"error\":{\"message\":\"This model is only "
        "supported in v1/responses and not in v1/chat/completions.\"}}"};
    for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
        struct llm_run run = {.kind = "openai"};
        llm_run(&run, &(struct fake_reply){.text = refusals[i]}, 1);
        assert_int_equal(run.problem, LLM_PROBLEM_RESPONSES);
        assert_int_equal(run.err.rc, RC_BAD_INPUT);
        llm_run_release(&run);
    }
}

#define REFUSED(status, body) "HTTP/1.1 " status "\r\nConnection: close\r\n\r\n" body

TEST(responses_that_a_server_lacks_are_told_from_a_missing_model)
{
    static const struct {
        const char *answer;
        enum llm_problem problem;
    } cases[] = {
        {REFUSED("404 Not Found", "{\"detail\":\"Not Found\"}"), LLM_PROBLEM_NO_RESPONSES}, /* vLLM */
        {REFUSED("404 Not Found", "404 page not found"), LLM_PROBLEM_NO_RESPONSES},         /* Ollama */
        {REFUSED("404 Not Found",
             "{\"error\":{\"code\":404,\"message\":\"File Not Found\",\"type\":\"not_found_error\"}}"),
            LLM_PROBLEM_NO_RESPONSES}, /* llama.cpp */
        {REFUSED("405 Method Not Allowed", ""), LLM_PROBLEM_NO_RESPONSES},
        {REFUSED("200 OK", "{\"error\":\"Unexpected endpoint or method. (POST /v1/responses)\"}"),
            LLM_PROBLEM_NO_RESPONSES}, /* LM Studio */
        {REFUSED("404 Not Found", "{\"error\":{\"message\":\"The model `m` does not exist.\"}}"),
            LLM_PROBLEM_NO_MODEL},
        {REFUSED("404 Not Found", "{\"error\":{\"code\":\"DeploymentNotFound\",\"message\":\"None here.\"}}"),
            LLM_PROBLEM_NO_MODEL}, /* Azure */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct llm_run run = {.kind = "openai", .request = &plain};
        llm_run(&run, &(struct fake_reply){.text = cases[i].answer}, 1);
        assert_int_equal(run.problem, cases[i].problem);
        assert_int_equal(run.err.rc, RC_BAD_INPUT);
        assert_int_equal(run.tries, 1);
        llm_run_release(&run);
    }
}

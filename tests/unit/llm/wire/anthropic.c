#include "unit.h"

#include "llm/llm_run.h"

#define EVENT(name, json) "event: " name "\ndata: " json "\n\n"
#define START                                                                                         \
    EVENT("message_start", "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":10," \
                           "\"cache_read_input_tokens\":5,\"output_tokens\":1}}}")
#define BLOCK(i, json)           \
    EVENT("content_block_start", \
        "{\"type\":\"content_block_start\",\"index\":" #i ",\"content_block\":" json "}")
#define DELTA(i, json) \
    EVENT("content_block_delta", "{\"type\":\"content_block_delta\",\"index\":" #i ",\"delta\":" json "}")
#define BLOCK_END(i) EVENT("content_block_stop", "{\"type\":\"content_block_stop\",\"index\":" #i "}")
#define TEXT(i, s)   DELTA(i, "{\"type\":\"text_delta\",\"text\":\"" s "\"}")
#define INPUT(i, s)  DELTA(i, "{\"type\":\"input_json_delta\",\"partial_json\":\"" s "\"}")
#define FINISH(why)                                                                        \
    EVENT("message_delta", "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"" why \
                           "\"},\"usage\":{\"output_tokens\":7}}")
#define STOP EVENT("message_stop", "{\"type\":\"message_stop\"}")
#define PING EVENT("ping", "{\"type\":\"ping\"}")

static void expect(const struct fake_reply *reply, const char *events)
{
    struct llm_run run = {.kind = "anthropic", .key = "sk-ant"};
    llm_run(&run, reply, 1);
    assert_string_equal(run.events.s, events);
    llm_run_release(&run);
}

static void expect_body(const char *body, const char *events)
{
    expect(&(struct fake_reply){.text = body, .chunked = SIZE_MAX}, events);
}

TEST(anthropic_streams_text_thinking_usage_and_end)
{
    expect_body(START BLOCK(0, "{\"type\":\"thinking\",\"thinking\":\"\"}")
                    PING DELTA(0, "{\"type\":\"thinking_delta\",\"thinking\":\"hm\"}")
                        DELTA(0, "{\"type\":\"signature_delta\",\"signature\":\"abc\"}") BLOCK_END(0)
                            BLOCK(1, "{\"type\":\"text\",\"text\":\"\"}") TEXT(1, "Hel") TEXT(1, "lo")
                                BLOCK_END(1) FINISH("end_turn") STOP,
        "reasoning:hm\ntext:Hello\nopaque:[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":"
        "\"abc\"},{\"type\":\"text\",\"text\":\"Hello\"}]\nusage:15:7:5\nend:0\n");
}

TEST(anthropic_streams_the_same_however_the_bytes_are_cut)
{
    static const char body[] =
        START BLOCK(0, "{\"type\":\"text\",\"text\":\"\"}") TEXT(0, "Gr\xC3\xBC\xC3\x9F \\ud83d\\ude00")
            BLOCK_END(0) BLOCK(1, "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}")
                INPUT(1, "") INPUT(1, "{\\\"a\\\":") INPUT(1, "1}") BLOCK_END(1) FINISH("tool_use") STOP;
    static const char events[] =
        "text:Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80\ncall:t1:f:{\"a\":1}\nusage:15:7:5\nend:1\n";
    for (size_t at = 1; at < sizeof body - 1; at++)
        expect(&(struct fake_reply){.text = body, .split_at = at}, events);
    expect(&(struct fake_reply){.text = body, .chunked = 1}, events);
}

TEST(anthropic_puts_several_tool_calls_together)
{
    expect_body(START BLOCK(0, "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}}")
                    INPUT(0, "{\\\"a\\\":1}") BLOCK_END(0)
                        BLOCK(1, "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"g\",\"input\":{}}")
                            BLOCK_END(1) FINISH("tool_use") STOP,
        "call:t1:f:{\"a\":1}\ncall:t2:g:{}\nusage:15:7:5\nend:1\n");
}

TEST(anthropic_ignores_blocks_and_events_it_does_not_know)
{
    expect_body(START BLOCK(0, "{\"type\":\"redacted_thinking\",\"data\":\"x\"}") BLOCK_END(0)
                    BLOCK(1, "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"w\",\"input\":{}}")
                        INPUT(1, "{}") EVENT("brand_new", "{\"type\":\"brand_new\"}")
                            BLOCK(2, "{\"type\":\"text\",\"text\":\"a\"}") FINISH("end_turn") STOP,
        "text:a\nopaque:[{\"type\":\"redacted_thinking\",\"data\":\"x\"},{\"type\":\"server_tool_use\","
        "\"id\":\"s\","
        "\"name\":\"w\",\"input\":{}},{\"type\":\"text\",\"text\":\"a\"}]\nusage:15:7:5\nend:0\n");
}

#define CITES(i, url)                                                     \
    DELTA(i, "{\"type\":\"citations_delta\",\"citation\":{\"url\":\"" url \
             "\",\"title\":\"[t](https://evil.example)\"}}")

TEST(anthropic_names_a_web_search_and_links_the_sources_of_a_text)
{
    expect_body(
        START BLOCK(0, "{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{}}")
            INPUT(0, "{\\\"query\\\":") INPUT(0, "\\\"tea\\\"}") BLOCK_END(0) BLOCK(
                1, "{\"type\":\"text\",\"text\":\"\",\"citations\":[]}") CITES(1, "https://www.a.example/x")
                TEXT(1, "Hot") CITES(1, "https://b.example:8443/y?z=(1)") CITES(1, "https://www.a.example/x")
                    BLOCK_END(1) BLOCK(2, "{\"type\":\"text\",\"text\":\".\"}") BLOCK_END(2)
                        FINISH("end_turn") STOP,
        "search:tea\ntext:Hot ([a.example](<https://www.a.example/x>), "
        "[b.example](<https://b.example:8443/y?z=(1)>))."
        "\nopaque:[{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\",\"input\":{\"query\":"
        "\"tea\"}},"
        "{\"type\":\"text\",\"text\":\"Hot\",\"citations\":["
        "{\"url\":\"https://www.a.example/x\",\"title\":\"[t](https://evil.example)\"},"
        "{\"url\":\"https://b.example:8443/y?z=(1)\",\"title\":\"[t](https://evil.example)\"},"
        "{\"url\":\"https://www.a.example/x\",\"title\":\"[t](https://evil.example)\"}]},"
        "{\"type\":\"text\",\"text\":\".\"}]\nusage:15:7:5\nend:0\n");
}

TEST(anthropic_links_no_address_that_a_page_may_not_link_to)
{
    static const char *const urls[] = {"http://a.example/", "javascript:alert(1)", "https://a.example/ b",
        "https://a.example/<b>", "https://a.example)[x](https://b.example", "https://\u0430.example/",
        "https://", ""};
    for (size_t i = 0; i < ARRAY_LEN(urls); i++) {
        char body[2048];
        snprintf(body, sizeof body,
            START BLOCK(0, "{\"type\":\"text\",\"text\":\"a\"}") CITES(0, "%s") BLOCK_END(0)
                FINISH("end_turn") STOP,
            urls[i]);
        expect_body(body, "text:a\nusage:15:7:5\nend:0\n");
    }
}

TEST(anthropic_knows_why_the_model_stopped)
{
    expect_body(START TEXT(0, "a") FINISH("max_tokens") STOP, "text:a\nusage:15:7:5\nend:2\n");
    expect_body(START TEXT(0, "a") FINISH("refusal") STOP, "text:a\nusage:15:7:5\nend:4\n");
    expect_body(START TEXT(0, "a") FINISH("pause_turn") STOP, "text:a\nusage:15:7:5\nend:6\n");
    expect_body(
        START TEXT(0, "a") FINISH("model_context_window_exceeded") STOP, "text:a\nusage:15:7:5\nend:3\n");
    expect_body(START FINISH("refusal") STOP, "usage:15:7:5\nend:4\n");
    expect_body(START TEXT(0, "a") FINISH("stop_sequence") STOP, "text:a\nusage:15:7:5\nend:0\n");
}

TEST(anthropic_reads_the_tokens_of_thinking_and_keeps_counts_that_are_told_once)
{
    expect_body(START TEXT(0, "a") EVENT("message_delta",
                    "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"input_"
                    "tokens\":"
                    "null,\"cache_read_input_tokens\":null,\"output_tokens\":7,\"output_tokens_details\":{"
                    "\"thinking_tokens\":4}}}") STOP,
        "text:a\nusage:15:7:5:4\nend:0\n");
}

TEST(anthropic_ends_without_message_stop_and_with_an_open_connection)
{
    expect_body(START TEXT(0, "a") FINISH("end_turn"), "text:a\nusage:15:7:5\nend:0\n");
    expect(
        &(struct fake_reply){.text = FAKE_OK("text/event-stream") START TEXT(0, "a") FINISH("end_turn") STOP,
            .after = FAKE_HANG},
        "text:a\nusage:15:7:5\nend:0\n");
}

TEST(anthropic_reports_an_answer_that_breaks_off)
{
    expect_body(START TEXT(0, "a"), "text:a\nerror:upstream:Acme broke off in the middle of its answer.\n");
}

TEST(anthropic_reports_errors_inside_the_stream)
{
    expect_body(
        START TEXT(0, "a") EVENT("error",
            "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}"),
        "text:a\nerror:unavailable:Acme is overloaded or temporarily down (529).\n");
    expect_body(START EVENT("error",
                    "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}"),
        "error:bad_input:Acme does not accept the request (400). It said: no\n");
    expect_body(START EVENT("error",
                    "{\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"no\"}}"),
        "error:forbidden:Acme does not accept the key. Is it complete, and still valid?\n");
}

TEST(anthropic_tries_again_when_it_is_overloaded_before_the_first_event)
{
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("text/event-stream") START EVENT("error",
             "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}")},
        {.text = FAKE_OK("text/event-stream") START TEXT(0, "a") FINISH("end_turn") STOP}};
    struct llm_run run = {.kind = "anthropic"};
    llm_run(&run, script, 2);
    assert_string_equal(run.events.s, "retry\ntext:a\nusage:15:7:5\nend:0\n");
    llm_run_release(&run);
}

TEST(anthropic_takes_an_answer_that_is_not_streamed)
{
    expect_body("{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":"
                "\"abc\"},"
                "{\"type\":\"text\",\"text\":\"Hi\"},"
                "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":[1]}}],"
                "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}",
        "reasoning:hm\ntext:Hi\ncall:t:f:{\"a\":[1]}\nopaque:[{\"type\":\"thinking\",\"thinking\":\"hm\","
        "\"signature\":\"abc\"},{"
        "\"type\":"
        "\"text\",\"text\":\"Hi\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":[1]}}]"
        "\nusage:1:2\nend:1\n");
}

#define CACHED ",\"cache_control\":{\"type\":\"ephemeral\"}"

TEST(anthropic_writes_the_request_as_the_api_wants_it)
{
    static const struct llm_tool_call calls[] = {{"t1", "f", "{\"a\":1}"}, {"t2", "g", "nonsense"}};
    static const struct llm_message messages[] = {{.role = LLM_SYSTEM, .text = {"Be kind.", 8}},
        {.role = LLM_USER, .text = {"one", 3}}, {.role = LLM_USER, .text = {"two", 3}},
        {.role = LLM_ASSISTANT, .text = {" \n", 2}, .calls = calls, .calls_n = 2},
        {.role = LLM_TOOL, .text = {"r1", 2}, .call_id = "t1"},
        {.role = LLM_TOOL, .text = {"r2", 2}, .call_id = "t2"},
        {.role = LLM_USER, .text = {"three", 5}, .aside = {"facts", 5}}};
    static const struct llm_tool tools[] = {
        {"f", "F", "{\"type\":\"object\"}"}, {"g", "G", "{\"type\":\"object\"}"}};
    static const struct llm_request request = {.model = "claude",
        .messages = messages,
        .messages_n = 7,
        .tools = tools,
        .tools_n = 2,
        .max_tokens = 9};
    static const struct fake_reply reply = {
        .text = START TEXT(0, "a") FINISH("end_turn") STOP, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "anthropic", .key = "sk-ant", .request = &request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, "POST /v1/messages HTTP/1.1\r\n"));
    assert_non_null(strstr(run.requests.s, "\r\nx-api-key: sk-ant\r\n"));
    assert_non_null(strstr(run.requests.s, "\r\nanthropic-version: 2023-06-01\r\n"));
    assert_string_equal(strstr(run.requests.s, "\r\n\r\n") + 4,
        "{\"model\":\"claude\",\"stream\":true,\"max_tokens\":9,"
        "\"tools\":[{\"name\":\"f\",\"description\":\"F\",\"input_schema\":{\"type\":\"object\"}},"
        "{\"name\":\"g\",\"description\":\"G\",\"input_schema\":{\"type\":\"object\"}}],"
        "\"system\":[{\"type\":\"text\",\"text\":\"Be kind.\"" CACHED "}],\"messages\":["
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":"
        "\"two\"}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{"
        "\"a\":1}},"
        "{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"g\",\"input\":{}}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"r1\"}"
        ",{\"type\":\"tool_result\",\"tool_use_id\":\"t2\",\"content\":\"r2\"},{\"type\":\"text\",\"text\":"
        "\"three\"" CACHED "},{\"type\":\"text\",\"text\":\"facts\"}]}]}");
    llm_run_release(&run);
}

/* The body of a request with these parameters, without what all have. */
static void expect_params(struct llm_request request, const char *before, const char *after)
{
    static const struct llm_message asked = {.role = LLM_USER, .text = {"hi", 2}};
    static const struct fake_reply reply = {
        .text = START TEXT(0, "a") FINISH("stop_sequence") STOP, .chunked = SIZE_MAX};
    char wanted[1024];
    request.messages = &asked;
    request.messages_n = 1;
    request.max_tokens = 9;
    snprintf(wanted, sizeof wanted,
        "{\"model\":\"%s\",\"stream\":true,\"max_tokens\":9%s,\"messages\":[{\"role\":\"user\",\"content\":[{"
        "\"type\":\"text\",\"text\":\"hi\"" CACHED "}]}]%s}",
        request.model, before, after);
    struct llm_run run = {.kind = "anthropic", .request = &request};
    llm_run(&run, &reply, 1);
    assert_string_equal(strstr(run.requests.s, "\r\n\r\n") + 4, wanted);
    assert_non_null(strstr(run.events.s, "end:0"));
    llm_run_release(&run);
}

#define ADAPTIVE    ",\"thinking\":{\"type\":\"adaptive\",\"display\":\"summarized\"}"
#define EFFORT(how) ",\"output_config\":{\"effort\":\"" how "\"}"

TEST(anthropic_writes_what_programs_ask_for)
{
    static const char *const stops[] = {"END"};
    struct llm_request r = {.model = "claude-sonnet-4-5", .params = {.must_call = true}};
    expect_params(r, "", ",\"tool_choice\":{\"type\":\"any\"}");
    r.params.named_tool = "look";
    expect_params(r, "", ",\"tool_choice\":{\"type\":\"tool\",\"name\":\"look\"}");
    r.params = (struct llm_params){.stops = stops, .stops_n = 1, .sets_top_p = true, .top_p = 900};
    expect_params(r, ",\"top_p\":0.900,\"stop_sequences\":[\"END\"]", "");
    r.sets_temperature = true;
    expect_params(r, ",\"temperature\":0.00,\"stop_sequences\":[\"END\"]", "");
    r.sets_temperature = false;
    r.effort = "high";
    r.params = (struct llm_params){.format = LLM_FORMAT_SCHEMA,
        .format_name = "city",
        .format_schema = "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":"
                         "\"object\",\"additionalProperties\":true}}},\"default\":{\"type\":\"object\"}}"};
    expect_params(r,
        ",\"output_config\":{\"effort\":\"high\",\"format\":{\"type\":\"json_schema\",\"schema\":{\"type\":"
        "\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"additionalProperties\":true}}},\"default\":{\"type\":\"object\"},\"additionalProperties\":false}}"
        "}",
        "");
}

TEST(anthropic_does_not_think_where_the_api_refuses_it)
{
    struct llm_request r = {.model = "claude-opus-4-6", .effort = "xhigh"};
    expect_params(r, ADAPTIVE EFFORT("high"), "");
    r.params = (struct llm_params){.sets_top_p = true, .top_p = 960};
    expect_params(r, ",\"top_p\":0.960" ADAPTIVE EFFORT("high"), "");
    r.params.top_p = 949;
    expect_params(r, ",\"top_p\":0.949" EFFORT("high"), "");
    r.params = (struct llm_params){.must_call = true};
    expect_params(r, EFFORT("high"), ",\"tool_choice\":{\"type\":\"any\"}");
    r.effort = NULL;
    r.model = "claude-sonnet-5";
    expect_params(r, ",\"thinking\":{\"type\":\"disabled\"}", ",\"tool_choice\":{\"type\":\"any\"}");
    r.model = "claude-opus-5-5"; /* it refuses both, and says so */
    expect_params(r, "", ",\"tool_choice\":{\"type\":\"any\"}");
}

TEST(anthropic_begins_with_the_user_even_when_the_context_does_not)
{
    static const struct llm_message messages[] = {
        {.role = LLM_ASSISTANT, .text = {"earlier", 7}}, {.role = LLM_USER, .text = {"now", 3}}};
    static const struct llm_request request = {.model = "claude", .messages = messages, .messages_n = 2};
    static const struct fake_reply reply = {
        .text = START TEXT(0, "a") FINISH("end_turn") STOP, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "anthropic", .request = &request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, "\"max_tokens\":8192,\"messages\":[{\"role\":\"user\""));
    llm_run_release(&run);
}

TEST(anthropic_sends_an_answers_blocks_back_as_they_came)
{
    static const struct llm_tool_call calls[] = {{"t1", "f", "{}"}};
    static const struct llm_message messages[] = {{.role = LLM_USER, .text = {"one", 3}},
        {.role = LLM_ASSISTANT,
            .text = {"Hm.", 3},
            .calls = calls,
            .calls_n = 1,
            .opaque =
                STR("[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"abc\"},{\"type\":\"text\","
                    "\"text\":\"Hm.\"},{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"f\",\"input\":{}},"
                    "{\"type\":\"tool_use\",\"id\":\"over_the_limit\",\"name\":\"f\",\"input\":{}}]")},
        {.role = LLM_TOOL, .text = {"r", 1}, .call_id = "t1"}};
    static const struct llm_request request = {.model = "claude", .messages = messages, .messages_n = 3};
    static const struct fake_reply reply = {
        .text = START TEXT(0, "a") FINISH("end_turn") STOP, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "anthropic", .request = &request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\","
                                           "\"thinking\":\"hm\",\"signature\":\"abc\"},"
                                           "{\"type\":\"text\",\"text\":\"Hm.\"},{\"type\":\"tool_use\","
                                           "\"id\":\"t1\",\"name\":\"f\",\"input\":{}}"
                                           "]},{\"role\":\"user\""));
    llm_run_release(&run);
}

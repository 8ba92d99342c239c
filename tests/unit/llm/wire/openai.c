#include "unit.h"

#include "llm/openai_body.h"

#include "base/clock.h"

TEST(openai_streams_text_usage_and_end)
{
    expect_body(DELTA("{\"role\":\"assistant\",\"content\":\"\"}") TEXT("Hel") TEXT("lo") FINISH("stop")
                    USAGE(9, 2) DONE,
        "text:Hello\nusage:9:2\nend:0\n");
}

#define COUNTED(members) "data: {\"choices\":[],\"usage\":{" members "}}\n\n"

TEST(openai_counts_cached_and_reasoning_tokens_by_every_name)
{
    static const struct {
        const char *body, *usage;
    } cases[] = {
        {COUNTED("\"prompt_tokens\":9,\"completion_tokens\":7,\"total_tokens\":16,"
                 "\"prompt_tokens_details\":{\"cached_tokens\":4},"
                 "\"completion_tokens_details\":{\"reasoning_tokens\":5}"),
            "usage:9:7:4:5\n"},
        /* xAI and Gemini count reasoning in the total only */
        {COUNTED("\"prompt_tokens\":9,\"completion_tokens\":2,\"total_tokens\":16,"
                 "\"completion_tokens_details\":{\"reasoning_tokens\":5}"),
            "usage:9:7:0:5\n"},
        {COUNTED("\"prompt_tokens\":9,\"completion_tokens\":2,\"prompt_cache_hit_tokens\":3"),
            "usage:9:2:3\n"},
        {COUNTED("\"prompt_tokens\":9,\"completion_tokens\":2,\"cached_tokens\":3"), "usage:9:2:3\n"},
        {"data: "
         "{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2},\"timings\":{\"cache_n\":"
         "8}}\n\n",
            "usage:9:2:8\n"},
        {COUNTED("\"prompt_tokens\":9,\"completion_tokens\":2,\"total_tokens\":-1,"
                 "\"completion_tokens_details\":{\"reasoning_tokens\":-5}"),
            "usage:9:2\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        expect_body(arena_printf(a, TEXT("x") FINISH("stop") "%s" DONE, cases[i].body),
            arena_printf(a, "text:x\n%send:0\n", cases[i].usage));
    }
}

#define PROGRESS(total, cache, done)                                                                    \
    "data: "                                                                                            \
    "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null},\"finish_reason\":" \
    "null}],\"prompt_progress\":{\"total\":" #total ",\"cache\":" #cache ",\"processed\":" #done        \
    ",\"time_ms\":3}}\n\n"

TEST(openai_reports_the_progress_with_the_prompt)
{
    expect_body(PROGRESS(1000, 200, 200) PROGRESS(1000, 200, 520) PROGRESS(1000, 200, 521)
                    PROGRESS(1000, 200, 1000) TEXT("x") FINISH("stop") DONE,
        "reading:0\nreading:40\nreading:100\ntext:x\nend:0\n");
}

TEST(openai_ignores_progress_that_makes_no_sense)
{
    expect_body(PROGRESS(0, 0, 0) PROGRESS(-5, -9, 4) PROGRESS(10, 10, 10) PROGRESS(10, 0, 99)
                    PROGRESS(10, 0, 5) TEXT("x") FINISH("stop") DONE,
        "reading:100\ntext:x\nend:0\n");
}

TEST(openai_asks_only_a_server_that_knows_it_for_progress)
{
    static const struct fake_reply reply = {.text = TEXT("x") FINISH("stop") DONE, .chunked = SIZE_MAX};
    static const struct llm_message hi = {.role = LLM_USER, .text = {"hi", 2}};
    for (int asks = 0; asks < 2; asks++) {
        struct llm_request r = {.model = "m", .messages = &hi, .messages_n = 1, .progress = asks};
        struct llm_run run = {.kind = "openai", .request = &r};
        llm_run(&run, &reply, 1);
        assert_int_equal(strstr(run.requests.s, "\"return_progress\":true") != NULL, asks);
        llm_run_release(&run);
    }
}

TEST(openai_joins_the_pieces_of_one_read)
{
    static const struct fake_reply reply = {
        .text = TEXT("a") TEXT("b") TEXT("c") FINISH("stop") DONE, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, &reply, 1);
    assert_string_equal(run.events.s, "text:abc\nend:0\n");
    assert_int_equal(run.pieces, 1);
    llm_run_release(&run);
}

TEST(openai_streams_the_same_however_the_bytes_are_cut)
{
    static const char body[] = ": hello\r\n\r\n" DELTA("{\"reasoning_content\":\"hm \xC3\xA4\"}")
        TEXT("Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \\ud83d\\ude00 \\n\\\"x\\\"")
            CALL_BIT(0, "\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
                ARGS(0, "{\\\"a\\\":") ARGS(0, "1}") FINISH("tool_calls") USAGE(1, 2) DONE;
    static const char events[] =
        "reasoning:hm \xC3\xA4\n"
        "text:Gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xF0\x9F\x98\x80 \n\"x\"\n"
        "call:c1:f:{\"a\":1}\nopaque:{\"reasoning_content\":\"hm \xC3\xA4\"}\nusage:1:2\nend:1\n";
    for (size_t at = 1; at < sizeof body - 1; at++)
        expect(&(struct fake_reply){.text = body, .split_at = at}, events);
    expect(&(struct fake_reply){.text = body, .chunked = 1}, events);
}

TEST(openai_knows_reasoning_by_both_names_and_content_parts)
{
    expect_body(
        DELTA("{\"reasoning\":\"R1\",\"content\":null}") DELTA("{\"reasoning_content\":\"R2\"}")
            DELTA("{\"content\":[{\"type\":\"text\",\"text\":\"A\"},{\"type\":\"text\",\"text\":\"B\"}]}")
                FINISH("stop") DONE,
        "reasoning:R1R2\ntext:AB\nend:0\n");
    /* Both names, one of them empty (vllm 34030, juspay/neurolink 1073); an object (envoyproxy/ai-gateway
     * 1222)
     */
    expect_body(DELTA("{\"reasoning_content\":null,\"reasoning\":\"R1\"}")
                    DELTA("{\"reasoning_content\":\"\",\"reasoning\":\"R2\"}") DELTA(
                        "{\"reasoning_content\":\"R3\",\"reasoning\":\"R3\"}") TEXT("A") FINISH("stop") DONE,
        "reasoning:R1R2R3\ntext:A\nend:0\n");
    expect_body(DELTA("{\"reasoning_content\":{\"text\":\"R1\"}}")
                    DELTA("{\"reasoning_content\":{\"text\":\"R2\",\"signature\":\"s\"}}") TEXT("A")
                        FINISH("stop") DONE,
        "reasoning:R1R2\ntext:A\nend:0\n");
}

TEST(openai_knows_reasoning_in_the_content)
{
#define THINKS(words) "{\"type\":\"thinking\",\"thinking\":[{\"type\":\"text\",\"text\":\"" words "\"}]}"
    expect_body(DELTA("{\"content\":[" THINKS("R1") "]}") DELTA("{\"content\":[" THINKS("R2") "]}")
                    DELTA("{\"content\":[{\"type\":\"text\",\"text\":\"A\"}]}") DELTA("{\"content\":\"B\"}")
                        FINISH("stop") DONE,
        "reasoning:R1R2\ntext:AB\nend:0\n");
    expect_body("{\"choices\":[{\"message\":{\"content\":[" THINKS(
                    "R") ",{\"type\":\"text\",\"text\":\"A\"}]},\"finish_reason\":\"stop\"}]}",
        "reasoning:R\ntext:A\nend:0\n");
    /* Databricks (databricks/appkit 559) */
    expect_body(
        DELTA("{\"content\":[{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":"
              "\"R1\"}]}]}") DELTA("{\"content\":[{\"type\":\"reasoning\",\"text\":\"R2\"},{\"type\":"
                                   "\"text\",\"text\":\"A\"}]}") FINISH("stop") DONE,
        "reasoning:R1R2\ntext:A\nend:0\n");
    expect_body(DELTA("{\"content\":[{\"type\":\"thinking\",\"thinking\":\"R\"},{\"type\":\"thinking\"},7]}")
                    TEXT("A") FINISH("stop") DONE,
        "reasoning:R\ntext:A\nend:0\n");
}

/* Such events differ in the content only, which may be read alone if it is all that they have. */
TEST(openai_reads_more_than_the_content_of_events_that_are_alike)
{
#define BOTH(more)                        \
    DELTA("{\"content\":\"A\"," more "}") \
    DELTA("{\"content\":\"B\"," more "}") DELTA("{\"content\":\"C\"," more "}")
    expect_body(BOTH("\"reasoning\":\"r\"") FINISH("stop") DONE,
        "reasoning:r\ntext:A\nreasoning:r\ntext:B\nreasoning:r\ntext:C\nend:0\n");
    expect_body(BOTH("\"refusal\":\"!\"") FINISH("stop") DONE, "text:A!B!C!\nend:4\n");
    expect_body(BOTH("\"reasoning\":null,\"role\":\"assistant\"") FINISH("stop") DONE, "text:ABC\nend:0\n");
    expect_body(
        BOTH("\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]")
            FINISH("tool_calls") DONE,
        "text:ABC\ncall:c:f:{}\nend:1\n");
}

TEST(openai_knows_why_the_model_stopped)
{
    expect_body(TEXT("a") FINISH("length") DONE, "text:a\nend:2\n");
    expect_body(FINISH("length") DONE, "end:2\n");
    expect_body(TEXT("a") FINISH("content_filter") DONE, "text:a\nend:5\n");
    expect_body(DELTA("{\"refusal\":\"No.\"}") FINISH("stop") DONE, "text:No.\nend:4\n");
    expect_body(TEXT("a") FINISH("something_new") DONE, "text:a\nend:0\n");
    expect_body(TEXT("a") FINISH("model_length") DONE, "text:a\nend:3\n");
    expect_body(TEXT("a") FINISH("MAX_TOKENS") DONE, "text:a\nend:2\n");
    expect_body(TEXT("a") FINISH("refusal") DONE, "text:a\nend:4\n");
    static const char *const filters[] = {FINISH("SAFETY"), FINISH("RECITATION"),
        FINISH("PROHIBITED_CONTENT"), FINISH("BLOCKLIST"), FINISH("SPII"),
        FINISH("content_filter: RECITATION"), FINISH("sensitive")};
    for (size_t i = 0; i < ARRAY_LEN(filters); i++) {
        AUTO(arena) a = arena_new();
        expect_body(arena_printf(a, TEXT("a") "%s" DONE, filters[i]), "text:a\nend:5\n");
    }
}

/* A whole message at the end of a stream is the answer so far: MiniMax (ENTERPILOT/GoModel 1068,
 * abundantbeing/hermes-browser-extension 11). */
TEST(openai_reads_a_whole_message_in_a_stream_once)
{
#define WHOLE(more)                                                                                        \
    "data: {\"object\":\"chat.completion\",\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":" \
    "\"ab\",\"reasoning_content\":\"r\"" more                                                              \
    "},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":3,"                                       \
    "\"completion_tokens\":4}}\n\n"
    expect_body(DELTA("{\"reasoning_content\":\"r\"}") TEXT("a") TEXT("b") WHOLE("") DONE,
        "reasoning:r\ntext:ab\nusage:3:4\nend:0\n");
    expect_body(WHOLE("") DONE, "reasoning:r\ntext:ab\nusage:3:4\nend:0\n");
    expect_body(
        CALL_BIT(0, "\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}")
            WHOLE(",\"tool_calls\":[{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]") DONE,
        "call:c:f:{}\nusage:3:4\nend:1\n");
    /* both in one object: the message is the longer one in each event (perplexityai/api-discussion 209) */
    expect_body("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"message\":{\"content\":\"a\"}}]}\n\n"
                "data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"message\":{\"content\":\"ab\"},"
                "\"finish_reason\":\"stop\"}]}\n\n" DONE,
        "text:ab\nend:0\n");
    expect_body(
        "{\"choices\":[{\"delta\":{\"content\":\"\"},\"message\":{\"content\":\"ab\"},\"finish_reason\":"
        "\"stop\"}]}",
        "text:ab\nend:0\n");
}

TEST(openai_ends_without_usage_or_done)
{
    expect_body(TEXT("a") FINISH("stop"), "text:a\nend:0\n");
    expect_body(TEXT("a") DONE, "text:a\nend:0\n");
    /* the last line's end and the empty line missing */
    expect_body("data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}",
        "text:a\nend:0\n");
}

/* Some servers of GLM and Kimi models end an event with one line end (rexxars/eventsource-parser 31). */
TEST(openai_reads_events_without_an_empty_line_between_them)
{
    static const char text[] =
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\ndata: "
        "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\ndata: [DONE]\n";
    expect_body(text, "text:ab\nend:0\n");
    expect_body(TEXT("x") "data: {\"choices\":[{\"delta\":{\"content\":\ndata: \"y\"}}]}\n\n" FINISH("stop")
                    DONE,
        "text:xy\nend:0\n");
}

TEST(openai_ends_when_the_server_keeps_the_connection_open)
{
    int64_t start = clock_mono_ms();
    expect(&(struct fake_reply){.text = FAKE_OK("text/event-stream") TEXT("a") FINISH("stop") DONE,
               .after = FAKE_HANG},
        "text:a\nend:0\n");
    expect(&(struct fake_reply){.text = FAKE_OK("text/event-stream") TEXT("a") FINISH("stop"),
               .after = FAKE_HANG},
        "text:a\nend:0\n");
    assert_true(clock_mono_ms() - start < LLM_RUN_LIMIT_MS);
}

/* Longer than the wait after a finish reason that comes alone. */
#define SILENCE_MS 1500

TEST(openai_waits_for_more_when_every_event_has_a_finish_reason)
{
#define STOPPED(delta) "data: {\"choices\":[{\"delta\":" delta ",\"finish_reason\":\"stop\"}]}\n\n"
    static const struct {
        const char *body, *events;
    } cases[] = {{STOPPED("{\"content\":\"a\"}"), "text:a\nend:0\n"},
        {FINISH("stop") TEXT("a") TEXT("b"), "text:ab\nend:0\n"},
        {STOPPED("{\"reasoning\":\"r\"}") FINISH("stop") TEXT("a"), "reasoning:r\ntext:a\nend:0\n"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        struct fake_reply reply = {
            .text = arena_printf(a, FAKE_OK("text/event-stream") "%s", cases[i].body), .after = FAKE_HANG};
        struct llm_run run = {.kind = "openai", .limits = {2000, SILENCE_MS, 0, 1 << 20, 0}};
        int64_t start = clock_mono_ms();
        llm_run(&run, &reply, 1);
        assert_string_equal(run.events.s, cases[i].events);
        assert_true(clock_mono_ms() - start >= SILENCE_MS);
        llm_run_release(&run);
    }
    expect_body(STOPPED("{\"content\":\"a\"}") STOPPED("{\"content\":\"b\"}") DONE, "text:ab\nend:0\n");
}

/* KoboldCpp until March 2025 (PowerShell/AIShell 350). */
TEST(openai_does_not_end_at_a_finish_reason_that_is_the_word_null)
{
    struct fake_reply reply = {.text = FAKE_OK("text/event-stream") FINISH("null"), .after = FAKE_HANG};
    struct llm_run run = {.kind = "openai", .limits = {2000, SILENCE_MS, 0, 1 << 20, 0}};
    llm_run(&run, &reply, 1);
    assert_int_equal(run.err.rc, RC_TIMEOUT);
    llm_run_release(&run);
    expect_body(FINISH("null") TEXT("a") FINISH("stop") DONE, "text:a\nend:0\n");
}

TEST(openai_ends_well_when_the_connection_breaks_after_the_finish)
{
    expect(&(struct fake_reply){.text = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" TEXT("a")
                                    FINISH("stop")},
        "text:a\nend:0\n");
}

TEST(openai_takes_an_answer_that_is_not_streamed)
{
    static const char body[] = "\n{\"id\":\"x\",\"choices\":[{\"message\":{\"role\":\"assistant\","
                               "\"content\":\"Hello\",\"tool_calls\":["
                               "{\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}},"
                               "{\"id\":\"\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}}]},\"finish_"
                               "reason\":\"tool_calls\"}],"
                               "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}";
    expect_body(body, "text:Hello\ncall:c1:f:{}\ncall:call_2:g:{}\nusage:3:4\nend:1\n");
    expect(&(struct fake_reply){.text = body, .chunked = 1},
        "text:Hello\ncall:c1:f:{}\ncall:call_2:g:{}\nusage:3:4\nend:1\n");
}

TEST(openai_mends_text_that_is_cut_or_broken)
{
    /* A character's bytes in two events, a surrogate pair in two events, a stray byte, a lone surrogate, NUL.
     */
    expect_body(TEXT("a\xE2\x82") TEXT("\xAC.") FINISH("stop") DONE, "text:a\xE2\x82\xAC.\nend:0\n");
    expect_body(TEXT("a\\ud83d") TEXT("\\ude00.") FINISH("stop") DONE, "text:a\xF0\x9F\x98\x80.\nend:0\n");
    expect_body(TEXT("a\xFF.") FINISH("stop") DONE, "text:a\xEF\xBF\xBD.\nend:0\n");
    expect_body(TEXT("a\\ude00.") FINISH("stop") DONE, "text:a\xEF\xBF\xBD.\nend:0\n");
    expect_body(TEXT("a\\u0000.") FINISH("stop") DONE, "text:a\xEF\xBF\xBD.\nend:0\n");
    expect_body(TEXT("a\xE2\x82") FINISH("stop") DONE, "text:a\xEF\xBF\xBD\nend:0\n");
}

TEST(openai_writes_the_request_as_the_api_wants_it)
{
    static const struct llm_tool_call call = {"c1", "current_time", "{\"zone\":\"UTC\"}"};
    static const struct llm_message messages[] = {{.role = LLM_SYSTEM, .text = {"Be \"kind\".", 10}},
        {.role = LLM_USER, .text = {"time?", 5}},
        {.role = LLM_ASSISTANT, .text = {"", 0}, .calls = &call, .calls_n = 1},
        {.role = LLM_TOOL, .text = {"noon", 4}, .call_id = "c1"}};
    static const struct llm_tool tool = {"current_time", "The time", "{\"type\":\"object\"}"};
    static const struct llm_request request = {.model = "m/1",
        .messages = messages,
        .messages_n = 4,
        .tools = &tool,
        .tools_n = 1,
        .max_tokens = 77};
    static const struct fake_reply reply = {.text = TEXT("noon") FINISH("stop") DONE, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "openai", .key = "sk-secret", .request = &request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, "POST /chat/completions HTTP/1.1\r\n"));
    assert_non_null(strstr(run.requests.s, "\r\nAuthorization: Bearer sk-secret\r\n"));
    assert_non_null(strstr(run.requests.s, "\r\nContent-Type: application/json\r\n"));
    const char *body = strstr(run.requests.s, "\r\n\r\n");
    assert_non_null(body);
    assert_string_equal(body + 4,
        "{\"model\":\"m/1\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"current_time\",\"description\":\"The "
        "time\",\"parameters\":{\"type\":\"object\"}}}],\"messages\":["
        "{\"role\":\"system\",\"content\":\"Be \\\"kind\\\".\"},{\"role\":\"user\",\"content\":\"time?\"},"
        "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
        "\"function\":"
        "{\"name\":\"current_time\",\"arguments\":\"{\\\"zone\\\":\\\"UTC\\\"}\"}}]},"
        "{\"role\":\"tool\",\"content\":\"noon\",\"tool_call_id\":\"c1\"}],"
        "\"max_tokens\":77}");
    llm_run_release(&run);
}

/* The body of a request with these parameters, from its messages on. */
static void expect_params(struct llm_request request, const char *wanted)
{
    static const struct llm_message asked = {.role = LLM_USER, .text = {"hi", 2}};
    static const struct fake_reply reply = {.text = TEXT("a") FINISH("stop") DONE, .chunked = SIZE_MAX};
    request.messages = &asked;
    request.messages_n = 1;
    request.model = request.model ? request.model : "m";
    struct llm_run run = {.kind = "openai", .request = &request};
    llm_run(&run, &reply, 1);
    const char *body = strstr(run.requests.s, "\"content\":\"hi\"}]");
    assert_non_null(body);
    assert_string_equal(body + strlen("\"content\":\"hi\"}]"), wanted);
    llm_run_release(&run);
}

TEST(openai_writes_what_programs_ask_for)
{
    static const char *const stops[] = {"\n", "Observation:"};
    struct llm_request r = {.params = {.must_call = true}};
    expect_params(r, ",\"tool_choice\":\"required\"}");
    r.params.named_tool = "look";
    expect_params(r, ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"look\"}}}");
    r.params = (struct llm_params){.stops = stops, .stops_n = 2, .sets_top_p = true, .top_p = 5};
    expect_params(r, ",\"top_p\":0.005,\"stop\":[\"\\n\",\"Observation:\"]}");
    r.params = (struct llm_params){.format = LLM_FORMAT_JSON};
    expect_params(r, ",\"response_format\":{\"type\":\"json_object\"}}");
    r.params = (struct llm_params){
        .format = LLM_FORMAT_SCHEMA, .format_name = "city", .format_schema = "{\"type\":\"object\"}"};
    expect_params(r, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"city\","
                     "\"schema\":{\"type\":\"object\"}}}}");
    r.params.format_description = "A city";
    r.params.format_strict = "true";
    expect_params(r, ",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"city\","
                     "\"description\":\"A city\",\"strict\":true,\"schema\":{\"type\":\"object\"}}}}");
}

TEST(openai_writes_the_nearest_effort_of_the_model)
{
    expect_params((struct llm_request){.effort = "minimal"}, ",\"reasoning_effort\":\"low\"}");
    expect_params(
        (struct llm_request){.model = "gpt-5.2", .effort = "xhigh"}, ",\"reasoning_effort\":\"xhigh\"}");
}

TEST(openai_sends_no_key_header_without_a_key)
{
    static const struct fake_reply reply = {.text = TEXT("a") FINISH("stop") DONE, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, &reply, 1);
    assert_null(strcasestr(run.requests.s, "Authorization"));
    llm_run_release(&run);
}

/* ---- reasoning ---- */

TEST(openai_takes_think_at_the_start_of_a_text_as_reasoning)
{
    expect_body(TEXT("<think>hm, so</think>\\n\\nHello") FINISH("stop") DONE,
        "reasoning:hm, so\ntext:Hello\nend:0\n");
    expect_body(TEXT("\\n<thi") TEXT("nk>a </th") TEXT("ink") TEXT(">b") FINISH("stop") DONE,
        "reasoning:a \ntext:b\nend:0\n");
    expect_body(TEXT("a </th") TEXT("ink> <think>b</think>") FINISH("stop") DONE,
        "text:a </think> <think>b</think>\nend:0\n");
    expect_body(TEXT("<think it over>") FINISH("stop") DONE, "text:<think it over>\nend:0\n");
    expect_body(TEXT("<th") FINISH("stop") DONE, "text:<th\nend:0\n");
    expect_body(
        TEXT("<think>without an end</th") FINISH("length") DONE, "reasoning:without an end</th\nend:2\n");
    /* Magistral (llama.cpp 16158, Roo-Code 8522), Seed-OSS, others (tinyhumansai/openhuman 6184), Kimi at
     * Bedrock (Chevey339/kelivo 450), Qwen (Siddhesh2377/ToolNeuron 78), Gemma 4 (lmstudio-bug-tracker 2013)
     */
    static const char *const tags[][2] = {{"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"},
        {"<thinking>", "</thinking>"}, {"<thought>", "</thought>"}, {"<reasoning>", "</reasoning>"},
        {"<|channel>thought", "<channel|>"}};
    for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
        AUTO(arena) a = arena_new();
        expect_body(arena_printf(a, TEXT("%sa </think> ") TEXT("%.5s") TEXT("%s b") FINISH("stop") DONE,
                        tags[i][0], tags[i][1], tags[i][1] + 5),
            "reasoning:a </think> \ntext:b\nend:0\n");
    }
    expect_body(TEXT("[TH") TEXT("EY] do") FINISH("stop") DONE, "text:[THEY] do\nend:0\n");
}

/* Qwen 3 without thinking (a-ghorbani/pocketpal-ai 299); reasoning that is switched off (guoqingbao/xinfer
 * 384).
 */
TEST(openai_shows_no_reasoning_that_is_blank)
{
    expect_body(TEXT("<think>\\n\\n</think>\\n\\nHello") FINISH("stop") DONE, "text:Hello\nend:0\n");
    expect_body(DELTA("{\"reasoning_content\":\"\\n\"}") DELTA("{\"reasoning_content\":\" \\n\"}") TEXT("a")
                    FINISH("stop") DONE,
        "text:a\nend:0\n");
    expect_body(TEXT("<think>\\n") TEXT("\\nr\\n") TEXT("\\ns</think>a") FINISH("stop") DONE,
        "reasoning:r\n\ns\ntext:a\nend:0\n");
}

#define CALL_F                                                                                        \
    DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"" \
          "{}\"}}]}")

TEST(openai_keeps_blocks_that_a_server_wants_back)
{
    expect_body(DELTA("{\"reasoning_content\":\"R1\"}") DELTA("{\"reasoning_content\":\"R2\"}")
                    CALL_F FINISH("tool_calls") DONE,
        "reasoning:R1R2\ncall:c1:f:{}\nopaque:{\"reasoning_content\":\"R1R2\"}\nend:1\n");
    expect_body(DELTA("{\"reasoning_content\":\"R1\"}") TEXT("a") FINISH("stop") DONE,
        "reasoning:R1\ntext:a\nend:0\n"); /* without calls it is not needed */
    expect_body(
        DELTA("{\"reasoning\":\"R\",\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,\"text\":"
              "\"R\"}]}") DELTA("{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,\"text\":"
                                "\"S\",\"signature\":\"x\"},{\"type\":\"reasoning.encrypted\",\"index\":1,"
                                "\"data\":\"d\"}]}") TEXT("a") FINISH("stop") DONE,
        "reasoning:R\ntext:a\nopaque:{\"reasoning_details\":[{\"type\":\"reasoning.text\",\"index\":0,"
        "\"text\":\"RS\",\"signature\":\"x\"},{\"type\":\"reasoning.encrypted\",\"index\":1,\"data\":\"d\"}]}"
        "\nend:0\n");
    /* Claude behind LiteLLM */
#define BLOCK(words, more) "{\"type\":\"thinking\",\"thinking\":\"" words "\"" more "}"
#define BLOCKS(list)       DELTA("{\"thinking_blocks\":[" list "]}")
    expect_body(BLOCKS(BLOCK("A", "")) BLOCKS(BLOCK("B", ",\"signature\":null"))
                    BLOCKS(BLOCK("", ",\"signature\":\"x\"")) BLOCKS(BLOCK("C", ",\"signature\":\"y\""))
                        BLOCKS("{\"type\":\"redacted_thinking\",\"data\":\"d\"}") CALL_F FINISH("tool_calls")
                            DONE,
        "call:c1:f:{}\nopaque:{\"thinking_blocks\":[" BLOCK("AB", ",\"signature\":\"x\"") "," BLOCK(
            "C", ",\"signature\":\"y\"") ",{\"type\":\"redacted_thinking\",\"data\":\"d\"}]}\nend:1\n");
    expect_body(BLOCKS(BLOCK("A", "")) CALL_F FINISH("tool_calls") DONE, "call:c1:f:{}\nend:1\n");
    expect_body(BLOCKS(BLOCK("A", ",\"signature\":\"x\"")) TEXT("a") FINISH("stop") DONE, "text:a\nend:0\n");
    expect_body(DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"extra_content\":{\"google\":{"
                      "\"thought_signature\":\"s\"}},\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}")
                    FINISH("tool_calls") DONE,
        "call:c1:f:{}\nopaque:{\"extra_content\":{\"c1\":{\"google\":{\"thought_signature\":\"s\"}}}}\nend:"
        "1\n");
}

static void expect_sent(const char *opaque, const char *assistant)
{
    static const struct llm_tool_call calls[] = {{"c1", "f", "{}"}};
    struct llm_message messages[] = {{.role = LLM_USER, .text = {"one", 3}},
        {.role = LLM_ASSISTANT, .text = {"", 0}, .calls = calls, .calls_n = 1, .opaque = str_of(opaque)},
        {.role = LLM_TOOL, .text = {"r", 1}, .call_id = "c1"}};
    struct llm_request request = {.model = "m", .messages = messages, .messages_n = 3};
    static const struct fake_reply reply = {.text = TEXT("a") FINISH("stop") DONE, .chunked = SIZE_MAX};
    struct llm_run run = {.kind = "openai", .request = &request};
    llm_run(&run, &reply, 1);
    assert_non_null(strstr(run.requests.s, assistant));
    llm_run_release(&run);
}

TEST(openai_sends_it_back_where_it_came_from)
{
    expect_sent(
        "{\"reasoning_content\":\"R\"}", "\"content\":null,\"reasoning_content\":\"R\",\"tool_calls\"");
    expect_sent("{\"thinking_blocks\":[{\"a\":1}]}", "\"thinking_blocks\":[{\"a\":1}],\"tool_calls\"");
    expect_sent("{\"reasoning_details\":[{\"a\":1}]}", "\"reasoning_details\":[{\"a\":1}],\"tool_calls\"");
    expect_sent(
        "{\"extra_content\":{\"c1\":{\"g\":1}}}", "\"arguments\":\"{}\"},\"extra_content\":{\"g\":1}}]");
}

/* Each model gets the roles in this order; the second call has no result. */
static void expect_order(const char *model, const char *roles)
{
    static const struct llm_tool_call calls[] = {{"c1", "f", "{}"}, {"c2", "f", "{}"}, {"c3", "f", "{}"}};
    static const struct llm_message messages[] = {{.role = LLM_USER, .text = {"hi", 2}},
        {.role = LLM_ASSISTANT, .text = {"so", 2}, .calls = calls, .calls_n = 3},
        {.role = LLM_TOOL, .text = {"1", 1}, .call_id = "c1"},
        {.role = LLM_TOOL, .text = {"3", 1}, .call_id = "c3"},
        {.role = LLM_ASSISTANT, .text = {"ok", 2}, .calls = calls, .calls_n = 1},
        {.role = LLM_TOOL, .text = {"4", 1}, .call_id = "c1"}};
    const struct llm_request request = {
        .model = model, .messages = messages, .messages_n = ARRAY_LEN(messages)};
    struct llm_run run = {.kind = "openai", .request = &request};
    llm_run(&run, &(struct fake_reply){.text = TEXT("ok") FINISH("stop") DONE, .chunked = SIZE_MAX}, 1);
    char got[64] = "";
    size_t n = 0;
    for (const char *at = run.requests.s; (at = strstr(at, "\"role\":\"")) && n < sizeof got - 1;)
        got[n++] = *(at += strlen("\"role\":\""));
    assert_string_equal(got, roles);
    llm_run_release(&run);
}

TEST(openai_gives_llama_3_one_call_in_each_message)
{
    expect_order("acme", "uattat");
    expect_order("meta-llama/Llama-3.3-70B-Instruct", "uataatat");
    expect_order("llama3.1:8b", "uataatat");
}

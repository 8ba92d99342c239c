/* Every failure of a provider, and its sentence for the user. */
#include "failure_run.h"

TEST(llm_explains_each_status)
{
    fails_at_once(ANSWER("400 Bad", "", "{\"error\":{\"message\":\"  bad\\n\\u202etemp\\u0000 \"}}"),
        "error:bad_input:Acme does not accept the request (400). It said: bad  temp\xEF\xBF\xBD\n");
    fails_at_once(ANSWER("422 No", "", ""), "error:bad_input:Acme does not accept the request (422).\n");
    fails_at_once(ANSWER("401 No", "", "{\"error\":{\"message\":\"Incorrect key: sk-very-secret\"}}"),
        "error:forbidden:Acme does not accept the key. Is it complete, and still valid?\n");
    fails_at_once(ANSWER("403 No", "", "<html>"),
        "error:forbidden:Acme does not let this key use the model test-model (403).\n");
    fails_at_once(
        ANSWER("402 Pay", "", ""), "error:forbidden:The account at Acme has no credit left (402).\n");
    fails_at_once(ANSWER("404 No", "", "{\"error\":\"model 'x' not found, try pulling it first\"}"),
        "error:bad_input:Acme does not know the model test-model, or the address is wrong (404). "
        "It said: model 'x' not found, try pulling it first\n");
    fails_at_once(ANSWER("413 Big", "", "{\"error\":{\"message\":\"Request too large\"}}"),
        "error:too_big:This conversation is longer than the model test-model can read (413).\n");
    fails_at_once(ANSWER("413 Big", "", "<html>nginx</html>"),
        "error:too_big:Acme, or a proxy in front of it, does not accept a request of this size (413).\n");
    fails_at_once(
        ANSWER("400 Bad", "", "{\"error\":{\"message\":\"long\",\"code\":\"context_length_exceeded\"}}"),
        "error:too_big:This conversation is longer than the model test-model can read (400).\n");
    fails_at_once(
        ANSWER("400 Bad", "", "{\"type\":\"error\",\"error\":{\"message\":\"Prompt is too long: 3\"}}"),
        "error:too_big:This conversation is longer than the model test-model can read (400).\n");
    fails_at_once(ANSWER("302 Away", "Location: https://example.org/\r\n", ""),
        "error:upstream:Acme redirects to another address (302). Is its base_url right?\n");
    fails_at_once(ANSWER("429 Slow", "", "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"x\"}}"),
        "error:forbidden:The account at Acme has no credit left (429). It said: x\n");
}

TEST(llm_knows_the_sentences_for_a_conversation_that_is_too_long)
{
    static const char *const bodies[] = {
        "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"input length and "
        "`max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` "
        "and try again\"}}",
        "{\"error\":{\"message\":\"Invalid request: Your request exceeded model token limit: 262144 "
        "(requested: 270001)\",\"type\":\"invalid_request_error\"}}",
        "{\"code\":\"Client specified an invalid argument\",\"error\":\"This model's maximum prompt length "
        "is 131072 but the request contains 140000 tokens.\"}",
        "{\"error\":{\"code\":\"1261\",\"message\":\"Prompt exceeds max length\"}}",
        "{\"error\":\"Cannot truncate prompt with n_keep (14169) >= n_ctx (4096)\"}"};
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        AUTO(arena) a = arena_new();
        struct llm_run run = {.kind = "openai"};
        llm_run(
            &run, &(struct fake_reply){.text = arena_printf(a, ANSWER("400 Bad", "", "%s"), bodies[i])}, 1);
        assert_int_equal(run.problem, LLM_PROBLEM_TOO_LONG);
        llm_run_release(&run);
    }
}

TEST(llm_reads_the_list_form_of_gemini)
{
    fails_at_once(ANSWER("400 Bad", "",
                      "[{\"error\":{\"code\":400,\"message\":\"Bad tools.\",\"status\":"
                      "\"INVALID_ARGUMENT\"}}]"),
        "error:bad_input:Acme does not accept the request (400). It said: Bad tools.\n");
}

#define ROUTED(raw) \
    "{\"error\":{\"message\":\"Provider returned error\",\"code\":400,\"metadata\":{\"raw\":" raw "}}}"
#define ROUTED_ERROR(words) ROUTED("\"{\\\"error\\\":{\\\"message\\\":\\\"" words "\\\"}}\"")

TEST(llm_reads_the_error_of_the_server_behind_openrouter)
{
    static const struct {
        const char *body;
        enum llm_problem problem;
        const char *said;
    } cases[] = {
        {ROUTED_ERROR("prompt is too long: 30010 tokens > 20000 maximum"), LLM_PROBLEM_TOO_LONG, "longer"},
        {ROUTED_ERROR("test-model does not support tools"), LLM_PROBLEM_NO_TOOLS, "support tools"},
        {ROUTED_ERROR("Unsupported value: 'temperature' does not support 0.7"), LLM_PROBLEM_NO_TEMPERATURE,
            "support 0.7"},
        {ROUTED_ERROR("Unsupported parameter: 'top_p' is not supported with this model."),
            LLM_PROBLEM_NO_TOP_P, "top_p"},
        {ROUTED_ERROR("`temperature` and `top_p` cannot both be specified"), LLM_PROBLEM_TEMPERATURE, "both"},
        {ROUTED_ERROR("output_config: Extra inputs are not permitted"), LLM_PROBLEM_NO_EFFORT, ""},
        {ROUTED_ERROR("output_config.format.schema: For 'object' type"), LLM_PROBLEM_OTHER, "schema"},
        {ROUTED_ERROR("This model does not support assistant message prefill."), LLM_PROBLEM_NO_PREFILL, ""},
        {ROUTED_ERROR("reasoning_effort is not supported"), LLM_PROBLEM_NO_EFFORT, "reasoning_effort"},
        {ROUTED("{\"error\":{\"message\":\"Input is too long\",\"code\":\"context_length_exceeded\"}}"),
            LLM_PROBLEM_TOO_LONG, "longer"},
        {ROUTED("\"[{\\\"error\\\":{\\\"message\\\":\\\"The image is broken\\\"}}]\""), LLM_PROBLEM_OTHER,
            "It said: The image is broken"},
        {ROUTED("\"The image is broken\""), LLM_PROBLEM_OTHER, "It said: The image is broken"},
        {ROUTED("\"{\\\"detail\\\":7}\""), LLM_PROBLEM_OTHER, "It said: {\"detail\":7}"},
        {ROUTED("\"\""), LLM_PROBLEM_OTHER, "It said: Provider returned error"},
        {ROUTED("7"), LLM_PROBLEM_OTHER, "It said: Provider returned error"},
        {ROUTED("null"), LLM_PROBLEM_OTHER, "It said: Provider returned error"},
    };
    for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
        const size_t k = i / 2;
        char answer[1024];
        const char *head = i % 2 ? FAKE_OK("text/event-stream") "data: " : ANSWER("400 Bad", "", "");
        snprintf(answer, sizeof answer, "%s%s\n\n", head, cases[k].body);
        struct llm_run run = {.kind = "openai"};
        llm_run(&run, &(struct fake_reply){.text = answer}, 1);
        assert_int_equal(run.problem, cases[k].problem);
        assert_non_null(strstr(run.err.text, cases[k].said));
        llm_run_release(&run);
    }
}

TEST(llm_never_shows_a_key_that_the_server_repeats)
{
    fails_at_once(ANSWER("400 Bad", "", "{\"error\":{\"message\":\"no such header sk-very-secret\"}}"),
        "error:bad_input:Acme does not accept the request (400).\n");
}

TEST(llm_cuts_a_long_message_of_the_server)
{
    AUTO_STRBUF answer;
    strbuf_init(&answer, 1 << 20);
    strbuf_adds(&answer, ANSWER("400 Bad", "", "{\"error\":{\"message\":\""));
    for (int i = 0; i < 5000; i++)
        strbuf_adds(&answer, "\xC3\xA4");
    strbuf_adds(&answer, "\"}}");
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, &(struct fake_reply){.text = answer.s}, 1);
    assert_int_equal(run.err.rc, RC_BAD_INPUT);
    size_t shown = 0;
    for (struct str rest = str_of(run.err.text); rest.len; shown++)
        utf8_next(&rest, NULL);
    assert_in_range(shown, 1000, 1100);
    assert_true(utf8_valid_text(str_of(run.err.text)));
    llm_run_release(&run);
}

TEST(llm_tries_three_times_before_it_gives_up)
{
    static const struct fake_reply busy[] = {{.text = ANSWER("503 Busy", "", "")},
        {.text = ANSWER("529 Busy", "", "")}, {.text = ANSWER("500 Oops", "", "{\"error\":\"boom\"}")},
        {.text = GOOD}};
    fails(busy, 4, "retry\nretry\nerror:unavailable:Acme had an internal error (500). It said: boom\n",
        LLM_TRIES);
}

TEST(llm_retries_after_temporary_failures)
{
    static const struct {
        const char *first;
        enum fake_after after;
    } table[] = {{ANSWER("429 Slow", "", ""), FAKE_CLOSE}, {ANSWER("500 Oops", "", ""), FAKE_CLOSE},
        {ANSWER("502 Bad", "", "<html>"), FAKE_CLOSE},
        {ANSWER("524 Late", "", "error code: 524"), FAKE_CLOSE}, {ANSWER("498 Full", "", ""), FAKE_CLOSE},
        {ANSWER("499 Cancelled", "", ""), FAKE_CLOSE}, {"", FAKE_RESET},
        {"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n: hello\n\n", FAKE_CLOSE},
        {FAKE_OK(
             "text/event-stream") "data: {\"error\":{\"type\":\"overloaded_error\",\"message\":\"x\"}}\n\n",
            FAKE_CLOSE},
        {FAKE_OK("text/event-stream") "data: {\"error\":{\"code\":502,\"message\":\"x\"}}\n\n", FAKE_CLOSE}};
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct fake_reply script[] = {{.text = table[i].first, .after = table[i].after}, {.text = GOOD}};
        fails(script, 2, "retry\ntext:ok\nend:0\n", 2);
    }
}

TEST(llm_respects_retry_after)
{
    static const struct fake_reply script[] = {
        {.text = ANSWER("429 Slow", "Retry-After: 1\r\n", "")}, {.text = GOOD}};
    struct llm_run run = {.kind = "openai"};
    int64_t start = clock_mono_ms();
    llm_run(&run, script, 2);
    assert_string_equal(run.events.s, "retry\ntext:ok\nend:0\n");
    assert_true(run.waited_ms >= 1000);
    assert_true(clock_mono_ms() - start >= 1000);
    llm_run_release(&run);
}

#define GEMINI_BUSY(delay)                                                                     \
    ANSWER("429 Slow", "",                                                                     \
        "[{\"error\":{\"code\":429,\"message\":\"Quota "                                       \
        "exceeded\",\"status\":\"RESOURCE_EXHAUSTED\",\"details\":[{"                          \
        "\"@type\":\"type.googleapis.com/google.rpc.Help\"},{\"@type\":\"type.googleapis.com/" \
        "google.rpc.RetryInfo\","                                                              \
        "\"retryDelay\":\"" delay "\"}]}}]")

TEST(llm_respects_the_delay_in_the_body_of_gemini)
{
    static const struct fake_reply script[] = {{.text = GEMINI_BUSY("0.9s")}, {.text = GOOD}};
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, script, 2);
    assert_string_equal(run.events.s, "retry\ntext:ok\nend:0\n");
    assert_true(run.waited_ms >= 1000);
    llm_run_release(&run);

    static const struct fake_reply far[] = {{.text = GEMINI_BUSY("65.4s")}, {.text = GOOD}};
    struct err e =
        fails(far, 2, "error:rate_limited:Acme received too many requests (429). It asks to wait 66 s.\n", 1);
    assert_int_equal(e.retry_after_s, 66);
    static const char *const odd[] = {
        GEMINI_BUSY("soon"), GEMINI_BUSY(""), GEMINI_BUSY("-3s"), GEMINI_BUSY("1e9s")};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++)
        fails((const struct fake_reply[]){{.text = odd[i]}, {.text = GOOD}}, 2, "retry\ntext:ok\nend:0\n", 2);
}

#define GEMINI_QUOTA(more, details)                                                                   \
    ANSWER("429 Slow", "",                                                                            \
        "[{\"error\":{\"code\":429,\"message\":\"You exceeded your current quota, please check your " \
        "plan and billing details." more "\",\"status\":\"RESOURCE_EXHAUSTED\"" details "}}]")

TEST(llm_tells_a_quota_of_gemini_from_an_empty_account)
{
    static const struct fake_reply minute[] = {
        {.text = GEMINI_QUOTA("",
             ",\"details\":[{\"violations\":[{\"quotaId\":\"GenerateRequestsPerMinutePerProjectPerModel-"
             "FreeTier\"}]},{\"@type\":\"google.rpc.RetryInfo\",\"retryDelay\":\"0.1s\"}]")},
        {.text = GOOD}};
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, minute, 2);
    assert_string_equal(run.events.s, "retry\ntext:ok\nend:0\n");
    assert_true(run.waited_ms >= 1000);
    llm_run_release(&run);

    static const struct fake_reply day[] = {
        {.text = GEMINI_QUOTA("", ",\"details\":[{\"retryDelay\":\"86400s\"}]")}, {.text = GOOD}};
    fails(day, 2, "error:rate_limited:Acme received too many requests (429). It asks to wait 24 hours.\n", 1);
    fails_at_once(
        GEMINI_QUOTA(" limit: 20, model: m",
            ",\"details\":[{\"violations\":[{\"quotaId\":\"GenerateRequestsPerDayPerProjectPerModel-"
            "FreeTier\",\"quotaValue\":\"20\"}]},{\"retryDelay\":\"36s\"}]"),
        "error:rate_limited:Acme answers no more questions with the model test-model today: the limit of the "
        "day is used up (429). It said: You exceeded your current quota, please check your plan and billing "
        "details. limit: 20, model: m\n");
    static const struct fake_reply untold[] = {
        {.text = GEMINI_QUOTA(" limit: 10, model: m", "")}, {.text = GOOD}};
    fails(untold, 2, "retry\ntext:ok\nend:0\n", 2);
    fails_at_once(
        GEMINI_QUOTA(" * Quota exceeded, limit: 0, model: m", ",\"details\":[{\"retryDelay\":\"2s\"}]"),
        "error:forbidden:The account at Acme has no credit left (429). It said: You exceeded your current "
        "quota, please check your plan and billing details. * Quota exceeded, limit: 0, model: m\n");
    fails_at_once(ANSWER("429 Slow", "",
                      "{\"error\":{\"message\":\"You exceeded your current quota, please check your plan and "
                      "billing details.\",\"type\":\"insufficient_quota\",\"code\":\"insufficient_quota\"}}"),
        "error:forbidden:The account at Acme has no credit left (429). It said: You exceeded your current "
        "quota, please check your plan and billing details.\n");
}

TEST(llm_knows_geminis_refusals)
{
    fails_at_once(
        ANSWER("400 Bad", "",
            "[{\"error\":{\"code\":400,\"message\":\"API key not valid. Please pass a valid API key.\","
            "\"status\":\"INVALID_ARGUMENT\"}}]"),
        "error:forbidden:Acme does not accept the key. Is it complete, and still valid?\n");
    fails_at_once(
        ANSWER("400 Bad", "",
            "[{\"error\":{\"code\":400,\"message\":\"The input token count (1200000) exceeds the maximum "
            "number of tokens allowed (1048576).\",\"status\":\"INVALID_ARGUMENT\"}}]"),
        "error:too_big:This conversation is longer than the model test-model can read (400).\n");
}

/* Providers limit requests per minute, so they ask for up to a minute. */
TEST(llm_waits_for_a_minute)
{
    static const struct fake_reply script[] = {{.text = ANSWER("429 Slow", "Retry-After: 60\r\n", "")}};
    struct llm_run run = {.kind = "openai", .free_at = 1};
    llm_run(&run, script, 1);
    assert_string_equal(run.events.s, "retry\n");
    assert_in_range(run.waited_ms, 60000, 61000);
    llm_run_release(&run);
}

TEST(llm_does_not_wait_for_a_retry_after_that_is_too_far)
{
    static const struct fake_reply script[] = {
        {.text = ANSWER("429 Slow", "Retry-After: 61\r\n", "")}, {.text = GOOD}};
    struct err e = fails(
        script, 2, "error:rate_limited:Acme received too many requests (429). It asks to wait 61 s.\n", 1);
    assert_int_equal(e.retry_after_s, 61);
}

TEST(llm_never_tries_again_after_the_first_event)
{
    static const struct fake_reply broken[] = {
        {.text = "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" TEXT("half")}, {.text = GOOD}};
    static const struct fake_reply error[] = {
        {.text = FAKE_OK("text/event-stream")
                TEXT("half") "data: {\"error\":{\"type\":\"rate_limit_error\"}}\n\n"},
        {.text = GOOD}};
    struct err e = ERR_INIT;
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, broken, 2);
    assert_int_equal(run.tries, 1);
    assert_int_equal(run.err.rc, RC_UPSTREAM);
    assert_non_null(strstr(run.err.text, "broke off in the middle of its answer"));
    assert_int_equal(strncmp(run.events.s, "text:half\nerror:upstream:", 25), 0);
    llm_run_release(&run);
    e = fails(
        error, 2, "text:half\nerror:rate_limited:Acme received too many requests (429). Wait a little.\n", 1);
    assert_int_equal(e.rc, RC_RATE_LIMITED);
}

TEST(llm_says_when_nothing_listens)
{
    struct llm_run run = {.kind = "openai"};
    assert_int_equal(llm_run_at(&run, "http://127.0.0.1:1"), RC_OK);
    assert_string_equal(run.events.s, "retry\nretry\nerror:unavailable:Could not connect to Acme.\n");
    llm_run_release(&run);
}

TEST(llm_says_when_the_address_is_refused)
{
    struct llm_run run = {.kind = "openai"};
    assert_int_equal(llm_run_at(&run, "https://10.0.0.1"), RC_OK);
    assert_string_equal(run.events.s, "error:forbidden:Acme (10.0.0.1:443) has a private address. If it is "
                                      "yours, add it to [net] allow in alfred.toml.\n");
    llm_run_release(&run);

    run = (struct llm_run){.kind = "openai"};
    assert_int_equal(llm_run_at(&run, "http://example.org"), RC_BAD_INPUT);
    assert_string_equal(run.events.s, "");
    assert_true(run.err.for_user);
    llm_run_release(&run);
}

TEST(llm_says_when_the_conversation_is_too_long_to_send)
{
    static const size_t bytes = (size_t)33 << 20; /* more than LLM_BODY_MAX */
    AUTO_STRBUF text;
    strbuf_init(&text, bytes);
    memset(strbuf_reserve(&text, bytes), 'x', bytes);
    strbuf_grown(&text, bytes);
    struct llm_message m = {.role = LLM_USER, .text = strbuf_str(&text)};
    struct llm_request r = {.model = "m", .messages = &m, .messages_n = 1};
    struct llm_run run = {.kind = "openai", .request = &r};
    assert_int_equal(llm_run_at(&run, "http://127.0.0.1:1"), RC_TOO_BIG);
    llm_run_release(&run);
}

TEST(llm_freed_inside_an_event_closes_the_connection_and_says_nothing_more)
{
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("text/event-stream") THOUGHT("one") TEXT("two"), .after = FAKE_HANG}};
    struct llm_run run = {.kind = "openai", .free_at = 1};
    llm_run(&run, script, 1);
    assert_string_equal(run.events.s, "reasoning:one\n");
    assert_true(run.client_left);
    llm_run_release(&run);
}

TEST(llm_freed_inside_any_event_is_safe)
{
    static const struct fake_reply script[] = {{.text = ANSWER("503 Busy", "", "")},
        {.text = FAKE_OK("text/event-stream")
                TEXT("one") "data: "
                            "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\","
                            "\"function\":{\"name\":\"f\"}}]},"
                            "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":1}}\n\n" DONE}};
    static const char *const events[] = {"retry\n", "retry\ntext:one\n", "retry\ntext:one\ncall:c:f:{}\n",
        "retry\ntext:one\ncall:c:f:{}\nusage:1:0\n", "retry\ntext:one\ncall:c:f:{}\nusage:1:0\nend:1\n"};
    for (size_t i = 0; i < ARRAY_LEN(events); i++) {
        struct llm_run run = {.kind = "openai", .free_at = i + 1};
        llm_run(&run, script, 2);
        assert_string_equal(run.events.s, events[i]);
        llm_run_release(&run);
    }
}

TEST(llm_refuses_an_unknown_kind_and_a_missing_url)
{
    struct llm_provider *p = NULL;
    struct llm_settings s = {.name = "x"};
    assert_int_equal(llm_provider_new("telepathy", &s, NULL, NULL, &p, NULL), RC_BAD_INPUT);
    assert_int_equal(llm_provider_new("openai", &s, NULL, NULL, &p, NULL), RC_BAD_INPUT);
    assert_null(p);
}

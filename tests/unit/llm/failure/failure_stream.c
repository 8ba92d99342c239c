/* Failures of an answer that has begun: errors in the stream, other texts in place of it, and missing ends.
 */
#include "failure_run.h"

/* Gemini (vercel/ai 5217), and gateways that have begun the stream with comments. */
TEST(llm_reads_an_error_that_is_no_event_of_the_stream)
{
#define OVERLOADED                                                                                \
    "{\n  \"error\": {\n    \"code\": 503,\n    \"message\": \"The model is overloaded.\",\n    " \
    "\"status\": "                                                                                \
    "\"UNAVAILABLE\"\n  }\n}\n"
    static const char *const first[] = {FAKE_OK("text/event-stream") ": PROCESSING\n\n" OVERLOADED,
        FAKE_OK("text/event-stream") "[" OVERLOADED "]",
        FAKE_OK("text/event-stream") "data: [{\"error\":{\"code\":503,\"message\":\"x\"}}]\n\n"};
    for (size_t i = 0; i < ARRAY_LEN(first); i++)
        fails(
            (const struct fake_reply[]){{.text = first[i]}, {.text = GOOD}}, 2, "retry\ntext:ok\nend:0\n", 2);
    fails_at_once(FAKE_OK("text/event-stream") TEXT("Okay") FINISH OVERLOADED,
        "text:Okay\nerror:unavailable:Acme is overloaded or temporarily down (503).\n");
}

#define SAID(status, words) "Acme had an internal error (" status "). It said: " words

/* mistral.rs (1874), Crane (121), an event by its name only, llama.cpp before the end of 2025. */
TEST(llm_reads_an_error_in_a_stream_in_each_form)
{
    static const struct {
        const char *body, *said;
    } cases[] = {{"data: The model stopped working.\n\n", SAID("500", "The model stopped working.")},
        {"data: error: no memory left\n\n" DONE, SAID("500", "error: no memory left")},
        {"event: error\ndata: {\"code\":\"Internal\",\"message\":\"No memory\"}\n\n",
            SAID("500", "No memory")},
        {"event: error\ndata: No memory left\n\n", SAID("500", "No memory left")},
        {"event: error\ndata: {\"error\":{\"code\":502,\"message\":\"No memory\"}}\n\n",
            SAID("502", "No memory")},
        {"error: {\"code\":500,\"message\":\"No memory\",\"type\":\"server_error\"}\n\n",
            SAID("500", "No memory")},
        {"data: "
         "{\"choices\":[{\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\",\"error\":{\"code\":502,"
         "\"message\":\"No memory\"}}]}\n\n" DONE,
            SAID("502", "No memory")}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        AUTO(arena) a = arena_new();
        fails_at_once(arena_printf(a, FAKE_OK("text/event-stream") TEXT("half") "%s", cases[i].body),
            arena_printf(a, "text:half\nerror:unavailable:%s\n", cases[i].said));
    }
}

/* Keep-alives of proxies (netease-lcap/wave-agent 1326, caozhiyuan/copilot-api 88, Kilo-Org/kilocode 3083).
 */
TEST(llm_passes_over_events_without_content)
{
    fails_at_once(FAKE_OK("text/event-stream") "data:\n\n" TEXT(
                      "a") "data: \n\ndata: null\n\nevent: ping\ndata: \n\n"
                           "event: tool.progress\ndata: half way\n\n" TEXT("b") FINISH DONE,
        "text:ab\nend:0\n");
}

/* Servers with axum or Go, load balancers (caozhiyuan/copilot-api 154), MiMo (Tencent/WeKnora 1302). */
TEST(llm_shows_the_words_of_a_refusal_that_is_no_json)
{
    fails_at_once(
        ANSWER("422 No", "", "Failed to deserialize the JSON body into the target type: tools[0]: odd"),
        "error:bad_input:Acme does not accept the request (422). It said: Failed to deserialize the JSON "
        "body "
        "into the target type: tools[0]: odd\n");
    fails_at_once(ANSWER("400 Bad", "", "data:{\"error\":{\"message\":\"The input is odd\"}}\n\n"),
        "error:bad_input:Acme does not accept the request (400). It said: The input is odd\n");
    fails_at_once(ANSWER("400 Bad", "", "event: error\ndata: {\"message\":\"The input is odd\"}\n\n"),
        "error:bad_input:Acme does not accept the request (400). It said: The input is odd\n");
    static const char *const none[] = {ANSWER("400 Bad", "", "<html>nginx</html>"),
        ANSWER("400 Bad", "", "\x1f\x8b\x08"), ANSWER("400 Bad", "", "{\"error\":"),
        ANSWER("400 Bad", "", " \n")};
    for (size_t i = 0; i < ARRAY_LEN(none); i++)
        fails_at_once(none[i], "error:bad_input:Acme does not accept the request (400).\n");
    fails_at_once(ANSWER("413 Big", "", "length limit exceeded"),
        "error:too_big:Acme, or a proxy in front of it, does not accept a request of this size (413).\n");
}

/* MiniMax, Z.ai at a wrong address, and gateways: status 200 and no choices. */
TEST(llm_shows_the_words_of_a_refusal_with_a_good_status)
{
    fails_at_once(FAKE_OK("application/json") "{\"choices\":null,\"base_resp\":{\"status_code\":1008,"
                                              "\"status_msg\":\"insufficient balance\"}}",
        "error:forbidden:The account at Acme has no credit left (500). It said: insufficient balance\n");
    static const char *const said[] = {"{\"code\":500,\"msg\":\"404 NOT_FOUND\",\"success\":false}",
        "{\"success\":false,\"errors\":[{\"code\":5,\"message\":\"404 NOT_FOUND\"}]}"};
    for (size_t i = 0; i < ARRAY_LEN(said); i++) {
        char answer[512];
        snprintf(answer, sizeof answer, FAKE_OK("application/json") "%s", said[i]);
        struct fake_reply r = {.text = answer};
        fails((const struct fake_reply[]){r, r, r}, 3,
            "retry\nretry\nerror:unavailable:Acme had an internal error (500). It said: 404 NOT_FOUND\n", 3);
    }
}

TEST(llm_says_that_an_answer_broke_off_when_it_ends_without_a_finish)
{
    fails_at_once(FAKE_OK("text/event-stream") TEXT("half"),
        "text:half\nerror:upstream:Acme broke off in the middle of its answer.\n");
}

TEST(llm_repeats_a_request_whose_answer_ends_in_a_failure_of_the_server)
{
    static const char *const ends[] = {"error", "abort", "insufficient_system_resource", "network_error"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        char end[128], empty[512], half[512];
        snprintf(
            end, sizeof end, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"%s\"}]}\n\n", ends[i]);
        snprintf(empty, sizeof empty, "%s%s%s", FAKE_OK("text/event-stream"), end, DONE);
        snprintf(half, sizeof half, "%s%s%s", FAKE_OK("text/event-stream") TEXT("half"), end, DONE);
        fails((const struct fake_reply[]){{.text = empty}, {.text = GOOD}}, 2, "retry\ntext:ok\nend:0\n", 2);
        fails((const struct fake_reply[]){{.text = half}, {.text = GOOD}}, 2,
            "text:half\nerror:upstream:Acme broke off in the middle of its answer.\n", 1);
    }
}

TEST(llm_refuses_garbage)
{
    static const char *const bodies[] = {"<html><body>Welcome to nginx</body></html>", "data: {broken\n\n",
        "data: [1,2]\n\n", "data: null\n\n", "{\"broken\":", "{\"choices\":[]}", "{}",
        "\x01\x02\x03\xFF\xFE\n\n", "data: \xFF\xFE\n\n"};
    for (size_t i = 0; i < ARRAY_LEN(bodies); i++) {
        char answer[256];
        snprintf(answer, sizeof answer, FAKE_OK("text/event-stream") "%s", bodies[i]);
        fails_at_once(answer, "error:upstream:The answer from Acme cannot be read. Is its base_url right?\n");
    }
}

/* Gemini sends one now and then; the same question is answered when it is asked again. */
TEST(llm_asks_again_after_an_empty_answer)
{
    static const char *const empty[] = {FAKE_OK("text/event-stream") DONE,
        FAKE_OK("text/event-stream") TEXT("") FINISH DONE,
        FAKE_OK("text/event-stream") THOUGHT("\\n") FINISH DONE,
        FAKE_OK("application/json") "{\"choices\":[{\"message\":{\"content\":\"\"}}]}"};
    for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
        struct fake_reply none = {.text = empty[i]};
        fails((const struct fake_reply[]){none, {.text = GOOD}}, 2, "retry\ntext:ok\nend:0\n", 2);
        fails((const struct fake_reply[]){none, none, none}, 3,
            "retry\nretry\nerror:upstream:Acme gave an empty answer.\n", 3);
    }
}

TEST(llm_refuses_an_answer_without_a_body)
{
    static const char empty[] = "error:upstream:Acme gave an empty answer.\n";
    fails_at_once(ANSWER("204 None", "", ""), empty);
    fails_at_once(FAKE_OK("text/event-stream"), empty);
}

TEST(llm_stops_a_line_that_never_ends)
{
    /* 10 MB in one line from a server that would continue: the client must close. */
    AUTO_STRBUF head;
    strbuf_init(&head, 1 << 20);
    for (int i = 0; i < 64 * 1024; i++)
        strbuf_addc(&head, 'x');
    static const char *const starts[] = {"data: ", "{\"choices\":\""};
    for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
        AUTO_STRBUF body;
        strbuf_init(&body, (size_t)16 << 20);
        strbuf_adds(&body, starts[i]);
        for (int k = 0; k < 160; k++)
            strbuf_addstr(&body, strbuf_str(&head));
        fails(&(struct fake_reply){.text = body.s, .chunked = 64 * 1024, .after = FAKE_HANG}, 1,
            "error:too_big:Acme sent more at once than can be read.\n", 1);
    }
}

TEST(llm_refuses_an_error_body_without_end_by_its_status)
{
    static const struct fake_reply script[] = {
        {.text = "HTTP/1.1 400 Bad\r\nContent-Length: 999999\r\n\r\n{\"error\":"}};
    fails(script, 1, "error:bad_input:Acme does not accept the request (400).\n", 1);
}

TEST(llm_gives_up_on_silence_in_the_middle)
{
    static const struct fake_reply script[] = {
        {.text = FAKE_OK("text/event-stream") TEXT("half"), .after = FAKE_HANG}};
    struct llm_run run = {.kind = "openai", .limits = {2000, 80, 0, 1 << 20, 0}};
    llm_run(&run, script, 1);
    assert_int_equal(run.err.rc, RC_TIMEOUT);
    assert_non_null(strstr(run.err.text, "silent"));
    assert_int_equal(run.tries, 1);
    assert_true(run.client_left);
    llm_run_release(&run);
}

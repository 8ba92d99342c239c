/* The web search of OpenRouter is known by its sources and its count in the usage only, that of Perplexity by
 * a list beside the choices. */
#include "unit.h"

#include "llm/openai_body.h"

#define CITES(list) DELTA("{\"content\":\"\",\"annotations\":[" list "]}")
#define SOURCE(url) "{\"type\":\"url_citation\",\"url_citation\":{\"url\":\"" url "\",\"title\":\"t\"}}"
#define SEARCHES(n) \
    "data: {\"choices\":[],\"usage\":{\"server_tool_use\":{\"web_search_requests\":" #n "}}}\n\n"
#define CALL                                                                                                 \
    DELTA("{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]" \
          "}")

static void expect_search(bool offered, const char *body, const char *events)
{
    const struct llm_message hi = {.role = LLM_USER, .text = STR("hi")};
    const struct llm_request r = {
        .model = "m", .messages = &hi, .messages_n = 1, .web_search = offered, .lists_results = true};
    struct llm_run run = {.kind = "openai", .request = &r};
    llm_run(&run, &(struct fake_reply){.text = body, .chunked = SIZE_MAX}, 1);
    assert_string_equal(run.events.s, events);
    assert_true(!strstr(run.requests.s, "openrouter:web_search") == !offered);
    llm_run_release(&run);
}

TEST(sources_that_the_text_lacks_become_links)
{
    expect_search(true,
        TEXT("See https://a.example/x") TEXT(".")
            CITES(SOURCE("https://a.example/x") "," SOURCE("https://b.example/"))
                CITES(SOURCE("https://b.example/")) FINISH("stop") SEARCHES(2) DONE,
        "text:See https://a.example/x.\nsearch:\ntext: ([b.example](<https://b.example/>))\nend:0\n");
}

TEST(a_search_is_told_before_the_calls_that_it_may_have_led_to)
{
    expect_search(
        true, TEXT("x") CALL FINISH("tool_calls") SEARCHES(1) DONE, "text:x\nsearch:\ncall:c1:f:{}\nend:1\n");
    expect_search(
        true, TEXT("x") CALL FINISH("tool_calls") SEARCHES(0) DONE, "text:x\ncall:c1:f:{}\nend:1\n");
}

TEST(without_the_offer_annotations_are_ignored)
{
    expect_search(false, TEXT("x") CITES(SOURCE("https://b.example/")) FINISH("stop") SEARCHES(1) DONE,
        "text:x\nend:0\n");
}

/* Perplexity: the list comes in each event, and grows. */
#define FOUND(text, finish, list)                                                                     \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text "\"},\"finish_reason\":" finish \
    "}]," list "}\n\n"
#define RESULT(url) "{\"title\":\"A title\",\"url\":\"" url "\",\"date\":\"2026-11-01\"}"

TEST(results_that_the_text_names_by_number_become_numbered_links)
{
    const char *events =
        "text:Rain[1][3]. Sun.\nsearch:\ntext:\n\n[1] [a.example](<https://www.a.example/x>), [3] "
        "[b.example](<https://b.example/>)\nend:0\n";
    expect_search(false,
        FOUND("Rain[1][3].", "null", "\"search_results\":[" RESULT("https://www.a.example/x") "]") FOUND(
            " Sun.", "\"stop\"",
            "\"citations\":[\"https://old.example/\"],\"search_results\":[" RESULT(
                "https://www.a.example/x") "," RESULT("http://plain.example/") "," RESULT("https://"
                                                                                          "b.example/") "]")
            DONE,
        events);
    expect_search(false,
        FOUND("Rain[1][3]. Sun.", "\"stop\"",
            "\"citations\":[\"https://www.a.example/x\",\"javascript:alert(1)\",\"https://b.example/\"]")
            DONE,
        events);
}

TEST(results_without_an_address_are_ignored)
{
    expect_search(false,
        FOUND("x", "null", "\"citations\":null,\"search_results\":{\"url\":\"https://a.example/\"}")
            FOUND("", "\"stop\"", "\"citations\":[{\"id\":1},7,null,\"\",\"https://a.example/>\"]") DONE,
        "text:x\nend:0\n");
}

TEST(results_are_listed_only_for_readers)
{
    const struct llm_message hi = {.role = LLM_USER, .text = STR("hi")};
    const struct llm_request r = {.model = "m", .messages = &hi, .messages_n = 1};
    struct llm_run run = {.kind = "openai", .request = &r};
    const char *body = FOUND("{\\\"title\\\":1}", "\"stop\"", "\"citations\":[\"https://a.example/\"]") DONE;
    llm_run(&run, &(struct fake_reply){.text = body, .chunked = SIZE_MAX}, 1);
    assert_string_equal(run.events.s, "text:{\"title\":1}\nend:0\n");
    llm_run_release(&run);
}

/* The web search of OpenRouter: it is known by its sources and its count in the usage only. */
#include "unit.h"

#include "openai_body.h"

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
    const struct llm_request r = {.model = "m", .messages = &hi, .messages_n = 1, .web_search = offered};
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

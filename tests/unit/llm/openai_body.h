/* Bodies of OpenAI's protocol, and the events that they become. */
#ifndef ALFRED_TESTS_LLM_OPENAI_BODY_H
#define ALFRED_TESTS_LLM_OPENAI_BODY_H

#include "llm/llm_run.h"

#define DELTA(json) "data: {\"choices\":[{\"index\":0,\"delta\":" json ",\"finish_reason\":null}]}\n\n"
#define FINISH(why) "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"" why "\"}]}\n\n"
#define USAGE(i, o) \
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":" #i ",\"completion_tokens\":" #o "}}\n\n"
#define DONE              "data: [DONE]\n\n"
#define TEXT(s)           DELTA("{\"content\":\"" s "\"}")
#define CALL_BIT(i, rest) DELTA("{\"tool_calls\":[{\"index\":" #i "," rest "}]}")
#define ARGS(i, s)        CALL_BIT(i, "\"function\":{\"arguments\":\"" s "\"}")

/* Compares the events of the server's bytes. */
static inline void expect(const struct fake_reply *reply, const char *events)
{
    struct llm_run run = {.kind = "openai", .key = "sk-test"};
    llm_run(&run, reply, 1);
    assert_string_equal(run.events.s, events);
    llm_run_release(&run);
}

static inline void expect_body(const char *body, const char *events)
{
    expect(&(struct fake_reply){.text = body, .chunked = SIZE_MAX}, events);
}

#endif

/* Shared by the tests of failures: a scripted server, and what its answers become. */
#ifndef ALFRED_TESTS_LLM_FAILURE_RUN_H
#define ALFRED_TESTS_LLM_FAILURE_RUN_H

#include "unit.h"

#include "base/clock.h"
#include "base/utf8.h"
#include "llm/llm_run.h"

#define TEXT(s)                       "data: {\"choices\":[{\"delta\":{\"content\":\"" s "\"}}]}\n\n"
#define THOUGHT(s)                    "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"" s "\"}}]}\n\n"
#define FINISH                        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE                          "data: [DONE]\n\n"
#define GOOD                          FAKE_OK("text/event-stream") TEXT("ok") FINISH DONE
#define ANSWER(status, headers, body) "HTTP/1.1 " status "\r\nConnection: close\r\n" headers "\r\n" body

/* Runs the script; `events` is all events, `tries` the requests the server got. */
__attribute__((unused)) static struct err fails(
    const struct fake_reply *script, size_t n, const char *events, size_t tries)
{
    struct llm_run run = {.kind = "openai", .key = "sk-very-secret"};
    llm_run(&run, script, n);
    assert_string_equal(run.events.s, events);
    assert_int_equal(run.tries, tries);
    struct err e = run.err;
    assert_true(e.rc == RC_OK || e.for_user);
    assert_null(strstr(e.text, "secret"));
    assert_true(utf8_valid_text(str_of(e.text)));
    llm_run_release(&run);
    return e;
}

__attribute__((unused)) static void fails_at_once(const char *answer, const char *events)
{
    fails(&(struct fake_reply){.text = answer}, 1, events, 1);
}

#endif

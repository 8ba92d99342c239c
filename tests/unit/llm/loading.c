/* A server that loads its model, over the whole time for which it is asked again. The clock is the test's:
 * each announced wait is over at once. */
#include "unit.h"

#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"

/* In place of base/clock.c. */
static _Atomic int64_t skipped_ms;

static int64_t now_us(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000 + atomic_load(&skipped_ms) * 1000;
}

int64_t clock_wall_ms(void)
{
    return now_us(CLOCK_REALTIME) / 1000;
}

int64_t clock_mono_ms(void)
{
    return now_us(CLOCK_MONOTONIC) / 1000;
}

int64_t clock_mono_us(void)
{
    return now_us(CLOCK_MONOTONIC);
}

int64_t clock_cpu_us(void)
{
    return now_us(CLOCK_THREAD_CPUTIME_ID);
}

void clock_rfc3339(int64_t wall_ms, char out[CLOCK_RFC3339_SIZE])
{
    (void)wall_ms;
    out[0] = '\0';
}

#define LLM_RUN_WAITED(ms) atomic_fetch_add(&skipped_ms, (ms))
#include "llm/llm_run.h"

#define LOADING                                                                                          \
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n{\"error\":{\"code\":503,\"message\":" \
    "\"Loading model\",\"type\":\"unavailable_error\"}}"
#define ANSWER                                                                                             \
    FAKE_OK("text/event-stream")                                                                           \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Awake\"},\"finish_reason\":\"stop\"}]}\n\n" \
    "data: [DONE]\n\n"
#define FAULT "HTTP/1.1 500 Oh\r\nConnection: close\r\n\r\n{}"

/* 1, 2 and 4 s, then 8 s each, the last one cut; fewer on a slow machine, because its clock runs on
 * meanwhile. */
#define WAITS 18

/* Asks a server that loads for `n` requests; then it gives the `last` answers. */
static struct llm_run ask(size_t n, const char *const *last, size_t last_n)
{
    struct fake_reply script[FAKE_REQUESTS_MAX] = {{0}};
    assert_in_range(n + last_n, 1, FAKE_REQUESTS_MAX);
    for (size_t i = 0; i < n; i++)
        script[i].text = LOADING;
    for (size_t i = 0; i < last_n; i++)
        script[n + i].text = last[i];
    struct llm_run run = {.kind = "openai"};
    llm_run(&run, script, n + last_n);
    return run;
}

TEST(loading_is_waited_for_until_the_server_is_ready)
{
    struct llm_run run = ask(12, (const char *[]){ANSWER}, 1);
    assert_non_null(strstr(run.events.s, "text:Awake\nend:0\n"));
    assert_int_equal(run.tries, 13);
    assert_int_equal(run.waited_ms, (1 + 2 + 4 + 9 * 8) * 1000);
    llm_run_release(&run);
}

TEST(loading_fails_after_two_minutes_with_a_sentence)
{
    int64_t start = clock_mono_ms();
    struct llm_run run = ask(FAKE_REQUESTS_MAX, NULL, 0);
    assert_int_equal(run.err.rc, RC_UNAVAILABLE);
    assert_int_equal(run.problem, LLM_PROBLEM_LOADING);
    assert_non_null(strstr(run.err.text, "is still loading the model"));
    assert_true(clock_mono_ms() - start >= LLM_LOADING_MS);
    assert_in_range(run.waited_ms, 1000, LLM_LOADING_MS);
    assert_in_range(run.tries, 2, WAITS + 1);
    llm_run_release(&run);
}

TEST(loading_does_not_use_up_the_attempts_for_other_failures)
{
    struct llm_run run = ask(5, (const char *[]){FAULT, FAULT, ANSWER}, LLM_TRIES);
    assert_non_null(strstr(run.events.s, "text:Awake\nend:0\n"));
    assert_int_equal(run.tries, 5 + LLM_TRIES);
    llm_run_release(&run);
}

TEST(loading_counts_its_time_from_its_first_refusal)
{
    const char *last[FAKE_REQUESTS_MAX - 3];
    for (size_t i = 0; i < ARRAY_LEN(last); i++)
        last[i] = i % 4 == 0 ? FAULT : LOADING;
    struct llm_run run = ask(3, last, ARRAY_LEN(last));
    assert_int_equal(run.problem, LLM_PROBLEM_LOADING);
    assert_in_range(run.waited_ms, 1000, LLM_LOADING_MS + FAKE_REQUESTS_MAX * 1000);
    llm_run_release(&run);
}

/* The wait of a turn whose provider is busy, failed, or loads its model. Readers are told at once. */
#include "app/turn/turn_private.h"

#include <stdio.h>

#include "base/clock.h"

static const char *const words[] = {
    [TURN_WAIT_FAILED] = "failed", [TURN_WAIT_BUSY] = "busy", [TURN_WAIT_LOADING] = "loading"};

void turn_wait_read(struct str content, int *wait_ms, enum turn_wait *why)
{
    struct str rest = content;
    int64_t ms = 0;
    str_to_int(str_cut(&rest, ' '), 0, INT32_MAX, &ms);
    *wait_ms = (int)ms;
    *why = TURN_WAIT_FAILED;
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (rest.s && str_is(rest, words[i]))
            *why = (enum turn_wait)i;
}

void turn_wait_record(struct turn *t)
{
    char content[32];
    int64_t left = t->wait_until - clock_mono_ms();
    if (!t->committed || !t->wait_until)
        return;
    int n =
        snprintf(content, sizeof content, "%lld %s", (long long)(left > 0 ? left : 0), words[t->wait_why]);
    turn_record(t, TURNLOG_RETRY, (struct str){content, (size_t)n});
}

void turn_wait_begin(struct turn *t, const struct llm_event *retry)
{
    t->wait_until = clock_mono_ms() + retry->wait_ms;
    t->wait_why = retry->problem == LLM_PROBLEM_LOADING ? TURN_WAIT_LOADING
                  : retry->problem == LLM_PROBLEM_BUSY  ? TURN_WAIT_BUSY
                                                        : TURN_WAIT_FAILED;
    turn_wait_record(t);
}

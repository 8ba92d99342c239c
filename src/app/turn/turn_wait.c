/* The wait of a turn for a provider that is busy, has failed, loads its model or reads the prompt, and for a
 * permission of the user. Readers get the reason at once. */
#include "app/turn/turn_private.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

static const char *const words[] = {[TURN_WAIT_NONE] = "",
    [TURN_WAIT_FAILED] = "failed",
    [TURN_WAIT_BUSY] = "busy",
    [TURN_WAIT_LOADING] = "loading",
    [TURN_WAIT_READING] = "reading"}; /* a call has a record of its own */

struct turn_waiting turn_wait_read(const struct turnlog_record *r)
{
    struct turn_waiting w = {.why = TURN_WAIT_FAILED};
    struct str rest = r->content;
    int64_t n = 0;
    if (r->kind == TURNLOG_TOOL) {
        struct str tool = utf8_head(r->content, TURN_WAIT_TOOL_MAX);
        w.why = TURN_WAIT_TOOL;
        memcpy(w.tool, tool.s, tool.len);
        return w;
    }
    if (r->kind == TURNLOG_ASK) {
        str_to_int(r->content, 0, INT64_MAX, &w.asks);
        w.why = w.asks ? TURN_WAIT_ASKS : TURN_WAIT_DECIDED;
        return w;
    }
    str_to_int(str_cut(&rest, ' '), 0, INT32_MAX, &n);
    for (size_t i = TURN_WAIT_FAILED; i < ARRAY_LEN(words); i++)
        if (rest.s && str_is(rest, words[i]))
            w.why = (enum turn_wait)i;
    if (w.why == TURN_WAIT_READING)
        w.percent = (int)n;
    else
        w.until = clock_mono_ms() + n;
    return w;
}

void turn_wait_record(struct turn *t)
{
    const struct turn_waiting *w = &t->stream.waiting;
    char content[32];
    int64_t left = w->until - clock_mono_ms();
    if (!t->committed || w->why == TURN_WAIT_NONE)
        return;
    int n = snprintf(content, sizeof content, "%lld %s",
        w->why == TURN_WAIT_READING ? (long long)w->percent
        : left > 0                  ? (long long)left
                                    : 0,
        words[w->why]);
    turn_record(t, TURNLOG_WAIT, (struct str){content, (size_t)n});
}

void turn_wait_begin(struct turn *t, const struct llm_event *ev)
{
    if (ev->kind == LLM_READING)
        t->stream.waiting = (struct turn_waiting){.why = TURN_WAIT_READING, .percent = ev->percent};
    else
        t->stream.waiting =
            (struct turn_waiting){.why = ev->problem == LLM_PROBLEM_LOADING ? TURN_WAIT_LOADING
                                         : ev->problem == LLM_PROBLEM_BUSY  ? TURN_WAIT_BUSY
                                                                            : TURN_WAIT_FAILED,
                .until = clock_mono_ms() + ev->wait_ms};
    turn_wait_record(t);
}

void turn_record_ask(struct turn *t, int64_t asks)
{
    char content[24];
    int n = snprintf(content, sizeof content, "%lld", (long long)asks);
    const struct turnlog_record r = {TURNLOG_ASK, {content, (size_t)n}};
    turnlog_append(t->out.log, r.kind, r.content, NULL); /* for channels: a full disk fails the next text */
    t->en->set.observer.on_record(t->en->set.observer.arg, t->ids.turn, &r);
}

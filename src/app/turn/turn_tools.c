/*
 * Runs the tool calls of a step on the pool. Neighbouring calls that only read run at the same time. Every
 * other call runs alone and in the model's order, because a call may depend on what an earlier one wrote.
 * After a stop no further call begins; the step has those that ran.
 *
 * A call that waits for something (net/awaited.h) runs twice: the first run says what it needs, which the
 * loop starts; the second run has the result. With a permission before it, it runs three times.
 */
#include "app/turn/turn_private.h"

#include "app/drawing/drawing.h"
#include "app/mcp/remote_call.h"
#include "app/python/python.h"
#include "app/suggestion/permission.h"
#include "app/web_fetch/web_fetch.h"
#include "base/clock.h"

#define RESULT_LEAST 2048 /* bytes: enough for a confirmation */

struct call_run {
    struct turn *turn;
    size_t at;
    struct permission permission;
    struct web_fetch fetch;
    struct remote_call remote;
    struct drawing drawing;
    struct python_run python;
    struct tool_pictures pictures;
};

/* Bytes for each result: the share of the window that is left after the step, so that the model can
 * continue. A tool whose result is larger shortens it, or tells the model to ask for less. */
static size_t result_room(const struct turn *t)
{
    const struct context_frame f = {
        .tools_tokens = t->context.tools_tokens,
        .window = t->model.choice->window,
        .answer = turn_answer_limit(t),
    };
    int64_t left = context_room(t->en->set.config, &f) -
                   context_sent(t->context.messages, t->context.messages_n) -
                   context_tokens(strbuf_str(&t->answer.text));
    for (size_t i = 0; i < t->answer.calls_n; i++)
        left -= context_tokens(str_of(t->answer.calls[i].args)) + 2 * (int64_t)CONTEXT_TOKENS_PER_ENTRY;
    int64_t bytes = left * CONTEXT_BYTES_PER_TOKEN;
    if (t->answer.calls_n > 1)
        bytes /= (int64_t)t->answer.calls_n;
    if (bytes < RESULT_LEAST)
        return RESULT_LEAST;
    return bytes < (int64_t)TOOL_RESULT_MAX ? (size_t)bytes : TOOL_RESULT_MAX;
}

static void run_call(void *arg)
{
    struct call_run *r = arg;
    struct turn *t = r->turn;
    struct tool_context c = {.store = t->en->set.store,
        .config = t->en->set.config,
        .providers = t->en->set.providers,
        .owner = t->ids.owner,
        .session_id = t->ids.session_id,
        .asked_id = t->asked_id,
        .reply_id = t->reply_id,
        .untrusted = t->untrusted,
        .untrusted_of = t->untrusted_of,
        .now = clock_wall_ms(),
        .zone = t->zone,
        .zone_name = t->zone_name,
        .lang = t->lang,
        .denied = turn_denied_tools(t),
        .fetch = &r->fetch,
        .connected = &t->connected,
        .remote = &r->remote,
        .permission = &r->permission,
        .drawing = &r->drawing,
        .python = &r->python,
        .pictures = &r->pictures,
        .room = t->step.result_room};
    tool_run(&c, &t->answer.calls[r->at], &t->step.results[r->at]);
}

static void run_next(struct turn *t);

static void on_call_ended(void *arg);
static void record_call(struct turn *t, const struct llm_tool_call *call);

static void on_awaited(void *arg)
{
    struct call_run *r = arg;
    if (r->permission.awaited.ended && !r->remote.awaited.wanted)
        turn_record_ask(r->turn, 0);
    thread_pool_submit(r->turn->en->set.pool, run_call, on_call_ended, r);
}

struct awaited_list {
    struct awaited *of[TURN_AWAITS];
};

static struct awaited_list awaited_of(struct call_run *r)
{
    return (struct awaited_list){{[TURN_AWAITS_PERMISSION] = &r->permission.awaited,
        [TURN_AWAITS_FETCH] = &r->fetch.awaited,
        [TURN_AWAITS_REMOTE] = &r->remote.awaited,
        [TURN_AWAITS_DRAWING] = &r->drawing.awaited,
        [TURN_AWAITS_PYTHON] = &r->python.awaited}};
}

/* Limits of an answer. [turn] tool_calls_max limits the others. */
static const struct {
    int most; /* 0: none */
    const char *enough;
} limits[TURN_AWAITS] = {
    [TURN_AWAITS_FETCH] = {TURN_FETCHES_MAX,
        "This answer has read enough of the web. Answer with what you have."},
    [TURN_AWAITS_DRAWING] = {TURN_DRAWINGS_MAX, "This answer has drawn enough pictures."},
};

static void start(struct call_run *r, enum turn_awaits kind, struct awaited *w)
{
    struct turn *t = r->turn;
    w->owner = t->ids.owner;
    bool enough = limits[kind].most && t->awaited_total[kind] >= limits[kind].most;
    if (!t->stopping && !enough) {
        t->awaited_total[kind]++;
        if (kind == TURN_AWAITS_PERMISSION)
            turn_record_ask(t, r->permission.asks);
        else if (r->permission.awaited.ended)
            record_call(t, &t->answer.calls[r->at]);
        awaited_start(t->en->awaited[kind], w, on_awaited, r);
        return;
    }
    awaited_refuse(w, t->stopping ? AWAITED_STOPPED : limits[kind].enough);
    on_awaited(r);
}

static void on_call_ended(void *arg)
{
    struct call_run *r = arg;
    struct turn *t = r->turn;
    const struct awaited_list all = awaited_of(r);
    for (size_t i = 0; i < TURN_AWAITS; i++)
        if (awaited_waits(all.of[i])) {
            start(r, (enum turn_awaits)i, all.of[i]);
            return;
        }
    awaited_release(&r->permission.awaited);
    web_fetch_release(&r->fetch);
    remote_call_release(&r->remote);
    drawing_release(&r->drawing);
    python_release(&r->python);
    if (--t->step.running_n == 0)
        run_next(t);
}

void turn_stop_awaited(struct turn *t)
{
    for (size_t i = 0; i < t->step.begun_n; i++) {
        const struct awaited_list all = awaited_of(&t->step.runs[i]);
        for (size_t k = 0; k < TURN_AWAITS; k++)
            awaited_cancel(all.of[k]);
    }
}

/* The connected tool of a call; NULL: it is one of Alfred's own, or unknown. */
static const struct connected_tool *remote_of(const struct turn *t, const struct llm_tool_call *call)
{
    return tool_is_own(call->name) ? NULL : tool_connected(&t->connected, call->name);
}

static bool only_reads(const struct turn *t, const struct llm_tool_call *call)
{
    const struct connected_tool *remote = remote_of(t, call);
    return remote ? remote->reads : tool_only_reads(call->name);
}

/* The calls from `at` on that run together: [at, end). */
static size_t group_end(const struct turn *t, size_t at)
{
    size_t end = at + 1;
    if (only_reads(t, &t->answer.calls[at]))
        while (end < t->answer.calls_n && only_reads(t, &t->answer.calls[end]))
            end++;
    return end;
}

void turn_note_untrusted(struct turn *t, const struct connected_tool *of)
{
    bool same = !t->untrusted || (of && t->untrusted_of && t->untrusted_of->server == of->server);
    t->untrusted = true;
    t->untrusted_of = same ? of : NULL;
}

/* Only for display: a full disk fails the next text. Readers learn of calls that take time. */
static void record_call(struct turn *t, const struct llm_tool_call *call)
{
    AUTO(arena) a = arena_new();
    const struct connected_tool *remote = remote_of(t, call);
    const char *subject = remote ? remote->from : tool_subject(a, call->name, call->args);
    const char *line = *subject ? arena_printf(a, "%s\n%s", call->name, subject) : call->name;
    const struct turnlog_record r = {TURNLOG_TOOL, str_of(line)};
    turnlog_append(t->out.log, r.kind, r.content, NULL);
    if (tool_takes_time(call->name))
        t->en->set.observer.on_record(t->en->set.observer.arg, t->ids.turn, &r);
}

/* The message after the step gets the pictures of its calls. */
static void gather_pictures(struct turn *t)
{
    size_t *n = &t->step.pictures_n;
    *n = 0;
    for (size_t i = 0; i < t->answer.calls_n; i++)
        *n += tool_pictures_take(
            &t->step.runs[i].pictures, t->arena, &t->step.pictures[*n], PICTURES_PER_MESSAGE - *n);
}

static void run_next(struct turn *t)
{
    size_t at = t->step.begun_n;
    if (t->stopping)
        t->answer.calls_n = at;
    if (at == t->answer.calls_n) {
        for (size_t i = 0; i < t->answer.calls_n; i++) { /* applies from the next step on */
            const struct connected_tool *remote = remote_of(t, &t->answer.calls[i]);
            if (remote || tool_is_untrusted(t->answer.calls[i].name))
                turn_note_untrusted(t, remote);
        }
        gather_pictures(t);
        thread_pool_submit(t->en->set.pool, turn_save_step, turn_step_saved, t);
        return;
    }
    t->step.begun_n = group_end(t, at);
    t->step.running_n = t->step.begun_n - at;
    for (size_t i = at; i < t->step.begun_n; i++)
        record_call(t, &t->answer.calls[i]);
    for (; at < t->step.begun_n; at++) {
        t->step.runs[at] = (struct call_run){.turn = t, .at = at};
        thread_pool_submit(t->en->set.pool, run_call, on_call_ended, &t->step.runs[at]);
    }
}

void turn_run_tools(struct turn *t)
{
    t->step.result_room = result_room(t);
    t->step.results = ARENA_ARRAY(t->arena, struct strbuf, t->answer.calls_n);
    for (size_t i = 0; i < t->answer.calls_n; i++)
        strbuf_init(&t->step.results[i], t->step.result_room);
    t->step.runs = ARENA_ARRAY(t->arena, struct call_run, t->answer.calls_n);
    t->step.begun_n = 0;
    run_next(t);
}

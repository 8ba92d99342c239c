/* Asks the provider and receives its events. */
#include "app/turn/turn_private.h"

#include "base/clock.h"

int64_t turn_answer_limit(const struct turn *t)
{
    int64_t set = t->answer_tokens ? t->answer_tokens : t->en->set.config->context.answer_tokens;
    bool needed = strcmp(t->choice->kind, "anthropic") == 0;
    return set || !needed ? set : llm_model_answer_limit(t->choice->model);
}

int turn_calls_left(const struct turn *t)
{
    return t->no_calls ? 0 : (int)t->en->set.config->turn.tool_calls_max - t->calls_total;
}

/* Calls over the limit are dropped: the model sees the results of the others and continues. */
static void add_call(struct turn *t, const struct llm_tool_call *c)
{
    bool clients = turn_given_keeps_call(t, c->name);
    if ((turn_calls_left(t) == 0 && !clients) || t->calls_n == TURN_CALLS_PER_STEP)
        return;
    t->calls_total += !clients;
    if (!t->calls)
        t->calls = ARENA_ARRAY(t->arena, struct llm_tool_call, TURN_CALLS_PER_STEP);
    t->calls[t->calls_n++] = (struct llm_tool_call){
        .id = arena_strdup(t->arena, c->id),
        .name = arena_strdup(t->arena, c->name),
        .args = arena_strdup(t->arena, c->args),
    };
}

static const struct {
    enum message_stop stop;
    enum rc rc;
    const char *key;
} early_ends[] = {
    [LLM_STOP_LENGTH] = {STOP_LENGTH, RC_TOO_BIG, "answer.stop_length"},
    [LLM_STOP_WINDOW] = {STOP_WINDOW, RC_TOO_BIG, "answer.stop_window"},
    [LLM_STOP_REFUSED] = {STOP_REFUSAL, RC_UPSTREAM, "answer.stop_refusal"},
    [LLM_STOP_FILTERED] = {STOP_FILTER, RC_UPSTREAM, "answer.stop_filter"},
    [LLM_STOP_PAUSED] = {STOP_PAUSED, RC_UPSTREAM, "answer.stop_paused"},
};

/* Explains an early end by the model below its text. */
static void note_stop(struct turn *t, enum llm_stop why)
{
    if (why == LLM_STOP_LENGTH && t->tokens_context >= t->choice->window - TURN_WINDOW_SLACK)
        why = LLM_STOP_WINDOW;
    if (early_ends[why].key) {
        t->stop = early_ends[why].stop;
        err_say(err_kept(&t->failure), early_ends[why].rc, early_ends[why].key);
    }
    if (why == LLM_STOP_TOOLS && t->calls_n == 0)
        err_say(err_kept(&t->failure), RC_TOO_BIG, "answer.too_many_calls",
            arg_int("max", t->en->set.config->turn.tool_calls_max));
}

/* True when the provider would refuse the same request again. A program repeats its request unchanged, with
 * all parameters, so for a program each refusal counts except that of a missing model. */
static bool is_rejected(const struct turn *t, const struct llm_event *ev)
{
    bool same = ev->problem == LLM_PROBLEM_OTHER || (t->given && ev->problem != LLM_PROBLEM_NO_MODEL);
    return ev->problem == LLM_PROBLEM_TOO_LONG || ev->problem == LLM_PROBLEM_MANY_PICTURES ||
           (same && ev->err->rc == RC_BAD_INPUT);
}

static void note_thinking(struct turn *t, bool thinks)
{
    if (thinks == (t->thinking_us != 0))
        return;
    int64_t now = clock_mono_us();
    if (!thinks)
        t->thought_us += now - t->thinking_us;
    t->thinking_us = thinks ? now : 0;
}

static void take_text(struct turn *t, struct str text)
{
    t->waiting = (struct turn_waiting){0};
    turn_continue_text(t, text, false);
    if (t->text.failed || t->held.failed) {
        t->text.failed = t->held.failed = false; /* the complete part is kept */
        struct err e = ERR_INIT;
        err_say(&e, RC_TOO_BIG, "answer.too_long", arg_int("max", (int64_t)(TURN_TEXT_MAX / 1024)));
        turn_fail(t, &e);
    }
    turn_merge_text(t);
}

static void count_tokens(struct turn *t, const struct llm_tokens *tokens)
{
    t->tokens.in += tokens->in;
    t->tokens.out += tokens->out;
    t->tokens.cached += tokens->cached;
    t->tokens.reasoning += tokens->reasoning;
    t->tokens_context += tokens->in + tokens->out;
}

static void take_error(struct turn *t, const struct llm_event *ev)
{
    if (turn_said_nothing(t) && t->calls_n == 0 && turn_can_adapt(t, ev)) {
        t->refused = *ev;
        *err_kept(&t->save_err) = *ev->err; /* used when no other request is possible */
        t->over = true;
        return;
    }
    t->refused_pictures |= ev->problem == LLM_PROBLEM_NO_PICTURES && turn_has_pictures(t);
    if (t->given && ev->problem == LLM_PROBLEM_TOO_LONG)
        t->stop = STOP_WINDOW; /* the program gets the reason */
    else if (t->text.len == 0 && is_rejected(t, ev))
        t->stop = STOP_REJECTED;
    turn_fail(t, ev->err);
}

/* Templates of R1 and other models put <think> into the prompt, so that an answer has only the tag that
 * closes it where the server has no parser for reasoning. The page shows the reasoning as text until the end.
 */
static void split_reasoning(struct turn *t)
{
    static const char open[] = "<think>", end[] = "\n</think>\n", code[] = "```";
    struct str said = str_from(strbuf_str(&t->text), t->call_from);
    const char *at = t->held.len ? NULL : memmem(said.s, said.len, end, strlen(end));
    if (!at)
        return;
    struct str before = {said.s, (size_t)(at - said.s)};
    struct str after = str_trim(str_from(said, before.len + strlen(end)));
    if (after.len == 0 || memmem(before.s, before.len, open, strlen(open)) ||
        memmem(before.s, before.len, code, strlen(code)))
        return;
    strbuf_addstr(&t->reasoning, before);
    after = arena_str(t->arena, after);
    strbuf_truncate(&t->text, t->call_from);
    strbuf_addstr(&t->text, after);
}

static void take_end(struct turn *t, enum llm_stop stop)
{
    split_reasoning(t);
    if (stop == LLM_STOP_PAUSED && t->calls_n == 0 && t->pauses < TURN_PAUSES_MAX) {
        t->paused = t->over = true;
        return;
    }
    note_stop(t, stop);
    turn_end_with(t, MESSAGE_DONE);
}

static void on_llm(void *arg, const struct llm_event *ev)
{
    struct turn *t = arg;
    if (t->over)
        return;
    note_thinking(t, ev->kind == LLM_REASONING);
    switch (ev->kind) {
    case LLM_TEXT: take_text(t, ev->text); break;
    case LLM_REASONING:
        t->waiting = (struct turn_waiting){0};
        strbuf_addstr(&t->reasoning, ev->text);
        if (t->committed && turn_said_nothing(t))
            turn_record(t, TURNLOG_THINK, ev->text);
        break;
    case LLM_CALL: add_call(t, &ev->call); break;
    case LLM_OPAQUE: t->opaque = arena_str(t->arena, ev->text); break;
    case LLM_USAGE: count_tokens(t, &ev->tokens); break;
    case LLM_RETRY:
    case LLM_READING: turn_wait_begin(t, ev); break;
    case LLM_ERROR: take_error(t, ev); break;
    case LLM_END: take_end(t, ev->stop); break;
    }
    if (t->over)
        turn_advance(t);
}

void turn_call_provider(struct turn *t)
{
    struct turn_engine *en = t->en;
    if (t->plain.len) {
        strbuf_addstr(&t->text, t->plain);
        turn_end_with(t, MESSAGE_DONE);
        return;
    }
    struct llm_request r = {
        .model = t->choice->model,
        .messages = t->messages,
        .messages_n = t->messages_n,
        .max_tokens = (int)turn_answer_limit(t),
        .sets_temperature = t->choice->temperature && t->temperature != TEMPERATURE_NONE,
        .temperature = t->temperature,
        .tools = t->tools,
        .tools_n = t->tools_n,
        .no_calls = t->no_calls,
        .params = t->params,
        .effort = t->choice->effort ? t->effort : NULL,
        .prefill = t->prefill,
        .now_ms = clock_wall_ms(),
        .zone = t->zone,
        .zone_name = t->zone_name,
        .lang = t->lang,
    };
    r.params.sets_top_p &= t->choice->temperature;
    provider_choice_api(t->choice, t->responses, &r);
    r.sends_reasoning = t->sends_reasoning;
    r.whole = t->whole;
    struct err e = ERR_INIT;
    t->tokens_context = 0;
    t->phase = TURN_CALLING;
    t->over = false;
    t->waiting = (struct turn_waiting){0};
    if (llm_start(en->llm[t->choice->source->index], &r, on_llm, t, &t->call, &e) != RC_OK)
        turn_fail(t, &e);
}

/* Asks the provider and receives its events. */
#include "app/turn/turn_private.h"

#include "base/clock.h"

int64_t turn_answer_limit(const struct turn *t)
{
    int64_t set = t->model.answer_tokens ? t->model.answer_tokens : t->en->set.config->context.answer_tokens;
    bool needed = strcmp(t->model.choice->kind, "anthropic") == 0;
    return set || !needed ? set : llm_model_answer_limit(t->model.choice->model);
}

int turn_calls_left(const struct turn *t)
{
    return t->model.no_calls ? 0 : (int)t->en->set.config->turn.tool_calls_max - t->calls_total;
}

/* Calls over the limit are dropped: the model sees the results of the others and continues. */
static void add_call(struct turn *t, const struct llm_tool_call *c)
{
    bool of_program = turn_given_keeps_call(t, c->name);
    if ((turn_calls_left(t) == 0 && !of_program) || t->answer.calls_n == TURN_CALLS_PER_STEP)
        return;
    if (!of_program)
        t->calls_total++;
    if (!t->answer.calls)
        t->answer.calls = ARENA_ARRAY(t->arena, struct llm_tool_call, TURN_CALLS_PER_STEP);
    t->answer.calls[t->answer.calls_n++] = (struct llm_tool_call){
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
    if (why == LLM_STOP_LENGTH && t->stream.tokens_context >= t->model.choice->window - TURN_WINDOW_SLACK)
        why = LLM_STOP_WINDOW;
    if (early_ends[why].key) {
        t->end.stop = early_ends[why].stop;
        err_say(err_kept(&t->end.failure), early_ends[why].rc, early_ends[why].key);
    }
    if (why == LLM_STOP_TOOLS && t->answer.calls_n == 0)
        err_say(err_kept(&t->end.failure), RC_TOO_BIG, "answer.too_many_calls",
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
    if (thinks == (t->stream.thinking_us != 0))
        return;
    int64_t now = clock_mono_us();
    if (!thinks)
        t->answer.thought_us += now - t->stream.thinking_us;
    t->stream.thinking_us = thinks ? now : 0;
}

static void take_text(struct turn *t, struct str text)
{
    t->stream.waiting = (struct turn_waiting){0};
    turn_continue_text(t, text);
    if (t->answer.text.failed || t->old.held.failed) {
        t->answer.text.failed = t->old.held.failed = false; /* the complete part is kept */
        struct err e = ERR_INIT;
        err_say(&e, RC_TOO_BIG, "answer.too_long", arg_limit("max", TURN_TEXT_MAX));
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
    t->stream.tokens_context += tokens->in + tokens->out;
}

static void take_error(struct turn *t, const struct llm_event *ev)
{
    if (turn_said_nothing(t) && t->answer.calls_n == 0 && turn_can_adapt(t, ev)) {
        t->stream.refused = ARENA_NEW(t->arena, struct llm_event);
        *t->stream.refused = *ev;
        *err_kept(&t->save.err) = *ev->err; /* used when no other request is possible */
        t->over = true;
        return;
    }
    t->model.refused_pictures |= ev->problem == LLM_PROBLEM_NO_PICTURES && turn_has_pictures(t);
    if (t->given && ev->problem == LLM_PROBLEM_TOO_LONG)
        t->end.stop = STOP_WINDOW; /* the program gets the reason */
    else if (t->answer.text.len == 0 && is_rejected(t, ev))
        t->end.stop = STOP_REJECTED;
    turn_fail(t, ev->err);
}

/* Templates of R1 and other models put <think> into the prompt, so that an answer has only the tag that
 * closes it where the server has no parser for reasoning. The page shows the reasoning as text until the end.
 */
static void split_reasoning(struct turn *t)
{
    static const char open[] = "<think>", end[] = "\n</think>\n", code[] = "```";
    struct str said = str_from(strbuf_str(&t->answer.text), t->answer.call_from);
    const char *at = t->old.held.len ? NULL : memmem(said.s, said.len, end, strlen(end));
    if (!at)
        return;
    struct str before = {said.s, (size_t)(at - said.s)};
    struct str after = str_trim(str_from(said, before.len + strlen(end)));
    if (after.len == 0 || memmem(before.s, before.len, open, strlen(open)) ||
        memmem(before.s, before.len, code, strlen(code)))
        return;
    strbuf_addstr(&t->answer.reasoning, before);
    after = arena_str(t->arena, after);
    strbuf_truncate(&t->answer.text, t->answer.call_from);
    strbuf_addstr(&t->answer.text, after);
}

static void take_end(struct turn *t, enum llm_stop stop)
{
    split_reasoning(t);
    if (stop == LLM_STOP_PAUSED && t->answer.calls_n == 0 && t->stream.pauses < TURN_PAUSES_MAX) {
        t->stream.paused = t->over = true;
        return;
    }
    note_stop(t, stop);
    turn_end_with(t, MESSAGE_DONE);
}

static void take_reasoning(struct turn *t, struct str text)
{
    t->stream.waiting = (struct turn_waiting){0};
    strbuf_addstr(&t->answer.reasoning, text);
    if (t->committed && turn_said_nothing(t))
        turn_record(t, TURNLOG_THINK, text);
}

/* The query is a line of the reasoning. Calls that follow may be what a found page asks for. */
static void take_search(struct turn *t, struct str query)
{
    turn_note_untrusted(t, NULL);
    if (str_trim(query).len == 0)
        return;
    const char *line = lang_fill(t->arena, t->lang ? t->lang : lang_english(), "answer.searched_web",
        LANG_ARGS({"query", arena_str(t->arena, query).s}));
    take_reasoning(
        t, str_of(arena_printf(t->arena, "%s%s\n\n", t->answer.reasoning.len ? "\n\n" : "", line)));
}

bool turn_searches_web(const struct turn *t)
{
    return t->web_search && t->model.choice->web_search && !t->model.form.no_search &&
           !t->model.without_tools && !t->model.no_responses && !t->model.no_calls &&
           t->model.prefill == LLM_PREFILL_NONE && !t->given && !(t->denied & TOOL_SET_OTHER);
}

bool turn_lacks_web(const struct turn *t)
{
    return t->web_off && !(t->denied & TOOL_SET_OTHER);
}

unsigned turn_denied_tools(const struct turn *t)
{
    return t->denied | (turn_searches_web(t) ? TOOL_SET_SEARCH : 0);
}

static void on_llm(void *arg, const struct llm_event *ev)
{
    struct turn *t = arg;
    if (t->over)
        return;
    note_thinking(t, ev->kind == LLM_REASONING || ev->kind == LLM_SEARCH);
    switch (ev->kind) {
    case LLM_TEXT: take_text(t, ev->text); break;
    case LLM_REASONING: take_reasoning(t, ev->text); break;
    case LLM_SEARCH: take_search(t, ev->text); break;
    case LLM_CALL: add_call(t, &ev->call); break;
    case LLM_OPAQUE: t->answer.opaque = arena_str(t->arena, ev->text); break;
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
        strbuf_addstr(&t->answer.text, t->plain);
        turn_end_with(t, MESSAGE_DONE);
        return;
    }
    AUTO(arena) a = arena_new();
    struct llm_request r = {
        .model = t->model.choice->model,
        .messages = t->context.messages,
        .messages_n = t->context.messages_n,
        .max_tokens = (int)turn_answer_limit(t),
        .sets_temperature = t->model.choice->temperature && t->model.temperature != TEMPERATURE_NONE,
        .temperature = t->model.temperature,
        .no_calls = t->model.no_calls,
        .params = t->model.params,
        .effort = t->model.choice->effort ? t->model.effort : NULL,
        .prefill = t->model.prefill,
        .lists_results = !t->given,
        .now_ms = clock_wall_ms(),
        .zone = t->zone,
        .zone_name = t->zone_name,
        .lang = t->lang,
        .web_off = turn_lacks_web(t),
    };
    r.tools = turn_offer_tools(t, a, &r.tools_n);
    r.params.sets_top_p &= t->model.choice->temperature;
    r.web_search = turn_searches_web(t);
    provider_choice_api(t->model.choice, t->model.responses, &r);
    r.sends_reasoning = t->model.sends_reasoning;
    r.form = t->model.form;
    struct err e = ERR_INIT;
    t->stream.tokens_context = 0;
    t->phase = TURN_CALLING;
    t->over = false;
    t->stream.waiting = (struct turn_waiting){0};
    if (llm_start(en->llm[t->model.choice->source->index], &r, on_llm, t, &t->stream.call, &e) != RC_OK)
        turn_fail(t, &e);
}

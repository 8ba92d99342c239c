/*
 * Answers a refusal with another request. Nothing of the refused request was shown.
 *
 *     too long    the context is built again for the window that the refusal reports, once per request.
 *                 Providers count tokens differently from the estimate of context.h. If they report their
 *                 count, the window shrinks by the same ratio. If they report nothing, or the request already
 *                 fits what they report, it becomes smaller by a fixed share, several times if necessary; the
 *                 window that was accepted is learned at the end of the turn. A limit of the answer over half
 *                 of the window is left out first: vLLM adds it to the prompt.
 *     tool schema   the same request without connected tools, whose schemas other people wrote.
 *     no tools    the same without connected tools, because llama.cpp refuses a schema in the same words;
 * then the same request without tools. no pictures the same request with notes in place of earlier pictures.
 * A question with pictures fails, because the answer could only be wrong. many pictures, or too long with
 * earlier ones   the same request with the newest ones only. no prefill  the rest of the answer is asked for
 * by an instruction. no effort   the same request with the model's standard effort, which is stored for the
 * session. temperature, length   the same request without the temperature, or the length, of the session.
 *     top_p       the same request without it.
 *     little credit   the same request with the limit that the account can pay.
 *     thinking    the same request without the provider's data of earlier answers.
 *     no stream   the same request for an answer in one piece.
 *     limit name  the same request with max_completion_tokens in place of max_tokens, or reversed.
 *     no usage    the same request without stream_options.
 *     no null     the same request with an empty text in messages that have only calls.
 *     no system   the same request with the system prompt at the beginning of the first question.
 *     no search   the same request without the provider's web search, with Alfred's own if there is one.
 *     no reasoning   the same request with the reasoning of earlier answers.
 *     responses   the same request through /responses. Where the owner forbids that or the server has none:
 *                 as "no effort", then as "no tools", because the model refuses only both together. A program
 *                 whose answer must end at a text is refused, because /responses cannot do that.
 *     no /responses   the same request through /chat/completions.
 *     no model    the default model is asked instead.
 *
 * Facts that are learned about a model are stored (app/models), so that the next turn avoids the refusal: its
 * window, that it takes no tools or no temperature, that it needs the reasoning of earlier answers, whether
 * it is asked through /responses, and the form of its requests (struct llm_form).
 */
#include "app/context/context.h"
#include "app/turn/turn_private.h"

#define PERCENT_OF_COUNTED 95 /* share of the window, when the provider reported both numbers */
#define PERCENT_OF_UNKNOWN 60 /* share of what was sent, when it reported none */
#define REFITS_MAX         3  /* per request, while the provider reports no window */

static bool may_use_responses(const struct turn *t)
{
    return t->model.choice->may_learn && !t->model.responses && !t->model.no_responses;
}

static bool has_effort(const struct turn *t)
{
    return t->model.effort && t->model.choice->effort;
}

static bool has_tools(const struct turn *t)
{
    return !t->model.without_tools && t->context.tools_tokens > 0 && (!t->given || t->given->tools_n == 0);
}

static bool has_connected(const struct turn *t)
{
    return has_tools(t) && t->connected.n > 0 && !(t->denied & TOOL_SET_CONNECTED);
}

/* Messages of the context that have pictures. */
static size_t with_pictures(const struct turn *t)
{
    size_t with = 0;
    for (size_t i = 0; i < t->context.built_n; i++)
        with += t->context.messages[i].pictures_n > 0;
    return with;
}

bool turn_has_pictures(const struct turn *t)
{
    return with_pictures(t) > 0;
}

/* True when the context has pictures before those of the newest message that has some. */
static bool has_older_pictures(const struct turn *t)
{
    return with_pictures(t) > 1 && t->model.pictures == CONTEXT_PICTURES_RECENT && !t->given;
}

/* The question, or what was added to it, has pictures. */
static bool asks_with_pictures(const struct turn *t)
{
    size_t i = t->context.built_n;
    while (i > 0 && t->context.messages[i - 1].role != LLM_USER)
        i--;
    return i > 0 && t->context.messages[i - 1].pictures_n > 0;
}

static bool can_change_model(const struct turn *t)
{
    const struct provider_choice *other = providers_default(t->en->set.providers);
    return other != t->model.choice && (other->images != LLM_NO || !asks_with_pictures(t));
}

/* The context leaves at most half of the window to the answer (context.h). */
static bool has_long_limit(const struct turn *t, const struct llm_event *refused)
{
    bool told = refused->window > 0 && refused->window < t->model.window;
    return t->model.answer_tokens > (told ? refused->window : t->model.window) / 2;
}

static bool may_refit(const struct turn *t, const struct llm_event *refused)
{
    return t->model.window > TURN_WINDOW_LEAST && t->model.refits < (refused->window > 0 ? 1 : REFITS_MAX);
}

bool turn_can_adapt(const struct turn *t, const struct llm_event *refused)
{
    struct llm_form form = t->model.form;
    if (t->given && (refused->problem == LLM_PROBLEM_TOO_LONG || refused->problem == LLM_PROBLEM_NO_MODEL))
        return false; /* a program decides itself what it leaves out and which model it wants */
    switch (refused->problem) {
    case LLM_PROBLEM_TOO_LONG:
        return has_older_pictures(t) || has_long_limit(t, refused) || may_refit(t, refused);
    case LLM_PROBLEM_TOOL_SCHEMA: return has_connected(t);
    case LLM_PROBLEM_NO_TOOLS: return has_tools(t);
    case LLM_PROBLEM_NO_PICTURES: return !t->given && turn_has_pictures(t) && !asks_with_pictures(t);
    case LLM_PROBLEM_MANY_PICTURES: return has_older_pictures(t);
    case LLM_PROBLEM_RESPONSES:
        return t->model.params.stops_n == 0 && (may_use_responses(t) || has_effort(t) || has_tools(t));
    case LLM_PROBLEM_NO_RESPONSES:
        return (t->model.responses || turn_searches_web(t)) && t->model.choice->may_learn;
    case LLM_PROBLEM_NO_PREFILL: return t->model.prefill != LLM_PREFILL_NONE;
    case LLM_PROBLEM_NO_EFFORT: return has_effort(t);
    case LLM_PROBLEM_NO_TEMPERATURE:
    case LLM_PROBLEM_TEMPERATURE:
        return t->model.temperature != TEMPERATURE_NONE && t->model.choice->temperature;
    case LLM_PROBLEM_NO_TOP_P: return t->model.params.sets_top_p && t->model.choice->temperature;
    case LLM_PROBLEM_LENGTH: return refused->limit ? !t->model.limited : t->model.answer_tokens != 0;
    case LLM_PROBLEM_THINKING: return !t->model.without_blocks;
    case LLM_PROBLEM_NO_STREAM:
    case LLM_PROBLEM_LIMIT_NAME:
    case LLM_PROBLEM_NO_USAGE:
    case LLM_PROBLEM_NO_NULL:
    case LLM_PROBLEM_NO_SYSTEM: return llm_form_adapt(&form, &t->model.choice->form, refused->problem);
    case LLM_PROBLEM_NO_SEARCH: return turn_searches_web(t);
    case LLM_PROBLEM_NO_REASONING: return !t->model.sends_reasoning;
    case LLM_PROBLEM_NO_MODEL: return can_change_model(t);
    case LLM_PROBLEM_OTHER:
    case LLM_PROBLEM_LOADING:
    case LLM_PROBLEM_BUSY: break;
    }
    return false;
}

/* `m` has the learned limits. */
static void learn(const struct turn *t, struct model_learned_row m)
{
    (void)provider_choice_learn(t->en->set.store, t->model.choice, m);
}

static int64_t estimate(const struct turn *t)
{
    return context_sent(t->context.messages, t->context.messages_n) + t->context.tools_tokens;
}

/* The tokens of the window that the refused request would use, by our estimate: the messages and tools that
 * were sent, and the room for the answer. */
static int64_t window_filled(const struct turn *t, int64_t estimated)
{
    const struct context_frame f = {.window = t->model.window, .answer = turn_answer_limit(t)};
    int64_t filled = estimated + t->model.window - context_room(t->en->set.config, &f);
    return filled < t->model.window ? filled : t->model.window;
}

static void drop_older_pictures(struct turn *t)
{
    t->model.pictures = CONTEXT_PICTURES_NEWEST;
    log_info("turn %s: %s gets the newest pictures only", t->ids.turn, t->model.choice->value);
}

static void lower_length(struct turn *t)
{
    t->model.answer_tokens = t->stream.refused->limit;
    t->model.limited |= t->model.answer_tokens != 0;
    if (t->model.answer_tokens) {
        t->end.note = said_new(t->arena, "answer.little_credit",
            SAID_ARGS(arg_text("provider", t->model.choice->source->label)));
        log_info("turn %s: the credit at %s is enough for %lld tokens", t->ids.turn, t->model.choice->name,
            (long long)t->model.answer_tokens);
        return;
    }
    t->end.note =
        said_new(t->arena, "answer.no_length", SAID_ARGS(arg_text("model", t->model.choice->label)));
    log_info("turn %s: %s does not take this limit of the answer", t->ids.turn, t->model.choice->value);
}

static void refit(struct turn *t)
{
    if (has_older_pictures(t)) {
        drop_older_pictures(t);
        return;
    }
    if (has_long_limit(t, t->stream.refused)) {
        lower_length(t);
        return;
    }
    int64_t reported = t->stream.refused->window, counted = t->stream.refused->prompt_tokens,
            estimated = estimate(t);
    int64_t filled = window_filled(t, estimated);
    t->model.refits++;
    if (reported > 0 && reported < t->model.choice->window)
        learn(t, (struct model_learned_row){.window = reported});
    int64_t window = reported;
    if (counted > estimated && reported > 0)
        window = reported * estimated / counted * PERCENT_OF_COUNTED / 100;
    t->model.guessed = reported <= 0;
    if (reported <= 0 || window >= filled) /* the same request would be refused again */
        window = filled * PERCENT_OF_UNKNOWN / 100;
    t->model.window = window < TURN_WINDOW_LEAST ? TURN_WINDOW_LEAST : window;
    log_info(
        "turn %s: %s refused the length; it reported a window of %lld tokens (0: none), and the context is "
        "built again for %lld",
        t->ids.turn, t->model.choice->value, (long long)reported, (long long)t->model.window);
}

void turn_learn_window(const struct turn *t)
{
    if (t->model.guessed && t->end.status == MESSAGE_DONE && t->model.window < t->model.choice->window)
        learn(t, (struct model_learned_row){.window = t->model.window});
}

void turn_learn_pictures(const struct turn *t)
{
    if (t->model.refused_pictures)
        learn(t, (struct model_learned_row){.images = LLM_NO});
}

static void drop_pictures(struct turn *t)
{
    t->model.pictures = CONTEXT_PICTURES_NONE;
    t->model.refused_pictures = true;
    log_info("turn %s: %s takes no pictures", t->ids.turn, t->model.choice->value);
}

static void drop_tools(struct turn *t)
{
    t->model.without_tools = true;
    learn(t, (struct model_learned_row){.tools = LLM_NO});
    bool owner_decides =
        t->model.choice->tools_from && strcmp(t->model.choice->tools_from, "alfred.toml") == 0;
    t->end.note = said_new(t->arena, owner_decides ? "answer.no_tools_but_set" : "answer.no_tools",
        SAID_ARGS(arg_text("model", t->model.choice->label)));
    log_info("turn %s: %s takes no tools", t->ids.turn, t->model.choice->value);
}

static void drop_connected(struct turn *t)
{
    t->denied |= TOOL_SET_CONNECTED;
    t->end.note =
        said_new(t->arena, "answer.no_connected", SAID_ARGS(arg_text("model", t->model.choice->label)));
    log_warn("turn %s: %s refused the tools; those of MCP servers are left out: %s", t->ids.turn,
        t->model.choice->value, err_kept(&t->save.err)->text);
}

static enum rc drop_effort_tx(struct db *db, void *arg, struct err *e)
{
    const struct turn *t = arg;
    return store_session_set_effort(db, t->ids.owner, t->ids.session, NULL, e);
}

static void drop_effort(struct turn *t)
{
    struct err e = ERR_INIT;
    t->model.effort = NULL;
    t->end.note =
        said_new(t->arena, "answer.no_effort", SAID_ARGS(arg_text("model", t->model.choice->label)));
    log_info("turn %s: %s takes no effort", t->ids.turn, t->model.choice->value);
    if (!t->beside && store_write_lazy(t->en->set.store, drop_effort_tx, t, &e) != RC_OK)
        log_warn("turn %s: the session's effort could not be stored: %s", t->ids.turn, e.text);
}

static void send_reasoning(struct turn *t)
{
    t->model.sends_reasoning = true;
    learn(t, (struct model_learned_row){.reasoning_back = LLM_YES});
    log_info("turn %s: %s wants the reasoning of earlier answers", t->ids.turn, t->model.choice->value);
}

/* A temperature that is only too high says nothing about others. */
static void drop_temperature(struct turn *t)
{
    t->model.temperature = TEMPERATURE_NONE;
    if (t->stream.refused->problem == LLM_PROBLEM_NO_TEMPERATURE)
        learn(t, (struct model_learned_row){.temperature = LLM_NO});
    t->end.note =
        said_new(t->arena, "answer.no_temperature", SAID_ARGS(arg_text("model", t->model.choice->label)));
    log_info("turn %s: %s does not take this temperature", t->ids.turn, t->model.choice->value);
}

static void drop_top_p(struct turn *t)
{
    t->model.params.sets_top_p = false;
    log_info("turn %s: %s does not take this top_p", t->ids.turn, t->model.choice->value);
}

/* The messages that the steps of this turn have added have such data, too. */
static void drop_blocks(struct turn *t)
{
    t->model.without_blocks = true;
    for (size_t i = 0; i < t->context.messages_n; i++)
        t->context.messages[i].opaque = STR("");
    log_info("turn %s: %s does not take its thinking back", t->ids.turn, t->model.choice->value);
}

static void change_form(struct turn *t, enum llm_problem problem)
{
    static const char *const why[] = {
        [LLM_PROBLEM_NO_STREAM] = "does not stream",
        [LLM_PROBLEM_LIMIT_NAME] = "has another name for the limit of an answer",
        [LLM_PROBLEM_NO_USAGE] = "has no stream_options",
        [LLM_PROBLEM_NO_SYSTEM] = "takes no system message",
        [LLM_PROBLEM_NO_NULL] = "takes no null as a content",
        [LLM_PROBLEM_NO_SEARCH] = "has no web search",
    };
    llm_form_adapt(&t->model.form, &t->model.choice->form, problem);
    learn(t, (struct model_learned_row){.form = provider_learned_form(&t->model.form)});
    log_info("turn %s: %s %s", t->ids.turn, t->model.choice->value, why[problem]);
}

static void drop_search(struct turn *t)
{
    change_form(t, LLM_PROBLEM_NO_SEARCH);
    if (turn_denied_tools(t) & TOOL_SET_SEARCH)
        t->end.note =
            said_new(t->arena, "answer.no_search", SAID_ARGS(arg_text("model", t->model.choice->label)));
}

static void use_responses(struct turn *t)
{
    if (!may_use_responses(t)) {
        if (has_effort(t))
            drop_effort(t);
        else
            drop_tools(t);
        return;
    }
    t->model.responses = true;
    if (t->model.prefill != LLM_PREFILL_NONE)
        turn_continue_by_instruction(t);
    learn(t, (struct model_learned_row){.responses = LLM_YES});
    log_info("turn %s: %s is asked through /responses", t->ids.turn, t->model.choice->value);
}

static void leave_responses(struct turn *t)
{
    t->model.responses = false;
    t->model.no_responses = true;
    learn(t, (struct model_learned_row){.responses = LLM_NO});
    log_info("turn %s: %s has no /responses", t->ids.turn, t->model.choice->name);
}

static void change_model(struct turn *t)
{
    const struct provider_choice *other = providers_default(t->en->set.providers);
    t->end.note = said_new(t->arena, "answer.other_model",
        SAID_ARGS(arg_text("model", t->model.choice->label), provider_choice_said("other", other)));
    log_info("turn %s: %s no longer exists, %s is asked", t->ids.turn, t->model.choice->value, other->value);
    turn_use_model(&t->model, other);
    t->model.replaced = true;
    /* these are of the former model */
    t->model.guessed = t->model.refused_pictures = t->model.no_responses = t->model.without_blocks =
        t->model.limited = false;
    if (t->model.prefill != LLM_PREFILL_NONE)
        turn_continue_by_instruction(t);
}

void turn_adapt(void *arg)
{
    struct turn *t = arg;
    switch (t->stream.refused->problem) {
    case LLM_PROBLEM_TOO_LONG: refit(t); break;
    case LLM_PROBLEM_TOOL_SCHEMA: drop_connected(t); break;
    case LLM_PROBLEM_NO_TOOLS: has_connected(t) ? drop_connected(t) : drop_tools(t); break;
    case LLM_PROBLEM_NO_PICTURES: drop_pictures(t); break;
    case LLM_PROBLEM_MANY_PICTURES: drop_older_pictures(t); break;
    case LLM_PROBLEM_RESPONSES: use_responses(t); break;
    case LLM_PROBLEM_NO_RESPONSES: leave_responses(t); break;
    case LLM_PROBLEM_NO_PREFILL: turn_continue_by_instruction(t); break;
    case LLM_PROBLEM_NO_EFFORT: drop_effort(t); break;
    case LLM_PROBLEM_NO_TEMPERATURE:
    case LLM_PROBLEM_TEMPERATURE: drop_temperature(t); break;
    case LLM_PROBLEM_NO_TOP_P: drop_top_p(t); break;
    case LLM_PROBLEM_NO_REASONING: send_reasoning(t); break;
    case LLM_PROBLEM_LENGTH: lower_length(t); break;
    case LLM_PROBLEM_THINKING: drop_blocks(t); break;
    case LLM_PROBLEM_NO_STREAM:
    case LLM_PROBLEM_LIMIT_NAME:
    case LLM_PROBLEM_NO_USAGE:
    case LLM_PROBLEM_NO_NULL:
    case LLM_PROBLEM_NO_SYSTEM: change_form(t, t->stream.refused->problem); break;
    case LLM_PROBLEM_NO_SEARCH: drop_search(t); break;
    case LLM_PROBLEM_NO_MODEL: change_model(t); break;
    case LLM_PROBLEM_OTHER:
    case LLM_PROBLEM_LOADING:
    case LLM_PROBLEM_BUSY: break;
    }
    struct err e = ERR_INIT;
    struct db *db = store_read(t->en->set.store);
    t->save.rc = turn_read_context(db, t, NULL, &e);
    store_read_done(t->en->set.store, db);
    if (t->save.rc != RC_OK)
        log_warn("turn %s: the context could not be built again: %s", t->ids.turn, e.text);
}

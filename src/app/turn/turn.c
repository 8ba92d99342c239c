#include "app/turn/turn_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

static void advance(struct turn *t);

/* Engine */

enum rc turn_engine_new(const struct turn_engine_setup *s, struct turn_engine **out, struct err *e)
{
    struct turn_engine *en = xcalloc(1, sizeof *en);
    en->set = *s;
    if (!en->set.save_retry.first_ms)
        en->set.save_retry = TURN_SAVE_RETRY;
    en->llm = xcalloc(s->providers->sources_n, sizeof(struct llm_provider *));
    for (size_t i = 0; i < s->providers->sources_n; i++) {
        const struct provider_source *source = &s->providers->sources[i];
        struct llm_settings settings = source->settings;
        settings.limits = (struct http_limits){
            .connect_ms = TURN_CONNECT_MS,
            .first_ms = (int)(s->config->turn.first_byte_seconds * MS_PER_S),
            .silence_ms = (int)(s->config->turn.silence_seconds * MS_PER_S),
            .total_ms = (int)(s->config->turn.total_minutes * MS_PER_MIN),
            .body_max = TURN_WIRE_MAX,
        };
        enum rc rc = llm_provider_new(source->kind, &settings, s->loop, s->http, &en->llm[i], e);
        if (rc != RC_OK) {
            turn_engine_free(en);
            return rc;
        }
    }
    *out = en;
    return RC_OK;
}

void turn_engine_free(struct turn_engine *en)
{
    if (!en)
        return;
    for (size_t i = 0; i < en->set.providers->sources_n; i++)
        llm_provider_free(en->llm[i]);
    free(en->llm);
    free(en);
}

struct turn *turn_new(struct turn_engine *en)
{
    struct turn *t = xcalloc(1, sizeof *t);
    t->en = en;
    t->arena = arena_new();
    t->status = MESSAGE_DONE;
    t->backoff = en->set.save_retry;
    strbuf_init(&t->text, TURN_TEXT_MAX);
    strbuf_init(&t->reasoning, TURN_REASONING_MAX);
    strbuf_init(&t->held, TURN_TEXT_MAX);
    return t;
}

void turn_free(struct turn *t)
{
    if (!t)
        return;
    llm_call_free(t->call);
    turnlog_free(t->log);
    loop_timer_free(t->retry);
    loop_timer_free(t->merge);
    strbuf_release(&t->text);
    strbuf_release(&t->reasoning);
    strbuf_release(&t->held);
    err_drop(&t->failure);
    err_drop(&t->save_err);
    arena_free(t->arena);
    free(t);
}

static void leave(struct turn *t)
{
    struct turn_engine *en = t->en;
    if (t->prev)
        t->prev->next = t->next;
    else if (en->turns == t)
        en->turns = t->next;
    if (t->next)
        t->next->prev = t->prev;
    turn_free(t);
    if (en->draining && !en->turns)
        en->idle(en->idle_arg);
}

static void enter(struct turn *t)
{
    struct turn_engine *en = t->en;
    t->next = en->turns;
    if (t->next)
        t->next->prev = t;
    en->turns = t;
}

/* Records */

static void end_with(struct turn *t, enum message_status status)
{
    if (t->over)
        return;
    t->over = true;
    t->status = status;
}

static void fail(struct turn *t, const struct err *why)
{
    if (t->over)
        return;
    *err_kept(&t->failure) = *why;
    log_warn("turn %s: %s: %s", t->ids.turn, rc_name(why->rc), why->text);
    if (!why->for_user)
        err_say(err_kept(&t->failure), why->rc, "answer.server_problem");
    end_with(t, MESSAGE_FAILED);
}

void turn_record(struct turn *t, enum turnlog_kind kind, struct str content)
{
    struct turnlog_record r = {.kind = kind, .content = content};
    struct err e = ERR_INIT;
    if (turnlog_append(t->log, kind, content, &e) != RC_OK) {
        log_error("turn %s: %s", t->ids.turn, e.text);
        err_say(&e, RC_IO, "answer.not_stored");
        fail(t, &e);
        return;
    }
    if (kind != TURNLOG_MESSAGE)
        t->en->set.observer.on_record(t->en->set.observer.arg, t->ids.turn, &r);
}

static void record_message(struct turn *t)
{
    char id[24];
    int n = snprintf(id, sizeof id, "%lld", (long long)t->reply_id);
    turn_record(t, TURNLOG_MESSAGE, (struct str){id, (size_t)n});
}

/* Releases text, once the user's message is on disk. */
static void release_text(struct turn *t)
{
    if (t->committed && t->released < t->text.len) {
        struct str piece = {t->text.s + t->released, t->text.len - t->released};
        t->released = t->text.len;
        t->released_us = clock_mono_us();
        turn_record(t, TURNLOG_TEXT, piece);
    }
}

static void on_merge(void *arg)
{
    struct turn *t = arg;
    t->merge_set = false;
    release_text(t);
    if (t->over) /* the log cannot be written */
        advance(t);
}

/* Merges pieces: each record costs a write to the log, a rendering and a write to every reader. */
static void merge_text(struct turn *t)
{
    if (t->merge_set)
        return;
    if (!t->committed || clock_mono_us() - t->released_us >= TURN_MERGE_MS * INT64_C(1000)) {
        release_text(t);
        return;
    }
    if (!t->merge)
        t->merge = loop_timer_new(t->en->set.loop, on_merge, t);
    loop_timer_set(t->merge, TURN_MERGE_MS);
    t->merge_set = true;
}

/* The provider's events */

static int calls_left(const struct turn *t)
{
    return t->no_calls ? 0 : (int)t->en->set.config->turn.tool_calls_max - t->calls_total;
}

/* Calls over the limit are dropped: the model sees the results of the others and continues. */
static void add_call(struct turn *t, const struct llm_tool_call *c)
{
    if (calls_left(t) == 0 || t->calls_n == TURN_CALLS_PER_STEP)
        return;
    t->calls_total++;
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

/* Asked once more, the same question would be refused once more. */
static bool is_rejected(const struct llm_event *ev)
{
    return ev->problem == LLM_PROBLEM_TOO_LONG ||
           (ev->problem == LLM_PROBLEM_OTHER && ev->err->rc == RC_BAD_INPUT);
}

static void note_thinking(struct turn *t, bool thinks)
{
    int64_t now = clock_mono_us();
    if (thinks && !t->thinking_us)
        t->thinking_us = now;
    if (thinks || !t->thinking_us)
        return;
    t->thought_us += now - t->thinking_us;
    t->thinking_us = 0;
}

static void on_llm(void *arg, const struct llm_event *ev)
{
    struct turn *t = arg;
    if (t->over)
        return;
    note_thinking(t, ev->kind == LLM_REASONING);
    switch (ev->kind) {
    case LLM_TEXT:
        t->waiting = (struct turn_waiting){0};
        turn_continue_text(t, ev->text, false);
        if (t->text.failed || t->held.failed) {
            t->text.failed = t->held.failed = false; /* the complete part is kept */
            struct err e = ERR_INIT;
            err_say(&e, RC_TOO_BIG, "answer.too_long", arg_int("max", (int64_t)(TURN_TEXT_MAX / 1024)));
            fail(t, &e);
        }
        merge_text(t);
        break;
    case LLM_REASONING:
        t->waiting = (struct turn_waiting){0};
        strbuf_addstr(&t->reasoning, ev->text);
        if (t->committed && turn_said_nothing(t))
            turn_record(t, TURNLOG_THINK, ev->text);
        break;
    case LLM_CALL: add_call(t, &ev->call); break;
    case LLM_OPAQUE:
        t->opaque = (struct str){arena_strndup(t->arena, ev->text.s, ev->text.len), ev->text.len};
        break;
    case LLM_USAGE:
        t->tokens.in += ev->tokens.in;
        t->tokens.out += ev->tokens.out;
        t->tokens.cached += ev->tokens.cached;
        t->tokens.reasoning += ev->tokens.reasoning;
        t->tokens_context += ev->tokens.in + ev->tokens.out;
        break;
    case LLM_RETRY:
    case LLM_READING: turn_wait_begin(t, ev); break;
    case LLM_ERROR:
        if (turn_said_nothing(t) && t->calls_n == 0 && turn_can_adapt(t, ev)) {
            t->refused = *ev;
            *err_kept(&t->save_err) = *ev->err; /* used when no other request is possible */
            t->over = true;
            break;
        }
        if (t->text.len == 0 && is_rejected(ev))
            t->stop = STOP_REJECTED;
        fail(t, ev->err);
        break;
    case LLM_END:
        if (ev->stop == LLM_STOP_PAUSED && t->calls_n == 0 && t->pauses < TURN_PAUSES_MAX) {
            t->paused = t->over = true;
            break;
        }
        note_stop(t, ev->stop);
        end_with(t, MESSAGE_DONE);
        break;
    }
    if (t->over)
        advance(t);
}

static void call_provider(struct turn *t)
{
    struct turn_engine *en = t->en;
    if (t->plain.len) {
        strbuf_addstr(&t->text, t->plain);
        end_with(t, MESSAGE_DONE);
        return;
    }
    struct llm_request r = {
        .model = t->choice->model,
        .messages = t->messages,
        .messages_n = t->messages_n,
        .max_tokens = (int)(t->answer_tokens ? t->answer_tokens : en->set.config->context.answer_tokens),
        .sets_temperature = t->choice->temperature && t->temperature != TEMPERATURE_NONE,
        .temperature = t->temperature,
        .tools = t->tools,
        .tools_n = t->tools_n,
        .no_calls = t->no_calls,
        .effort = t->choice->effort ? t->effort : NULL,
        .prefill = t->prefill,
        .now_ms = clock_wall_ms(),
        .zone = t->zone,
        .zone_name = t->zone_name,
    };
    provider_choice_api(t->choice, t->responses, &r);
    struct err e = ERR_INIT;
    t->tokens_context = 0;
    t->phase = TURN_CALLING;
    t->over = false;
    t->waiting = (struct turn_waiting){0};
    if (llm_start(en->llm[t->choice->source->index], &r, on_llm, t, &t->call, &e) != RC_OK)
        fail(t, &e);
}

void turn_launch(void *arg)
{
    struct turn *t = arg;
    enter(t);
    call_provider(t);
}

void turn_abandon(void *arg)
{
    leave(arg);
}

/* Steps and end */

/* Appends the text of this call to the messages of the next request. */
static struct llm_message *add_said(struct turn *t)
{
    turn_continue_said(t);
    struct llm_message *m = &t->messages[t->messages_n++];
    struct str said = {t->text.s + t->call_from, t->text.len - t->call_from};
    *m = (struct llm_message){.role = LLM_ASSISTANT,
        .text = {arena_strndup(t->arena, said.s, said.len), said.len},
        .opaque = t->opaque};
    t->opaque = STR("");
    t->call_from = t->text.len;
    return m;
}

void turn_step_saved(void *arg)
{
    struct turn *t = arg;
    t->phase = TURN_CALLING; /* also when the turn ends here: advance() continues from there */
    if (t->save_rc != RC_OK) {
        t->over = false;
        fail(t, err_kept(&t->save_err));
        advance(t);
        return;
    }
    struct llm_message *m = add_said(t);
    struct llm_tool_call *calls = ARENA_ARRAY(t->arena, struct llm_tool_call, t->calls_n);
    memcpy(calls, t->calls, t->calls_n * sizeof *calls);
    m->calls = calls;
    m->calls_n = t->calls_n;
    for (size_t i = 0; i < t->calls_n; i++)
        t->messages[t->messages_n++] = (struct llm_message){.role = LLM_TOOL,
            .call_id = calls[i].id,
            .text = str_of(arena_strdup(t->arena, t->results[i].s))};
    t->size.tokens += context_tokens(m->text);
    for (size_t i = 0; i < t->calls_n; i++)
        t->size.tokens += context_tokens(str_of(calls[i].args)) + context_tokens(str_of(t->results[i].s));
    for (size_t i = 0; i < t->calls_n; i++)
        strbuf_release(&t->results[i]);

    struct turn_step step = {.called_id = t->reply_id, .reply_id = t->next_reply_id};
    t->reply_id = t->next_reply_id;
    t->no_calls = calls_left(t) <= 0;
    t->refitted = false;
    t->calls_n = 0;
    strbuf_clear(&t->text);
    t->released = t->call_from = t->begun = t->reasoned = 0;
    t->joining = false;
    strbuf_clear(&t->reasoning);
    t->thought_us = 0;
    t->over = false;
    record_message(t);
    t->en->set.observer.on_step(t->en->set.observer.arg, t->ids.turn, &step);
    if (t->stopping)
        end_with(t, t->en->draining ? MESSAGE_INTERRUPTED : MESSAGE_STOPPED);
    else if (!t->over)
        call_provider(t);
    if (t->over)
        advance(t);
}

static void save_end(void *arg);

static void end_unsaved(struct turn *t)
{
    struct turn_observer *o = &t->en->set.observer;
    log_repeat(&t->save_log, LOG_ERROR, "turn %s could not be saved: %s: %s", t->ids.turn,
        rc_name(t->save_rc), err_kept(&t->save_err)->text);
    o->on_unsaved(o->arg, t->ids.turn);
    if (t->en->draining) {
        leave(t); /* its log has the text; the next start recovers it */
        return;
    }
    if (!t->retry)
        t->retry = loop_timer_new(t->en->set.loop, save_end, t);
    loop_timer_set(t->retry, backoff_next(&t->backoff));
    t->retry_set = true;
}

static void on_end_saved(void *arg)
{
    struct turn *t = arg;
    struct turn_observer *o = &t->en->set.observer;
    if (t->save_rc != RC_OK) {
        end_unsaved(t);
        return;
    }
    log_repeat_end(&t->save_log, "saving a turn");
    log_info("turn %s %s: %zu bytes, %lld + %lld tokens", t->ids.turn, message_status_name(t->status),
        t->text.len, (long long)t->tokens.in, (long long)t->tokens.out);
    o->on_ended(o->arg, t->ids.turn);
    leave(t);
}

static void save_end(void *arg)
{
    struct turn *t = arg;
    t->retry_set = false;
    thread_pool_submit(t->en->set.pool, turn_save_end, on_end_saved, t);
}

void turn_adopt(void *arg)
{
    struct turn *t = arg;
    struct turn_observer *o = &t->en->set.observer;
    struct turnlog_record r = {.kind = TURNLOG_TEXT, .content = strbuf_str(&t->text)};
    t->committed = t->over = true;
    t->phase = TURN_FINISHING;
    enter(t);
    o->on_started(o->arg, &t->ids);
    if (r.content.len)
        o->on_record(o->arg, t->ids.turn, &r);
    end_unsaved(t);
}

static void on_adapted(void *arg)
{
    struct turn *t = arg;
    t->phase = TURN_CALLING;
    t->over = false;
    t->refused = (struct llm_event){0};
    if (t->stopping) {
        end_with(t, t->en->draining ? MESSAGE_INTERRUPTED : MESSAGE_STOPPED);
    } else if (t->save_rc != RC_OK) {
        fail(t, err_kept(&t->save_err));
    } else {
        err_drop(&t->failure);
        call_provider(t);
    }
    if (t->over)
        advance(t);
}

/* Continues the answer where the provider paused it. */
static void after_pause(struct turn *t)
{
    t->paused = t->over = false;
    t->pauses++;
    if (t->stopping) {
        end_with(t, t->en->draining ? MESSAGE_INTERRUPTED : MESSAGE_STOPPED);
        return;
    }
    add_said(t);
    call_provider(t);
}

/* Continues when the provider's stream has ended and the message is on disk. */
static void advance(struct turn *t)
{
    if (!t->over || !t->committed || t->phase != TURN_CALLING)
        return;
    if (!t->refused.problem)
        turn_continue_text(t, STR(""), true);
    release_text(t);
    llm_call_free(t->call);
    t->call = NULL;
    if (t->paused)
        after_pause(t);
    if (!t->over)
        return;
    if (t->refused.problem) {
        t->phase = TURN_ADAPTING;
        thread_pool_submit(t->en->set.pool, turn_adapt, on_adapted, t);
        return;
    }
    if (t->status == MESSAGE_DONE && t->calls_n > 0) {
        t->phase = TURN_TOOLS;
        turn_run_tools(t);
        return;
    }
    if (t->status == MESSAGE_DONE && t->text.len == 0) {
        if (!err_rc(t->failure))
            err_say(err_kept(&t->failure), RC_UPSTREAM, "answer.empty");
        t->status = MESSAGE_FAILED;
    }
    if (t->status == MESSAGE_DONE && t->note && !err_rc(t->failure))
        err_said(err_kept(&t->failure), RC_UPSTREAM, t->note);
    t->phase = TURN_FINISHING;
    save_end(t);
}

static void stop(struct turn *t)
{
    t->stopping = true;
    if (t->phase == TURN_CALLING && !t->over) {
        t->calls_n = 0;
        end_with(t, t->en->draining ? MESSAGE_INTERRUPTED : MESSAGE_STOPPED);
        llm_call_free(t->call); /* closes the provider's connection now */
        t->call = NULL;
    }
    if (t->retry_set) {
        loop_timer_set(t->retry, -1);
        save_end(t);
        return;
    }
    advance(t);
}

void turn_committed(void *arg)
{
    struct turn *t = arg;
    t->committed = true;
    t->en->set.observer.on_started(t->en->set.observer.arg, &t->ids);
    record_message(t);
    turn_wait_record(t);
    if (t->reasoning.len > t->reasoned)
        turn_record(
            t, TURNLOG_THINK, (struct str){t->reasoning.s + t->reasoned, t->reasoning.len - t->reasoned});
    release_text(t);
    if (t->en->draining)
        stop(t);
    else
        advance(t);
}

bool turn_stop(struct turn_engine *en, const char *turn)
{
    for (struct turn *t = en->turns; t; t = t->next)
        if (strcmp(t->ids.turn, turn) == 0) {
            stop(t);
            return true;
        }
    return false;
}

void turn_engine_drain(struct turn_engine *en, loop_fn *idle, void *arg)
{
    en->draining = true;
    en->idle = idle;
    en->idle_arg = arg;
    if (!en->turns) {
        idle(arg);
        return;
    }
    for (struct turn *t = en->turns, *next; t; t = next) {
        next = t->next;
        stop(t);
    }
}

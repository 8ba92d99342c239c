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
    en->llm = xcalloc(s->providers->n, sizeof(struct llm_provider *));
    for (size_t i = 0; i < s->providers->n; i++) {
        const struct provider_choice *c = &s->providers->choices[i];
        struct llm_settings settings = {.base_url = c->base_url, .key = c->key};
        snprintf(settings.name, sizeof settings.name, "%s", c->name);
        settings.limits = (struct http_limits){
            .connect_ms = TURN_CONNECT_MS,
            .silence_ms = (int)(s->config->turn.silence_seconds * MS_PER_S),
            .total_ms = (int)(s->config->turn.total_minutes * MS_PER_MIN),
            .body_max = TURN_WIRE_MAX,
        };
        enum rc rc = llm_provider_new(c->kind, &settings, s->loop, s->http, &en->llm[i], e);
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
    for (size_t i = 0; i < en->set.providers->n; i++)
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
    strbuf_init(&t->text, TURN_TEXT_MAX);
    return t;
}

static void turn_free(struct turn *t)
{
    llm_call_free(t->call);
    turnlog_free(t->log);
    loop_timer_free(t->retry);
    strbuf_release(&t->text);
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
    t->failure = *why;
    log_warn("turn %s: %s: %s", t->ids.turn, rc_name(why->rc), why->text);
    end_with(t, MESSAGE_FAILED);
}

static void record(struct turn *t, enum turnlog_kind kind, struct str content)
{
    struct turnlog_record r = {.kind = kind, .content = content};
    struct err e = ERR_INIT;
    if (turnlog_append(t->log, kind, content, &e) != RC_OK) {
        log_error("turn %s: %s", t->ids.turn, e.text);
        err_say(&e, RC_IO, "The answer could not be stored: the disk of this server is full or broken.");
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
    record(t, TURNLOG_MESSAGE, (struct str){id, (size_t)n});
}

/* What came before the commit goes out with it; later pieces one by one. */
static void release_text(struct turn *t)
{
    if (t->committed && t->released < t->text.len) {
        struct str piece = {t->text.s + t->released, t->text.len - t->released};
        t->released = t->text.len;
        record(t, TURNLOG_TEXT, piece);
    }
}

/* The provider's events */

static void add_call(struct turn *t, const struct llm_tool_call *c)
{
    struct err e = ERR_INIT;
    t->calls_total++;
    if (t->calls_n == TURN_CALLS_PER_STEP || t->calls_total > t->en->set.config->turn.tool_calls_max) {
        err_say(&e, RC_TOO_BIG, "The model asked for more than %d tool calls in one turn and was stopped.",
            (int)t->en->set.config->turn.tool_calls_max);
        fail(t, &e);
        return;
    }
    t->calls[t->calls_n++] = (struct llm_tool_call){
        .id = arena_strdup(t->arena, c->id),
        .name = arena_strdup(t->arena, c->name),
        .args = arena_strdup(t->arena, c->args),
    };
}

/* An answer that ends early for a reason of the model's says so beneath its text. */
static void note_stop(struct turn *t, enum llm_stop why)
{
    if (why == LLM_STOP_LENGTH)
        err_say(&t->failure, RC_TOO_BIG, "The answer reached the model's length limit and ends here.");
    if (why == LLM_STOP_REFUSED)
        err_say(&t->failure, RC_UPSTREAM, "The model declined to answer this.");
}

static void on_llm(void *arg, const struct llm_event *ev)
{
    struct turn *t = arg;
    if (t->over)
        return;
    switch (ev->kind) {
    case LLM_TEXT:
        strbuf_addstr(&t->text, ev->text);
        if (t->text.failed) {
            t->text.failed = false; /* what fitted is kept */
            struct err e = ERR_INIT;
            err_say(
                &e, RC_TOO_BIG, "The answer grew over %zu KB and was stopped there.", TURN_TEXT_MAX / 1024);
            fail(t, &e);
        }
        release_text(t);
        break;
    case LLM_REASONING:
        if (t->committed && t->text.len == 0)
            record(t, TURNLOG_THINK, STR(""));
        break;
    case LLM_CALL: add_call(t, &ev->call); break;
    case LLM_USAGE:
        t->tokens_in += ev->tokens_in;
        t->tokens_out += ev->tokens_out;
        t->tokens_context += ev->tokens_in + ev->tokens_out;
        break;
    case LLM_RETRY:
        if (t->committed) {
            char ms[16];
            int n = snprintf(ms, sizeof ms, "%d", ev->wait_ms);
            record(t, TURNLOG_RETRY, (struct str){ms, (size_t)n});
        }
        break;
    case LLM_ERROR: fail(t, ev->err); break;
    case LLM_END:
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
        .max_tokens = (int)en->set.config->context.answer_tokens,
        .tools = t->tools,
        .tools_n = t->tools_n,
        .now_ms = clock_wall_ms(),
    };
    struct err e = ERR_INIT;
    t->tokens_context = 0;
    t->phase = TURN_CALLING;
    t->over = false;
    if (llm_start(en->llm[t->choice - en->set.providers->choices], &r, on_llm, t, &t->call, &e) != RC_OK)
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

/* Steps and the end */

static void on_step_saved(void *arg)
{
    struct turn *t = arg;
    t->phase = TURN_CALLING; /* also when the turn ends here: advance() takes it from there */
    if (t->save_rc != RC_OK) {
        t->over = false;
        fail(t, &t->save_err);
        advance(t);
        return;
    }
    struct llm_message *m = &t->messages[t->messages_n++];
    struct llm_tool_call *calls = ARENA_ARRAY(t->arena, struct llm_tool_call, t->calls_n);
    memcpy(calls, t->calls, t->calls_n * sizeof *calls);
    *m = (struct llm_message){.role = LLM_ASSISTANT,
        .text = {arena_strndup(t->arena, t->text.s, t->text.len), t->text.len},
        .calls = calls,
        .calls_n = t->calls_n};
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
    t->calls_n = 0;
    strbuf_clear(&t->text);
    t->released = 0;
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

static void tell_end(struct turn *t)
{
    if (t->told)
        return;
    t->told = true;
    struct turn_ended end = {.status = t->status, .saved = t->save_rc == RC_OK, .reply_id = t->reply_id};
    t->en->set.observer.on_ended(t->en->set.observer.arg, t->ids.turn, &end);
}

static void on_end_saved(void *arg)
{
    struct turn *t = arg;
    if (t->save_rc == RC_OK) {
        log_info("turn %s %s: %zu bytes, %lld + %lld tokens", t->ids.turn, message_status_name(t->status),
            t->text.len, (long long)t->tokens_in, (long long)t->tokens_out);
        tell_end(t);
        leave(t);
        return;
    }
    log_error("turn %s could not be saved: %s: %s", t->ids.turn, rc_name(t->save_rc), t->save_err.text);
    tell_end(t);
    if (t->en->draining || ++t->save_tries > TURN_SAVE_RETRIES) {
        leave(t); /* its log has the text: the next start saves it as interrupted */
        return;
    }
    if (!t->retry)
        t->retry = loop_timer_new(t->en->set.loop, save_end, t);
    loop_timer_set(t->retry, (int64_t)TURN_SAVE_RETRY_MS << (t->save_tries - 1));
}

static void save_end(void *arg)
{
    struct turn *t = arg;
    work_submit(t->en->set.pool, turn_save_end, on_end_saved, t);
}

/* Moves on when the provider's stream is over and the message is on disk. */
static void advance(struct turn *t)
{
    if (!t->over || !t->committed || t->phase != TURN_CALLING)
        return;
    release_text(t);
    llm_call_free(t->call);
    t->call = NULL;
    if (t->status == MESSAGE_DONE && t->calls_n > 0) {
        t->phase = TURN_TOOLS;
        work_submit(t->en->set.pool, turn_save_step, on_step_saved, t);
        return;
    }
    if (t->status == MESSAGE_DONE && t->text.len == 0) {
        if (!t->failure.text[0])
            err_say(&t->failure, RC_UPSTREAM, "The model gave an empty answer.");
        t->status = MESSAGE_FAILED;
    }
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
    advance(t);
}

void turn_committed(void *arg)
{
    struct turn *t = arg;
    t->committed = true;
    t->en->set.observer.on_started(t->en->set.observer.arg, &t->ids);
    record_message(t);
    release_text(t);
    if (t->en->draining)
        stop(t);
    else
        advance(t);
}

bool turn_stop(struct turn_engine *en, const char *turn)
{
    for (struct turn *t = en->turns; t; t = t->next)
        if (strcmp(t->ids.turn, turn) == 0 && t->committed) {
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

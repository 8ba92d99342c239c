/* The state machine of a turn (turn.h). turn_advance() has the transitions at the end of a request. */
#include "app/turn/turn_private.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/time_zones.h"

/* ---- a turn ---- */

struct turn *turn_new(struct turn_engine *en)
{
    struct turn *t = xcalloc(1, sizeof *t);
    t->en = en;
    t->arena = arena_new();
    t->channel = en->set.channel;
    t->end.status = MESSAGE_DONE;
    t->save.backoff = en->set.save_retry;
    strbuf_init(&t->answer.text, TURN_TEXT_MAX);
    strbuf_init(&t->answer.reasoning, TURN_REASONING_MAX);
    strbuf_init(&t->old.held, TURN_TEXT_MAX);
    strbuf_init(&t->said, TURN_TEXT_MAX);
    return t;
}

/* The server's zone stays NULL, because it has no name for tools. */
void turn_find_zone(struct turn *t)
{
    if (t->zone_name && *t->zone_name)
        t->zone = time_zones_find(t->en->zones, t->arena, t->zone_name);
}

void turn_free(struct turn *t)
{
    if (!t)
        return;
    turn_leave_place(t);
    turn_drop_pictures(t);
    llm_call_free(t->stream.call);
    turnlog_free(t->out.log);
    loop_timer_free(t->save.retry);
    loop_timer_free(t->out.merge);
    strbuf_release(&t->answer.text);
    strbuf_release(&t->answer.reasoning);
    strbuf_release(&t->old.held);
    strbuf_release(&t->said);
    err_drop(&t->end.failure);
    err_drop(&t->save.err);
    arena_free(t->arena);
    free(t);
}

/* ---- the end of a request, launch ---- */

void turn_end_with(struct turn *t, enum message_status status)
{
    if (t->over)
        return;
    t->over = true;
    t->end.status = status;
}

/* A stop of the program is not a stop by the user. */
static enum message_status stopped_status(const struct turn *t)
{
    return t->en->draining ? MESSAGE_INTERRUPTED : MESSAGE_STOPPED;
}

static void end_stopped(struct turn *t)
{
    turn_end_with(t, stopped_status(t));
}

void turn_fail(struct turn *t, const struct err *why)
{
    if (t->over)
        return;
    *err_kept(&t->end.failure) = *why;
    log_warn("turn %s: %s: %s", t->ids.turn, rc_name(why->rc), why->text);
    if (!why->for_user)
        err_say(err_kept(&t->end.failure), why->rc, "answer.server_problem");
    turn_end_with(t, MESSAGE_FAILED);
}

void turn_launch(void *arg)
{
    struct turn *t = arg;
    turn_enter_engine(t);
    turn_call_provider(t);
}

void turn_abandon(void *arg)
{
    turn_leave_engine(arg);
}

/* ---- steps and end ---- */

/* A program gets the texts of all steps as one. */
static void keep_said(struct turn *t)
{
    if (!t->given || t->answer.text.len == 0)
        return;
    strbuf_adds(&t->said, t->said.len ? TURN_STEPS_BREAK : "");
    strbuf_addstr(&t->said, strbuf_str(&t->answer.text));
}

/* Appends the text of this call to the messages of the next request. */
static struct llm_message *add_said(struct turn *t)
{
    turn_continue_said(t);
    struct llm_message *m = turn_add_message(t);
    struct str said = str_from(strbuf_str(&t->answer.text), t->answer.call_from);
    *m = (struct llm_message){
        .role = LLM_ASSISTANT, .text = arena_str(t->arena, said), .opaque = t->answer.opaque};
    t->answer.opaque = STR("");
    t->answer.call_from = t->answer.text.len;
    return m;
}

/* Appends the answer with its calls, and their results. */
static void add_step(struct turn *t)
{
    size_t n = t->answer.calls_n;
    struct llm_tool_call *calls = ARENA_ARRAY(t->arena, struct llm_tool_call, n);
    memcpy(calls, t->answer.calls, n * sizeof *calls);
    struct llm_message *said = add_said(t);
    said->calls = calls;
    said->calls_n = n;
    t->context.size.tokens += context_tokens(said->text);
    for (size_t i = 0; i < n; i++) {
        struct str result = strbuf_str(&t->step.results[i]);
        *turn_add_message(t) = (struct llm_message){
            .role = LLM_TOOL, .call_id = calls[i].id, .text = arena_str(t->arena, result)};
        t->context.size.tokens += context_tokens(str_of(calls[i].args)) + context_tokens(result);
        strbuf_release(&t->step.results[i]);
    }
}

/* The answer goes on in the next message. */
static void begin_next_message(struct turn *t)
{
    t->reply_id = t->step.next_reply_id;
    t->model.no_calls = turn_calls_left(t) <= 0;
    t->model.refits = 0;
    strbuf_clear(&t->answer.text);
    strbuf_clear(&t->answer.reasoning);
    t->answer.thought_us = 0;
    t->answer.calls_n = t->answer.call_from = 0;
    t->out.released = 0;
    t->old.text_n = t->old.reasoning_n = 0;
    t->old.joining = false;
}

void turn_step_saved(void *arg)
{
    struct turn *t = arg;
    struct turn_observer *o = &t->en->set.observer;
    struct turn_step step = {.called_id = t->reply_id, .reply_id = t->step.next_reply_id};
    t->phase = TURN_CALLING; /* also when the turn ends here: turn_advance() continues from there */
    t->over = false;
    if (t->save.rc != RC_OK) {
        turn_fail(t, err_kept(&t->save.err));
        turn_advance(t);
        return;
    }
    keep_said(t);
    add_step(t);
    begin_next_message(t);
    turn_record_message(t);
    o->on_step(o->arg, t->ids.turn, &step);
    if (t->stopping)
        end_stopped(t);
    else if (!t->over)
        turn_call_provider(t);
    if (t->over)
        turn_advance(t);
}

static void save_end(void *arg);

static void end_unsaved(struct turn *t)
{
    struct turn_observer *o = &t->en->set.observer;
    log_repeat(&t->save.log, LOG_ERROR, "turn %s could not be saved: %s: %s", t->ids.turn,
        rc_name(t->save.rc), err_kept(&t->save.err)->text);
    o->on_unsaved(o->arg, t->ids.turn);
    if (t->en->draining) {
        turn_leave_engine(t); /* its log has the text; the next start recovers it */
        return;
    }
    if (!t->save.retry)
        t->save.retry = loop_timer_new(t->en->set.loop, save_end, t);
    loop_timer_set(t->save.retry, backoff_next(&t->save.backoff));
    t->save.retry_set = true;
}

static void on_end_saved(void *arg)
{
    struct turn *t = arg;
    struct turn_observer *o = &t->en->set.observer;
    if (t->save.rc != RC_OK) {
        end_unsaved(t);
        return;
    }
    log_repeat_end(&t->save.log, "saving a turn");
    log_info("turn %s %s: %zu bytes, %lld + %lld tokens", t->ids.turn, message_status_name(t->end.status),
        t->answer.text.len, (long long)t->tokens.in, (long long)t->tokens.out);
    turn_leave_place(t); /* before on_ended(): a reader may send the next question at once */
    o->on_ended(o->arg, t->ids.turn);
    turn_leave_engine(t);
}

static void save_end(void *arg)
{
    struct turn *t = arg;
    t->save.retry_set = false;
    thread_pool_submit(t->en->set.pool, turn_save_end, on_end_saved, t);
}

void turn_adopt(void *arg)
{
    struct turn *t = arg;
    struct turn_observer *o = &t->en->set.observer;
    struct turnlog_record r = {.kind = TURNLOG_TEXT, .content = strbuf_str(&t->answer.text)};
    t->committed = t->over = true;
    t->phase = TURN_FINISHING;
    turn_enter_engine(t);
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
    t->stream.refused = NULL;
    if (t->stopping) {
        end_stopped(t);
    } else if (t->save.rc != RC_OK) {
        turn_fail(t, err_kept(&t->save.err));
    } else {
        err_drop(&t->end.failure);
        turn_call_provider(t);
    }
    if (t->over)
        turn_advance(t);
}

/* Continues the answer where the provider paused it. */
static void after_pause(struct turn *t)
{
    t->stream.paused = t->over = false;
    t->stream.pauses++;
    if (t->stopping) {
        end_stopped(t);
        return;
    }
    add_said(t);
    turn_call_provider(t);
}

/* An answer without text has failed. A note follows one that has succeeded. */
static void finish(struct turn *t, bool hands_over)
{
    bool done = t->end.status == MESSAGE_DONE;
    if (done && !hands_over && str_trim(strbuf_str(&t->answer.text)).len == 0) {
        strbuf_clear(&t->answer.text);
        if (!err_rc(t->end.failure))
            err_say(err_kept(&t->end.failure), RC_UPSTREAM, "answer.empty");
        t->end.status = MESSAGE_FAILED;
    } else if (done && t->end.note && !err_rc(t->end.failure)) {
        err_said(err_kept(&t->end.failure), RC_UPSTREAM, t->end.note);
    }
    t->phase = TURN_FINISHING;
    keep_said(t);
    loop_post(t->en->set.loop, save_end, t); /* readers that are being attached get the text first */
}

/* Continues when the provider's stream has ended and the message is on disk. */
void turn_advance(struct turn *t)
{
    if (!t->over || !t->committed || t->phase != TURN_CALLING)
        return;
    if (!t->stream.refused)
        turn_continue_over(t);
    turn_release_text(t);
    llm_call_free(t->stream.call);
    t->stream.call = NULL;
    if (t->stream.paused)
        after_pause(t);
    if (!t->over)
        return;
    if (t->stream.refused) {
        t->phase = TURN_ADAPTING;
        thread_pool_submit(t->en->set.pool, turn_adapt, on_adapted, t);
        return;
    }
    bool hands_over = t->end.status == MESSAGE_DONE && turn_given_hands_over(t);
    bool calls_tools = t->end.status == MESSAGE_DONE && t->answer.calls_n > 0 && !hands_over;
    if (calls_tools && !t->stopping) {
        t->phase = TURN_TOOLS;
        turn_run_tools(t);
        return;
    }
    if (calls_tools) { /* the stop came between the answer and the commit of the question */
        t->answer.calls_n = 0;
        t->end.status = stopped_status(t);
    }
    finish(t, hands_over);
}

void turn_stop_now(struct turn *t)
{
    t->stopping = true;
    if (t->phase == TURN_CALLING && !t->over) {
        t->answer.calls_n = 0;
        end_stopped(t);
        llm_call_free(t->stream.call); /* closes the provider's connection now */
        t->stream.call = NULL;
    }
    if (t->phase == TURN_TOOLS)
        turn_stop_awaited(t);
    if (t->save.retry_set) {
        loop_timer_set(t->save.retry, -1);
        save_end(t);
        return;
    }
    turn_advance(t);
}

void turn_committed(void *arg)
{
    struct turn *t = arg;
    t->committed = true;
    t->en->set.observer.on_started(t->en->set.observer.arg, &t->ids);
    turn_record_message(t);
    turn_wait_record(t);
    if (t->answer.reasoning.len > t->old.reasoning_n)
        turn_record(t, TURNLOG_THINK, str_from(strbuf_str(&t->answer.reasoning), t->old.reasoning_n));
    turn_release_text(t);
    if (t->en->draining)
        turn_stop_now(t);
    else
        turn_advance(t);
}

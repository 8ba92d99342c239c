/* The writes of a turn: the step after tool calls, and the end. */
#include "app/turn/turn_private.h"

#include "app/context/context.h"
#include "app/context/instructions.h"
#include "app/context/prompt.h"
#include "app/context/workspace_files.h"
#include "app/jobs/helper_notify.h"
#include "app/summary/compact.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/job.h"
#include "store/memory/memory.h"
#include "store/session/suggestion.h"
#include "store/session/temporary.h"

#define CALLS_JSON_MAX ((size_t)2 * 1024 * 1024)
#define CREDIBLE_SHARE 4 /* a provider's own count must reach the estimate divided by this */

/* The provider refuses the key, the model or the request. */
static bool failure_lasts(enum rc rc)
{
    return rc == RC_FORBIDDEN || rc == RC_BAD_INPUT;
}

/* `ends`: with its turn, after which it is indexed. */
static enum rc finish_reply(
    struct db *db, struct turn *t, enum message_status status, const char *calls, bool ends, struct err *e)
{
    struct message m = {.id = t->reply_id,
        .status = status,
        .index_later = ends,
        .text = strbuf_str(&t->answer.text),
        .calls = calls,
        .error = t->end.failure ? err_stored(t->end.failure) : NULL,
        .provider = t->model.replaced ? t->model.choice->name : NULL,
        .model = t->model.replaced ? t->model.choice->model : NULL,
        .tokens_in = t->tokens.in,
        .tokens_out = t->tokens.out,
        .tokens_cached = t->tokens.cached,
        .tokens_reasoning = t->tokens.reasoning,
        .stop = t->end.stop,
        .lasting = status == MESSAGE_FAILED && failure_lasts(err_rc(t->end.failure)),
        .reasoning = strbuf_str(&t->answer.reasoning),
        .reasoning_ms = t->answer.thought_us / US_PER_MS,
        .opaque = t->answer.call_from
                      ? STR("")
                      : t->answer.opaque, /* that of a paused answer covers its last part only */
        .ended_at = clock_wall_ms()};
    return store_message_finish(db, t->ids.owner, &m, e);
}

static enum rc add_below(struct db *db, struct turn *t, int64_t *parent, struct message *m, struct err *e)
{
    m->session_id = t->ids.session_id;
    m->parent_id = *parent;
    m->channel = t->channel;
    m->created_at = clock_wall_ms();
    m->beside = t->beside;
    enum rc rc = store_message_add(db, t->ids.owner, m, e);
    *parent = m->id;
    return rc;
}

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct turn *t = arg;
    AUTO_STRBUF calls;
    strbuf_init(&calls, CALLS_JSON_MAX);
    context_calls_json(t->answer.calls, t->answer.calls_n, &calls);
    if (calls.failed)
        return err_say(e, RC_TOO_BIG, "answer.big_calls");
    int64_t parent = t->reply_id;
    enum rc rc = finish_reply(db, t, MESSAGE_DONE, calls.s, false, e);
    for (size_t i = 0; rc == RC_OK && i < t->answer.calls_n; i++) {
        AUTO_STRBUF call;
        strbuf_init(&call, CALLS_JSON_MAX);
        context_calls_json(&t->answer.calls[i], 1, &call);
        struct message result = {.role = ROLE_TOOL,
            .status = MESSAGE_DONE,
            .calls = call.s, /* the call that it answers, so that the row can be shown by itself */
            .text = strbuf_str(&t->step.results[i]),
            .call_id = t->answer.calls[i].id,
            .tool = t->answer.calls[i].name,
            .ended_at = clock_wall_ms()};
        rc = add_below(db, t, &parent, &result, e);
    }
    struct message next = {.role = ROLE_ASSISTANT,
        .status = MESSAGE_RUNNING,
        .text = STR(""),
        .provider = t->model.choice->name,
        .model = t->model.choice->model,
        .pictures = t->step.pictures,
        .pictures_n = t->step.pictures_n};
    if (rc == RC_OK)
        rc = add_below(db, t, &parent, &next, e);
    t->step.next_reply_id = next.id;
    if (rc == RC_OK)
        rc = store_turn_set_reply(db, t->ids.owner, t->row_id, next.id, e);
    if (rc == RC_OK)
        rc = store_memory_use_move(db, t->ids.owner, t->reply_id, next.id, e);
    return rc;
}

void turn_save_step(void *arg)
{
    struct turn *t = arg;
    t->save.rc = store_write(t->en->set.store, step_tx, t, err_kept(&t->save.err));
    if (t->save.rc != RC_OK)
        for (size_t i = 0; i < t->answer.calls_n; i++)
            strbuf_release(&t->step.results[i]);
}

/* The provider's count is used when it is plausible: a token has at least one byte, and the count reaches
 * the estimate divided by CREDIBLE_SHARE. When the context was cut, only the estimate covers the whole
 * conversation. */
static int64_t counted(const struct turn *t, int64_t estimate)
{
    bool credible = t->stream.tokens_context <= estimate * CONTEXT_BYTES_PER_TOKEN + CONTEXT_ANSWER_TOKENS &&
                    t->stream.tokens_context >= estimate / CREDIBLE_SHARE;
    return !t->context.size.cut && credible ? t->stream.tokens_context : estimate;
}

/* A turn that began before a finished compaction, or whose context the model had requested, has a count
 * that does not apply to the next turn. Its context is estimated again. */
static enum rc measure_anew(struct db *db, const struct turn *t, const struct compaction *newest,
    struct compact_state *s, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct context_size *out = &s->size;
    struct message *path;
    size_t n;
    struct context_frame frame = {
        .tools_tokens = t->context.tools_tokens,
        .text_only = t->context.tools_tokens == 0,
        .window = t->model.choice->window,
        .answer = turn_answer_limit(t),
        .pictures = t->model.pictures,
    };
    turn_frame_model(t, &frame);
    struct instruction_scope scope = {.owner = t->ids.owner,
        .workspace = t->asked.workspace,
        .persona_id = t->asked.persona_id,
        .window = t->model.choice->window};
    enum rc rc = prompt_load(a, t->en->set.config, &frame.prompt, e);
    if (rc == RC_OK)
        rc = instructions_append(db, a, &scope, &frame.prompt, e);
    if (rc == RC_OK)
        rc = workspace_files_append(db, a,
            &(struct workspace_files_scope){
                scope.owner, t->asked.temporary ? NULL : scope.workspace, scope.window},
            frame.text_only ? WORKSPACE_FILES_BARE : WORKSPACE_FILES_TOOL, &frame.prompt, e);
    if (rc == RC_OK)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = t->ids.owner,
                .session_id = t->ids.session_id,
                .head = t->reply_id,
                .below = newest->last_id},
            &path, &n, e);
    if (rc != RC_OK)
        return rc;
    n = context_without_refused(path, n);
    *out = context_measure(t->en->set.config, &frame, path, n);
    s->fresh = compact_fresh(newest, path, n);
    if (newest->id)
        out->tokens += context_tokens(compact_block(a, newest, t->model.choice->window));
    return RC_OK;
}

/* Stores how full the window is, and plans a compaction when it is due. */
static enum rc plan_compaction(struct db *db, const struct turn *t, int64_t now, struct err *e)
{
    if (t->context.messages_n == 0 ||
        t->given) /* no model was asked, or a program decides about the context */
        return RC_OK;
    AUTO(arena) a = arena_new();
    struct compaction newest = {0};
    struct compact_state s = {.owner = t->ids.owner,
        .session_id = t->ids.session_id,
        .head_id = t->reply_id,
        .size = t->context.size,
        .window = t->model.choice->window,
        .fresh = t->context.fresh};
    enum rc rc = store_compaction_on_path(db, a, s.owner, s.session_id, s.head_id, &newest, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    s.again = newest.id != 0;
    if (newest.id != t->context.compaction_id || t->context.overridden) {
        if ((rc = measure_anew(db, t, &newest, &s, e)) != RC_OK)
            return rc;
    } else {
        s.size.messages += t->answer.text.len > 0;
        s.fresh += t->answer.text.len > 0;
        s.size.tokens = counted(t, s.size.tokens + context_tokens(strbuf_str(&t->answer.text)));
    }
    return compact_plan(db, t->en->set.config, &s, now, e);
}

/* Stores the answer, the end of the turn, and the suggestions of its tools. A message that was deleted
 * (RC_NOT_FOUND) or finished (RC_CONFLICT) does not keep its turn running. RC_NOT_FOUND: the turn's row
 * was deleted. */
static enum rc end_rows_tx(struct db *db, void *arg, struct err *e)
{
    struct turn *t = arg;
    AUTO_STRBUF calls; /* of a program's tools */
    strbuf_init(&calls, CALLS_JSON_MAX);
    bool hands_over = t->given && t->end.status == MESSAGE_DONE && t->answer.calls_n > 0;
    if (hands_over)
        context_calls_json(t->answer.calls, t->answer.calls_n, &calls);
    enum rc rc = finish_reply(db, t, t->end.status, hands_over && !calls.failed ? calls.s : NULL, true, e);
    bool finished = rc == RC_OK;
    if (rc == RC_OK && t->given)
        rc = turn_given_note_place(db, t, e);
    t->end.temporary = false;
    if (rc != RC_OK && rc != RC_NOT_FOUND && rc != RC_CONFLICT)
        return rc;
    rc = store_turn_end(db, t->ids.owner, t->row_id, t->end.status, clock_wall_ms(), e);
    if (rc == RC_OK && finished)
        rc = store_message_index_ended(db, t->reply_id, strbuf_str(&t->answer.text), e);
    if (rc == RC_OK)
        rc = store_temporary_touch(db, t->ids.session_id, clock_wall_ms(), &t->end.temporary, e);
    return rc == RC_OK ? store_suggestion_show(db, t->ids.owner, t->ids.session_id, t->reply_id, e) : rc;
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    struct turn *t = arg;
    int64_t now = clock_wall_ms();
    enum rc rc = end_rows_tx(db, t, e);
    if (rc == RC_OK && t->model.replaced && !t->beside)
        rc = store_session_set_model(
            db, t->ids.owner, t->ids.session, t->model.choice->name, t->model.choice->model, e);
    if (rc == RC_OK && t->end.temporary)
        return store_temporary_window(
            db, t->ids.owner, t->ids.session_id, (int)t->en->set.config->temporary.messages, e);
    if (rc == RC_OK && t->wants_title && t->end.status == MESSAGE_DONE)
        rc = store_job_add_wanted(db, JOB_TITLE, t->ids.owner, t->ids.session_id, now, now, e);
    if (rc == RC_OK && !t->beside)
        rc = plan_compaction(db, t, now, e);
    if (rc == RC_OK && !t->beside)
        rc = summary_plan(db, t->en->set.config, t->ids.owner, t->ids.session_id, now, e);
    if (rc == RC_OK)
        rc = store_job_add(db, JOB_EMBED, t->ids.owner, 0, now + JOB_EMBED_DELAY_MS, now, e);
    return rc;
}

/* Saves the end alone, because a failure of the follow-up work must not keep the turn running. It is not
 * called after RC_UNAVAILABLE (a full disk, a locked database), with which it would fail, too. */
static enum rc save_rows_at_least(struct turn *t)
{
    struct err e = ERR_INIT;
    enum rc rc = store_write(t->en->set.store, end_rows_tx, t, &e);
    if (rc == RC_OK && t->save.rc != RC_NOT_FOUND) /* not found: its session is in the trash */
        log_error("turn %s was saved, but its follow-up work was not: %s: %s", t->ids.turn,
            rc_name(t->save.rc), err_kept(&t->save.err)->text);
    else if (rc != RC_OK)
        *err_kept(&t->save.err) = e;
    return rc;
}

void turn_save_end(void *arg)
{
    struct turn *t = arg;
    const char *data_dir = t->en->set.config->server.data_dir;
    struct err e = ERR_INIT;
    t->save.rc = store_write(t->en->set.store, end_tx, t, err_kept(&t->save.err));
    if (t->save.rc != RC_OK && t->save.rc != RC_UNAVAILABLE)
        t->save.rc = save_rows_at_least(t);
    if (t->save.rc == RC_NOT_FOUND) {
        log_info("turn %s was deleted while it ran", t->ids.turn);
        t->save.rc = RC_OK;
    }
    if (t->save.rc != RC_OK)
        return;
    turn_learn_window(t);
    turn_learn_pictures(t);
    helper_notify(data_dir);
    if (turnlog_remove(data_dir, t->ids.turn, &e) != RC_OK)
        log_warn("turn %s: %s", t->ids.turn, e.text);
}

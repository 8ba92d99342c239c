/*
 * Compacts a session's context (app/summary/compact.h). First the transcript of the replaced part is written
 * to disk. Then the model is asked. Then one transaction stores the compaction and deletes the request. A
 * helper that dies leaves the context unchanged, maybe with a transcript without a compaction; the repeated
 * job writes the same file again. After the last failed attempt the request has the error.
 *
 * The request is identified by its time. When messages are changed or deleted meanwhile, the request is
 * replaced, and the result made from the old text is discarded (store_compaction_forget()).
 */
#include "app/summary/summary_tasks.h"

#include "app/account/settings.h"
#include "app/jobs/ask.h"

#include <string.h>

#include "app/context/instructions.h"
#include "app/context/prompt.h"
#include "app/context/workspace_files.h"
#include "app/summary/compact.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"

/* Shares of a model's window: a summary gets at most an eighth, the answer a quarter, a piece at least a
 * quarter. */
#define CHARS_SHARE  8
#define ANSWER_SHARE 4
#define PIECE_SHARE  4

#define READ_MAX        ((size_t)256 * 1024)
#define MESSAGE_MAX     ((size_t)64 * 1024) /* bytes of one message, if the number of pieces allows it */
#define QUESTION_AROUND ((size_t)4500)      /* bytes around a piece, besides the result of the pieces above */

struct work {
    struct helper *h;
    const struct job *job;
    struct arena *arena;
    struct session session;
    struct compaction_request asked;
    struct compaction before; /* id 0: none */
    struct message *path;     /* after it, up to the request's head */
    size_t n, replaced;       /* replaced: how many of these, from the first on */
    bool partial;             /* a further request will replace more */
    struct context_frame frame;
    struct compaction made;
};

/* The shares of a model's window. A small window has small shares. */
struct shares {
    size_t piece, chars; /* bytes of the conversation in one request; characters of a summary */
    int answer;          /* tokens */
};

/* `c` NULL: by rule, without limits. */
static struct shares shares_of(const struct provider_choice *c)
{
    struct shares s = {.piece = READ_MAX, .chars = COMPACT_CHARS, .answer = COMPACT_ANSWER_TOKENS};
    if (!c)
        return s;
    size_t window = (size_t)c->window, bytes = window * CONTEXT_BYTES_PER_TOKEN;
    if (s.chars > bytes / CHARS_SHARE)
        s.chars = bytes / CHARS_SHARE;
    if ((size_t)s.answer > window / ANSWER_SHARE)
        s.answer = (int)(window / ANSWER_SHARE);
    size_t around = QUESTION_AROUND + 2 * s.chars + (size_t)s.answer * CONTEXT_BYTES_PER_TOKEN;
    s.piece = bytes > around ? bytes - around : 0;
    if (s.piece < bytes / PIECE_SHARE)
        s.piece = bytes / PIECE_SHARE;
    if (s.piece < COMPACT_MESSAGE_MIN) /* a misconfigured window: each piece still makes progress */
        s.piece = COMPACT_MESSAGE_MIN;
    if (s.piece > READ_MAX)
        s.piece = READ_MAX;
    return s;
}

/* ---- reading ---- */

static enum rc read_request(struct db *db, struct work *w, struct err *e)
{
    int64_t owner = w->job->owner;
    enum rc rc = store_session_by_id(db, w->arena, owner, w->job->subject, &w->session, e);
    if (rc == RC_OK)
        rc = store_compaction_request_get(db, w->arena, owner, w->session.id, &w->asked, e);
    if (rc != RC_OK)
        return rc;
    rc = store_compaction_on_path(db, w->arena, owner, w->session.id, w->asked.head_id, &w->before, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    return store_message_path(db, w->arena,
        &(struct path_query){.owner = owner,
            .session_id = w->session.id,
            .head = w->asked.head_id,
            .below = w->before.last_id},
        &w->path, &w->n, e);
}

/* The window of a session's model. */
static int64_t window_of(const struct helper *h, const struct session *s)
{
    const struct provider_choice *c =
        s->provider ? providers_by_name(h->providers, s->provider, s->model) : NULL;
    return (c ? c : providers_default(h->providers))->window;
}

static enum rc read_work(struct work *w, struct err *e)
{
    struct db *db = store_read(w->h->store);
    enum rc rc = read_request(db, w, e);
    w->frame.window = window_of(w->h, &w->session);
    if (rc == RC_OK)
        rc = prompt_load(w->arena, w->h->config, &w->frame.prompt, e);
    struct instruction_scope scope = {.owner = w->job->owner,
        .workspace = w->session.workspace,
        .persona_id = w->session.persona_id,
        .window = w->frame.window};
    if (rc == RC_OK)
        rc = instructions_append(db, w->arena, &scope, &w->frame.prompt, e);
    if (rc == RC_OK)
        rc = workspace_files_append(db, w->arena,
            &(struct workspace_files_scope){
                scope.owner, w->session.ends_at ? NULL : scope.workspace, scope.window},
            WORKSPACE_FILES_TOOL, &w->frame.prompt, e);
    store_read_done(w->h->store, db);
    w->frame.provider = w->session.provider;
    w->frame.model = w->session.model;
    size_t tools_n;
    const struct llm_tool *tools = w->h->tools_offered(w->arena, w->frame.window, &tools_n);
    w->frame.tools_tokens = context_tools_tokens(tools, tools_n);
    w->n = context_without_refused(w->path, w->n);
    w->replaced = compact_border(w->h->config, &w->frame, w->path, w->n);
    size_t part = compact_covered(w->path, w->replaced, shares_of(helper_model(w->h, &w->session)).piece);
    w->partial = part < w->replaced;
    w->replaced = part;
    return rc;
}

/* ---- compacting ---- */

/* Renders everything in the allowed number of pieces: the limit per message is reduced until it fits. */
static void render(const struct work *w, size_t piece, struct strbuf *out)
{
    size_t limit = MESSAGE_MAX;
    do {
        strbuf_clear(out);
        compact_render(w->path, w->replaced, limit, out);
        limit /= 2;
    } while ((out->failed || out->len > piece * COMPACT_PIECES_MAX) && limit >= COMPACT_MESSAGE_MIN);
}

/* Cuts the first bytes off `*rest`, after a line when one ends in their second half. */
static struct str next_piece(struct str *rest, size_t max)
{
    size_t len = utf8_cut_bytes(*rest, max), at = len;
    while (len < rest->len && at > max / 2 && rest->s[at - 1] != '\n')
        at--;
    if (len < rest->len && at > max / 2)
        len = at;
    struct str piece = {rest->s, len};
    *rest = (struct str){rest->s + len, rest->len - len};
    return piece;
}

static enum rc ask_piece(struct work *w, const struct provider_choice *c, struct str piece,
    struct compact_made *made, struct err *e)
{
    AUTO_STRBUF question, answer;
    struct shares s = shares_of(c);
    strbuf_init(&question, 2 * READ_MAX);
    strbuf_init(&answer, HELPER_ANSWER_BYTES);
    compact_question(str_of(w->asked.keep), made, piece, s.chars, &question);
    enum rc rc = helper_ask(w->h, c, compact_prompt, strbuf_str(&question), s.answer, &answer, e);
    return rc == RC_OK ? compact_parse(strbuf_str(&answer), made, e) : rc;
}

/* A part that exceeds the window is read in pieces, each with the result of the pieces above. */
static enum rc by_model(
    struct work *w, const struct provider_choice *c, struct compact_made *made, struct err *e)
{
    AUTO_STRBUF all;
    size_t cap = shares_of(c).piece;
    enum rc rc = RC_OK;
    strbuf_init(&all, cap * COMPACT_PIECES_MAX);
    render(w, cap, &all);
    if (w->before.id) {
        strbuf_addstr(&made->text, w->before.text);
        strbuf_addstr(&made->facts, w->before.facts);
    }
    for (struct str rest = strbuf_str(&all); rc == RC_OK && rest.len;)
        rc = ask_piece(w, c, next_piece(&rest, cap), made, e);
    return rc;
}

static enum rc make(struct work *w, struct compact_made *made, struct err *e)
{
    const struct provider_choice *c = helper_model(w->h, &w->session);
    w->made = (struct compaction){.session_id = w->session.id,
        .first_id = w->path[0].id,
        .last_id = w->path[w->replaced - 1].id,
        .keep = str_of(w->asked.keep),
        .provider = c ? c->name : "offline",
        .model = c ? c->model : "offline"};
    for (size_t i = 0; i < w->replaced; i++)
        w->made.messages += context_counts(&w->path[i]);
    const struct compact_part part = {w->before.id ? &w->before : NULL, w->path, w->replaced};
    enum rc rc = compact_transcript_write(
        w->h->config->server.data_dir, w->arena, &w->session, &part, &w->made.transcript, e);
    if (rc == RC_OK && c)
        rc = by_model(w, c, made, e);
    else if (rc == RC_OK)
        compact_by_rule(w->arena, settings_lang(w->h->store, w->job->owner), &part, w->made.keep, made);
    w->made.text = strbuf_str(&made->text);
    w->made.facts = strbuf_str(&made->facts);
    return rc;
}

/* ---- context gauge ---- */

/* The size of a context with compaction `c` (id 0 and no text: none) and a path. */
static int64_t size_with(
    const struct work *w, const struct compaction *c, const struct message *path, size_t n)
{
    int64_t tokens = context_measure(w->h->config, &w->frame, path, n).tokens;
    return c->text.len ? tokens + context_tokens(compact_block(w->arena, c, w->frame.window)) : tokens;
}

/* The session may have continued meanwhile, or on another branch. */
static enum rc set_gauge(struct db *db, struct work *w, struct err *e)
{
    struct session now;
    struct message *path;
    size_t n;
    int64_t owner = w->job->owner;
    enum rc rc = store_session_by_id(db, w->arena, owner, w->session.id, &now, e);
    if (rc != RC_OK)
        return rc;
    const struct path_query q = {
        .owner = owner, .session_id = now.id, .head = now.head_id, .below = w->made.last_id};
    rc = store_message_path(db, w->arena, &q, &path, &n, e);
    if (rc != RC_OK || message_above_path(&q, path, n) != w->made.last_id)
        return rc;
    n = context_without_refused(path, n);
    return store_session_set_context(
        db, owner, now.id, size_with(w, &w->made, path, n), window_of(w->h, &now), e);
}

/* ---- saving ---- */

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct work *w = arg;
    enum rc rc = store_compaction_request_done(db, w->job->owner, w->session.id, w->asked.asked_at, e);
    if (rc == RC_OK && w->replaced)
        rc = store_compaction_add(db, w->job->owner, &w->made, e);
    if (rc == RC_OK && w->replaced)
        rc = set_gauge(db, w, e);
    if (rc != RC_OK || !w->partial)
        return rc;
    struct compaction_request next = w->asked;
    next.asked_at = w->made.created_at;
    rc = store_compaction_request(db, w->job->owner, &next, e);
    return rc == RC_OK ? store_job_add_wanted(
                             db, JOB_COMPACT, w->job->owner, w->session.id, next.asked_at, next.asked_at, e)
                       : rc;
}

static enum rc save(struct work *w, struct err *e)
{
    if (w->replaced) {
        w->made.tokens_before = size_with(w, &w->before, w->path, w->n);
        w->made.tokens_after = size_with(w, &w->made, w->path + w->replaced, w->n - w->replaced);
        w->made.created_at = clock_wall_ms();
    }
    enum rc rc = store_write(w->h->store, save_tx, w, e);
    /* changed or deleted meanwhile: another job handles the new state */
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc task_compact(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct work w = {.h = h, .job = job, .arena = a};
    struct compact_made made;
    enum rc rc = read_work(&w, e);
    if (rc == RC_NOT_FOUND) /* the session or the request was deleted */
        return RC_OK;
    compact_made_init(&made);
    if (rc == RC_OK && w.replaced)
        rc = make(&w, &made, e);
    if (rc == RC_OK)
        rc = save(&w, e);
    compact_made_release(&made);
    return rc;
}

enum rc task_compact_on_dead(struct db *db, const struct job *job, const struct err *why, struct err *e)
{
    return store_compaction_request_failed(
        db, job->owner, job->subject, why->for_user ? err_stored(why) : "chat.bad_summary", e);
}

enum rc task_sweep_transcripts(struct helper *h, const struct job *job, struct err *e)
{
    int64_t removed = 0;
    (void)job;
    enum rc rc = compact_transcripts_sweep(h->store, h->config->server.data_dir, &removed, e);
    if (removed)
        log_info("%lld transcripts removed", (long long)removed);
    return rc;
}

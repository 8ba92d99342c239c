/*
 * Summaries of a session: first the requested ones, then, when it is idle or long enough, the one of the
 * whole session. One transaction writes a summary and deletes its request. A helper that dies therefore
 * leaves either nothing or the finished summary, and the repeated job does not make it again.
 */
#include "app/summary/summary_tasks.h"

#include "app/account/settings.h"
#include "app/jobs/ask.h"

#include <string.h>

#include "app/memory/facts.h"
#include "app/summary/summary.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/memory/summary.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define READ_MAX ((size_t)256 * 1024)

/* One summary to be written. */
struct piece {
    struct helper *h;
    const struct job *job;
    struct arena *arena;
    struct session session;
    struct summary_request asked; /* id 0: not requested but due */
    struct summary before;        /* the current one; id 0: none */
    struct message *path;
    size_t n;
    struct summary made;
};

static bool is_whole(const struct piece *p)
{
    return p->asked.last_id == 0;
}

/* ---- reading ---- */

static enum rc read_path(struct db *db, struct piece *p, struct err *e)
{
    int64_t head = is_whole(p) ? p->session.head_id : p->asked.last_id, owner = p->job->owner;
    struct message end;
    enum rc rc = head ? store_message_get(db, p->arena, owner, head, &end, e)
                      : err_set(e, RC_NOT_FOUND, "session %lld is empty", (long long)p->session.id);
    if (rc == RC_OK)
        rc = store_message_path(db, p->arena,
            &(struct path_query){.owner = owner, .session_id = p->session.id, .head = head}, &p->path, &p->n,
            e);
    while (rc == RC_OK && p->n && p->path[0].id < p->asked.first_id) {
        p->path++;
        p->n--;
    }
    while (p->n && p->path[p->n - 1].status == MESSAGE_RUNNING)
        p->n--;
    return rc;
}

static enum rc read_piece(struct piece *p, struct err *e)
{
    struct db *db = store_read(p->h->store);
    enum rc rc = read_path(db, p, e);
    if (rc == RC_OK && is_whole(p)) {
        rc = store_summary_current(db, p->arena, p->job->owner, p->session.id, &p->before, e);
        if (rc == RC_NOT_FOUND)
            rc = RC_OK;
    }
    store_read_done(p->h->store, db);
    return rc;
}

/* ---- writing ---- */

static enum rc by_model(struct piece *p, const struct provider_choice *c, struct strbuf *text, struct err *e)
{
    AUTO_STRBUF read, answer;
    strbuf_init(&read, 2 * READ_MAX);
    strbuf_init(&answer, HELPER_ANSWER_BYTES);
    summary_transcript(p->path, p->n, p->before.text, helper_read_bytes(c, READ_MAX), &read);
    enum rc rc = helper_ask(p->h, c, summary_prompt, strbuf_str(&read), SUMMARY_TOKENS, &answer, e);
    return rc == RC_OK ? summary_clean(strbuf_str(&answer), text, e) : rc;
}

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    struct piece *p = arg;
    enum rc rc = RC_OK;
    if (p->n)
        rc = store_summary_add(db, p->job->owner, &p->made, e);
    if (rc == RC_OK && p->n && p->made.whole)
        rc = store_job_add(db, JOB_EMBED, p->job->owner, 0, clock_wall_ms(), clock_wall_ms(), e);
    if (rc == RC_OK && p->n && is_whole(p))
        rc = facts_plan(db, p->job->owner, p->session.id, p->made.created_at, e);
    if (rc == RC_OK && p->asked.id)
        rc = store_summary_request_done(db, p->job->owner, p->session.id, p->asked.id, e);
    return rc;
}

static const struct provider_choice *model_of(const struct piece *p)
{
    return p->asked.id ? helper_model_asked(p->h, &p->session) : helper_model(p->h, &p->session);
}

static enum rc write_piece(struct piece *p, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, 2 * (size_t)SUMMARY_TEXT_MAX);
    enum rc rc = read_piece(p, e);
    if (rc == RC_NOT_FOUND) { /* deleted meanwhile: there is nothing to summarise */
        p->n = 0;
        return store_write_lazy(p->h->store, save_tx, p, e);
    }
    if (rc != RC_OK)
        return rc;
    const struct provider_choice *c = p->n ? model_of(p) : NULL;
    if (c && (rc = by_model(p, c, &text, e)) != RC_OK) {
        if (task_tries_again(p->job, rc))
            return rc;
        log_warn("session %lld is summarised by rule: %s", (long long)p->session.id, e ? e->text : "");
        c = NULL;
    }
    if (!c) {
        strbuf_clear(&text);
        summary_by_rule(p->arena, settings_lang(p->h->store, p->job->owner), p->path, p->n, &text);
    }
    if (text.len == 0)
        p->n = 0;
    if (p->n)
        p->made = (struct summary){.session_id = p->session.id,
            .whole = is_whole(p),
            .first_id = p->path[0].id,
            .last_id = p->path[p->n - 1].id,
            .known_id = p->made.known_id,
            .messages = (int64_t)p->n,
            .text = strbuf_str(&text),
            .provider = c ? c->name : "offline",
            .model = c ? c->model : "offline",
            .created_at = clock_wall_ms()};
    return store_write_lazy(p->h->store, save_tx, p, e);
}

/* ---- the requested and the due ones ---- */

struct due {
    const struct job *job;
    struct session session;
    struct summary_work work;
    struct summary_request *asked;
    size_t asked_n;
};

static enum rc look(struct helper *h, struct arena *a, struct due *d, struct err *e)
{
    struct db *db = store_read_state(h->store);
    enum rc rc = store_session_by_id(db, a, d->job->owner, d->job->subject, &d->session, e);
    if (rc == RC_OK)
        rc = store_summary_work(db, d->job->owner, d->job->subject, SUMMARY_EVERY, &d->work, e);
    if (rc == RC_OK)
        rc = store_summary_requests(db, a, d->job->owner, d->job->subject, &d->asked, &d->asked_n, e);
    store_read_done(h->store, db);
    return rc;
}

struct again {
    const struct job *job;
    int64_t at, now;
};

static enum rc again_tx(struct db *db, void *arg, struct err *e)
{
    const struct again *t = arg;
    return store_job_add_wanted(db, JOB_SUMMARISE, t->job->owner, t->job->subject, t->at, t->now, e);
}

static enum rc summarise_if_due(struct helper *h, struct arena *a, struct due *d, struct err *e)
{
    enum rc rc = look(h, a, d, e);
    int64_t now = clock_wall_ms();
    int64_t idle_at = d->session.active_at + h->config->session.idle_minutes * MS_PER_MIN;
    if (rc != RC_OK || d->work.summary == 0)
        return rc;
    if (now < idle_at && d->work.summary < SUMMARY_EVERY) {
        struct again again = {d->job, idle_at, now};
        return store_write_lazy(h->store, again_tx, &again, e);
    }
    struct piece p = {.h = h, .job = d->job, .arena = a, .session = d->session};
    p.made.known_id = d->work.newest_id;
    return write_piece(&p, e);
}

enum rc task_summarise(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct due d = {.job = job};
    enum rc rc = look(h, a, &d, e);
    for (size_t i = 0; rc == RC_OK && i < d.asked_n; i++) {
        struct piece p = {.h = h, .job = job, .arena = a, .session = d.session, .asked = d.asked[i]};
        p.made.known_id = d.work.newest_id;
        rc = write_piece(&p, e);
    }
    if (rc == RC_OK)
        rc = summarise_if_due(h, a, &d, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the session was deleted */
}

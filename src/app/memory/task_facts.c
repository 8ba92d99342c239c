/*
 * Suggests facts: the user's messages since the last run are read by the session's own model or by rule, and
 * the results become suggestions (app/memory/facts.h). One transaction stores them and the last message that
 * was read, so a helper that dies leaves both or neither. Does nothing while the memory is paused.
 */
#include "app/memory/memory_tasks.h"

#include "app/jobs/ask.h"

#include "app/memory/facts.h"
#include "base/clock.h"
#include "base/log.h"

#define READ_MAX ((size_t)64 * 1024)

struct look {
    struct helper *h;
    const struct job *job;
    struct arena *arena;
    struct session session;
    struct unread unread;
    bool paused;
    struct fact facts[FACTS_MAX];
    size_t facts_n;
    int64_t now;
};

static enum rc read_said(struct look *l, struct err *e)
{
    struct db *db = store_read(l->h->store);
    int64_t owner = l->job->owner;
    size_t bytes = FACTS_READ_BYTES;
    enum rc rc = store_session_by_id(db, l->arena, owner, l->job->subject, &l->session, e);
    if (rc == RC_OK)
        rc = store_memory_paused(db, owner, &l->paused, e);
    const struct provider_choice *c = rc == RC_OK ? helper_model(l->h, &l->session) : NULL;
    if (c)
        bytes = helper_read_bytes(c, bytes);
    if (rc == RC_OK)
        rc =
            store_suggestion_unread(db, l->arena, owner, l->session.id, FACTS_MESSAGES, bytes, &l->unread, e);
    store_read_done(l->h->store, db);
    return rc;
}

static enum rc by_model(struct look *l, const struct provider_choice *c, struct err *e)
{
    AUTO_STRBUF read, answer;
    strbuf_init(&read, READ_MAX);
    strbuf_init(&answer, HELPER_ANSWER_BYTES);
    if (!facts_lines(l->unread.said, l->unread.n, &read))
        return RC_OK; /* no sentence could state a fact */
    enum rc rc = helper_ask(l->h, c, facts_prompt, strbuf_str(&read), FACTS_TOKENS, &answer, e);
    return rc == RC_OK ? facts_parse(l->arena, strbuf_str(&answer), l->unread.said, l->unread.n, l->facts,
                             &l->facts_n, e)
                       : rc;
}

static enum rc find(struct look *l, struct err *e)
{
    const struct provider_choice *c = helper_model(l->h, &l->session);
    enum rc rc = c ? by_model(l, c, e) : RC_OK;
    if (rc != RC_OK) {
        if (task_tries_again(l->job, rc))
            return rc;
        log_warn(
            "session %lld is searched for facts by rule: %s", (long long)l->session.id, e ? e->text : "");
        c = NULL;
    }
    if (!c)
        l->facts_n = facts_by_rule(l->arena, l->unread.said, l->unread.n, l->facts);
    if (l->facts_n == 0)
        return RC_OK;
    struct db *db = store_read(l->h->store);
    rc = facts_fresh(db, l->arena, l->job->owner, l->now, l->facts, &l->facts_n, e);
    store_read_done(l->h->store, db);
    return rc;
}

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    const struct look *l = arg;
    int64_t owner = l->job->owner;
    bool paused;
    enum rc rc = store_memory_paused(db, owner, &paused, e);
    if (rc != RC_OK || paused)
        return rc;
    for (size_t i = 0; rc == RC_OK && i < l->facts_n; i++)
        rc = store_suggestion_found(
            db, owner, l->facts[i].text, l->facts[i].from->id, l->facts[i].from->text, l->now, e);
    if (rc == RC_OK)
        rc = store_suggestion_advance(
            db, owner, l->session.id, l->unread.from, l->unread.said[l->unread.n - 1].id, e);
    return rc == RC_OK && l->unread.more
               ? store_job_add(db, JOB_FACTS, owner, l->session.id, l->now, l->now, e)
               : rc;
}

enum rc task_facts(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct look l = {.h = h, .job = job, .arena = a, .now = clock_wall_ms()};
    enum rc rc = read_said(&l, e);
    if (rc == RC_OK && !l.paused && l.unread.n > 0 && (rc = find(&l, e)) == RC_OK)
        rc = store_write_lazy(h->store, save_tx, &l, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the session was deleted */
}

/* A session's topic and keywords, after every few messages: by its own model, or by rule. */
#include "app/summary/summary_tasks.h"

#include "app/jobs/ask.h"

#include "app/summary/summary.h"
#include "base/log.h"
#include "store/memory/summary.h"
#include "store/message/message.h"

#define RECENT_MESSAGES 40 /* the subject is that of the newest messages */
#define READ_MAX        ((size_t)24 * 1024)

struct topic {
    const struct job *job;
    struct session session;
    struct summary_work work;
    struct message *path;
    size_t n;
    struct strbuf line, keywords;
};

static enum rc look(struct helper *h, struct arena *a, struct topic *t, struct err *e)
{
    struct db *db = store_read_state(h->store);
    enum rc rc = store_session_by_id(db, a, t->job->owner, t->job->subject, &t->session, e);
    if (rc == RC_OK)
        rc = store_summary_work(db, t->job->owner, t->session.id, TOPIC_EVERY, &t->work, e);
    if (rc == RC_OK && t->session.head_id)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = t->job->owner,
                .session_id = t->session.id,
                .head = t->session.head_id,
                .limit = RECENT_MESSAGES},
            &t->path, &t->n, e);
    store_read_done(h->store, db);
    while (t->n && t->path[t->n - 1].status == MESSAGE_RUNNING)
        t->n--;
    return rc;
}

static enum rc by_model(struct helper *h, const struct provider_choice *c, struct topic *t, struct err *e)
{
    AUTO_STRBUF read, answer;
    strbuf_init(&read, 2 * READ_MAX);
    strbuf_init(&answer, HELPER_ANSWER_BYTES);
    summary_transcript(t->path, t->n, (struct str){"", 0}, helper_read_bytes(c, READ_MAX), &read);
    enum rc rc = helper_ask(h, c, topic_prompt, strbuf_str(&read), TOPIC_TOKENS, &answer, e);
    return rc == RC_OK ? topic_parse(strbuf_str(&answer), &t->line, &t->keywords, e) : rc;
}

static enum rc save_tx(struct db *db, void *arg, struct err *e)
{
    const struct topic *t = arg;
    return store_session_set_topic(
        db, t->job->owner, t->session.id, t->line.s, t->keywords.s, t->work.newest_id, e);
}

static enum rc run(struct helper *h, struct arena *a, struct topic *t, struct err *e)
{
    enum rc rc = look(h, a, t, e);
    if (rc != RC_OK || t->work.topic < TOPIC_EVERY || t->n == 0)
        return rc;
    const struct provider_choice *c = helper_model(h, &t->session);
    if (c && (rc = by_model(h, c, t, e)) != RC_OK) {
        if (task_tries_again(t->job, rc))
            return rc;
        log_warn("session %lld gets its topic by rule: %s", (long long)t->session.id, e ? e->text : "");
        c = NULL;
    }
    if (!c) {
        strbuf_clear(&t->line);
        strbuf_clear(&t->keywords);
        topic_by_rule(a, t->path, t->n, &t->line, &t->keywords);
    }
    return t->line.len ? store_write_lazy(h->store, save_tx, t, e) : RC_OK;
}

enum rc task_topic(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct topic t = {.job = job};
    strbuf_init(&t.line, 2 * TOPIC_BYTES_MAX);
    strbuf_init(&t.keywords, 2 * KEYWORDS_BYTES_MAX);
    enum rc rc = run(h, a, &t, e);
    strbuf_release(&t.line);
    strbuf_release(&t.keywords);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the session was deleted */
}

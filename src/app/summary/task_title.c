/*
 * A session has the title by rule from its first question on. After an answer it gets a few words by the
 * session's own model, unless that is the offline model. A user's title is never replaced, and naming does
 * not move the session in the list.
 */
#include "app/summary/summary_tasks.h"

#include "app/jobs/ask.h"

#include "app/summary/title.h"
#include "base/log.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define TITLE_TOKENS 40

static enum rc ask_model(struct helper *h, const struct provider_choice *c, const struct message *asked,
    struct strbuf *out, struct err *e)
{
    AUTO_STRBUF answer;
    strbuf_init(&answer, HELPER_ANSWER_BYTES);
    enum rc rc = helper_ask(h, c, TITLE_PROMPT, title_excerpt(asked->text), TITLE_TOKENS, &answer, e);
    if (rc == RC_OK)
        title_clean(strbuf_str(&answer), out);
    return rc;
}

struct suggest {
    const struct job *job;
    const char *title;
};

static enum rc suggest_tx(struct db *db, void *arg, struct err *e)
{
    const struct suggest *s = arg;
    return store_session_suggest_title(db, s->job->owner, s->job->subject, s->title, e);
}

static enum rc first_question(struct helper *h, struct arena *a, const struct job *job, struct session *s,
    struct message *asked, struct err *e)
{
    struct message *path = NULL;
    size_t n = 0;
    struct db *db = store_read_state(h->store);
    enum rc rc = store_session_by_id(db, a, job->owner, job->subject, s, e);
    if (rc == RC_OK && s->head_id)
        rc = store_message_path(db, a,
            &(struct path_query){.owner = job->owner, .session_id = s->id, .head = s->head_id}, &path, &n, e);
    store_read_done(h->store, db);
    *asked = (struct message){0};
    for (size_t i = 0; rc == RC_OK && i < n && asked->id == 0; i++)
        if (path[i].role == ROLE_USER && path[i].text.len)
            *asked = path[i];
    return rc;
}

enum rc task_title(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    AUTO_STRBUF title;
    strbuf_init(&title, TITLE_BYTES_MAX);
    struct session s;
    struct message asked;
    enum rc rc = first_question(h, a, job, &s, &asked, e);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && (s.named || asked.id == 0)))
        return RC_OK; /* deleted or named meanwhile */
    if (rc != RC_OK)
        return rc;
    const struct provider_choice *c = helper_model(h, &s);
    if (c && (rc = ask_model(h, c, &asked, &title, e)) != RC_OK) {
        if (task_tries_again(job, rc))
            return rc;
        log_warn("session %lld is named by rule: %s", (long long)s.id, e->text);
    }
    if (title.len == 0)
        title_by_rule(asked.text, &title);
    if (title.len == 0)
        return RC_OK; /* the question has no text for a title */
    struct suggest suggest = {job, title.s};
    rc = store_write_lazy(h->store, suggest_tx, &suggest, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the session was deleted meanwhile */
}

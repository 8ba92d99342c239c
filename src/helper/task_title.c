/*
 * A session's title after its first exchange: a few words by the session's own model, or by rule where that
 * is the offline one. A person's title is never replaced, and naming does not move the session in the list.
 */
#include "helper/helper.h"

#include <stdio.h>

#include "app/title.h"
#include "base/clock.h"
#include "base/log.h"
#include "llm/llm.h"
#include "store/message.h"
#include "store/session.h"

#define TITLE_TOKENS     40
#define TITLE_TIMEOUT_MS 60000
#define TITLE_WIRE_MAX   ((size_t)1024 * 1024)

struct ask {
    struct loop *loop;
    struct strbuf text;
    enum rc rc;
    struct err *e;
};

static void on_event(void *arg, const struct llm_event *ev)
{
    struct ask *a = arg;
    if (ev->kind == LLM_TEXT)
        strbuf_addstr(&a->text, ev->text);
    if (ev->kind == LLM_ERROR) {
        *a->e = *ev->err;
        a->rc = ev->err->rc;
    }
    if (ev->kind == LLM_END || ev->kind == LLM_ERROR)
        loop_stop(a->loop);
}

static enum rc ask_model(struct helper *h, const struct provider_choice *c, const struct message *asked,
    struct strbuf *out, struct err *e)
{
    struct llm_settings s = {.base_url = c->base_url, .key = c->key};
    snprintf(s.name, sizeof s.name, "%s", c->name);
    s.limits = (struct http_limits){.connect_ms = TITLE_TIMEOUT_MS / 4,
        .silence_ms = TITLE_TIMEOUT_MS,
        .total_ms = TITLE_TIMEOUT_MS,
        .body_max = TITLE_WIRE_MAX};
    AUTO(llm_provider) p = NULL;
    enum rc rc = llm_provider_new(c->kind, &s, h->loop, h->http, &p, e);
    if (rc != RC_OK)
        return rc;
    struct llm_message messages[] = {{.role = LLM_SYSTEM, .text = str_of(TITLE_PROMPT)},
        {.role = LLM_USER, .text = title_excerpt(asked->text)}};
    struct llm_request r = {.model = c->model,
        .messages = messages,
        .messages_n = ARRAY_LEN(messages),
        .max_tokens = TITLE_TOKENS,
        .now_ms = clock_wall_ms()};
    struct ask a = {.loop = h->loop, .e = e};
    strbuf_init(&a.text, TITLE_WIRE_MAX);
    struct llm_call *call = NULL;
    rc = llm_start(p, &r, on_event, &a, &call, e);
    if (rc == RC_OK) {
        loop_run(h->loop);
        rc = a.rc;
    }
    llm_call_free(call);
    if (rc == RC_OK)
        title_clean(strbuf_str(&a.text), out);
    strbuf_release(&a.text);
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
    struct db *db = store_read(h->store);
    enum rc rc = store_session_by_id(db, a, job->owner, job->subject, s, e);
    if (rc == RC_OK && s->head_id)
        rc = store_message_path(db, a, job->owner, s->id, s->head_id, MESSAGE_PATH_MAX, &path, &n, NULL, e);
    store_read_done(h->store, db);
    *asked = (struct message){0};
    for (size_t i = 0; rc == RC_OK && i < n && asked->id == 0; i++)
        if (path[i].role == ROLE_USER)
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
    if (rc == RC_NOT_FOUND || (rc == RC_OK && (s.title || asked.id == 0)))
        return RC_OK; /* deleted or named meanwhile */
    if (rc != RC_OK)
        return rc;
    const struct provider_choice *c =
        s.provider ? providers_by_name(h->providers, s.provider, s.model) : NULL;
    if (c && strcmp(c->kind, "offline") != 0 && (rc = ask_model(h, c, &asked, &title, e)) != RC_OK) {
        if (job->attempts < HELPER_ATTEMPTS)
            return rc;
        log_warn("session %lld is named by rule: %s", (long long)s.id, e->text);
    }
    if (title.len == 0)
        title_by_rule(asked.text, &title);
    struct suggest suggest = {job, title.s};
    return store_write(h->store, suggest_tx, &suggest, e);
}

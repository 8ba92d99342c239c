#include "web/summary/summary_view.h"

#include "app/jobs/helper_notify.h"
#include "base/log.h"
#include "codec/html.h"
#include "codec/markdown/markdown.h"
#include "store/job.h"
#include "store/summary.h"
#include "web/chat/transcript.h"
#include "web/chat/message_view.h"
#include "web/http/web.h"
#include "web/page/humanize.h"

#define SUMMARY_HTML_MAX ((size_t)256 * 1024)

struct found {
    struct summary *rows;
    size_t n;
    struct summary_request *asked;
    size_t asked_n;
    struct job job; /* id 0: none */
};

static void view_body(struct arena *a, struct view *v, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, SUMMARY_HTML_MAX);
    struct err e = ERR_INIT;
    if (markdown_html(text, &html, &e) != RC_OK) {
        log_warn("a summary is shown as plain text: %s", e.text);
        strbuf_clear(&html);
        strbuf_adds(&html, "<pre>");
        html_escape(&html, text);
        strbuf_adds(&html, "</pre>");
    }
    view_html(v, "body_html", (struct markup){str_of(arena_strndup(a, html.s, html.len))});
}

static void view_summary(
    const struct req *r, struct view *v, const struct session *s, const struct summary *m)
{
    const struct provider_choice *c = providers_by_name(r->web->providers, m->provider, m->model);
    bool by_rule = strcmp(m->provider, "offline") == 0;
    view_text(v, "id", message_id_text(r->arena, m->id));
    view_int(v, "version", m->version);
    view_bool(v, "whole", m->whole);
    view_bool(v, "current", m->current);
    view_text(v, "first_id", message_id_text(r->arena, m->first_id));
    view_text(v, "last_id", message_id_text(r->arena, m->last_id));
    view_text(v, "first_url",
        arena_printf(
            r->arena, "/s/%s?at=%lld#m-%lld", s->pub, (long long)m->last_id, (long long)m->first_id));
    view_int(v, "messages", m->messages);
    view_text(v, "count_words", words_count(r->arena, m->messages, "message", "messages"));
    view_str(v, "text", m->text);
    view_body(r->arena, v, m->text);
    view_bool(v, "by_rule", by_rule);
    view_text(v, "model_label", by_rule ? NULL : c ? c->label : m->model);
    view_created(r->arena, v, m->created_at, r->now);
}

static void view_pending(const struct req *r, struct view *v, const struct found *f)
{
    if (f->asked_n == 0) {
        view_null(v, "pending");
        return;
    }
    const char *state = f->job.id == 0 ? "waiting" : f->job.state;
    bool failed = strcmp(state, "dead") == 0, running = strcmp(state, "leased") == 0;
    bool delayed = !failed && !running && f->job.error;
    struct view *p = view_obj(v, "pending");
    view_int(p, "count", (int64_t)f->asked_n);
    view_text(p, "count_words", words_count(r->arena, (int64_t)f->asked_n, "summary", "summaries"));
    view_text(p, "state", failed ? "failed" : running ? "running" : delayed ? "delayed" : "waiting");
    view_bool(p, "failed", failed);
    view_bool(p, "running", running);
    view_bool(p, "delayed", delayed);
}

static enum rc find(struct req *r, struct db *db, struct session *s, struct found *f, struct err *e)
{
    int64_t owner = r->who.user_id;
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), s, e);
    if (rc == RC_OK)
        rc = store_summary_list(
            db, r->arena, owner, s->id, req_int(r, F_BEFORE), SUMMARIES_SHOWN + 1, &f->rows, &f->n, e);
    if (rc == RC_OK)
        rc = store_summary_requests(db, r->arena, owner, s->id, &f->asked, &f->asked_n, e);
    if (rc != RC_OK || f->asked_n == 0)
        return rc;
    rc = store_job_latest(db, r->arena, JOB_SUMMARISE, owner, s->id, &f->job, NULL);
    return rc == RC_OK || rc == RC_NOT_FOUND ? RC_OK : err_set(e, rc, "the job of a summary");
}

enum rc summaries_view(struct req *r, struct session *s, struct view *v, struct err *e)
{
    struct found f = {0};
    struct db *db = store_read(r->web->store);
    enum rc rc = find(r, db, s, &f, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    bool more = f.n > SUMMARIES_SHOWN;
    f.n -= more;
    view_session(r->arena, view_obj(v, "session"), s, r->now);
    struct view *list = view_list(v, "summaries");
    for (size_t i = 0; i < f.n; i++) {
        struct view *item = view_item(list);
        view_summary(r, item, s, &f.rows[i]);
        view_bool(item, "open", f.rows[i].current || (i == 0 && !req_has(r, F_BEFORE)));
    }
    if (more)
        view_int(v, "next", f.rows[f.n - 1].version);
    else
        view_null(v, "next");
    view_pending(r, v, &f);
    return RC_OK;
}

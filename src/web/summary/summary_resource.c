#include "web/summary/summary_resource.h"

#include "store/job.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/models/models_resource.h"
#include "web/session/session_resource.h"

/* ---- reading ---- */

static enum rc read_all(struct req *r, struct db *db, struct summaries *f, struct err *e)
{
    int64_t owner = r->who.user_id;
    enum rc rc = store_session_get(db, r->arena, owner, req_text(r, F_SESSION), &f->session, e);
    if (rc == RC_OK)
        rc = store_summary_list(db, r->arena, owner, f->session.id, req_int(r, F_BEFORE), SUMMARIES_SHOWN + 1,
            &f->rows, &f->n, e);
    if (rc == RC_OK)
        rc = store_summary_requests(db, r->arena, owner, f->session.id, &f->asked, &f->asked_n, e);
    if (rc != RC_OK || f->asked_n == 0)
        return rc;
    rc = store_job_latest(db, r->arena, JOB_SUMMARISE, owner, f->session.id, &f->job, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc summaries_read(struct req *r, struct summaries *out, struct err *e)
{
    *out = (struct summaries){0};
    struct db *db = store_read(r->web->store);
    enum rc rc = read_all(r, db, out, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK || out->n <= SUMMARIES_SHOWN)
        return rc;
    out->n = SUMMARIES_SHOWN; /* the extra row only shows that there are more */
    out->next = out->rows[out->n - 1].version;
    return RC_OK;
}

/* ---- resources ---- */

void summary_resource(const struct req *r, struct view *v, const struct session *s, const struct summary *m)
{
    struct arena *a = r->arena;
    bool by_rule = strcmp(m->provider, "offline") == 0;
    view_id(a, v, "id", m->id);
    view_int(v, "version", m->version);
    view_bool(v, "whole", m->whole);
    view_bool(v, "current", m->current);
    view_id(a, v, "first_id", m->first_id);
    view_id(a, v, "last_id", m->last_id);
    view_text(v, "url",
        arena_printf(a, "/s/%s?at=%lld&message=%lld#m-%lld", s->pub, (long long)m->last_id,
            (long long)m->first_id, (long long)m->first_id));
    view_int(v, "messages", m->messages);
    view_str(v, "text", m->text);
    view_bool(v, "by_rule", by_rule);
    view_text(v, "model", by_rule ? NULL : model_label(r->web->providers, r->lang, m->provider, m->model));
    view_at(v, "created_at", m->created_at);
}

struct view *summary_pending_resource(struct view *v, const struct summaries *f)
{
    if (f->asked_n == 0) {
        view_null(v, "pending");
        return NULL;
    }
    const char *state = f->job.id == 0 ? "waiting" : f->job.state;
    bool failed = strcmp(state, "dead") == 0, running = strcmp(state, "leased") == 0;
    bool delayed = !failed && !running && f->job.error;
    struct view *p = view_obj(v, "pending");
    view_int(p, "count", (int64_t)f->asked_n);
    view_text(p, "state", failed ? "failed" : running ? "running" : delayed ? "delayed" : "waiting");
    return p;
}

void summaries_resource(const struct req *r, struct view *v, const struct summaries *f)
{
    session_resource(r->arena, r->lang, view_obj(v, "session"), &f->session);
    struct view *list = view_list(v, "summaries");
    for (size_t i = 0; i < f->n; i++)
        summary_resource(r, view_item(list), &f->session, &f->rows[i]);
    if (f->next)
        view_int(v, "next", f->next);
    else
        view_null(v, "next");
    summary_pending_resource(v, f);
}

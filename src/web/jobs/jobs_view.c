#include "web/jobs/jobs_view.h"

#include "app/jobs/jobs.h"
#include "base/humanize.h"
#include "store/job.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/views.h"

#define JOBS_SHOWN 100 /* jobs of each state */

static const struct {
    const char *state, *key, *heading, *none; /* heading, none: keys of texts */
} parts[] = {
    {"dead", "dead", "job.failed", "job.none_failed"},
    {"leased", "leased", "job.running", "job.none_runs"},
    {"ready", "ready", "job.waiting", "job.none_waits"},
};

static const char *owner_name(struct req *r, struct db *db, int64_t owner)
{
    struct user u;
    return owner && store_user_by_id(db, r->arena, owner, &u, NULL) == RC_OK ? u.name : NULL;
}

/* The next run of a waiting job, or since when a job has been running or dead. */
static const char *when_words(struct req *r, const struct job *j)
{
    const struct locale l = req_locale(r);
    if (j->ended_at)
        return lang_fill(
            r->arena, r->lang, "job.failed_ago", LANG_ARGS({"ago", humanize_ago(r->arena, &l, j->ended_at)}));
    if (strcmp(j->state, "leased") == 0)
        return lang_fill(r->arena, r->lang, "job.planned_ago",
            LANG_ARGS({"ago", humanize_ago(r->arena, &l, j->created_at)}));
    if (j->run_at < r->now + MS_PER_S)
        return lang_text(r->lang, "job.due_now");
    return humanize_until(r->arena, &l, j->run_at);
}

static void view_job(struct req *r, struct db *db, struct view *v, const struct job *j)
{
    const struct locale l = req_locale(r);
    const char *id = id_text(r->arena, j->id);
    view_text(v, "id", id);
    view_text(v, "label", job_label(r->arena, r->lang, j->kind));
    view_text(v, "owner_name", owner_name(r, db, j->owner));
    view_text(v, "attempts_words",
        j->attempts ? lang_count(r->arena, r->lang, "count.attempts", j->attempts, NULL) : NULL);
    view_text(v, "reason", said_words(r->arena, r->lang, j->error));
    view_text(v, "when", when_words(r, j));
    view_text(v, "when_exact", humanize_exact(r->arena, &l, j->ended_at ? j->ended_at : j->run_at));
    view_at(v, "created_at", j->created_at);
    view_created_words(r->arena, v, &l, j->created_at);
    view_text(v, "retry_url",
        strcmp(j->state, "dead") == 0 ? arena_printf(r->arena, "/admin/jobs/%s/retry", id) : NULL);
}

/* `several`: of a kind, more than one job is dead. */
static enum rc view_parts(struct req *r, struct db *db, bool several, struct view *v, struct err *e)
{
    struct view *list = view_list(v, "parts");
    enum rc rc = RC_OK;
    for (size_t p = 0; rc == RC_OK && p < ARRAY_LEN(parts); p++) {
        struct job *jobs;
        size_t n = 0;
        rc = store_job_list(db, r->arena, parts[p].state, JOBS_SHOWN + 1, &jobs, &n, e);
        struct view *part = view_item(list);
        view_text(part, "key", parts[p].key);
        view_text(part, "heading", lang_text(r->lang, parts[p].heading));
        view_text(part, "none", n ? NULL : lang_text(r->lang, parts[p].none));
        view_bool(part, "more", n > JOBS_SHOWN);
        view_bool(part, "retries", several && p == 0);
        struct view *rows = view_list(part, "jobs");
        for (size_t i = 0; rc == RC_OK && i < n && i < JOBS_SHOWN; i++)
            view_job(r, db, view_item(rows), &jobs[i]);
    }
    return rc;
}

static enum rc view_counts(struct req *r, struct db *db, bool *several, struct view *v, struct err *e)
{
    struct job_count *counts;
    size_t n;
    enum rc rc = store_job_counts(db, r->arena, &counts, &n, e);
    view_bool(v, "any", rc == RC_OK && n > 0);
    struct view *list = view_list(v, "kinds");
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct view *k = view_item(list);
        view_text(k, "label", job_label(r->arena, r->lang, counts[i].kind));
        view_int(k, "ready", counts[i].ready);
        view_int(k, "leased", counts[i].leased);
        view_int(k, "dead", counts[i].dead);
        view_text(k, "retried_kind", counts[i].dead > 1 ? counts[i].kind : NULL);
        *several |= counts[i].dead > 1;
    }
    return rc;
}

static enum rc view_skipped(struct req *r, struct db *db, struct view *v, struct err *e)
{
    int64_t counts[SKIP_REASONS];
    bool any = false;
    enum rc rc = jobs_skipped(db, counts, e);
    struct view *list = view_list(v, "skipped");
    for (enum vector_skip i = 0; rc == RC_OK && i < SKIP_REASONS; i++) {
        if (!counts[i])
            continue;
        struct view *row = view_item(list);
        view_text(row, "label", lang_text(r->lang, job_skip_label(i)));
        view_int(row, "texts", counts[i]);
        any = true;
    }
    view_bool(v, "any_skipped", any);
    return rc;
}

enum rc jobs_view(struct req *r, struct view *v, struct err *e)
{
    struct db *db = store_read(r->web->store);
    bool several = false;
    enum rc rc = view_counts(r, db, &several, v, e);
    if (rc == RC_OK)
        rc = view_parts(r, db, several, v, e);
    if (rc == RC_OK)
        rc = view_skipped(r, db, v, e);
    store_read_done(r->web->store, db);
    return rc;
}

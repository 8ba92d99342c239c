/* The admins' page of the helper's work: what waits, what runs, and what failed for good, with a Retry. */
#include "app/jobs/jobs.h"
#include "store/job.h"
#include "web/page/pages.h"
#include "web/search/index_progress.h"
#include "web/chat/message_view.h"
#include "web/page/humanize.h"

#define JOBS_SHOWN 100 /* of each state */

static const struct {
    const char *state, *key, *heading, *none;
} parts[] = {
    {"dead", "dead", "Failed", "Nothing failed."},
    {"leased", "leased", "Running", "Nothing runs at the moment."},
    {"ready", "ready", "Waiting", "Nothing waits."},
};

static const char *owner_name(struct req *r, struct db *db, int64_t owner)
{
    struct user u;
    return owner && store_user_by_id(db, r->arena, owner, &u, NULL) == RC_OK ? u.name : NULL;
}

/* What waits says when it comes, what failed since when. */
static const char *when_words(struct req *r, const struct job *j)
{
    if (j->ended_at)
        return arena_printf(r->arena, "failed %s", words_ago(r->arena, j->ended_at, r->now));
    if (strcmp(j->state, "leased") == 0)
        return arena_printf(r->arena, "planned %s", words_ago(r->arena, j->created_at, r->now));
    int64_t s = (j->run_at - r->now) / 1000;
    if (s <= 0)
        return "due now";
    return s < 120 ? arena_printf(r->arena, "in %s", words_count(r->arena, s, "second", "seconds"))
                   : arena_printf(r->arena, "in %s", words_count(r->arena, s / 60, "minute", "minutes"));
}

static void view_job(struct req *r, struct db *db, struct view *v, const struct job *j)
{
    const char *id = arena_printf(r->arena, "%lld", (long long)j->id);
    view_text(v, "id", id);
    view_text(v, "label", job_label(j->kind));
    view_text(v, "owner_name", owner_name(r, db, j->owner));
    view_text(
        v, "attempts_words", j->attempts ? words_count(r->arena, j->attempts, "attempt", "attempts") : NULL);
    view_text(v, "reason", j->error);
    view_text(v, "when", when_words(r, j));
    view_text(v, "when_exact", words_exact(r->arena, j->ended_at ? j->ended_at : j->run_at));
    view_created(r->arena, v, j->created_at, r->now);
    view_text(v, "retry_url",
        strcmp(j->state, "dead") == 0 ? arena_printf(r->arena, "/admin/jobs/%s/retry", id) : NULL);
}

static enum rc view_parts(struct req *r, struct db *db, struct view *v, struct err *e)
{
    struct view *list = view_list(v, "parts");
    enum rc rc = RC_OK;
    for (size_t p = 0; rc == RC_OK && p < ARRAY_LEN(parts); p++) {
        struct job *jobs;
        size_t n = 0;
        rc = store_job_list(db, r->arena, parts[p].state, JOBS_SHOWN + 1, &jobs, &n, e);
        struct view *part = view_item(list);
        view_text(part, "key", parts[p].key);
        view_text(part, "heading", parts[p].heading);
        view_text(part, "none", n ? NULL : parts[p].none);
        view_bool(part, "more", n > JOBS_SHOWN);
        struct view *rows = view_list(part, "jobs");
        for (size_t i = 0; rc == RC_OK && i < n && i < JOBS_SHOWN; i++)
            view_job(r, db, view_item(rows), &jobs[i]);
    }
    return rc;
}

static enum rc view_counts(struct req *r, struct db *db, struct view *v, struct err *e)
{
    struct job_count *counts;
    size_t n;
    enum rc rc = store_job_counts(db, r->arena, &counts, &n, e);
    view_bool(v, "any", rc == RC_OK && n > 0);
    struct view *list = view_list(v, "kinds");
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        struct view *k = view_item(list);
        view_text(k, "label", job_label(counts[i].kind));
        view_int(k, "ready", counts[i].ready);
        view_int(k, "leased", counts[i].leased);
        view_int(k, "dead", counts[i].dead);
    }
    return rc;
}

/* `why` may be NULL. */
static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, "Jobs", AT_JOBS, 0, &v, e);
    if (rc == RC_OK)
        rc = progress_view(r, v, 0, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "progress_api", "/api/jobs/progress");
    struct db *db = store_read(r->web->store);
    rc = view_counts(r, db, v, e);
    if (rc == RC_OK)
        rc = view_parts(r, db, v, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    return why ? page_problem(r, out, "jobs", v, why, e) : resp_page(r, out, 200, "jobs", v, e);
}

enum rc page_jobs(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

enum rc page_job_retry(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = jobs_retry(r->web->store, r->web->config, r->who.user_id, req_int(r, F_JOB), &from, &why);
    if (rc == RC_OK)
        page_done(out, "/admin/jobs", "job_retried");
    else if (page_can_say(rc))
        return show(r, out, &why, e);
    else
        *e = why;
    return rc;
}

#include "web/jobs/jobs_routes.h"

#include "app/jobs/jobs.h"
#include "web/http/web.h"
#include "web/jobs/jobs_view.h"
#include "web/page/pages.h"
#include "web/search/index_progress.h"

#define KIND_MAX 40

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "jobs.title"), AT_JOBS, 0, &v, e);
    if (rc == RC_OK)
        rc = index_progress_text(r, v, 0, e);
    if (rc == RC_OK)
        rc = jobs_view(r, v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "progress_url", "/page/jobs/progress");
    return why ? page_problem(r, out, "jobs", v, why, e) : resp_page(r, out, 200, "jobs", v, e);
}

static enum rc page_jobs(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_job_retry(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = jobs_retry(r->web->store, r->web->config, r->who.user_id, req_int(r, F_JOB), &from, &why);
    return rc == RC_OK ? page_done(out, "/admin/jobs", "job_retried") : page_again(r, out, show, &why, e);
}

static enum rc page_kind_retry(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    int64_t retried;
    enum rc rc = jobs_retry_kind(
        r->web->store, r->web->config, r->who.user_id, req_text(r, F_KIND), &from, &retried, e);
    return rc == RC_OK ? page_done(out, "/admin/jobs", "jobs_retried") : rc;
}

static enum rc page_skipped_retry(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = jobs_retry_skipped(r->web->store, r->web->config, r->who.user_id, &from, e);
    return rc == RC_OK ? page_done(out, "/admin/jobs", "skipped_retried") : rc;
}

static enum rc script_progress(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = index_progress_text(r, v, 0, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc api_jobs_progress(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = index_progress_resource(r, v, 0, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static const struct field_rule job_fields[] = {
    {.field = F_JOB, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};

static const struct field_rule kind_fields[] = {
    {.field = F_KIND, .type = FIELD_LINE, .required = true, .max = KIND_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/admin/jobs",               page_jobs,          PAGE_READ(ACCESS_ADMIN),   notice_fields},
    {HTTP_POST, "/admin/jobs/{job}/retry",   page_job_retry,     PAGE_CHANGE(ACCESS_ADMIN), job_fields},
    {HTTP_POST, "/admin/jobs/retry",         page_kind_retry,    PAGE_CHANGE(ACCESS_ADMIN), kind_fields},
    {HTTP_POST, "/admin/jobs/retry-skipped", page_skipped_retry, PAGE_CHANGE(ACCESS_ADMIN), no_fields},

    {HTTP_GET,  "/api/jobs/progress",        api_jobs_progress,  API_READ(ACCESS_ADMIN, SCOPE_READ),    no_fields},

    {HTTP_GET,  "/page/jobs/progress",       script_progress,    SCRIPT_READ(ACCESS_ADMIN), no_fields},
};
/* clang-format on */

const struct route_table jobs_routes = {routes, ARRAY_LEN(routes)};

#include "app/jobs/jobs.h"

#include <stdio.h>

#include "app/jobs/helper_notify.h"
#include "app/jobs/mass.h"
#include "store/job.h"

#define DETAIL_MAX      64
#define RETRIED_AT_ONCE 100

static const char *label_of(struct arena *a, const struct lang *l, const char *kind)
{
    return lang_lookup(l, str_of(arena_printf(a, "job.kind_%s", kind)));
}

const char *job_label(struct arena *a, const struct lang *l, const char *kind)
{
    const char *label = label_of(a, l, kind);
    return label ? label : kind;
}

bool job_is_kind(const char *word)
{
    AUTO(arena) a = arena_new();
    return label_of(a, lang_english(), word) != NULL;
}

struct retry_tx {
    int64_t admin, id;
    const struct auth_client *from;
};

static enum rc retry_tx(struct db *db, void *arg, struct err *e)
{
    const struct retry_tx *t = arg;
    char detail[DETAIL_MAX];
    snprintf(detail, sizeof detail, "%lld", (long long)t->id);
    enum rc rc = store_job_revive(db, t->id, t->from->now, e);
    return rc == RC_OK ? auth_audit(db, t->from, t->admin, "job_retried", detail, e) : rc;
}

enum rc jobs_retry(struct store *s, const struct config *c, int64_t admin, int64_t id,
    const struct auth_client *from, struct err *e)
{
    struct retry_tx t = {admin, id, from};
    return helper_write(s, c->server.data_dir, retry_tx, &t, e);
}

struct retry_kind {
    int64_t admin;
    const struct auth_client *from;
    const char *kind;
    int64_t retried;
    bool more;
};

static enum rc retry_some_tx(struct db *db, void *arg, struct err *e)
{
    struct retry_kind *t = arg;
    int64_t n = 0;
    enum rc rc = store_job_revive_kind(db, t->kind, RETRIED_AT_ONCE, t->from->now, &n, e);
    t->retried += n;
    t->more = n > 0 && t->retried < JOBS_RETRIED_MAX;
    return rc;
}

static enum rc retried_tx(struct db *db, void *arg, struct err *e)
{
    const struct retry_kind *t = arg;
    char detail[DETAIL_MAX];
    snprintf(detail, sizeof detail, "%s %lld", t->kind, (long long)t->retried);
    return auth_audit(db, t->from, t->admin, "jobs_retried", detail, e);
}

enum rc jobs_retry_kind(struct store *s, const struct config *c, int64_t admin, const char *kind,
    const struct auth_client *from, int64_t *retried, struct err *e)
{
    struct mass m = {.store = s};
    struct retry_kind t = {.admin = admin, .from = from, .kind = kind};
    enum rc rc = mass_steps(&m, retry_some_tx, &t, &t.more, e);
    *retried = t.retried;
    if (t.retried == 0)
        return rc;
    enum rc audited = helper_write(s, c->server.data_dir, retried_tx, &t, rc == RC_OK ? e : NULL);
    return rc == RC_OK ? audited : rc;
}

static const char *const skip_labels[SKIP_REASONS] = {
    [SKIP_TOO_LONG] = "job.skip_too_long",
    [SKIP_REFUSED] = "job.skip_refused",
    [SKIP_NO_VECTOR] = "job.skip_no_vector",
    [SKIP_EMPTY] = "job.skip_empty",
};

const char *job_skip_label(enum vector_skip reason)
{
    return skip_labels[reason];
}

enum rc jobs_skipped(struct db *db, int64_t out[SKIP_REASONS], struct err *e)
{
    enum rc rc = store_vector_skip_counts(db, out, e);
    out[SKIP_EMPTY] = 0;
    return rc;
}

static enum rc retry_skipped_tx(struct db *db, void *arg, struct err *e)
{
    const struct retry_tx *t = arg;
    enum rc rc = store_vector_skip_retry(db, e);
    if (rc == RC_OK) /* vectors of all owners */
        rc = store_job_add(db, JOB_EMBED, 0, 0, t->from->now, t->from->now, e);
    return rc == RC_OK ? auth_audit(db, t->from, t->admin, "skipped_retried", "", e) : rc;
}

enum rc jobs_retry_skipped(
    struct store *s, const struct config *c, int64_t admin, const struct auth_client *from, struct err *e)
{
    struct retry_tx t = {admin, 0, from};
    return helper_write(s, c->server.data_dir, retry_skipped_tx, &t, e);
}

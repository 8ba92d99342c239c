#include "app/jobs/jobs.h"

#include <stdio.h>

#include "app/jobs/helper_notify.h"
#include "store/compaction.h"
#include "store/job.h"
#include "store/message.h"

#define DETAIL_MAX 32

static const struct {
    const char *kind, *label;
} labels[] = {
    {JOB_TITLE, "Title of a session"},
    {JOB_SWEEP, "Clearing up"},
    {JOB_EMBED, "Search index"},
    {JOB_SUMMARISE, "Summary of a session"},
    {JOB_TOPIC, "Topic of a session"},
    {JOB_COMPACT, "Compaction of a session"},
    {JOB_SWEEP_TRANSCRIPTS, "Removal of old transcripts"},
    {JOB_FACTS, "Search for facts to remember"},
    {JOB_EXPORT, "Export of all data"},
    {JOB_IMPORT, "Import of conversations"},
    {JOB_PURGE_INDEX, "Removal of deleted words from the search index"},
    {JOB_PURGE_DRAFTS, "Removal of unfinished imports"},
    {JOB_INDEX_PAIRS, "Index for Chinese, Japanese, Korean and Thai"},
};

const char *job_label(const char *kind)
{
    for (size_t i = 0; i < ARRAY_LEN(labels); i++)
        if (strcmp(labels[i].kind, kind) == 0)
            return labels[i].label;
    return kind;
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

static const char *const skip_labels[SKIP_REASONS] = {
    [SKIP_TOO_LONG] = "Too long for the model, even when shortened",
    [SKIP_REFUSED] = "Refused by the provider",
    [SKIP_NO_VECTOR] = "Answered by the provider without a usable vector",
    [SKIP_EMPTY] = "Only white space",
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

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
    {JOB_SWEEP_TRANSCRIPTS, "Clearing up of transcripts"},
    {JOB_FACTS, "Facts worth keeping"},
    {JOB_EXPORT, "Export of all data"},
    {JOB_IMPORT, "Import of conversations"},
    {JOB_PURGE_INDEX, "Deleted words out of the index"},
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
    return rc == RC_OK ? store_audit(db, t->from->now, t->admin, "job_retried", detail, t->from->address, e)
                       : rc;
}

enum rc jobs_retry(struct store *s, const struct config *c, int64_t admin, int64_t id,
    const struct auth_client *from, struct err *e)
{
    struct retry_tx t = {admin, id, from};
    enum rc rc = store_write(s, retry_tx, &t, e);
    if (rc == RC_OK)
        helper_wake(c->server.data_dir);
    return rc;
}

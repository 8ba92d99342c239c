/*
 * Background tasks: the arguments and results of the functions that run the helper's jobs. A task is in the
 * folder of its noun. helper/worker.c has the one table of job kinds.
 */
#ifndef ALFRED_APP_JOBS_TASK_H
#define ALFRED_APP_JOBS_TASK_H

#include "app/models/providers.h"
#include "base/backoff.h"
#include "base/log.h"
#include "net/http.h"
#include "store/job.h"

#define HELPER_ATTEMPTS    5 /* failures until a job is dead; the last attempt may work without the model */
#define HELPER_PATIENCE_MS MS_PER_DAY /* after its first run a job waits so long for a provider */

#define HELPER_FAILING_MAX 3 /* failed sessions in a row: the provider is the cause, not a request */

/* A pause of the requests to one provider. */
struct provider_pause {
    int64_t until_ms;                    /* clock_mono_ms(): no task of the lane asks it before */
    struct backoff away;                 /* the lengths while it is away */
    int64_t failing[HELPER_FAILING_MAX]; /* subjects of the jobs that failed since its last good answer */
    size_t failing_n;
    struct log_repeat log; /* why it began */
};

/* The resources of a task. Owned by the helper. */
struct helper {
    const struct config *config;
    const struct providers *providers;
    struct store *store;
    struct loop *loop;
    struct http_client *http;
    /* Returns the tools that are offered to a model with this window (tokens): tools_offered() of
     * app/tools, which this folder must not include. */
    struct llm_tool *(*tools_offered)(struct arena *a, int64_t window, size_t *n);
    struct provider_pause *pauses; /* by source of `providers` */
    int64_t owner;   /* of the job that runs; its requests to models are counted for this user */
    int64_t subject; /* of the job that runs; its own id if it has none */
    int signal_fd;   /* readable: the helper is stopping */
};

/* A task blocks. RC_OK: done. RC_RATE_LIMITED and RC_CANCELLED postpone the job. Any other result counts
 * as a failed attempt. */
typedef enum rc task_fn(struct helper *h, const struct job *job, struct err *e);
static inline bool task_is_patient(const struct job *job, int64_t now)
{
    return now - job->tried_at < HELPER_PATIENCE_MS;
}
/* False: after this failure the task works without the model. */
static inline bool task_tries_again(const struct job *job, enum rc rc)
{
    bool waits = rc == RC_RATE_LIMITED && task_is_patient(job, clock_wall_ms());
    return rc == RC_CANCELLED || waits || job->attempts < HELPER_ATTEMPTS;
}

/* Runs in the transaction that marks a job dead because of `why`. RC_NOT_FOUND: the job's subject is gone,
 * which is not a failure. */
typedef enum rc task_on_dead_fn(struct db *db, const struct job *job, const struct err *why, struct err *e);

#endif

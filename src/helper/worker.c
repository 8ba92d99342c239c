#include "helper/worker.h"

#include <poll.h>
#include <string.h>

#include "app/erasure/erasure_tasks.h"
#include "app/memory/memory_tasks.h"
#include "app/search/search_tasks.h"
#include "app/session/session_tasks.h"
#include "app/summary/summary_tasks.h"
#include "app/transfer/transfer_tasks.h"
#include "app/trash/trash_tasks.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/said.h"
#include "helper/helper.h"
#include "helper/task_sweep.h"
#include "store/account/user.h"
#include "store/memory/compaction.h"
#include "store/message/message.h"

/* One row per kind of job. */
static const struct task_kind {
    const char *kind;
    task_fn *run;
    task_on_dead_fn *on_dead; /* NULL: nothing depends on the job */
} tasks[] = {
    {JOB_TITLE, task_title, NULL},
    {JOB_SWEEP, task_sweep, NULL},
    {JOB_EMBED, task_embed, NULL},
    {JOB_SUMMARISE, task_summarise, NULL},
    {JOB_TOPIC, task_topic, NULL},
    {JOB_COMPACT, task_compact, task_compact_on_dead},
    {JOB_SWEEP_TRANSCRIPTS, task_sweep_transcripts, NULL},
    {JOB_FACTS, task_facts, NULL},
    {JOB_EXPORT, task_export, task_transfer_on_dead},
    {JOB_IMPORT, task_import, task_transfer_on_dead},
    {JOB_PURGE_INDEX, task_purge_index, NULL},
    {JOB_PURGE_DRAFTS, task_purge_drafts, NULL},
    {JOB_ERASE_USER, task_erase_user, NULL},
    {JOB_PURGE_TRASH, task_purge_trash, NULL},
    {JOB_BATCH, task_batch, NULL},
    {JOB_END_TEMPORARY, task_end_temporary, NULL},
    {JOB_INDEX_PAIRS, task_index_pairs, NULL},
};

struct job_tx {
    struct arena *arena;
    enum job_lane lane;
    bool oldest; /* claim the job that has been due for longest, also when another one is wanted */
    struct job job;
    int64_t now, took_ms, lease_ms, retry_ms;
    bool put_off; /* it was claimed, and does not run now */
    enum rc outcome;
    const struct err *why;
};

static const struct task_kind *kind_of(const struct job *job)
{
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
        if (strcmp(tasks[i].kind, job->kind) == 0)
            return &tasks[i];
    return NULL;
}

/* A disabled user's jobs ask no provider. They wait until the user is enabled (store_job_hasten()). */
static enum rc put_off_disabled(struct db *db, struct job_tx *t, struct err *e)
{
    char why[SAID_MAX] = "";
    enum rc rc =
        t->lane == LANE_UPKEEP || !t->job.owner ? RC_OK : store_user_check_active(db, t->job.owner, e);
    if (rc != RC_UNAUTHENTICATED)
        return rc;
    t->put_off = true;
    said_add(why, "job.user_disabled", SAID_ARGS());
    return store_job_postpone(db, t->job.id, t->now + WORKER_DISABLED_MS, why, e);
}

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct job_tx *t = arg;
    int64_t until = t->now + t->lease_ms;
    enum rc rc =
        t->oldest ? RC_NOT_FOUND : store_job_claim_wanted(db, t->arena, t->lane, t->now, until, &t->job, e);
    if (rc == RC_NOT_FOUND)
        rc = store_job_claim(db, t->arena, t->lane, t->now, until, &t->job, e);
    return rc == RC_OK ? put_off_disabled(db, t, e) : rc;
}

/* At least as long as the attempt took: a job whose provider is silent leaves its lane to others half of the
 * time. */
static int64_t retry_wait(const struct job_tx *t)
{
    int before = t->job.attempts < 1 ? 0 : t->job.attempts - 1;
    int64_t wait = t->retry_ms << (before < HELPER_ATTEMPTS ? before : HELPER_ATTEMPTS);
    int64_t asked = t->why->retry_after_s * MS_PER_S;
    if (wait < t->took_ms)
        wait = t->took_ms;
    return asked > wait ? asked : wait;
}

/* A full disk can stay full for hours. The wait grows with the time since the first attempt: an export writes
 * all of its file again, and each attempt is a line in the log. */
static int64_t wait_for_disk(const struct job_tx *t)
{
    int64_t wait = retry_wait(t), share = (t->now - t->job.tried_at) / WORKER_DISK_SHARE;
    if (share > WORKER_DISK_MAX_MS)
        share = WORKER_DISK_MAX_MS;
    return share > wait ? share : wait;
}

/* A sentence that all readers get in their own language; the plain text of a reason without one. */
static const char *reason(const struct job_tx *t)
{
    const char *said = err_stored(t->why);
    return said ? said : t->why->text;
}

static enum rc mark_dead(struct db *db, const struct job_tx *t, struct err *e)
{
    const struct task_kind *k = kind_of(&t->job);
    bool ran = t->job.attempts <= HELPER_ATTEMPTS;
    char ended[SAID_MAX] = "";
    said_add(ended, "job.ended_helper", SAID_ARGS(arg_int("n", t->job.attempts - 1)));
    enum rc rc = ran ? store_job_dead(db, t->job.id, t->now, reason(t), e)
                     : store_job_found_dead(db, t->job.id, t->now, ended, e);
    if (rc != RC_OK || !k || !k->on_dead)
        return rc;
    rc = k->on_dead(db, &t->job, t->why, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the subject was deleted; the job is dead anyway */
}

/* Nothing of the job is the cause, and the same attempt succeeds later. */
static bool is_of_disk(const struct job_tx *t)
{
    return err_is(t->why, "error.disk_full") || err_is(t->why, "error.disk_broken") ||
           err_is(t->why, "error.database_busy");
}

static enum rc finish_tx(struct db *db, void *arg, struct err *e)
{
    struct job_tx *t = arg;
    bool of_disk = is_of_disk(t), not_its_fault = of_disk || t->outcome == RC_RATE_LIMITED;
    int64_t at = t->now + (of_disk ? wait_for_disk(t) : retry_wait(t));
    if (t->outcome == RC_OK)
        return store_job_done(db, t->job.id, t->now, e);
    if (t->outcome == RC_CANCELLED)
        return store_job_postpone(db, t->job.id, t->now, reason(t), e);
    if (not_its_fault && task_is_patient(&t->job, t->now))
        return store_job_postpone(db, t->job.id, at, reason(t), e);
    if (t->job.attempts >= HELPER_ATTEMPTS)
        return mark_dead(db, t, e);
    return store_job_retry(db, t->job.id, at, reason(t), e);
}

/* Stores the result. Failures that can pass are retried: while nothing can be written, no other job could
 * be claimed either. RC_NOT_FOUND: the row was deleted with its session or user while the job ran. After
 * any other failure the row stays leased; it is due again when the lease ends. */
static void finish_job(struct worker *w, struct job_tx *t)
{
    struct pollfd stop = {.fd = w->helper->signal_fd, .events = POLLIN};
    struct backoff wait = {.first_ms = WORKER_RETRY_FIRST_MS, .max_ms = WORKER_RETRY_MAX_MS};
    for (;;) {
        struct err e = ERR_INIT;
        enum rc rc = store_write_lazy(w->helper->store, finish_tx, t, &e);
        if (rc == RC_OK || rc == RC_NOT_FOUND)
            break;
        log_repeat(&w->finish_errors, LOG_ERROR, "finishing a job: %s: %s", rc_name(rc), e.text);
        if (!rc_is_temporary(rc))
            return;
        if (poll(&stop, 1, (int)backoff_next(&wait)) > 0)
            return; /* the next start puts it back into the queue */
        t->now = clock_wall_ms();
    }
    log_repeat_end(&w->finish_errors, "finishing a job");
}

static enum rc run_task(struct helper *h, const struct job *job, struct err *e)
{
    const struct task_kind *k = kind_of(job);
    if (job->attempts > HELPER_ATTEMPTS)
        return err_set(e, RC_INTERNAL, "the job ended the helper %d times", job->attempts - 1);
    h->owner = job->owner;
    h->subject = job->subject ? job->subject : job->id;
    return k ? k->run(h, job, e) : err_set(e, RC_INTERNAL, "there is no task of kind %s", job->kind);
}

enum rc worker_run_one(struct worker *w, struct err *e)
{
    struct helper *h = w->helper;
    AUTO(arena) a = arena_new();
    struct err why = ERR_INIT;
    struct job_tx t = {.arena = a,
        .lane = w->lane,
        .oldest = w->claims % WORKER_OLDEST_EVERY == WORKER_OLDEST_EVERY - 1,
        .now = clock_wall_ms(),
        .lease_ms = h->config->turn.total_minutes * MS_PER_MIN + HELPER_LEASE_MS,
        .retry_ms = h->config->jobs.retry_seconds * MS_PER_S,
        .why = &why};
    enum rc rc = store_write_lazy(h->store, claim_tx, &t, e);
    if (rc != RC_OK || t.put_off)
        return rc;
    w->claims++;
    providers_refresh_lately(h->providers, h->store);
    int64_t begun = clock_mono_ms();
    t.outcome = run_task(h, &t.job, &why);
    t.took_ms = clock_mono_ms() - begun;
    t.now = clock_wall_ms();
    if (t.outcome == RC_RATE_LIMITED) /* helper_heard() has logged why */
        log_debug("job %lld (%s) waits: %s", (long long)t.job.id, t.job.kind, why.text);
    else if (t.outcome != RC_OK)
        log_warn("job %lld (%s), attempt %d: %s", (long long)t.job.id, t.job.kind, t.job.attempts, why.text);
    else
        log_debug("job %lld (%s) done", (long long)t.job.id, t.job.kind);
    finish_job(w, &t);
    return RC_OK;
}

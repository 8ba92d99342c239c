#include "helper/helper.h"

#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "store/compaction.h"
#include "store/message.h"

static const struct task_kind tasks[] = {
    {JOB_TITLE, task_title},
    {JOB_SWEEP, task_sweep},
    {JOB_EMBED, task_embed},
    {JOB_SUMMARISE, task_summarise},
    {JOB_TOPIC, task_topic},
    {JOB_COMPACT, task_compact},
    {JOB_SWEEP_TRANSCRIPTS, task_sweep_transcripts},
    {JOB_FACTS, task_facts},
    {JOB_EXPORT, task_export},
    {JOB_IMPORT, task_import},
    {JOB_PURGE_INDEX, task_purge_index},
};

/* Who has to be told, in the same transaction, when a job of its kind is dead. */
static const struct {
    const char *kind;
    enum rc (*died)(struct db *db, const struct job *job, const struct err *why, struct err *e);
} mourned[] = {
    {JOB_COMPACT, task_compact_died},
    {JOB_EXPORT, task_transfer_died},
    {JOB_IMPORT, task_transfer_died},
};

#define SETTLE_RETRY_MS 1000

struct job_tx {
    struct arena *arena;
    struct job job;
    int64_t now, retry_ms;
    enum rc outcome;
    const struct err *why;
};

static enum rc claim_tx(struct db *db, void *arg, struct err *e)
{
    struct job_tx *t = arg;
    return store_job_claim(db, t->arena, t->now, t->now + HELPER_LEASE_MS, &t->job, e);
}

static int64_t backoff(const struct job_tx *t)
{
    int before = t->job.attempts < 1 ? 0 : t->job.attempts - 1;
    int64_t wait = t->retry_ms << (before < HELPER_ATTEMPTS ? before : HELPER_ATTEMPTS);
    int64_t asked = t->why->retry_after_s * MS_PER_S;
    return asked > wait ? asked : wait;
}

static enum rc bury(struct db *db, const struct job_tx *t, struct err *e)
{
    bool ran = t->job.attempts <= HELPER_ATTEMPTS;
    enum rc rc = store_job_dead(db, t->job.id, t->now, t->why->text, ran, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(mourned); i++)
        if (strcmp(mourned[i].kind, t->job.kind) == 0)
            rc = mourned[i].died(db, &t->job, t->why, e);
    return rc;
}

static enum rc settle_tx(struct db *db, void *arg, struct err *e)
{
    struct job_tx *t = arg;
    int64_t at = t->now + backoff(t);
    bool patient = t->now - t->job.created_at < HELPER_PATIENCE_MS;
    if (t->outcome == RC_OK)
        return store_job_done(db, t->job.id, t->now, e);
    if (t->outcome == RC_CANCELLED)
        return store_job_postpone(db, t->job.id, t->now, t->why->text, e);
    if (t->outcome == RC_RATE_LIMITED && patient)
        return store_job_postpone(db, t->job.id, at, t->why->text, e);
    if (t->job.attempts >= HELPER_ATTEMPTS)
        return bury(db, t, e);
    return store_job_retry(db, t->job.id, at, t->why->text, e);
}

static enum rc run_task(struct helper *h, const struct job *job, struct err *e)
{
    if (job->attempts > HELPER_ATTEMPTS)
        return err_set(e, RC_INTERNAL, "it ended the helper %d times", job->attempts - 1);
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++)
        if (strcmp(tasks[i].kind, job->kind) == 0)
            return tasks[i].run(h, job, e);
    return err_set(e, RC_INTERNAL, "there is no task of kind %s", job->kind);
}

/* On a full disk nothing can be written: no other job could be claimed either, so this one is tried again. */
static void settle(struct helper *h, struct job_tx *t)
{
    struct pollfd stop = {.fd = h->signal_fd, .events = POLLIN};
    struct err e = ERR_INIT;
    while (store_write(h->store, settle_tx, t, &e) != RC_OK) {
        log_error("settling job %lld: %s", (long long)t->job.id, e.text);
        if (poll(&stop, 1, SETTLE_RETRY_MS) > 0)
            return; /* the next start takes it up */
        t->now = clock_wall_ms();
        e = ERR_INIT;
    }
}

/* false: nothing is due. */
static bool run_one(struct helper *h)
{
    AUTO(arena) a = arena_new();
    struct err e = ERR_INIT, why = ERR_INIT;
    struct job_tx t = {.arena = a,
        .now = clock_wall_ms(),
        .retry_ms = h->config->jobs.retry_seconds * MS_PER_S,
        .why = &why};
    enum rc rc = store_write(h->store, claim_tx, &t, &e);
    if (rc != RC_OK) {
        if (rc != RC_NOT_FOUND)
            log_error("claiming a job: %s", e.text);
        return false;
    }
    t.outcome = run_task(h, &t.job, &why);
    t.now = clock_wall_ms();
    if (t.outcome != RC_OK)
        log_warn("job %lld (%s), attempt %d: %s", (long long)t.job.id, t.job.kind, t.job.attempts, why.text);
    else
        log_debug("job %lld (%s) done", (long long)t.job.id, t.job.kind);
    settle(h, &t);
    return true;
}

static enum rc add_regular_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    enum rc rc = store_job_add(db, JOB_SWEEP, 0, 0, *now, *now, e);
    return rc == RC_OK ? store_job_add(db, JOB_EMBED, 0, 0, *now, *now, e) : rc;
}

static enum rc release_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    return store_job_release_all(db, *now, e);
}

static int next_wait(struct helper *h, int64_t next_sweep)
{
    int64_t now = clock_wall_ms(), due = now + HELPER_POLL_MS, at;
    struct db *db = store_read(h->store);
    if (store_job_next_due(db, &at, NULL) == RC_OK && at < due)
        due = at;
    store_read_done(h->store, db);
    if (next_sweep < due)
        due = next_sweep;
    return due > now ? (int)(due - now) : 0;
}

static void work(struct helper *h, int wake_fd)
{
    int64_t next_sweep = 0, start = clock_wall_ms();
    struct err why = ERR_INIT;
    struct pollfd fds[] = {{.fd = wake_fd, .events = POLLIN}, {.fd = h->signal_fd, .events = POLLIN}};
    if (store_write(h->store, release_tx, &start, &why) != RC_OK)
        log_error("taking up what was left behind: %s", why.text); /* the leases run out */
    while (!(fds[1].revents & POLLIN)) {
        int64_t now = clock_wall_ms();
        if (now >= next_sweep) {
            struct err e = ERR_INIT;
            if (store_write(h->store, add_regular_tx, &now, &e) != RC_OK)
                log_error("planning the regular jobs: %s", e.text);
            next_sweep = now + HELPER_SWEEP_EVERY_MS;
        }
        bool more = run_one(h);
        if (!more)
            malloc_trim(0); /* it may sleep for long: what a job took goes back */
        if (poll(fds, ARRAY_LEN(fds), more ? 0 : next_wait(h, next_sweep)) < 0 && errno != EINTR) {
            log_error("poll: %s", strerror(errno));
            return;
        }
        char drop[64];
        while (read(wake_fd, drop, sizeof drop) > 0)
            ;
    }
}

static enum rc open_helper(struct helper *h, struct config **c, struct providers **p, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = config_load(NULL, c, e);
    if (rc != RC_OK)
        return rc;
    h->config = *c;
    log_init("helper", h->config->server.log_level);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium does not start");
    if ((rc = providers_new(h->config, p, e)) != RC_OK)
        return rc;
    h->providers = *p;
    h->later = xcalloc(h->providers->n, sizeof *h->later);
    if ((rc = fs_join(path, h->config->server.data_dir, CONFIG_DATABASE, e)) != RC_OK)
        return rc;
    if ((rc = store_open(path, 1, &h->store, e)) != RC_OK || (rc = loop_new(&h->loop, e)) != RC_OK)
        return rc;
    return http_client_new(h->loop, h->providers->allowed, h->providers->allowed_n, &h->http, e);
}

int helper_main(void)
{
    struct helper h = {0};
    struct err e = ERR_INIT;
    AUTO(config) config = NULL;
    AUTO(providers) providers = NULL;
    AUTO_FD wake_fd = -1;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTERM);
    sigaddset(&stop, SIGINT);
    sigprocmask(SIG_BLOCK, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    setpriority(
        PRIO_PROCESS, 0, HELPER_NICE); /* nobody waits for it as for an answer; a refusal changes nothing */
    log_init("helper", LOG_INFO);
    AUTO_FD signal_fd = signalfd(-1, &stop, SFD_CLOEXEC | SFD_NONBLOCK);
    h.signal_fd = signal_fd;

    enum rc rc = open_helper(&h, &config, &providers, &e);
    if (rc == RC_OK)
        rc = helper_listen(h.config->server.data_dir, &wake_fd, &e);
    if (rc == RC_OK)
        work(&h, wake_fd);
    else
        log_error("%s: %s", rc_name(rc), e.text);
    http_client_free(h.http);
    loop_free(h.loop);
    store_free(h.store);
    free(h.later);
    return rc == RC_OK ? 0 : 1;
}

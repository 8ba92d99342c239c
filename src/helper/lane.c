#include "helper/lane.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/thread.h"
#include "helper/helper.h"
#include "helper/worker.h"

#define TRIM_AFTER_MS  500 /* unused memory is returned when no job is due for this time */
#define CLAIM_AGAIN_MS 50  /* after a due job that could not be claimed */
/* From a wake-up of a lane without due jobs to its first job. The end of a turn wakes the lanes while its
 * last event is sent, and a program sends its next message at once: both would wait for the write lock. */
#define CALM_MS 20

struct lane {
    struct lanes *all;
    struct helper helper;
    struct worker worker;
    pthread_t thread;
    bool started;
    int wake_fd; /* an eventfd; -1: none yet */
};

struct lanes {
    struct lane lane[JOB_LANES];
};

static void wake(struct lane *l)
{
    eventfd_write(l->wake_fd, 1);
}

void lanes_wake(struct lanes *l)
{
    for (size_t i = 0; i < JOB_LANES; i++)
        wake(&l->lane[i]);
}

static void wake_others(struct lane *l)
{
    for (size_t i = 0; i < JOB_LANES; i++)
        if (&l->all->lane[i] != l)
            wake(&l->all->lane[i]);
}

/* Asks without a write transaction, so that an idle lane never holds up the writers. */
static enum rc until_due(const struct lane *l, int *wait_ms, struct err *e)
{
    struct store *store = l->helper.store;
    int64_t now = clock_wall_ms(), due = now + HELPER_POLL_MS, at;
    struct db *db = store_read(store);
    enum rc rc = store_job_next_due(db, l->worker.lane, &at, e);
    store_read_done(store, db);
    if (rc == RC_OK && at < due)
        due = at;
    *wait_ms = due > now ? (int)(due - now) : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* RC_NOT_FOUND: no job is due; `wait_ms` is the time until one is. */
static enum rc run_due(struct lane *l, int *wait_ms, struct err *e)
{
    enum rc rc = until_due(l, wait_ms, e);
    if (rc != RC_OK)
        return rc;
    if (*wait_ms == 0 && (rc = worker_run_one(&l->worker, e)) != RC_NOT_FOUND)
        return rc;
    *wait_ms = *wait_ms ? *wait_ms : CLAIM_AGAIN_MS;
    return RC_NOT_FOUND;
}

/* Runs until a signal to end. A wake-up shortens the wait for jobs, but not the wait after a failure. */
static void *work(void *arg)
{
    struct lane *l = arg;
    struct backoff retry = {.first_ms = WORKER_RETRY_FIRST_MS, .max_ms = WORKER_RETRY_MAX_MS};
    struct log_repeat errors = {0};
    bool used_memory = true; /* since the last mem_trim() */
    struct pollfd fds[] = {
        {.fd = l->helper.signal_fd, .events = POLLIN}, {.fd = l->wake_fd, .events = POLLIN}};
    setpriority(PRIO_PROCESS, 0, HELPER_NICE); /* of this thread, on Linux; a refusal is harmless */
    while (!(fds[0].revents & POLLIN)) {
        struct err e = ERR_INIT;
        eventfd_t drop;
        int wait = 0;
        enum rc rc = run_due(l, &wait, &e);
        bool failed = rc != RC_OK && rc != RC_NOT_FOUND;
        if (failed) {
            log_repeat(&errors, LOG_ERROR, "the job queue: %s: %s", rc_name(rc), e.text);
            wait = (int)backoff_next(&retry);
        } else {
            log_repeat_end(&errors, "the job queue");
            backoff_reset(&retry);
        }
        if (rc == RC_OK) {
            wait = 0;
            used_memory = true;
            wake_others(l);
        }
        bool rests = used_memory && rc == RC_NOT_FOUND && wait > TRIM_AFTER_MS;
        fds[1].revents = 0;
        int woken = poll(fds, failed ? 1 : ARRAY_LEN(fds), rests ? TRIM_AFTER_MS : wait);
        if (woken < 0 && errno != EINTR) {
            log_error("the thread of a lane ends: poll: %s", strerror(errno));
            return NULL;
        }
        if (rests && woken == 0) { /* before a wait that may be long */
            mem_trim();
            used_memory = false;
        }
        if (wait && fds[1].revents & POLLIN)
            poll(fds, 1, CALM_MS);
        eventfd_read(l->wake_fd, &drop);
    }
    return NULL;
}

static enum rc open_lane(struct lane *l, const struct helper *shared, enum job_lane id, struct err *e)
{
    l->helper = *shared;
    l->helper.pauses = xcalloc(shared->providers->sources_n, sizeof *l->helper.pauses);
    l->worker = (struct worker){.helper = &l->helper, .lane = id};
    l->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (l->wake_fd < 0)
        return err_set(e, RC_INTERNAL, "eventfd: %s", strerror(errno));
    enum rc rc = loop_new(&l->helper.loop, e);
    if (rc == RC_OK)
        l->helper.http =
            http_client_new(l->helper.loop, shared->providers->allowed, shared->providers->allowed_n);
    return rc;
}

enum rc lanes_start(const struct helper *shared, struct lanes **out, struct err *e)
{
    struct lanes *l = xcalloc(1, sizeof *l);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < JOB_LANES; i++) {
        l->lane[i].all = l;
        l->lane[i].wake_fd = -1;
    }
    for (size_t i = 0; rc == RC_OK && i < JOB_LANES; i++)
        rc = open_lane(&l->lane[i], shared, (enum job_lane)i, e);
    for (size_t i = 0; rc == RC_OK && i < JOB_LANES; i++) {
        rc = thread_start(&l->lane[i].thread, work, &l->lane[i], "a lane", e);
        l->lane[i].started = rc == RC_OK;
    }
    if (rc != RC_OK) {
        if (l->lane[0].started)
            kill(getpid(), SIGTERM); /* blocked: it makes signal_fd readable, which ends the threads */
        lanes_free(l);
        l = NULL;
    }
    *out = l;
    return rc;
}

void lanes_free(struct lanes *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < JOB_LANES; i++)
        if (l->lane[i].started)
            pthread_join(l->lane[i].thread, NULL);
    for (size_t i = 0; i < JOB_LANES; i++) {
        struct lane *one = &l->lane[i];
        http_client_free(one->helper.http);
        loop_free(one->helper.loop);
        free(one->helper.pauses);
        if (one->wake_fd >= 0)
            close(one->wake_fd);
    }
    free(l);
}

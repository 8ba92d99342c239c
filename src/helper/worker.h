/*
 * A worker claims one due job of its lane at a time, wanted ones first (store/job.h), runs its task and
 * stores the result. A failure of the worker itself (a full disk, a locked database) is logged once and
 * followed by a wait that grows to WORKER_RETRY_MAX_MS.
 */
#ifndef ALFRED_HELPER_WORKER_H
#define ALFRED_HELPER_WORKER_H

#include "app/jobs/task.h"
#include "base/clock.h"
#include "base/log.h"

#define WORKER_RETRY_FIRST_MS 250
#define WORKER_RETRY_MAX_MS   5000

/* A job that the disk refuses waits for this part of the time since its first attempt, up to the maximum. */
#define WORKER_DISK_SHARE  8
#define WORKER_DISK_MAX_MS (10 * MS_PER_MIN)

/* A job of a disabled user waits this long, and then again. */
#define WORKER_DISABLED_MS MS_PER_DAY

/* One job of this many is the oldest, so that wanted ones do not delay others for ever. */
#define WORKER_OLDEST_EVERY 4

struct worker {
    struct helper *helper;
    enum job_lane lane;
    unsigned claims;
    struct log_repeat finish_errors;
};

/* Runs the next due job to its end. RC_OK: it ran, with or without success, or
 * its user is disabled and it was put off. RC_NOT_FOUND: none is due.
 * Otherwise no job could be claimed: RC_UNAVAILABLE, RC_IO, RC_INTERNAL. */
enum rc worker_run_one(struct worker *w, struct err *e);

#endif

/*
 * The threads that run jobs, one per lane (enum job_lane), so that a provider that does not answer delays
 * only the jobs of its own lane. Each has its own loop and HTTP client. It sleeps until it is woken, until a
 * job of its lane is due, or for HELPER_POLL_MS. After a job a lane wakes the others, because the job may
 * have added jobs for them.
 *
 * Shared between the threads: the configuration, the providers and the store of `struct helper`, which are
 * thread-safe.
 */
#ifndef ALFRED_HELPER_LANE_H
#define ALFRED_HELPER_LANE_H

#include "app/jobs/task.h"

struct lanes;

/* Starts the threads. `shared`: config, providers, store, tools_offered and signal_fd are set; the threads
 * end when signal_fd is readable. RC_INTERNAL, RC_IO, RC_UNAVAILABLE. */
enum rc lanes_start(const struct helper *shared, struct lanes **out, struct err *e);
/* Wakes the lanes: there may be new jobs. */
void lanes_wake(struct lanes *l);
/* Waits for the threads; NULL is fine. */
void lanes_free(struct lanes *l);

#endif

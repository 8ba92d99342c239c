/*
 * The helper: the background process. Its lanes (helper/lane.h) sleep until a datagram, a due job or
 * HELPER_POLL_MS. Each lane claims one job at a time by lease and runs it. A failed job is retried with
 * backoff. After HELPER_ATTEMPTS it is dead, with its reason. The attempt is counted before the job runs, so
 * a job that crashes the helper also becomes dead. There is one helper at a time. Jobs that are leased at its
 * start go back into the queue with their attempts. A provider's rate limit, a provider that is
 * away, a full disk and a locked database delay a job without counting an attempt, for up to
 * HELPER_PATIENCE_MS after its first run: an import plans jobs days ahead.
 */
#ifndef ALFRED_HELPER_HELPER_H
#define ALFRED_HELPER_HELPER_H

#include "base/clock.h"

#define HELPER_NICE           10 /* of the lanes and of the watch of models: nobody waits for them */
#define HELPER_POLL_MS        10000
#define HELPER_LEASE_MS       (5 * MS_PER_MIN) /* added to [turn] total_minutes, the limit of a request */
#define HELPER_SWEEP_EVERY_MS MS_PER_H

/* Runs the program from start to end. Returns the exit code. */
int helper_main(void);

#endif

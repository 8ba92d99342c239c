/*
 * Wakes the helper with a datagram to data/run/helper.sock. Losing one is harmless: the helper also
 * polls for jobs (store/job.h).
 */
#ifndef ALFRED_APP_JOBS_HELPER_NOTIFY_H
#define ALFRED_APP_JOBS_HELPER_NOTIFY_H

#include "base/err.h"
#include "store/store.h"

void helper_notify(const char *data_dir); /* never blocks, never fails loudly */
/* store_write(), then helper_notify() when it succeeded. For a closure that adds a job. */
enum rc helper_write(struct store *s, const char *data_dir, store_fn *fn, void *arg, struct err *e);
/* The helper's end. The caller closes *fd. RC_IO. */
enum rc helper_listen(const char *data_dir, int *fd, struct err *e);

#endif

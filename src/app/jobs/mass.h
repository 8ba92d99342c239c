/*
 * Mass jobs: work on many rows, in steps that are separate transactions. A step holds the database's write
 * lock for a few milliseconds. A pause of the same length follows, so that other programs get the lock, the
 * disk and the processor for as long.
 *
 *     struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
 *     rc = mass_steps(&m, step_tx, &x, &x.more, e);
 */
#ifndef ALFRED_APP_JOBS_MASS_H
#define ALFRED_APP_JOBS_MASS_H

#include "store/store.h"

#define MASS_STEP_MS   6 /* a step begins nothing more after this time; its commit adds to it */
#define MASS_MERGES_MS 2000

struct mass {
    struct store *store;
    int stop_fd;     /* readable: no further step begins; 0: none */
    int64_t owed_us; /* the pause before the next step */
};

/* Like store_write_lazy(): a power failure can undo steps, so the job must be one that repeats them.
 * RC_CANCELLED: stop_fd is readable; the step was not made. */
enum rc mass_step(struct mass *m, store_fn *fn, void *arg, struct err *e);

/* Repeats a step, while it sets `*more`. */
enum rc mass_steps(struct mass *m, store_fn *fn, void *arg, const bool *more, struct err *e);

/* Merges segments of the text indexes (store/search/text_merge.h) until none is left to merge, or for
 * MASS_MERGES_MS. RC_CANCELLED as above. A task that adds or deletes many rows of an index calls it between
 * its steps. */
enum rc mass_merge(struct mass *m, struct err *e);

/* Repeats a step that adds or deletes rows of a text index, while it sets `*more`, and merges between the
 * steps. */
enum rc mass_index_steps(struct mass *m, store_fn *fn, void *arg, const bool *more, struct err *e);

#endif

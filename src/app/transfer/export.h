/*
 * All data of a user as one file of JSON Lines (docs/export.md): sessions with all branches of their
 * messages, summaries and compactions, memories, tasks. The store is read in small batches by key, so memory
 * use does not depend on the amount of data. Rows that are written meanwhile may be included or not. A parent
 * always comes before its children.
 *
 * Failures: RC_UNAVAILABLE with a sentence (the disk is full), RC_IO, RC_CANCELLED (from the progress
 * function), those of the store.
 */
#ifndef ALFRED_APP_TRANSFER_EXPORT_H
#define ALFRED_APP_TRANSFER_EXPORT_H

#include "store/store.h"

#define EXPORT_FORMAT  "alfred"
#define EXPORT_VERSION 1

/* Called after every few sessions. Any result but RC_OK ends the export with it. */
typedef enum rc export_progress_fn(void *arg, int64_t done, int64_t total, struct err *e);

struct export_want {
    bool compress;  /* with gzip */
    bool reasoning; /* the models' reasoning, too */
};

/* Writes to `fd` at its current position. The caller keeps `fd`. */
enum rc export_write(struct store *s, int64_t owner, int fd, const struct export_want *want,
    export_progress_fn *progress, void *arg, struct err *e);

#endif

/*
 * All that is a user's, as one file of JSON Lines (docs/export.md): sessions with all branches of their
 * messages, summaries and compactions, memories, tasks. Read from the store by key in small batches, so that
 * the memory it takes does not depend on how much there is. What is written meanwhile may be in it or not; a
 * parent always comes before its children.
 *
 * Failures: RC_UNAVAILABLE with a sentence (the disk is full), RC_IO, RC_CANCELLED (the progress function
 * said so), those of the store.
 */
#ifndef ALFRED_APP_TRANSFER_EXPORT_H
#define ALFRED_APP_TRANSFER_EXPORT_H

#include "store/store.h"

#define EXPORT_FORMAT  "alfred"
#define EXPORT_VERSION 1

/* After every few sessions. Anything but RC_OK ends the export with that. */
typedef enum rc export_progress_fn(void *arg, int64_t done, int64_t total, struct err *e);

/* Writes to `fd` (which stays the caller's) from where it stands. */
enum rc export_write(struct store *s, int64_t owner, int fd, bool compress, export_progress_fn *progress,
    void *arg, struct err *e);

#endif

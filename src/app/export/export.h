/*
 * All data of a user, or some sessions, as one file (docs/export.md): JSON Lines, or a zip with a folder per
 * session. It has the sessions with all branches of their messages, summaries and compactions, memories,
 * tasks, and what the user has set. The parts of the zip, in its order, are the lines of the JSON Lines
 * file. The store is read in small batches by key, so memory use does not depend on the amount of data. Rows
 * that are written meanwhile may be included or not. A parent always comes before its children.
 *
 * Failures: RC_UNAVAILABLE with a sentence (the disk is full), RC_IO, RC_CANCELLED (from the progress
 * function), those of the store.
 */
#ifndef ALFRED_APP_EXPORT_EXPORT_H
#define ALFRED_APP_EXPORT_EXPORT_H

#include "store/store.h"

#define EXPORT_FORMAT     "alfred"
#define EXPORT_VERSION    1
#define EXPORT_ZIP_FORMAT "zip" /* of a transfer whose file is a zip */

/* Called after every few sessions. Any result but RC_OK ends the export with it. */
typedef enum rc export_progress_fn(void *arg, int64_t done, int64_t total, struct err *e);

enum export_container { EXPORT_LINES, EXPORT_GZIP, EXPORT_ZIP };

struct export_options {
    enum export_container container;
    bool reasoning;      /* the models' reasoning, too */
    int64_t transfer_id; /* only the sessions of this selection, and nothing else; 0: all data */
    const char *folder;  /* EXPORT_ZIP: for a temporary file */
};

/* Writes to `fd` at its current position. The caller keeps `fd`. */
enum rc export_write(struct store *s, int64_t owner, int fd, const struct export_options *options,
    export_progress_fn *progress, void *arg, struct err *e);

#endif

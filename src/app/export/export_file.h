/*
 * A file that an export writes piece by piece, compressed with gzip or plain.
 *
 * Failures: RC_UNAVAILABLE with a sentence (the disk is full), RC_IO.
 */
#ifndef ALFRED_APP_EXPORT_EXPORT_FILE_H
#define ALFRED_APP_EXPORT_EXPORT_FILE_H

#include "base/err.h"
#include "base/str.h"

/* Takes a part of an export. */
typedef enum rc export_put_fn(void *arg, struct str part, struct err *e);

struct export_file {
    void *out; /* gzFile */
};

enum export_file_kind { EXPORT_FILE_PLAIN, EXPORT_FILE_GZIP };
/* Writes to `fd` at its current position. The caller keeps `fd`. */
enum rc export_file_open(struct export_file *f, int fd, enum export_file_kind kind, struct err *e);
export_put_fn export_file_put; /* `arg` is the struct export_file */
/* Ends the file; `so_far` is the result before. */
enum rc export_file_close(struct export_file *f, enum rc so_far, struct err *e);

#endif

/*
 * Transfers: exports of all of a user's data and imports of conversations, as jobs of the helper. This file
 * has the actions of pages and API: begin a transfer, delete it, find its file. export.h and import.h do the
 * work.
 *
 * Files are in data/transfers under the transfer's public id, mode 0600. An export is written there. An
 * upload waits there for its import and is deleted afterwards. The sweep deletes files without a row, which a
 * crash during an upload leaves, and those of interrupted imports.
 */
#ifndef ALFRED_APP_TRANSFER_TRANSFER_H
#define ALFRED_APP_TRANSFER_TRANSFER_H

#include "app/account/auth.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/transfer.h"

#define TRANSFER_KEEP_MS     (7 * MS_PER_DAY) /* rows and files, after their end */
#define TRANSFER_LEFT_MS     MS_PER_H         /* files without a row: an upload may still be running */
#define TRANSFER_DRAFT_MS    MS_PER_DAY       /* command line: time until an interrupted draft is removed */
#define TRANSFER_IMPORTS_MAX 5                /* waiting imports of one user */
#define TRANSFER_EXPORTS_MAX 3                /* finished ones of one user */

/* The folder, created if missing; the file of a transfer in it. */
enum rc transfer_folder(const struct config *c, char out[FS_PATH_MAX], struct err *e);
enum rc transfer_path(const struct config *c, const char *pub, char out[FS_PATH_MAX], struct err *e);

struct transfer_options {
    bool reasoning;       /* of the models, too */
    const char *sessions; /* public ids, separated by blanks; NULL: all data */
};

/* Begins an export, with its job and an audit row. RC_CONFLICT with a sentence: one is running, or
 * TRANSFER_EXPORTS_MAX are kept. Each export is as large as all data of the user. Of a selection, sessions
 * that are not found are left out; RC_NOT_FOUND: none is left. */
enum rc transfer_export(struct store *s, const struct config *c, int64_t owner,
    const struct transfer_options *options, const struct auth_client *from, struct arena *a,
    struct transfer *out, struct err *e);
/* Begins the import of the file at transfer_path() of `pub`. After a failure the caller still owns the
 * file. RC_CONFLICT with a sentence: too many imports wait. */
enum rc transfer_import(struct store *s, const struct config *c, int64_t owner, const char *pub,
    int64_t bytes, const struct auth_client *from, struct arena *a, struct transfer *out, struct err *e);

/* Adds the audit row of a downloaded export. */
enum rc transfer_note_download(
    struct store *s, const struct transfer *t, const struct auth_client *from, struct err *e);

/* Deletes row, job and file, and ends a running transfer. Completely imported conversations stay. */
enum rc transfer_delete(struct store *s, const struct config *c, int64_t owner, const char *pub,
    const struct auth_client *from, struct err *e);

/* The state of a transfer, with that of its job: `failed` also when its job is dead. */
enum transfer_phase { TRANSFER_PHASE_WAITS, TRANSFER_PHASE_RUNS, TRANSFER_PHASE_DONE, TRANSFER_PHASE_FAILED };
enum rc transfer_phase(
    struct db *db, struct arena *a, const struct transfer *t, enum transfer_phase *out, struct err *e);
const char *transfer_phase_name(enum transfer_phase p); /* "waiting", "running", "done", "failed" */

/* Removes rows older than TRANSFER_KEEP_MS, and files without a row. */
enum rc transfer_sweep(struct store *s, const struct config *c, int64_t now, struct err *e);

#endif

/*
 * The files of a workspace in the context of its sessions: a block of data of the system prompt, which is the
 * same bytes from turn to turn until a file changes (prompt caches).
 *
 * If the texts of all files fit a share of the window, the block has them whole. Otherwise it has only their
 * names and sizes, and the request offers read_file. A model that has no tools gets the beginning of each
 * file instead, in proportion to its size.
 */
#ifndef ALFRED_APP_CONTEXT_WORKSPACE_FILES_H
#define ALFRED_APP_CONTEXT_WORKSPACE_FILES_H

#include "base/mem.h"
#include "store/session/workspace_file.h"

#define WORKSPACE_FILES_SHARE 8 /* of the window; DATA_BLOCK_MAX limits it further */

struct workspace_files_scope {
    int64_t owner;
    const char *workspace; /* NULL: none */
    int64_t window;        /* tokens */
};

enum workspace_files_reader {
    WORKSPACE_FILES_TOOL, /* the model can have read_file */
    WORKSPACE_FILES_BARE  /* it has no tools */
};

/* `block`: empty without files. *listed (may be NULL): it lacks texts, so a model with tools needs read_file.
 */
enum rc workspace_files_block(struct db *db, struct arena *a, const struct workspace_files_scope *scope,
    enum workspace_files_reader reader, struct str *block, bool *listed, struct err *e);
/* Appends the block to a prompt, to measure it. */
enum rc workspace_files_append(struct db *db, struct arena *a, const struct workspace_files_scope *scope,
    enum workspace_files_reader reader, struct str *prompt, struct err *e);

#endif

/*
 * The files of a workspace: texts with a name that all sessions of the workspace know. A name is unique in
 * the owner's workspace; names and workspaces are compared without the case of ASCII letters. Files stay when
 * the last session leaves the workspace.
 */
#ifndef ALFRED_STORE_SESSION_WORKSPACE_FILE_H
#define ALFRED_STORE_SESSION_WORKSPACE_FILE_H

#include "store/store.h"

#define WORKSPACE_FILE_NAME_CHARS_MAX 255
#define WORKSPACE_FILE_BYTES_MAX      (INT64_C(1024) * 1024)     /* of one text */
#define WORKSPACE_FILES_BYTES_MAX     (INT64_C(4) * 1024 * 1024) /* of all texts of a workspace */
#define WORKSPACE_FILES_MAX           50
#define WORKSPACE_FILES_LISTED        1000

struct workspace_file {
    int64_t id;
    const char *workspace, *name;
    int64_t bytes, lines; /* of the text */
    int64_t created_at, changed_at;
    struct str text; /* empty in a list */
};

/* The files of a workspace by name, without their texts. `workspace` NULL: of all workspaces, at most
 * WORKSPACE_FILES_LISTED, the newest first. */
enum rc store_workspace_files(struct db *db, struct arena *a, int64_t owner, const char *workspace,
    struct workspace_file **out, size_t *n, struct err *e);
/* RC_NOT_FOUND */
enum rc store_workspace_file_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct workspace_file *out, struct err *e);
/* Calls `fn` with the text, which is valid during the call: a search reads very many. RC_NOT_FOUND */
typedef void workspace_file_text_fn(void *arg, struct str text);
enum rc store_workspace_file_text(
    struct db *db, int64_t owner, int64_t id, workspace_file_text_fn *fn, void *arg, struct err *e);
/* The ids of all files of the owner, by workspace and name. */
enum rc store_workspace_file_ids(
    struct db *db, struct arena *a, int64_t owner, int64_t **out, size_t *n, struct err *e);

/* Adds the file, or replaces the text of the file with this name. x->id is not read. The caller has checked
 * the limits. */
enum rc store_workspace_file_put(
    struct db *db, int64_t owner, const struct workspace_file *x, int64_t *id, struct err *e);
/* RC_NOT_FOUND */
enum rc store_workspace_file_delete(struct db *db, int64_t owner, int64_t id, struct err *e);

#endif

/* Changes of the files of a workspace (store/session/workspace_file.h): checks and limits. */
#ifndef ALFRED_APP_SESSION_WORKSPACE_FILE_H
#define ALFRED_APP_SESSION_WORKSPACE_FILE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/session/workspace_file.h"

struct workspace_text {
    struct str workspace, name, text;
    int64_t now;
    bool keeps; /* an existing file with this name stays as it is: RC_CONFLICT */
};

/* Adds a file, or replaces the text of the file with this name, in a transaction. *added (may be NULL): the
 * name is new. Each failure has a sentence and changes nothing. RC_BAD_INPUT: the name of the workspace or of
 * the file, or the text is empty or no valid UTF-8. RC_TOO_BIG: the text, or with it the files of the
 * workspace, exceed a limit. */
enum rc workspace_file_put(
    struct db *db, int64_t owner, const struct workspace_text *x, int64_t *id, bool *added, struct err *e);
/* The same in a transaction of its own. */
enum rc workspace_file_save(
    struct store *s, int64_t owner, const struct workspace_text *x, int64_t *id, bool *added, struct err *e);

/* RC_NOT_FOUND */
enum rc workspace_file_delete(struct store *s, int64_t owner, int64_t id, struct err *e);

#endif

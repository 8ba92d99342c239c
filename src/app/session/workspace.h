/* Workspaces: names under which a user groups sessions (store/session/workspace.h). */
#ifndef ALFRED_APP_SESSION_WORKSPACE_H
#define ALFRED_APP_SESSION_WORKSPACE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/session/workspace.h"

/* Normalises a name: one line, without leading, trailing or double blanks; "" for a blank name, which
 * means no workspace. RC_BAD_INPUT with a sentence: over WORKSPACE_CHARS_MAX characters, or it contains a
 * control character. In the arena. */
enum rc workspace_name(struct arena *a, struct str raw, const char **out, struct err *e);

/* The text about the workspace at the end of the system prompt; "" without a workspace. In the arena. */
struct str workspace_prompt(struct arena *a, const char *name);

#define WORKSPACE_INSTRUCTION_CHARS_MAX 4000

/* Sets the user's instructions for a workspace; blank: none. RC_BAD_INPUT, RC_TOO_BIG. */
enum rc workspace_set_instruction(
    struct store *s, int64_t owner, struct str name, struct str text, struct err *e);

/* Gives a workspace another name, everywhere (store_workspace_rename()). RC_BAD_INPUT: no name of a
 * workspace. RC_NOT_FOUND, RC_CONFLICT. */
enum rc workspace_rename(struct store *s, int64_t owner, struct str name, struct str to, struct err *e);
/* Removes a workspace; its sessions stay. RC_NOT_FOUND. */
enum rc workspace_delete(struct store *s, int64_t owner, struct str name, struct err *e);

#endif

/* Workspaces: names under which a user groups sessions (store/workspace.h). */
#ifndef ALFRED_APP_SESSION_WORKSPACE_H
#define ALFRED_APP_SESSION_WORKSPACE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/workspace.h"

/* The name as it is kept: one line, blanks trimmed and never two in a row; "" for a blank one, which is no
 * workspace. RC_BAD_INPUT with a sentence: over WORKSPACE_CHARS_MAX characters, or with a control character
 * in it. In the arena. */
enum rc workspace_name(struct arena *a, struct str raw, const char **out, struct err *e);

/* The text about the workspace at the end of the system prompt; "" without a workspace. In the arena. */
struct str workspace_prompt(struct arena *a, const char *name);

#endif

/*
 * The files of the terminal client, all for their owner only:
 *
 *     ~/.config/alfred/token                     the API token
 *     ~/.local/state/alfred/HOST_PORT/session    the session to resume on this server
 *     ~/.local/state/alfred/HOST_PORT/history    the lines that were typed
 *
 * $XDG_CONFIG_HOME and $XDG_STATE_HOME replace the first two parts of the paths.
 */
#ifndef ALFRED_CLI_CHAT_FILES_H
#define ALFRED_CLI_CHAT_FILES_H

#include "base/fs.h"
#include "base/id.h"
#include "base/mem.h"

/* The token of $ALFRED_TOKEN, else of the file. In the arena. RC_NOT_FOUND: neither. RC_FORBIDDEN: others
 * can read the file. RC_BAD_INPUT: not a token. All with a sentence. */
enum rc files_token(struct arena *a, const char **out, struct err *e);
/* Stores the token; `*path` (in the arena) is its file. RC_BAD_INPUT: not a token. */
enum rc files_token_store(struct arena *a, struct str token, const char **path, struct err *e);

/* The path of the server's file `name`, in the arena. Creates its folder. */
enum rc files_state(struct arena *a, const char *where, const char *name, const char **out, struct err *e);

/* The session of the last start; false: none. */
bool files_session(const char *path, char out[ID_SIZE]);
/* NULL: none from now on. */
enum rc files_session_store(const char *path, const char *session, struct err *e);

#endif

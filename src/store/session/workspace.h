/*
 * Workspaces: names that group a user's sessions. A session belongs to at most one. A workspace exists as
 * long as a session is in it, or instructions or files are kept for it, and has no row of its own. Names that
 * differ only in the case of ASCII letters are the same workspace.
 */
#ifndef ALFRED_STORE_SESSION_WORKSPACE_H
#define ALFRED_STORE_SESSION_WORKSPACE_H

#include "store/store.h"

#define WORKSPACE_CHARS_MAX 60
#define WORKSPACES_MAX      100 /* in a list */

/* SQL: the spelling of a workspace in other sessions of the owner; NULL: none has it. The arguments are SQL
 * for the owner, the name, and the condition that a session is another one. */
#define WORKSPACE_SPELLING(owner_, name_, other)                                                 \
    "(SELECT s.workspace FROM session s WHERE s.owner = " owner_ " AND s.workspace IS NOT NULL " \
    "AND lower(s.workspace) = lower(" name_ ") AND " other " LIMIT 1)"

/* `name` NULL: the session leaves its workspace. If another session of the owner has the name with other
 * case of ASCII letters, its spelling is used. The order of the list does not change. */
enum rc store_session_set_workspace(
    struct db *db, int64_t owner, const char *session, const char *name, struct err *e);

/* The owner's workspaces by name, at most WORKSPACES_MAX. Their spelling is that of their sessions. */
enum rc store_workspace_list(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);

/* Gives a workspace another name: in its sessions, also those in the trash, its instructions and its files.
 * RC_NOT_FOUND: there is no such workspace. RC_CONFLICT: there is one with the new name. */
enum rc store_workspace_rename(struct db *db, int64_t owner, const char *name, const char *to, struct err *e);
/* Removes a workspace: its sessions stay and leave it, its instructions and files are deleted. RC_NOT_FOUND.
 */
enum rc store_workspace_delete(struct db *db, int64_t owner, const char *name, struct err *e);
/* False: nothing has this name. */
enum rc store_workspace_exists(struct db *db, int64_t owner, const char *name, bool *exists, struct err *e);

struct workspace_instruction {
    const char *workspace;
    struct str text;
};

/* Empty: none. */
enum rc store_workspace_instruction(
    struct db *db, struct arena *a, int64_t owner, const char *name, struct str *out, struct err *e);
/* An empty text removes it. */
enum rc store_workspace_set_instruction(
    struct db *db, int64_t owner, const char *name, struct str text, struct err *e);
enum rc store_workspace_instructions(struct db *db, struct arena *a, int64_t owner,
    struct workspace_instruction **out, size_t *n, struct err *e);

/* The ids of all messages in the sessions of a workspace; none if it does not exist. */
enum rc store_workspace_messages(struct db *db, int64_t owner, const char *name,
    void (*fn)(void *arg, int64_t id), void *arg, struct err *e);

#endif

/*
 * Workspaces: names that group a user's sessions. A session belongs to at most one. A workspace exists as
 * long as a session is in it, and has no row of its own.
 */
#ifndef ALFRED_STORE_WORKSPACE_H
#define ALFRED_STORE_WORKSPACE_H

#include "store/store.h"

#define WORKSPACE_CHARS_MAX 60
#define WORKSPACES_MAX      100 /* that a list names */

/* `name` NULL: the session leaves its workspace. A name that another session of the owner's has but for the
 * case of ASCII letters is taken in that spelling. Moves nothing in the list. */
enum rc store_session_set_workspace(
    struct db *db, int64_t owner, const char *session, const char *name, struct err *e);

/* The owner's workspaces by name, at most WORKSPACES_MAX. */
enum rc store_workspace_list(
    struct db *db, struct arena *a, int64_t owner, const char ***out, size_t *n, struct err *e);

/* The ids of all messages in the sessions of a workspace; without such a workspace none. */
enum rc store_workspace_messages(struct db *db, int64_t owner, const char *name,
    void (*fn)(void *arg, int64_t id), void *arg, struct err *e);

#endif

/* A model's request for the next context: one row per session, deleted by the next turn. */
#ifndef ALFRED_STORE_SESSION_CONTEXT_OVERRIDE_H
#define ALFRED_STORE_SESSION_CONTEXT_OVERRIDE_H

#include "store/store.h"

#define CONTEXT_OVERRIDE_MEMORIES_MAX  20
#define CONTEXT_OVERRIDE_RECENT_ALWAYS (-1) /* the configured number of newest messages */

struct context_override {
    bool sets_memories; /* otherwise the relevant ones */
    int64_t memories[CONTEXT_OVERRIDE_MEMORIES_MAX];
    size_t memories_n;
    int64_t first_id, last_id; /* range of messages; 0, 0: none */
    int64_t recent;            /* number of the newest messages, or CONTEXT_OVERRIDE_RECENT_ALWAYS */
    bool summaries;
};

/* Replaces the previous one. RC_NOT_FOUND: not the owner's session. */
enum rc store_context_override_put(struct db *db, int64_t owner, int64_t session_id,
    const struct context_override *p, int64_t now, struct err *e);
enum rc store_context_override_get(
    struct db *db, int64_t owner, int64_t session_id, struct context_override *out, struct err *e);
/* RC_OK also without one. */
enum rc store_context_override_drop(struct db *db, int64_t owner, int64_t session_id, struct err *e);

#endif

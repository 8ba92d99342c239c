/* A model's preferences for the next context: one row per session, deleted by the next turn. */
#ifndef ALFRED_STORE_PREFERENCE_H
#define ALFRED_STORE_PREFERENCE_H

#include "store/store.h"

#define PREFERENCE_MEMORIES_MAX  20
#define PREFERENCE_RECENT_ALWAYS (-1) /* as many of the newest messages as are configured */

struct preference {
    bool sets_memories; /* else those that matter go in */
    int64_t memories[PREFERENCE_MEMORIES_MAX];
    size_t memories_n;
    int64_t first_id, last_id; /* messages from here to there; 0, 0: none */
    int64_t recent;            /* so many of the newest messages, or PREFERENCE_RECENT_ALWAYS */
    bool summaries;
};

/* Replaces the one before. RC_NOT_FOUND: not the owner's session. */
enum rc store_preference_put(
    struct db *db, int64_t owner, int64_t session_id, const struct preference *p, int64_t now, struct err *e);
enum rc store_preference_get(
    struct db *db, int64_t owner, int64_t session_id, struct preference *out, struct err *e);
enum rc store_preference_drop(struct db *db, int64_t owner, int64_t session_id, struct err *e); /* or none */

#endif

/*
 * The focus of a session: the last tool that was called, and the tasks and memories in the order in which
 * they were shown last. It expires: callers pass the oldest valid time.
 */
#ifndef ALFRED_STORE_DISCOURSE_FOCUS_H
#define ALFRED_STORE_DISCOURSE_FOCUS_H

#include "store/store.h"

#define FOCUS_IDS_MAX 64 /* of a kind */

/* Ids of one kind. `last` is the one that was spoken of by itself last; 0: none. */
struct focus_ids {
    int64_t ids[FOCUS_IDS_MAX];
    size_t n;
    int64_t last;
};

struct discourse_focus {
    const char *intent; /* "" at first */
    struct focus_ids tasks, memories;
};

/* Nothing noted since `since` (or no such session of the owner's) is an empty one and RC_OK. */
enum rc store_discourse_focus_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t since, struct discourse_focus *out, struct err *e);
/* RC_NOT_FOUND: no such session of the owner's. */
enum rc store_discourse_focus_put(struct db *db, int64_t owner, int64_t session_id,
    const struct discourse_focus *w, int64_t now, struct err *e);
enum rc store_discourse_focus_sweep(struct db *db, int64_t before, struct err *e);

#endif

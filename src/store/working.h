/*
 * The focus of a session: the last tool that was called, and the tasks and memories in the order in which
 * they were shown last. It expires: callers pass the oldest valid time.
 */
#ifndef ALFRED_STORE_WORKING_H
#define ALFRED_STORE_WORKING_H

#include "store/store.h"

#define WORKING_IDS_MAX 64 /* of a kind */

/* Ids of one kind. `last` is the one that was spoken of by itself last; 0: none. */
struct working_ids {
    int64_t ids[WORKING_IDS_MAX];
    size_t n;
    int64_t last;
};

struct working {
    const char *intent; /* "" at first */
    struct working_ids tasks, memories;
};

/* Nothing noted since `since` (or no such session of the owner's) is an empty one and RC_OK. */
enum rc store_working_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t since,
    struct working *out, struct err *e);
/* RC_NOT_FOUND: no such session of the owner's. */
enum rc store_working_put(
    struct db *db, int64_t owner, int64_t session_id, const struct working *w, int64_t now, struct err *e);
enum rc store_working_sweep(struct db *db, int64_t before, struct err *e);

#endif

/*
 * The focus of a session: the last tool that was called, and the tasks and memories in the order in which
 * they were last shown. It lapses: callers pass the oldest valid time.
 */
#ifndef ALFRED_STORE_SESSION_DISCOURSE_FOCUS_H
#define ALFRED_STORE_SESSION_DISCOURSE_FOCUS_H

#include "store/store.h"

#define FOCUS_IDS_MAX 64 /* ids of a kind */

/* Ids of one kind. `last`: the one that was shown or changed alone last; 0: none. */
struct focus_ids {
    int64_t ids[FOCUS_IDS_MAX];
    size_t n;
    int64_t last;
};

struct discourse_focus {
    const char *intent; /* "" at first */
    struct focus_ids tasks, memories;
};

/* RC_OK with an empty focus when it is older than `since`, or there is no such session of the owner. */
enum rc store_discourse_focus_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t since, struct discourse_focus *out, struct err *e);
/* RC_NOT_FOUND: not the owner's session. */
enum rc store_discourse_focus_put(struct db *db, int64_t owner, int64_t session_id,
    const struct discourse_focus *w, int64_t now, struct err *e);
enum rc store_discourse_focus_sweep(struct db *db, int64_t before, struct err *e);

#endif

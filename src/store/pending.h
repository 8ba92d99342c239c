/*
 * The one thing that a session waits to hear yes or no about. Putting another one replaces it. It lapses:
 * callers say since when one still counts. Until the answer that asks is settled (`message_id` 0) nobody has
 * been asked, and it cannot be answered.
 */
#ifndef ALFRED_STORE_PENDING_H
#define ALFRED_STORE_PENDING_H

#include "store/store.h"

struct pending {
    int64_t id, session_id, message_id;
    const char *action;
    int64_t subject;
    int64_t created_at;
};

enum rc store_pending_put(struct db *db, int64_t owner, const struct pending *p, struct err *e);
/* The answer that asks, once it is there; nothing happens (RC_OK) when nothing waits for one. */
enum rc store_pending_asked(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* What was asked in the session and put after `since`. RC_NOT_FOUND. */
enum rc store_pending_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t since,
    struct pending *out, struct err *e);
/* Removes it: RC_NOT_FOUND when somebody did before, so that what it stands for is done once. */
enum rc store_pending_take(struct db *db, int64_t owner, int64_t id, struct err *e);
enum rc store_pending_sweep(struct db *db, int64_t before, struct err *e);

#endif

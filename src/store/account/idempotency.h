/*
 * Requests that a program may repeat without a second effect: their keys and answers
 * (web/http/idempotent.h). A key belongs to a user.
 */
#ifndef ALFRED_STORE_ACCOUNT_IDEMPOTENCY_H
#define ALFRED_STORE_ACCOUNT_IDEMPOTENCY_H

#include "store/store.h"

#define IDEMPOTENCY_HASH     32                  /* bytes */
#define IDEMPOTENCY_BODY_MAX ((size_t)64 * 1024) /* a longer answer is not kept */

struct idempotency {
    int64_t owner;
    unsigned char key[IDEMPOTENCY_HASH], request[IDEMPOTENCY_HASH];
    int status;      /* 0: it runs, or was cut off */
    struct str body; /* empty: not kept */
    int64_t created_at;
};

/* Adds a request that begins. RC_CONFLICT: the key is known; `known`, in the arena, has what is stored. */
enum rc store_idempotency_begin(
    struct db *db, struct arena *a, const struct idempotency *i, struct idempotency *known, struct err *e);
/* Stores status and body. RC_NOT_FOUND. */
enum rc store_idempotency_end(struct db *db, const struct idempotency *i, struct err *e);
/* After a request without effect: its key is free again. */
enum rc store_idempotency_drop(struct db *db, const struct idempotency *i, struct err *e);
/* Removes at most `limit` of those from before a time. */
enum rc store_idempotency_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

#endif

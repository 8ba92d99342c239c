/*
 * The usage of models by users: tokens by quarter of an hour, so that the days of every time zone can be
 * summed. Answers are counted by a trigger when they end (db/migrations/sqlite), requests of the helper, and
 * pictures that a model draws and recordings that one writes down, as its answers, by store_usage_add(). Rows
 * stay when messages are deleted and go with their user.
 */
#ifndef ALFRED_STORE_ACCOUNT_USAGE_H
#define ALFRED_STORE_ACCOUNT_USAGE_H

#include "base/clock.h"
#include "store/store.h"

#define USAGE_QUARTER_MS (15 * MS_PER_MIN)

struct usage_row {
    int64_t quarter; /* since 1970 */
    const char *provider, *model;
    bool background; /* requests of the helper */
    int64_t answers; /* of the background: 0 */
    int64_t tokens_in, tokens_out;
    int64_t tokens_cached;    /* of tokens_in */
    int64_t tokens_reasoning; /* of tokens_out */
    int64_t sound_ms;         /* of recordings */
};

/* Adds to the row with the same owner, quarter, provider, model and background. */
enum rc store_usage_add(struct db *db, int64_t owner, const struct usage_row *u, struct err *e);

/* The models that answered the user last, newest first, at most `limit`: quarter, provider and model are set.
 */
enum rc store_usage_recent(struct db *db, struct arena *a, int64_t owner, int limit, struct usage_row **out,
    size_t *n, struct err *e);

/* The answers, the tokens and the sound by model from a quarter on. The other members are 0. */
enum rc store_usage_by_model(struct db *db, struct arena *a, int64_t owner, int64_t quarter,
    struct usage_row **out, size_t *n, struct err *e);

/* From a quarter on, ascending. Owner 0: the sums of all users. */
enum rc store_usage_since(struct db *db, struct arena *a, int64_t owner, int64_t quarter,
    struct usage_row **out, size_t *n, struct err *e);

#endif

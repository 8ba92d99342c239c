/*
 * Channels whose server refuses our credentials. A row is there while that lasts; admins see it. A row that
 * an admin deletes makes its owner ask the server at once.
 */
#ifndef ALFRED_STORE_CHANNEL_PROBLEM_H
#define ALFRED_STORE_CHANNEL_PROBLEM_H

#include "store/store.h"

/* The task that waits. */
#define CHANNEL_SENDS   "send"
#define CHANNEL_FETCHES "fetch"

struct channel_problem {
    const char *channel, *task, *error;
    int64_t at, next_at; /* since when; when the server is asked again */
};

/* A later one replaces error and next_at, and keeps `at`. */
enum rc store_channel_problem_set(struct db *db, const struct channel_problem *p, struct err *e);
enum rc store_channel_problem_clear(struct db *db, const char *channel, const char *task, struct err *e);
/* Those of all channels. */
enum rc store_channel_problems_clear(struct db *db, struct err *e);
/* The clock was set back by `ms` and shows `now`: the server is asked as soon as before. */
enum rc store_channel_problems_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e);
enum rc store_channel_problems(
    struct db *db, struct arena *a, struct channel_problem **out, size_t *n, struct err *e);

#endif

/*
 * Places for requests that hold a thread for long: transfers of files, embeddings of a program's texts,
 * transcriptions of recordings, PDF files. A program runs at most PLACES_AT_ONCE of a kind at the same time,
 * one per user, so that neither one user nor several take the threads of all.
 */
#ifndef ALFRED_WEB_HTTP_PLACES_H
#define ALFRED_WEB_HTTP_PLACES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define PLACES_AT_ONCE 2

/* The ids of the users that have a place. 0: free. */
struct places {
    pthread_mutex_t lock; /* guards users */
    int64_t users[PLACES_AT_ONCE];
};

#define PLACES_INIT                       \
    {                                     \
        .lock = PTHREAD_MUTEX_INITIALIZER \
    }

/* Any thread. False: no place is free, or the user has one. */
bool places_take(struct places *p, int64_t user);
/* The same; without a place RC_UNAVAILABLE with this sentence and the time after which to try again. */
enum rc places_enter(struct places *p, int64_t user, const char *sentence, int retry_s, struct err *e);
void places_leave(struct places *p, int64_t user);

#endif

/*
 * Records which strangers and groups got the sentence that Alfred does not know them, so that each gets it
 * once. The database stores nothing about strangers. This is a bounded table in memory, with hashes of
 * channel and person or of channel and group. A restart empties it. A limit for all strangers together keeps
 * Alfred from answering a flood.
 *
 * Thread-safe.
 */
#ifndef ALFRED_APP_CHANNEL_STRANGERS_H
#define ALFRED_APP_CHANNEL_STRANGERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRANGERS_MAX        1024 /* the oldest is forgotten */
#define STRANGERS_PER_MINUTE 20   /* strangers that get the sentence */

struct strangers {
    pthread_mutex_t lock; /* guards the rest */
    uint64_t told[STRANGERS_MAX];
    size_t n, next;
    int64_t minute; /* of `count` */
    int count;
};

void strangers_init(struct strangers *s);
void strangers_release(struct strangers *s);
/* The receiver of a sentence. */
enum stranger_kind {
    STRANGER_PERSON = 'p',
    STRANGER_GROUP = 'g',
    STRANGER_UNNAMED = 'u' /* a group: for the sentence to those who write in its name */
};

/* True once per person or group: the caller then sends the sentence. */
bool strangers_tell(
    struct strangers *s, const char *channel, enum stranger_kind kind, const char *id, int64_t now);

#endif

/*
 * Who was told that Alfred does not know them. Nothing is stored of strangers, so this is a bounded table in
 * memory: hashes of channel and person, or of channel and group. A restart forgets it. There is also a limit
 * for all together, so that Alfred does not answer a flood.
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
#define STRANGERS_PER_MINUTE 20   /* who are told */

struct strangers {
    pthread_mutex_t lock; /* guards the rest */
    uint64_t told[STRANGERS_MAX];
    size_t n, next;
    int64_t minute; /* of `count` */
    int count;
};

void strangers_init(struct strangers *s);
void strangers_release(struct strangers *s);
/* True once per person or group (`kind` 'p' or 'g'): they are to be told now. */
bool strangers_tell(struct strangers *s, const char *channel, char kind, const char *id, int64_t now);

#endif

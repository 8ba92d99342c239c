/*
 * The waits between attempts: the first is `first_ms`, each further one is twice as long, up to `max_ms`. A
 * loop takes the next wait after a failure and resets after a success.
 */
#ifndef ALFRED_BASE_BACKOFF_H
#define ALFRED_BASE_BACKOFF_H

#include <stdint.h>

struct backoff {
    int64_t first_ms, max_ms;
    int64_t next_ms; /* 0: no failure since the last reset */
};

/* The wait before the next attempt. */
static inline int64_t backoff_next(struct backoff *b)
{
    int64_t wait = b->next_ms ? b->next_ms : b->first_ms;
    b->next_ms = wait < b->max_ms / 2 ? 2 * wait : b->max_ms;
    return wait;
}

static inline void backoff_reset(struct backoff *b)
{
    b->next_ms = 0;
}

#endif

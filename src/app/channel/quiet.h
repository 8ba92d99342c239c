/*
 * One text of a person can arrive as several messages: the channel cuts a long paste, and people send two
 * lines in a row. Messages that follow each other within a quiet window become one.
 */
#ifndef ALFRED_APP_CHANNEL_QUIET_H
#define ALFRED_APP_CHANNEL_QUIET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUIET_MS       300
#define QUIET_PIECE_MS 1500 /* after a piece that may continue in the next one, or a part of an album */
/* A piece of the longest length can be shorter than the channel's limit by so many UTF-16 units. */
#define QUIET_SLACK        96
#define QUIET_PIECES       256  /* of one message */
#define QUIET_SENT_STEP_MS 1000 /* sent_at is less exact: whole seconds */

struct quiet_piece {
    int64_t received_at;
    int64_t sent_at; /* 0: unknown */
    bool joins;      /* a text of the person who wrote the first one, and no command */
    bool for_us;     /* addressed to us by itself. In a group, another text can still be the rest of a long
                        message that was addressed to us */
    bool may_go_on;  /* a piece of the longest length, or a part of an album */
};

/* The number of pieces at the beginning that are one message. 0: more may follow, call again after
 * `*wait_ms`. A first piece that does not join is alone. `n` at least 1. */
size_t quiet_take(const struct quiet_piece *p, size_t n, int64_t now, int64_t *wait_ms);

#endif

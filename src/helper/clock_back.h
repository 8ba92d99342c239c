/*
 * The clock is set back when it was wrong, by a time server or by hand. What waits for a time, such as a
 * retry or a message to a chat, would then wait for as long as the clock was ahead, and everything behind it,
 * too. Its times are moved by as much. Reminders stay: their times are those of the user.
 */
#ifndef ALFRED_HELPER_CLOCK_BACK_H
#define ALFRED_HELPER_CLOCK_BACK_H

#include "store/store.h"

/* `now`: what the clock shows, which was set back by `ms`. Failures: those of store_write(). */
enum rc clock_back_move(struct store *s, int64_t now, int64_t ms, struct err *e);

#endif

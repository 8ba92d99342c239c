/*
 * A wrong clock is set back, by a time server or by hand. If it was an hour ahead, a retry or a message to a
 * chat that waits for a time would now wait an hour longer, and so would all that come after it in a queue.
 * So the stored times are moved back with the clock. Those of reminders were chosen by the user and stay: a
 * reminder that was delivered too early is delivered again at its time (reminders_clock_back_in()).
 */
#ifndef ALFRED_HELPER_CLOCK_BACK_H
#define ALFRED_HELPER_CLOCK_BACK_H

#include "store/store.h"

/* Moves the times after the clock was set back by `ms` to `now`. `ms` 0: at the start of the helper, when it
 * is unknown by how much. Then only reminders and sessions are changed. Failures: those of store_write(). */
enum rc clock_back_move(struct store *s, int64_t now, int64_t ms, struct err *e);

#endif

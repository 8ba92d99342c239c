/*
 * The door in front of the database's write lock, between processes.
 *
 * SQLite on Linux does not queue for the lock: who finds it taken sleeps and tries again, while the process
 * that just released it and has more to write takes it again at once. (SQLITE_ENABLE_SETLK_TIMEOUT has no
 * kernel wait on Linux as of 3.53: os_unix.c calls its code "placeholder".) So a writer first takes this
 * lock, then waits for the write lock, then gives this one back: the process that releases the write lock
 * cannot overtake the one that stands in the door. Measured with processes that write all the time: the worst
 * wait fell from 490 to 170 ms (two processes of 64 clients) and from 300 to 70 ms (four of 4), at the same
 * rate.
 *
 * It is a lock of an open file description (fcntl(2), F_OFD_SETLK) on a file of its own beside the database:
 * the kernel frees it when the process dies, and closing it cannot drop SQLite's own locks, as a second
 * descriptor of the database file would. It only orders; correctness never depends on it, so a door that
 * cannot be entered in time is passed by.
 */
#ifndef ALFRED_DB_TURNSTILE_H
#define ALFRED_DB_TURNSTILE_H

#include <stdint.h>

#include "base/err.h"

struct turnstile {
    int fd; /* -1: none, entering does nothing */
};

/* Opens "<path>-turn", made 0600. Failure: RC_IO. */
enum rc turnstile_open(struct turnstile *t, const char *path, struct err *e);
void turnstile_close(struct turnstile *t);

/* Waits at most `wait_ms` for the door. */
void turnstile_enter(struct turnstile *t, int64_t wait_ms);
void turnstile_leave(struct turnstile *t); /* also when it was not entered */

/* Sleeps a while that grows with what was waited already (50 µs to 1 ms): how everything here waits for
 * another process. `since_us` is clock_mono_us() when the waiting began. */
void turnstile_nap(int64_t since_us);

#endif

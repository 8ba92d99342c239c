/*
 * A queue for the database's write lock, shared by all processes that write.
 *
 * SQLite on Linux has no queue for its write lock. A process that finds the lock taken sleeps and tries
 * again. Meanwhile the process that released it can take it again at once. (SQLITE_ENABLE_SETLK_TIMEOUT does
 * not wait in the kernel on Linux as of 3.53: os_unix.c calls its code "placeholder".) So a writer first
 * takes the lock of this queue, then waits for SQLite's write lock, then releases the queue's lock. The
 * process that released the write lock cannot overtake the first one in the queue. Measured with processes
 * that write all the time, at the same rate: the longest wait fell from 490 to 170 ms (two processes of 64
 * clients) and from 300 to 70 ms (four of 4).
 *
 * The lock is an open file description lock (fcntl(2), F_OFD_SETLK) on a separate file beside the database.
 * The kernel releases it when the process dies. Closing the file cannot release SQLite's own locks, as
 * closing a second descriptor of the database file would. The lock only orders writers; correctness does not
 * depend on it. A writer that cannot take it in time continues without it.
 */
#ifndef ALFRED_DB_WRITE_QUEUE_H
#define ALFRED_DB_WRITE_QUEUE_H

#include <stdint.h>

#include "base/err.h"
#include "base/stopwatch.h"

struct write_queue {
    int fd; /* -1: no queue; write_queue_enter() does nothing */
};

/* Opens "<path>-turn", made 0600. Failure: RC_IO. */
enum rc write_queue_open(struct write_queue *q, const char *path, struct err *e);
void write_queue_close(struct write_queue *q);

/* Waits for the queue's lock until `waited` has `wait_ms`. */
void write_queue_enter(struct write_queue *q, struct stopwatch *waited, int64_t wait_ms);
void write_queue_leave(struct write_queue *q); /* also without a successful enter */

/* Sleeps for 50 µs to 1 ms, longer after a longer wait. All waits for other processes use it. */
void write_queue_pause(struct stopwatch *waited);

#endif

/*
 * The connections that read. The pool grows to reader_pool_at_once() as needed. Further connections serve
 * callers that have waited READER_WAIT_MS, because others hold theirs for long: each takes about half a
 * megabyte, and most reads take less time than opening one.
 */
#ifndef ALFRED_STORE_READER_POOL_H
#define ALFRED_STORE_READER_POOL_H

#include "db/db.h"

#define READER_WAIT_MS 20

struct reader_pool;

int reader_pool_at_once(void); /* one per processor, at least 2 */

/* Opens the first connection. `most`: connections, 1 to 64; others are taken as the nearer of the two. The
 * failures are those of db_open(). */
enum rc reader_pool_new(const char *path, int most, struct reader_pool **out, struct err *e);
void reader_pool_free(struct reader_pool *p); /* all connections are back; NULL is fine */

/* Waits until one is free; never NULL. */
struct db *reader_pool_take(struct reader_pool *p);
void reader_pool_give(struct reader_pool *p, struct db *db);

#endif

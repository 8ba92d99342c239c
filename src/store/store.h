/*
 * The store: every SQL statement of the project is in store/, one file per noun.
 *
 * Reading: store_read() lends a connection of a pool to the calling thread. It blocks while all are in use.
 * Writing: store_write() runs a closure on the process's one writing connection and returns when its
 * transaction is on disk. Closures that wait meanwhile are put into one transaction, a savepoint each, so
 * that they share an fsync; they run on another thread than their caller's. A closure that fails undoes only
 * itself. The functions of the nouns take a `struct db *` and work in both.
 *
 *     static enum rc delete_tx(struct db *db, void *arg, struct err *e)
 *     {
 *         const struct one *o = arg;
 *         return store_task_delete(db, o->owner, o->id, o->now, e);
 *     }
 *
 *     return store_write(s, delete_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
 *
 * A file has one argument struct for all its closures where they share most members. When they also begin
 * alike, one closure does that and calls the member `run` (app/session/session_actions.c).
 *
 * All threads of a process share the struct store. It must be opened after the last fork. Failures
 * everywhere: those of db.h. Every query names the owner: a foreign row and an absent one are RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_STORE_H
#define ALFRED_STORE_STORE_H

#include "db/db.h"

#define STORE_WRITE_QUEUE_MAX 4096 /* waiting closures; further ones get RC_UNAVAILABLE at once */
#define STORE_WRITE_WAIT_MS   5000 /* longest wait of a closure for its turn and for other processes */
#define STORE_WRITE_BRIEF_MS  500  /* longest wait of store_write_visit() */

struct store;

enum rc store_open(const char *path, int readers, struct store **out, struct err *e); /* also migrates */
/* Makes checkpoints rare in this program, so that they do not delay requests: normally the helper makes them
 * first. For the programs that answer requests; before the first write. */
void store_checkpoints_later(struct store *s);
/* Ends writing: queued closures still run; later calls of store_write() get RC_UNAVAILABLE. Reading
 * continues. */
void store_stop(struct store *s);
/* Stops and frees; NULL is fine. All readers must be returned and no thread may be in store_write(). */
void store_free(struct store *s);
DEFINE_AUTO(store);

/* Never NULL (store/reader_pool.h). */
struct db *store_read(struct store *s);
/* Lends a connection for several statements: they read one state, and cost less together. */
struct db *store_read_state(struct store *s);
void store_read_done(struct store *s, struct db *db);

typedef enum rc store_fn(struct db *db, void *arg, struct err *e);

/* Returns after the commit. RC_UNAVAILABLE, with a sentence and retry_after_s: the closure did not begin
 * within STORE_WRITE_WAIT_MS and never will. A closure that has begun has no time limit. The caller owns
 * `arg`. */
enum rc store_write(struct store *s, store_fn *fn, void *arg, struct err *e);
/* The same with another time limit. */
enum rc store_write_within(struct store *s, int64_t wait_ms, store_fn *fn, void *arg, struct err *e);
/* Writes down that a user was here, within STORE_WRITE_BRIEF_MS. The request goes on after a failure, which
 * is only logged: by log_repeat(), because every request may meet it. */
void store_write_visit(struct store *s, store_fn *fn, void *arg);

/* store_write() without the wait for the disk, for data that can be made again. A power failure may undo the
 * last lazy writes, in order and as a whole. The end of a program undoes nothing. Every later
 * store_write(), of any program, makes them durable. */
enum rc store_write_lazy(struct store *s, store_fn *fn, void *arg, struct err *e);

/* db_truncate_log() on a separate connection. */
enum rc store_truncate_log(struct store *s, int64_t wait_ms, struct err *e);

/* Runs fn with a lent read connection. */
enum rc store_with_reader(struct store *s, store_fn *fn, void *arg, struct err *e);

#endif

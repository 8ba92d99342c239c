/*
 * The store: every SQL statement of the project lives in store/, one file per noun.
 *
 * Reading: a pool of read-only connections; store_read() lends one to the calling thread and blocks while all
 * are out. Writing: store_write() hands a closure to the process's one writer thread and returns when its
 * transaction is on disk. The writer puts the closures that wait into one transaction, a savepoint each, so
 * that they share an fsync; a closure that fails undoes only itself. The noun functions take a `struct db *`
 * and do not know which of the two they run in.
 *
 *     static enum rc delete_tx(struct db *db, void *arg, struct err *e)
 *     {
 *         const struct one *o = arg;
 *         return store_task_delete(db, o->owner, o->id, o->now, e);
 *     }
 *
 *     return store_write(s, delete_tx, &(struct one){.owner = owner, .id = id, .now = now}, e);
 *
 * A file has one argument struct for all its closures where they share most of its members. When they also
 * begin alike, one closure does that and calls the member `run` (app/session/session_actions.c).
 *
 * The struct store is shared by all threads of a process and is safe to be. It must be opened after the last
 * fork. Failures everywhere: those of db.h. Every query names the owner: a foreign row and an absent one are
 * RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_STORE_H
#define ALFRED_STORE_STORE_H

#include "db/db.h"

#define STORE_WRITE_QUEUE_MAX 4096 /* waiting closures; beyond it RC_UNAVAILABLE at once */
#define STORE_WRITE_WAIT_MS   5000 /* how long a closure waits for its turn and for other processes */
#define STORE_WRITE_BRIEF_MS  500  /* for notes that a reading request makes on the side */

struct store;

enum rc store_open(const char *path, int readers, struct store **out, struct err *e); /* also migrates */
/* Ends writing: what waits is still written, later calls of store_write() get RC_UNAVAILABLE. Reading goes
 * on. */
void store_stop(struct store *s);
/* Stops and frees; NULL is fine. By then every reader is returned and no thread is inside store_write(). */
void store_free(struct store *s);
DEFINE_AUTO(store);

struct db *store_read(struct store *s); /* never NULL */
void store_read_done(struct store *s, struct db *db);

typedef enum rc store_fn(struct db *db, void *arg, struct err *e);

/* Returns after the commit. RC_UNAVAILABLE, with a sentence and retry_after_s: the closure did not begin
 * within STORE_WRITE_WAIT_MS, and never will. A closure that has begun is waited for. `arg` stays the
 * caller's. */
enum rc store_write(struct store *s, store_fn *fn, void *arg, struct err *e);
/* The same with another wait. */
enum rc store_write_within(struct store *s, int64_t wait_ms, store_fn *fn, void *arg, struct err *e);

/* The same without the wait for the disk, for what can be made again: after a power failure the last lazy
 * writes may be undone, in order and whole. The end of a program undoes nothing. Every later store_write(),
 * of any program, makes them durable. */
enum rc store_write_lazy(struct store *s, store_fn *fn, void *arg, struct err *e);

/* db_truncate_log() on a connection of its own. */
enum rc store_truncate_log(struct store *s, int64_t wait_ms, struct err *e);

/* Runs fn with a lent read connection. */
enum rc store_with_reader(struct store *s, store_fn *fn, void *arg, struct err *e);

#endif

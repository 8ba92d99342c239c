/*
 * The store: every SQL statement of the project lives in store/, one file per noun.
 *
 * Reading: a pool of read-only connections; store_read() lends one to the calling thread and blocks while all
 * are out. Writing: store_write() hands a closure to the process's one writer thread and returns when its
 * transaction is on disk. The writer puts the closures that wait into one transaction, a savepoint each, so
 * that they share an fsync; a closure that fails undoes only itself. The noun functions take a `struct db *`
 * and do not know which of the two they run in.
 *
 *     struct rename_args { int64_t owner; const char *pub, *title; };
 *     static enum rc rename_tx(struct db *db, void *arg, struct err *e) { ... return store_session_rename(db,
 * ...); } rc = store_write(store, rename_tx, &args, e);
 *
 * The struct store is shared by all threads of a process and is safe to be. It must be opened after the last
 * fork. Failures everywhere: those of db.h. Every query names the owner: a foreign row and an absent one are
 * RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_STORE_H
#define ALFRED_STORE_STORE_H

#include "db/db.h"

#define STORE_WRITE_QUEUE_MAX 4096 /* waiting closures; beyond it RC_UNAVAILABLE at once */

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

/* Waits for the commit. `arg` stays the caller's. */
enum rc store_write(struct store *s, store_fn *fn, void *arg, struct err *e);

/* Runs fn with a lent read connection. */
enum rc store_with_reader(struct store *s, store_fn *fn, void *arg, struct err *e);

#endif

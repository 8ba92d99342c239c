/*
 * Shared by the files of the driver. Only db_sqlite*.c know the two forward-declared types.
 *
 * A connection is used by one thread at a time, so nothing here has a lock.
 */
#ifndef ALFRED_DB_DB_PRIVATE_H
#define ALFRED_DB_DB_PRIVATE_H

#include "base/stopwatch.h"
#include "db/db.h"
#include "db/write_queue.h"

struct sqlite3;
struct sqlite3_stmt;

#define DB_SLOTS          256 /* prepared statements per connection, keyed by the address of their SQL or its hash */
#define DB_BUSY_WAIT_MS   5000 /* per connection, until busy_wait_ms is set */
#define DB_TIME_LIMIT_MS  5000 /* limit of a reading statement */
#define DB_PROGRESS_STEPS 4000 /* virtual machine instructions between two checks of the clock */

/* One prepared statement. Its text is sqlite3_sql(). */
struct stmt {
    struct sqlite3_stmt *sq;
    uintptr_t key; /* address of the SQL, or the hash of a built one */
    bool cached;   /* in a slot; otherwise freed when its rows end */
    bool busy;     /* between db_query() and rows_done() */
    bool limited;  /* by time_limit_ms */
    struct stopwatch ran;
};

struct db {
    struct sqlite3 *sq;
    struct write_queue write_queue;
    bool lazy; /* commits do not wait for the disk */
    /* Of reading statements. Writing ones have no limit: SQLite would roll back the whole transaction,
     * including other closures of the same commit. Tests have shorter ones. */
    int64_t time_limit_ms;
    struct stmt *stepping; /* in sqlite3_step() now; else NULL */
    int64_t busy_wait_ms;  /* longest wait of a statement for another process */
    struct stopwatch busy; /* of the current wait for a lock */
    db_note_fn *note;      /* of db_on_note() */
    void *note_arg;
    struct stmt *slots[DB_SLOTS];
};

/* Sets `e` from the last failure of the connection and returns its code. */
enum rc db_fail(struct db *db, struct err *e);

/* Runs SQL with any number of statements; for migrations and settings. */
enum rc db_script(struct db *db, const char *sql, struct err *e);

/* Off: a migration may change the text of the schema. On after db_open(). */
void db_set_defensive(struct db *db, bool on);

const char *db_path(const struct db *db);

/* Copies the database beside itself, before it is upgraded from one schema to another (db_copy.c). In a
 * transaction that keeps writers away. RC_UNAVAILABLE with a sentence: no room. */
enum rc db_copy_before(struct db *db, int64_t from, int64_t to, struct err *e);

/* Frees the statements of the cache. */
void db_forget_statements(struct db *db);

#endif

/* clang-format off */
/*
 * The SQL driver port. One connection serves one thread at a time and never crosses a fork. Statements are
 * prepared once per connection and found again by the address and text of their SQL, which must be constant
 * (else: db_args.built).
 *
 *     struct rows q;
 *     rc = db_query(db, &q, "SELECT id, title FROM session WHERE owner = ? AND pub = ?",
 *         ARGS(v_int(owner), v_text(pub)), e);
 *     while (rc == RC_OK && rows_next(&q))
 *         use(rows_int(&q, 0), rows_text(&q, 1));
 *     rc = rows_done(&q, rc, e);   // always; ends the statement, reports errors of stepping
 *
 * Failures: RC_CONFLICT (a constraint), RC_UNAVAILABLE (busy past the wait; the disk is full, read-only or
 * broken), RC_TIMEOUT (a read of more than 5 s), RC_NOT_FOUND (db_one_int() and db_insert() only), RC_TOO_BIG
 * (a value), RC_IO, RC_INTERNAL (bad SQL, wrong number of arguments). Text pointers from rows are valid until
 * the next rows_next(). The driver is SQLite; the SQL stays in the subset that PostgreSQL shares, except
 * search. Every connection has the collation "numeric" for ORDER BY, which is letter_compare_names(). No index
 * uses it, so that other programs can read and check the file.
 */
/* clang-format on */
#ifndef ALFRED_DB_DB_H
#define ALFRED_DB_DB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct db;

enum db_type { DB_NULL, DB_INT, DB_REAL, DB_TEXT, DB_BLOB };

struct db_value {
    enum db_type type;
    int64_t i;
    double r;
    struct str s; /* TEXT and BLOB; must live until the query ends */
};

static inline struct db_value v_int(int64_t i)
{
    return (struct db_value){.type = DB_INT, .i = i};
}
static inline struct db_value v_real(double r)
{
    return (struct db_value){.type = DB_REAL, .r = r};
}
static inline struct db_value v_null(void)
{
    return (struct db_value){.type = DB_NULL};
}
static inline struct db_value v_str(struct str s)
{
    return (struct db_value){.type = DB_TEXT, .s = s};
}
static inline struct db_value v_text(const char *s)
{
    return s ? v_str(str_of(s)) : v_null();
} /* NULL is null */
static inline struct db_value v_blob(const void *p, size_t n)
{
    return (struct db_value){.type = DB_BLOB, .s = {p, n}};
}
static inline struct db_value v_id(int64_t id)
{
    return id ? v_int(id) : v_null();
} /* 0 is null */

struct db_args {
    const struct db_value *v;
    int n;
    bool built; /* the SQL is put together for this query: its statement is found by the text */
};
#define ARGS(...)                                             \
    ((struct db_args){(const struct db_value[]){__VA_ARGS__}, \
        (int)(sizeof((const struct db_value[]){__VA_ARGS__}) / sizeof(struct db_value)), false})
#define NO_ARGS ((struct db_args){0})

enum db_mode { DB_READ_WRITE, DB_READ_ONLY };

/* Opens the database with all settings; with DB_READ_WRITE creates it, mode 0600. */
enum rc db_open(const char *path, enum db_mode mode, struct db **out, struct err *e);
void db_close(struct db *db); /* NULL is fine */
static inline void db_free(struct db *db)
{
    db_close(db);
}
DEFINE_AUTO(db);

struct rows {
    struct db *db;
    void *stmt;
    int state;
};

enum rc db_query(struct db *db, struct rows *q, const char *sql, struct db_args args, struct err *e);
bool rows_next(struct rows *q);
enum rc rows_done(struct rows *q, enum rc so_far, struct err *e);

int64_t rows_int(const struct rows *q, int col); /* 0 for null */
double rows_real(const struct rows *q, int col);
bool rows_is_null(const struct rows *q, int col);
const char *rows_text(const struct rows *q, int col); /* NULL for null; NUL-terminated */
struct str rows_str(const struct rows *q, int col);   /* empty for null */
struct str rows_blob(const struct rows *q, int col);

/* Runs a statement without rows. `changed` (may be NULL): number of changed rows. */
enum rc db_exec(struct db *db, const char *sql, struct db_args args, int64_t *changed, struct err *e);

/* Runs an INSERT of one row into a table with an integer key, which it returns. It builds no temporary table,
 * as RETURNING does. RC_NOT_FOUND: it inserted no row. */
enum rc db_insert(struct db *db, const char *sql, struct db_args args, int64_t *id, struct err *e);

/* Reads the first column of the first row; RC_NOT_FOUND without a row. Also for INSERT ... RETURNING. */
enum rc db_one_int(struct db *db, const char *sql, struct db_args args, int64_t *out, struct err *e);

/* Sets whether the next commits wait for the disk; true at first. Otherwise a power failure can undo the
 * last commits, in order and as a whole. The end of a program undoes nothing. The next commit that waits
 * makes all earlier ones durable. Call it outside of a transaction. */
enum rc db_set_durable(struct db *db, bool durable, struct err *e);

/* Sets from which length of the log, in pages, a commit also copies it into the database file; 1,000 at
 * first. Such a commit takes tens of milliseconds longer. */
void db_checkpoint_at(struct db *db, int pages);

/* BEGIN IMMEDIATE. RC_UNAVAILABLE with e->retry_after_s set: another process holds the write lock. */
enum rc db_begin(struct db *db, struct err *e);
enum rc db_begin_within(struct db *db, int64_t wait_ms, struct err *e); /* the longest wait for the lock */
/* BEGIN: all statements until db_commit() read one state, and take the database's lock once. */
enum rc db_begin_reading(struct db *db, struct err *e);
enum rc db_commit(struct db *db, struct err *e);
void db_rollback(struct db *db);
enum rc db_savepoint(struct db *db, struct err *e);
enum rc db_release(struct db *db, struct err *e);
enum rc db_rollback_to(struct db *db, struct err *e); /* undoes to the savepoint and releases it */
bool db_in_transaction(const struct db *db);

/* Runs the migrations that this database lacks, each in a transaction (db_migrate.c). Copies a database that
 * is not new first, to a file beside it like "alfred.db.schema-76-before-80". Refuses a database that is
 * newer than the program (RC_CONFLICT with a sentence), and an upgrade without room for the copy
 * (RC_UNAVAILABLE with a sentence). */
enum rc db_migrate(struct db *db, struct err *e);
/* Whether this database lacks migrations. Also refuses a newer one. */
enum rc db_is_outdated(struct db *db, bool *out, struct err *e);
/* Removes the copies that are older than a time of the wall clock, in ms. `path`: of the database. */
void db_drop_copies(const char *path, int64_t before);

/* Moves the whole write-ahead log into the database and truncates its file, because older pages in it
 * contain erased data. Writers of other processes wait meanwhile. RC_UNAVAILABLE: the log was in use for
 * all of `wait_ms`. Outside of a transaction, on a connection of DB_READ_WRITE. */
enum rc db_truncate_log(struct db *db, int64_t wait_ms, struct err *e);

/* Copies the live database to `path`, which must not exist (RC_CONFLICT), with the online backup
 * interface. The file gets this name when it is complete; a process that is killed leaves `path`.part-XXXXXX,
 * with -wal and -shm. RC_UNAVAILABLE: its disk has no room. */
enum rc db_backup(struct db *db, const char *path, struct err *e);

/* Before the process opens the database: RC_CONFLICT, with a sentence, if `path` is a backup beside the
 * write-ahead log of the database that it replaced. SQLite would write that log into the backup. */
enum rc db_check_log(const char *path, struct err *e);

/* Adds the SQL function note(kind, owner, id, name, value) to this connection, for its temporary triggers.
 * Each call of the function calls `fn`, also in transactions that are rolled back later. */
struct db_note {
    int64_t kind, owner, id;
    const char *name; /* NULL: null */
    int64_t value;    /* 0 for null */
};
typedef void db_note_fn(void *arg, const struct db_note *n);
enum rc db_on_note(struct db *db, db_note_fn *fn, void *arg, struct err *e);

#endif

/*
 * Statements and rows over SQLite.
 *
 * The statement cache is a hash table keyed by the SQL's address, or by a hash of SQL that is put together
 * for a query. The text is compared before a hit counts, because an address can be reused for another text. A
 * statement is searched in a few slots from its own on before it replaces another. Without this, two
 * statements in one slot that alternate, like those of a turn, would be compiled each time. The pairs that
 * collide would change with every start, because addresses are random. A statement that is in use (a query
 * inside the same query) gets a second, uncached one.
 *
 * Only reading statements have a time limit. SQLite rolls back the whole transaction when a writing statement
 * is interrupted, including the other closures of the same commit.
 */
#include "db/db_private.h"

#include <sqlite3.h>
#include <string.h>

#include "base/clock.h"

#define PROBES 8 /* slots that a statement may be in */

static void stmt_free(struct stmt *st)
{
    if (!st)
        return;
    sqlite3_finalize(st->sq);
    free_charp(&st);
}

void db_forget_statements(struct db *db)
{
    for (size_t i = 0; i < DB_SLOTS; i++) {
        stmt_free(db->slots[i]);
        db->slots[i] = NULL;
    }
}

static uintptr_t key_of(const char *sql, bool built)
{
    return built ? (uintptr_t)str_hash(str_of(sql), 0) : (uintptr_t)sql;
}

/* `key` 0: it is not cached. */
static enum rc prepare(struct db *db, const char *sql, uintptr_t key, struct stmt **out, struct err *e)
{
    sqlite3_stmt *sq;
    const char *rest;
    unsigned flags = key ? SQLITE_PREPARE_PERSISTENT : 0;
    if (sqlite3_prepare_v3(db->sq, sql, -1, flags, &sq, &rest) != SQLITE_OK)
        return db_fail(db, e);
    if (!sq || rest[strspn(rest, " \t\n;")]) {
        sqlite3_finalize(sq);
        return err_set(e, RC_INTERNAL, "this is not exactly one statement: %s", sql);
    }
    struct stmt *st = xmalloc(sizeof *st);
    *st = (struct stmt){.sq = sq, .key = key, .cached = key != 0};
    *out = st;
    return RC_OK;
}

/* Returns the statement's slot, else a free slot, else its own slot, which has another statement. */
static struct stmt **slot_of(struct db *db, uintptr_t key)
{
    uint64_t h = (uint64_t)key * UINT64_C(0x9E3779B97F4A7C15); /* Fibonacci hashing, Knuth 6.4 */
    size_t own = (h >> 32) % DB_SLOTS;
    for (size_t i = 0; i < PROBES; i++) {
        struct stmt **at = &db->slots[(own + i) % DB_SLOTS];
        if (!*at || (*at)->key == key)
            return at;
    }
    return &db->slots[own];
}

/* Leaves `*out` NULL when there is none. */
static enum rc take(struct db *db, const char *sql, bool built, struct stmt **out, struct err *e)
{
    uintptr_t key = key_of(sql, built);
    struct stmt **slot = slot_of(db, key), *st = *slot;
    if (st && st->busy)
        return prepare(db, sql, 0, out, e);
    if (st && (st->key != key || strcmp(sqlite3_sql(st->sq), sql) != 0)) {
        stmt_free(st);
        *slot = NULL;
    }
    enum rc rc = *slot ? RC_OK : prepare(db, sql, key, slot, e);
    *out = *slot;
    return rc;
}

static void give_back(struct stmt *st)
{
    if (!st->cached) {
        stmt_free(st);
        return;
    }
    sqlite3_reset(st->sq);
    sqlite3_clear_bindings(st->sq); /* the bound memory may be freed by the caller now */
    st->busy = false;
}

/* Text and blobs are not copied: they must live until the query ends. An empty one must not become null. */
static int bind_one(sqlite3_stmt *sq, int i, const struct db_value *v)
{
    switch (v->type) {
    case DB_NULL: return sqlite3_bind_null(sq, i);
    case DB_INT: return sqlite3_bind_int64(sq, i, v->i);
    case DB_REAL: return sqlite3_bind_double(sq, i, v->r);
    case DB_TEXT:
        return sqlite3_bind_text64(sq, i, v->s.s ? v->s.s : "", v->s.len, SQLITE_STATIC, SQLITE_UTF8);
    case DB_BLOB: return sqlite3_bind_blob64(sq, i, v->s.s ? v->s.s : "", v->s.len, SQLITE_STATIC);
    }
    return SQLITE_MISUSE;
}

enum rc db_query(struct db *db, struct rows *q, const char *sql, struct db_args args, struct err *e)
{
    *q = (struct rows){.db = db};
    struct stmt *st = NULL;
    enum rc rc = take(db, sql, args.built, &st, e);
    if (!st)
        return rc;
    int wanted = sqlite3_bind_parameter_count(st->sq);
    if (wanted != args.n)
        rc = err_set(e, RC_INTERNAL, "%d arguments for %d question marks: %s", args.n, wanted, sql);
    for (int i = 0; rc == RC_OK && i < args.n; i++) {
        if (bind_one(st->sq, i + 1, &args.v[i]) != SQLITE_OK)
            rc = db_fail(db, e);
    }
    if (rc != RC_OK) {
        give_back(st);
        return rc;
    }
    st->busy = true;
    st->limited = sqlite3_stmt_readonly(st->sq);
    st->ran = stopwatch_start();
    q->stmt = st;
    q->state = SQLITE_ROW;
    return RC_OK;
}

bool rows_next(struct rows *q)
{
    if (q->state != SQLITE_ROW)
        return false;
    struct stmt *st = q->stmt;
    q->db->stepping = st;
    q->state = sqlite3_step(st->sq);
    q->db->stepping = NULL;
    return q->state == SQLITE_ROW;
}

enum rc rows_done(struct rows *q, enum rc so_far, struct err *e)
{
    if (!q->stmt)
        return so_far;
    if (so_far == RC_OK && q->state != SQLITE_ROW && q->state != SQLITE_DONE)
        so_far = db_fail(q->db, e);
    give_back(q->stmt);
    *q = (struct rows){.db = q->db};
    return so_far;
}

static sqlite3_stmt *row(const struct rows *q)
{
    return ((const struct stmt *)q->stmt)->sq;
}

int64_t rows_int(const struct rows *q, int col)
{
    return sqlite3_column_int64(row(q), col);
}

double rows_real(const struct rows *q, int col)
{
    return sqlite3_column_double(row(q), col);
}

bool rows_is_null(const struct rows *q, int col)
{
    return sqlite3_column_type(row(q), col) == SQLITE_NULL;
}

const char *rows_text(const struct rows *q, int col)
{
    return (const char *)sqlite3_column_text(row(q), col);
}

struct str rows_str(const struct rows *q, int col)
{
    const char *s = rows_text(q, col);
    return (struct str){s, (size_t)sqlite3_column_bytes(row(q), col)};
}

struct str rows_blob(const struct rows *q, int col)
{
    const void *p = sqlite3_column_blob(row(q), col);
    return (struct str){p, (size_t)sqlite3_column_bytes(row(q), col)};
}

enum rc db_exec(struct db *db, const char *sql, struct db_args args, int64_t *changed, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    while (rc == RC_OK && rows_next(&q)) {
    }
    rc = rows_done(&q, rc, e);
    if (changed)
        *changed = rc == RC_OK ? sqlite3_changes64(db->sq) : 0;
    return rc;
}

enum rc db_insert(struct db *db, const char *sql, struct db_args args, int64_t *id, struct err *e)
{
    int64_t added;
    enum rc rc = db_exec(db, sql, args, &added, e);
    if (rc == RC_OK && added == 0)
        return err_set(e, RC_NOT_FOUND, "no such row");
    if (rc == RC_OK)
        *id = sqlite3_last_insert_rowid(db->sq);
    return rc;
}

enum rc db_one_int(struct db *db, const char *sql, struct db_args args, int64_t *out, struct err *e)
{
    bool found = false;
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    /* steps to the end: a statement with RETURNING takes effect then */
    while (rc == RC_OK && rows_next(&q)) {
        if (!found)
            *out = rows_int(&q, 0);
        found = true;
    }
    rc = rows_done(&q, rc, e);
    if (rc == RC_OK && !found)
        return err_set(e, RC_NOT_FOUND, "no such row");
    return rc;
}

/*
 * Converts rows to structs, for the files of store/ only. Values from a row are copied into the arena.
 *
 * A file describes a row once, with a function that reads it, and gets typed functions for one and for many:
 *
 *     static struct task read_task(const struct rows *q, struct arena *a) { ... }
 *     DEFINE_ROWS(task, struct task, read_task, "task")
 *
 *     rc = get_task(db, a, "SELECT ... WHERE id = ?", ARGS(v_int(id)), &task, e);
 *     rc = list_task(db, a, "SELECT ... WHERE owner = ?", ARGS(v_int(owner)), &tasks, &n, e);
 *
 * get_NOUN() fails with RC_NOT_FOUND ("no such task") without a row, and then leaves `out` unchanged.
 * list_NOUN() sets `out` and `n` also when it fails; `out` is NULL without a row. Other failures: those of
 * db_query().
 */
#ifndef ALFRED_STORE_ROW_H
#define ALFRED_STORE_ROW_H

#include "db/db.h"

static inline const char *row_text(const struct rows *q, int col, struct arena *a)
{
    return arena_strdup(a, rows_text(q, col));
}

/* NUL-terminated, too. */
static inline struct str row_str(const struct rows *q, int col, struct arena *a)
{
    struct str s = rows_str(q, col);
    return arena_str(a, s);
}

/* ---- one and many ---- */

/* An array that grows in an arena: `struct list l = LIST(a, struct user); *(struct user *)list_add(&l) =
 * ...`. For loops that do more than collect. */
struct list {
    struct arena *a;
    size_t size, n, room;
    void *items;
};
#define LIST(arena, type) ((struct list){.a = (arena), .size = sizeof(type)})

void *list_add(struct list *l);

/* Fills `item` from the current row. */
typedef void row_fn(const struct rows *q, struct arena *a, void *item);

/* Called by DEFINE_ROWS. row_get() runs the statement to its end, which RETURNING requires. */
enum rc row_get(struct db *db, struct arena *a, row_fn *read, const char *sql, struct db_args args,
    const char *what, void *out, struct err *e);
enum rc row_list(
    struct db *db, struct list *l, row_fn *read, const char *sql, struct db_args args, struct err *e);

#define DEFINE_ROWS(noun, type, reader, words)                                                          \
    static void fill_##noun(const struct rows *q, struct arena *a, void *item)                          \
    {                                                                                                   \
        *(type *)item = reader(q, a);                                                                   \
    }                                                                                                   \
    __attribute__((unused)) static enum rc get_##noun(                                                  \
        struct db *db, struct arena *a, const char *sql, struct db_args args, type *out, struct err *e) \
    {                                                                                                   \
        return row_get(db, a, fill_##noun, sql, args, words, out, e);                                   \
    }                                                                                                   \
    __attribute__((unused)) static enum rc list_##noun(struct db *db, struct arena *a, const char *sql, \
        struct db_args args, type **out, size_t *n, struct err *e)                                      \
    {                                                                                                   \
        struct list l = LIST(a, type);                                                                  \
        enum rc rc = row_list(db, &l, fill_##noun, sql, args, e);                                       \
        *out = l.items;                                                                                 \
        *n = l.n;                                                                                       \
        return rc;                                                                                      \
    }

/* Collects the first column of all rows. */
enum rc row_list_ids(struct db *db, struct arena *a, const char *sql, struct db_args args, int64_t **out,
    size_t *n, struct err *e);
enum rc row_list_texts(struct db *db, struct arena *a, const char *sql, struct db_args args,
    const char ***out, size_t *n, struct err *e);

/* The distinct names in an indexed column, in order, at most `max`. `next` is a statement with the parameters
 * owner and name; it returns the smallest name after that one. A name thus costs one step in the index,
 * however many rows have it. One statement per name is cheaper than a recursive statement, which builds a
 * table. */
enum rc row_list_names(struct db *db, struct arena *a, const char *next, int64_t owner, size_t max,
    const char ***out, size_t *n, struct err *e);

/* Receives the first column of each row. Nothing is collected. */
typedef void row_id_fn(void *arg, int64_t id);
enum rc row_each_id(
    struct db *db, const char *sql, struct db_args args, row_id_fn *fn, void *arg, struct err *e);

/* The session that the message `src` is in, as `s`. For one in the trash, the session that it was in; `x` is
 * its entry then. */
#define JOIN_SOURCE_SESSION                               \
    "LEFT JOIN trash x ON x.session_id = src.session_id " \
    "LEFT JOIN session s ON s.id = coalesce(x.from_id, src.session_id) "

/* ---- LIKE ---- */

/* "%text%" and "text%", in the arena, with LIKE's special characters escaped by "\". */
struct str row_like_inside(struct arena *a, struct str text);
struct str row_like_beginning(struct arena *a, struct str text);

/* ---- changes ---- */

/* Converts the result of a statement for one row: `rows` is the number that it found or changed. */
static inline enum rc must_exist(enum rc rc, int64_t rows, const char *what, struct err *e)
{
    if (rc == RC_OK && rows == 0)
        return err_set(e, RC_NOT_FOUND, "no such %s", what);
    return rc;
}

/* Runs a statement that changes an existing row. RC_NOT_FOUND ("no such <what>"): it changed no row. */
enum rc row_change(struct db *db, const char *what, const char *sql, struct db_args args, struct err *e);

/* ---- ids ---- */

#define OWNER_SEQ_MAX INT64_C(0xFFFFFFFF)

/* An owner's rows have the ids (owner << 32) | n: from owner_first(), exclusive, to owner_last(). */
static inline int64_t owner_first(int64_t owner)
{
    return owner << 32;
}

static inline int64_t owner_last(int64_t owner)
{
    return owner << 32 | OWNER_SEQ_MAX;
}

/* A column of the owner's row that has the last number given. Two statements: RETURNING builds a temporary
 * table at every run. */
struct row_sequence {
    const char *last, *take, *what;
};
#define ROW_SEQUENCE(column, noun) \
    (&(struct row_sequence){       \
        "SELECT " column " FROM user WHERE id = ?", "UPDATE user SET " column " = ? WHERE id = ?", noun})

/* The owner's next id, and the first of the next `n`. RC_TOO_BIG: all numbers are used. RC_NOT_FOUND: no such
 * user. */
enum rc row_next_id(struct db *db, int64_t owner, const struct row_sequence *s, int64_t *id, struct err *e);
enum rc row_next_ids(
    struct db *db, int64_t owner, const struct row_sequence *s, int n, int64_t *first, struct err *e);

/* Checks the source message of a fact (0: none). RC_NOT_FOUND: not the owner's. */
enum rc row_check_source(struct db *db, int64_t owner, int64_t source_id, struct err *e);

#endif

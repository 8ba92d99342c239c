#include "store/row.h"

#define LIST_FIRST 8 /* items in the first array of a list */

void *list_add(struct list *l)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : LIST_FIRST;
        void *more = arena_alloc_array(l->a, l->room, l->size);
        if (l->n)
            memcpy(more, l->items, l->n * l->size);
        l->items = more;
    }
    return (char *)l->items + l->size * l->n++;
}

enum rc row_get(struct db *db, struct arena *a, row_fn *read, const char *sql, struct db_args args,
    const char *what, void *out, struct err *e)
{
    int64_t found = 0;
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    while (rc == RC_OK && rows_next(&q)) {
        if (found++ == 0)
            read(&q, a, out);
    }
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, what, e);
}

enum rc row_list(
    struct db *db, struct list *l, row_fn *read, const char *sql, struct db_args args, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    while (rc == RC_OK && rows_next(&q))
        read(&q, l->a, list_add(l));
    return rows_done(&q, rc, e);
}

static int64_t read_id(const struct rows *q, struct arena *a)
{
    (void)a;
    return rows_int(q, 0);
}

static const char *read_text(const struct rows *q, struct arena *a)
{
    return row_text(q, 0, a);
}

DEFINE_ROWS(id, int64_t, read_id, "row")
DEFINE_ROWS(text, const char *, read_text, "row")

enum rc row_list_ids(struct db *db, struct arena *a, const char *sql, struct db_args args, int64_t **out,
    size_t *n, struct err *e)
{
    return list_id(db, a, sql, args, out, n, e);
}

enum rc row_list_texts(struct db *db, struct arena *a, const char *sql, struct db_args args,
    const char ***out, size_t *n, struct err *e)
{
    return list_text(db, a, sql, args, out, n, e);
}

enum rc row_list_names(struct db *db, struct arena *a, const char *next, int64_t owner, size_t max,
    const char ***out, size_t *n, struct err *e)
{
    struct list l = LIST(a, const char *);
    enum rc rc = RC_OK;
    for (const char *name = ""; rc == RC_OK && name && l.n < max;) {
        rc = get_text(db, a, next, ARGS(v_int(owner), v_text(name)), &name, e);
        if (rc == RC_OK && name)
            *(const char **)list_add(&l) = name;
    }
    *out = l.items;
    *n = l.n;
    return rc;
}

enum rc row_each_id(
    struct db *db, const char *sql, struct db_args args, row_id_fn *fn, void *arg, struct err *e)
{
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    while (rc == RC_OK && rows_next(&q))
        fn(arg, rows_int(&q, 0));
    return rows_done(&q, rc, e);
}

enum rc row_change(struct db *db, const char *what, const char *sql, struct db_args args, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db, sql, args, &changed, e);
    return must_exist(rc, changed, what, e);
}

enum rc row_next_id(struct db *db, int64_t owner, const struct row_sequence *s, int64_t *id, struct err *e)
{
    return row_next_ids(db, owner, s, 1, id, e);
}

enum rc row_next_ids(
    struct db *db, int64_t owner, const struct row_sequence *s, int n, int64_t *first, struct err *e)
{
    int64_t last;
    enum rc rc = db_one_int(db, s->last, ARGS(v_int(owner)), &last, e);
    if (rc == RC_OK && last > OWNER_SEQ_MAX - n)
        return err_set(e, RC_TOO_BIG, "user %lld has no %s ids left", (long long)owner, s->what);
    if (rc == RC_OK)
        rc = db_exec(db, s->take, ARGS(v_int(last + n), v_int(owner)), NULL, e);
    if (rc == RC_OK)
        *first = owner << 32 | (last + 1);
    return rc;
}

enum rc row_check_source(struct db *db, int64_t owner, int64_t source_id, struct err *e)
{
    int64_t one;
    if (!source_id)
        return RC_OK;
    return db_one_int(db, "SELECT 1 FROM message WHERE id = ? AND id >> 32 = ?",
        ARGS(v_int(source_id), v_int(owner)), &one, e);
}

static struct str like(struct arena *a, const char *before, struct str text)
{
    size_t len = strlen(before);
    char *p = arena_alloc(a, len + 2 * text.len + 2);
    memcpy(p, before, len);
    for (size_t i = 0; i < text.len; i++) {
        if (text.s[i] == '%' || text.s[i] == '_' || text.s[i] == '\\')
            p[len++] = '\\';
        p[len++] = text.s[i];
    }
    p[len++] = '%';
    return (struct str){p, len};
}

struct str row_like_inside(struct arena *a, struct str text)
{
    return like(a, "%", text);
}

struct str row_like_beginning(struct arena *a, struct str text)
{
    return like(a, "", text);
}

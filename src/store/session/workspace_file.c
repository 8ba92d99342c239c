#include "store/session/workspace_file.h"

#include "store/row.h"

#define COLUMNS "id, workspace, name, bytes, lines, created_at, changed_at"

static struct workspace_file read_listed(const struct rows *q, struct arena *a)
{
    return (struct workspace_file){
        .id = rows_int(q, 0),
        .workspace = row_text(q, 1, a),
        .name = row_text(q, 2, a),
        .bytes = rows_int(q, 3),
        .lines = rows_int(q, 4),
        .created_at = rows_int(q, 5),
        .changed_at = rows_int(q, 6),
        .text = STR(""),
    };
}

static struct workspace_file read_file(const struct rows *q, struct arena *a)
{
    struct workspace_file x = read_listed(q, a);
    x.text = row_str(q, 7, a);
    return x;
}

DEFINE_ROWS(listed, struct workspace_file, read_listed, "file")
DEFINE_ROWS(file, struct workspace_file, read_file, "file")

enum rc store_workspace_files(struct db *db, struct arena *a, int64_t owner, const char *workspace,
    struct workspace_file **out, size_t *n, struct err *e)
{
    if (!workspace)
        return list_listed(db, a,
            "SELECT " COLUMNS
            " FROM workspace_file WHERE owner = ? ORDER BY changed_at DESC, id DESC LIMIT ?",
            ARGS(v_int(owner), v_int(WORKSPACE_FILES_LISTED)), out, n, e);
    return list_listed(db, a,
        "SELECT " COLUMNS " FROM workspace_file WHERE owner = ? AND workspace = ? "
        "ORDER BY name COLLATE numeric, id",
        ARGS(v_int(owner), v_text(workspace)), out, n, e);
}

enum rc store_workspace_file_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct workspace_file *out, struct err *e)
{
    return get_file(db, a, "SELECT " COLUMNS ", text FROM workspace_file WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), out, e);
}

enum rc store_workspace_file_text(
    struct db *db, int64_t owner, int64_t id, workspace_file_text_fn *fn, void *arg, struct err *e)
{
    struct rows q;
    bool found = false;
    enum rc rc = db_query(db, &q, "SELECT text FROM workspace_file WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), e);
    if (rc == RC_OK && rows_next(&q)) {
        found = true;
        fn(arg, rows_str(&q, 0));
    }
    rc = rows_done(&q, rc, e);
    return must_exist(rc, found, "file", e);
}

enum rc store_workspace_file_ids(
    struct db *db, struct arena *a, int64_t owner, int64_t **out, size_t *n, struct err *e)
{
    return row_list_ids(db, a, "SELECT id FROM workspace_file WHERE owner = ? ORDER BY workspace, name",
        ARGS(v_int(owner)), out, n, e);
}

enum rc store_workspace_file_put(
    struct db *db, int64_t owner, const struct workspace_file *x, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO workspace_file (owner, workspace, name, bytes, lines, created_at, changed_at, text) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (owner, workspace, name) DO UPDATE SET name = excluded.name, bytes = excluded.bytes, "
        "lines = excluded.lines, changed_at = excluded.changed_at, text = excluded.text RETURNING id",
        ARGS(v_int(owner), v_text(x->workspace), v_text(x->name), v_int(x->bytes), v_int(x->lines),
            v_int(x->created_at), v_int(x->changed_at), v_str(x->text)),
        id, e);
}

enum rc store_workspace_file_delete(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(db, "file", "DELETE FROM workspace_file WHERE id = ? AND owner = ?",
        ARGS(v_int(id), v_int(owner)), e);
}

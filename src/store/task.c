#include "store/task.h"

#include "store/row.h"

#define NO_DAY "~" /* sorts after every day */

#define SELECT_TASK                                                                                     \
    "SELECT t.id, t.text, t.due, coalesce(t.source_id, 0), s.pub, t.created_at, "                       \
    "coalesce(t.done_at, 0), x.owner IS NOT NULL, coalesce(t.next_id, 0), coalesce(m.id, 0), m.start, " \
    "m.rule, m.zone, t.changed_at "                                                                     \
    "FROM task t LEFT JOIN reminder m ON m.task_id = t.id AND m.deleted_at IS NULL "                    \
    "LEFT JOIN message src ON src.id = t.source_id " JOIN_SOURCE_SESSION
#define ALIVE "t.deleted_at IS NULL "

static struct task read_task(const struct rows *q, struct arena *a)
{
    return (struct task){.id = rows_int(q, 0),
        .text = row_str(q, 1, a),
        .due = row_text(q, 2, a),
        .source_id = rows_int(q, 3),
        .source_session = row_text(q, 4, a),
        .created_at = rows_int(q, 5),
        .done_at = rows_int(q, 6),
        .source_in_trash = rows_int(q, 7) != 0,
        .next_id = rows_int(q, 8),
        .reminder_id = rows_int(q, 9),
        .start = row_text(q, 10, a),
        .rule = row_text(q, 11, a),
        .zone = row_text(q, 12, a),
        .changed_at = rows_int(q, 13) > rows_int(q, 5) ? rows_int(q, 13) : rows_int(q, 5)};
}

DEFINE_ROWS(task, struct task, read_task, "task")

/* ---- one ---- */

enum rc store_task_add(struct db *db, int64_t owner, struct task *t, struct err *e)
{
    enum rc rc = row_check_source(db, owner, t->source_id, e);
    if (rc == RC_OK)
        rc = row_next_id(db, owner, ROW_SEQUENCE("task_seq", "task"), &t->id, e);
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO task (id, owner, text, due, source_id, created_at) VALUES (?, ?, "
                             "?, ?, ?, ?)",
                             ARGS(v_int(t->id), v_int(owner), v_str(t->text), v_text(t->due),
                                 v_id(t->source_id), v_int(t->created_at)),
                             NULL, e)
                       : rc;
}

enum rc store_task_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct task *out, struct err *e)
{
    return get_task(db, a, SELECT_TASK "WHERE t.owner = ? AND t.id = ? AND " ALIVE,
        ARGS(v_int(owner), v_int(id)), out, e);
}

enum rc store_task_change(struct db *db, int64_t owner, const struct task *t, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET text = ?, due = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_str(t->text), v_text(t->due), v_int(t->id), v_int(owner)), e);
}

enum rc store_task_set_done(struct db *db, int64_t owner, int64_t id, int64_t done_at, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET done_at = CASE WHEN ? = 0 THEN NULL ELSE coalesce(done_at, ?) END "
        "WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_int(done_at), v_int(done_at), v_int(id), v_int(owner)), e);
}

enum rc store_task_set_next(struct db *db, int64_t owner, int64_t id, int64_t next_id, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET next_id = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_id(next_id), v_int(id), v_int(owner)), e);
}

/* ---- many ---- */

enum rc store_task_open(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e)
{
    const char *due = after.id == 0 ? "" : after.due ? after.due : NO_DAY;
    return list_task(db, a,
        SELECT_TASK "WHERE t.owner = ? AND t.done_at IS NULL AND " ALIVE "AND (coalesce(t.due, '" NO_DAY
                    "'), t.id) > (?, ?) "
                    "ORDER BY coalesce(t.due, '" NO_DAY "'), t.id LIMIT ?",
        ARGS(v_int(owner), v_text(due), v_int(after.id), v_int(limit)), out, n, e);
}

enum rc store_task_done(struct db *db, struct arena *a, int64_t owner, struct task_key after, int limit,
    struct task **out, size_t *n, struct err *e)
{
    if (after.id == 0)
        after.done_at = INT64_MAX;
    return list_task(db, a,
        SELECT_TASK "WHERE t.owner = ? AND t.done_at IS NOT NULL AND " ALIVE
                    "AND (t.done_at, t.id) < (?, ?) ORDER BY t.done_at DESC, t.id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(after.done_at), v_int(after.id), v_int(limit)), out, n, e);
}

enum rc store_task_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e)
{
    return db_one_int(db,
        "SELECT count(*) FROM task WHERE owner = ? AND done_at IS NULL AND deleted_at IS NULL",
        ARGS(v_int(owner)), n, e);
}

/* ---- deletion ---- */

enum rc store_task_delete(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET deleted_at = ? WHERE id = ? AND owner = ? AND deleted_at IS NULL",
        ARGS(v_int(now), v_int(id), v_int(owner)), e);
}

enum rc store_task_clear_done(struct db *db, int64_t owner, int64_t now, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "UPDATE task SET deleted_at = ? WHERE owner = ? AND done_at IS NOT NULL AND deleted_at IS NULL",
        ARGS(v_int(now), v_int(owner)), removed, e);
}

enum rc store_task_deleted(struct db *db, struct arena *a, int64_t owner, int64_t since, int limit,
    struct task **out, size_t *n, struct err *e)
{
    return list_task(db, a,
        SELECT_TASK "WHERE t.owner = ? AND t.deleted_at > ? ORDER BY t.deleted_at DESC, t.id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(since), v_int(limit)), out, n, e);
}

enum rc store_task_restore(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET deleted_at = NULL WHERE id = ? AND owner = ? AND deleted_at IS NOT NULL",
        ARGS(v_int(id), v_int(owner)), e);
}

enum rc store_task_restore_cleared(struct db *db, int64_t owner, int64_t deleted_at, struct err *e)
{
    return row_change(db, "task",
        "UPDATE task SET deleted_at = NULL WHERE owner = ? AND deleted_at = ? AND done_at IS NOT NULL",
        ARGS(v_int(owner), v_int(deleted_at)), e);
}

enum rc store_task_sweep(struct db *db, int64_t deleted_before, int64_t *removed, struct err *e)
{
    return db_exec(db, "DELETE FROM task WHERE deleted_at <= ?", ARGS(v_int(deleted_before)), removed, e);
}

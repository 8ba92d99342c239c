#include "store/pending.h"

#include "store/row.h"

enum rc store_pending_put(struct db *db, int64_t owner, const struct pending *p, struct err *e)
{
    int64_t added = 0;
    enum rc rc = db_exec(db, "DELETE FROM pending WHERE session_id = ? AND owner = ?",
        ARGS(v_int(p->session_id), v_int(owner)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "INSERT INTO pending (owner, session_id, action, subject, created_at) "
            "SELECT owner, id, ?, ?, ? FROM session WHERE id = ? AND owner = ?",
            ARGS(v_text(p->action), v_int(p->subject), v_int(p->created_at), v_int(p->session_id),
                v_int(owner)),
            &added, e);
    return must_exist(rc, added, "session", e);
}

enum rc store_pending_asked(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e)
{
    return db_exec(db,
        "UPDATE pending SET message_id = ? WHERE session_id = ? AND owner = ? AND message_id IS NULL",
        ARGS(v_int(message_id), v_int(session_id), v_int(owner)), NULL, e);
}

enum rc store_pending_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t since,
    struct pending *out, struct err *e)
{
    struct rows q;
    bool found = false;
    enum rc rc = db_query(db, &q,
        "SELECT id, session_id, message_id, action, subject, created_at FROM pending "
        "WHERE session_id = ? AND owner = ? AND created_at > ? AND message_id IS NOT NULL",
        ARGS(v_int(session_id), v_int(owner), v_int(since)), e);
    if (rc == RC_OK && (found = rows_next(&q)))
        *out = (struct pending){.id = rows_int(&q, 0),
            .session_id = rows_int(&q, 1),
            .message_id = rows_int(&q, 2),
            .action = row_text(&q, 3, a),
            .subject = rows_int(&q, 4),
            .created_at = rows_int(&q, 5)};
    return must_exist(rows_done(&q, rc, e), found, "pending question", e);
}

enum rc store_pending_take(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    int64_t removed = 0;
    enum rc rc = db_exec(
        db, "DELETE FROM pending WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), &removed, e);
    return must_exist(rc, removed, "pending question", e);
}

enum rc store_pending_sweep(struct db *db, int64_t before, struct err *e)
{
    return db_exec(db, "DELETE FROM pending WHERE created_at <= ?", ARGS(v_int(before)), NULL, e);
}

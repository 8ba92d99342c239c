#include "store/message/comparison.h"

#include "store/message/message_row.h"

#define OF_OWNER "session_id = (SELECT id FROM session WHERE id = ? AND owner = ?) "

enum rc store_comparison_get(
    struct db *db, int64_t owner, int64_t session_id, struct comparison *out, struct err *e)
{
    struct rows q;
    int64_t asked[COMPARISON_COLUMNS] = {0};
    *out = (struct comparison){0};
    enum rc rc = db_query(db, &q,
        "SELECT id, compared, coalesce(parent_id, 0) FROM message WHERE " OF_OWNER "AND compared IS NOT NULL",
        ARGS(v_int(session_id), v_int(owner)), e);
    while (rc == RC_OK && rows_next(&q)) {
        int64_t at = rows_int(&q, 1) - 1;
        if (at < 0 || at >= COMPARISON_COLUMNS)
            continue;
        out->begins[at] = rows_int(&q, 0);
        asked[at] = rows_int(&q, 2);
    }
    rc = rows_done(&q, rc, e);
    out->asked_id = asked[0];
    return must_exist(rc, asked[0] && asked[0] == asked[1], "open comparison", e);
}

enum rc store_comparison_is_open(struct db *db, int64_t session_id, bool *out, struct err *e)
{
    int64_t open = 0;
    enum rc rc = db_one_int(db, "SELECT " COMPARISON_IS_OPEN("?"), ARGS(v_int(session_id)), &open, e);
    *out = open != 0;
    return rc;
}

enum rc store_comparison_mark(
    struct db *db, int64_t owner, int64_t session_id, int64_t id, int column, struct err *e)
{
    return row_change(db, "message", "UPDATE message SET compared = ? WHERE id = ? AND " OF_OWNER,
        ARGS(v_int(column), v_int(id), v_int(session_id), v_int(owner)), e);
}

enum rc store_comparison_close(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    return db_exec(db, "UPDATE message SET compared = NULL WHERE " OF_OWNER "AND compared IS NOT NULL",
        ARGS(v_int(session_id), v_int(owner)), NULL, e);
}

/* Changes the session's row even when the head stays, so that other pages are told about the choice. */
enum rc store_comparison_choose(
    struct db *db, int64_t owner, int64_t session_id, int64_t head, int64_t now, struct err *e)
{
    enum rc rc = store_session_set_head(db, owner, session_id, head, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET active_at = ?, seen_at = ? WHERE id = ? AND owner = ?",
            ARGS(v_int(now), v_int(now), v_int(session_id), v_int(owner)), NULL, e);
    return rc == RC_OK ? store_comparison_close(db, owner, session_id, e) : rc;
}

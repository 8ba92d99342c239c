#include "store/account/audit.h"

#define WHO_LATELY "coalesce(user_id, 0) = ? AND action = ? AND at > ?"

enum rc store_audit(struct db *db, int64_t at, int64_t user_id, const char *action, const char *detail,
    const char *address, struct err *e)
{
    int64_t rows = 0, since = at - AUDIT_WINDOW_MS;
    enum rc rc =
        db_one_int(db, "SELECT count(*) FROM (SELECT 1 FROM audit WHERE " WHO_LATELY " LIMIT ?) AS lately",
            ARGS(v_int(user_id), v_text(action), v_int(since), v_int(AUDIT_WINDOW_ROWS)), &rows, e);
    if (rc != RC_OK)
        return rc;
    if (rows < AUDIT_WINDOW_ROWS)
        return db_exec(db, "INSERT INTO audit (at, user_id, action, detail, address) VALUES (?, ?, ?, ?, ?)",
            ARGS(v_int(at), v_id(user_id), v_text(action), v_text(detail), v_text(address)), NULL, e);
    return db_exec(db,
        "UPDATE audit SET times = times + 1, last_at = ? WHERE id = "
        "(SELECT id FROM audit WHERE " WHO_LATELY " ORDER BY at DESC, id DESC LIMIT 1)",
        ARGS(v_int(at), v_int(user_id), v_text(action), v_int(since)), NULL, e);
}

/* Ids only grow and the oldest rows are removed first, so the distance of two ids is the number of rows
 * between. */
enum rc store_audit_sweep(
    struct db *db, int64_t before, int64_t rows_max, int limit, int64_t *removed, struct err *e)
{
    int64_t more = 0;
    enum rc rc =
        db_exec(db, "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < ? ORDER BY at LIMIT ?)",
            ARGS(v_int(before), v_int(limit)), removed, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "DELETE FROM audit WHERE id IN (SELECT id FROM audit "
            "WHERE id <= (SELECT max(id) FROM audit) - ? ORDER BY id LIMIT ?)",
            ARGS(v_int(rows_max), v_int(limit - *removed)), &more, e);
    *removed += more;
    return rc;
}

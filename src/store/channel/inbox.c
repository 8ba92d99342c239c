#include "store/channel/inbox.h"

#include "store/row.h"

static struct inbox_row read_update(const struct rows *q, struct arena *a)
{
    return (struct inbox_row){.id = rows_int(q, 0),
        .channel = row_text(q, 1, a),
        .bot = row_text(q, 2, a),
        .update_id = row_text(q, 3, a),
        .body = row_str(q, 4, a),
        .received_at = rows_int(q, 5),
        .attempts = (int)rows_int(q, 6),
        .begun = rows_int(q, 7) != 0};
}

DEFINE_ROWS(update, struct inbox_row, read_update, "update")

enum rc store_inbox_add(struct db *db, const char *channel, const char *bot, const char *update_id,
    struct str body, int64_t now, bool *is_new, struct err *e)
{
    int64_t added = 0;
    enum rc rc = db_exec(db,
        "INSERT INTO inbox (channel, bot, update_id, body, received_at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        ARGS(v_text(channel), v_text(bot), v_text(update_id), v_str(body), v_int(now)), &added, e);
    *is_new = added > 0;
    return rc;
}

enum rc store_inbox_any(struct db *db, int64_t after, bool *any, struct err *e)
{
    int64_t found = 0;
    enum rc rc = db_one_int(db, "SELECT EXISTS (SELECT 1 FROM inbox WHERE state = 'new' AND id > ?)",
        ARGS(v_int(after)), &found, e);
    *any = found != 0;
    return rc;
}

enum rc store_inbox_claim(struct db *db, struct arena *a, int64_t after, int limit, struct inbox_row **out,
    size_t *n, struct err *e)
{
    enum rc rc = list_update(db, a,
        "SELECT id, channel, bot, update_id, body, received_at, attempts + 1, begun FROM inbox "
        "WHERE state = 'new' AND id > ? ORDER BY id LIMIT ?",
        ARGS(v_int(after), v_int(limit)), out, n, e);
    if (rc != RC_OK || *n == 0)
        return rc;
    return db_exec(db, "UPDATE inbox SET attempts = attempts + 1 WHERE state = 'new' AND id > ? AND id <= ?",
        ARGS(v_int(after), v_int((*out)[*n - 1].id)), NULL, e);
}

enum rc store_inbox_begin(struct db *db, int64_t id, struct err *e)
{
    return row_change(db, "waiting update", "UPDATE inbox SET begun = 1 WHERE id = ? AND state = 'new'",
        ARGS(v_int(id)), e);
}

enum rc store_inbox_done(struct db *db, int64_t id, const char *error, struct err *e)
{
    return row_change(db, "waiting update",
        "UPDATE inbox SET state = 'done', body = NULL, error = ? WHERE id = ? AND state = 'new'",
        ARGS(v_text(error), v_int(id)), e);
}

enum rc store_inbox_failed(struct db *db, int64_t id, const char *error, struct err *e)
{
    return row_change(db, "waiting update",
        "UPDATE inbox SET state = 'failed', body = NULL, error = ? WHERE id = ? AND state = 'new'",
        ARGS(v_text(error), v_int(id)), e);
}

enum rc store_inbox_forget(struct db *db, int64_t id, struct err *e)
{
    return row_change(
        db, "waiting update", "DELETE FROM inbox WHERE id = ? AND state = 'new'", ARGS(v_int(id)), e);
}

enum rc store_inbox_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM inbox WHERE id IN "
        "(SELECT id FROM inbox WHERE state <> 'new' AND received_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

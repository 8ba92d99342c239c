#include "store/channel/button.h"

#include "base/rand.h"
#include "store/row.h"

static struct button_row read_button(const struct rows *q, struct arena *a)
{
    return (struct button_row){
        .token = row_text(q, 0, a),
        .chat_id = rows_int(q, 1),
        .turn_id = rows_int(q, 2),
        .line = row_text(q, 3, a),
        .sender = row_text(q, 4, a),
        .expires_at = rows_int(q, 5),
        .used_at = rows_int(q, 6),
    };
}

DEFINE_ROWS(button, struct button_row, read_button, "button")

enum rc store_button_add(struct db *db, struct arena *a, struct button_row *b, struct err *e)
{
    char *token = arena_take(a, BUTTON_TOKEN_SIZE);
    rand_hex(token, BUTTON_TOKEN_BYTES);
    b->token = token;
    return db_exec(db,
        "INSERT INTO channel_button (token, chat_id, turn_id, line, sender, expires_at) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        ARGS(v_text(b->token), v_int(b->chat_id), v_int(b->turn_id), v_text(b->line),
            v_text(b->sender ? b->sender : ""), v_int(b->expires_at)),
        NULL, e);
}

enum rc store_button_get(
    struct db *db, struct arena *a, const char *token, struct button_row *out, struct err *e)
{
    return get_button(db, a,
        "SELECT token, chat_id, turn_id, line, sender, expires_at, coalesce(used_at, 0) FROM channel_button "
        "WHERE token = ?",
        ARGS(v_text(token)), out, e);
}

enum rc store_button_has_line(struct db *db, int64_t chat_id, const char *line, bool *out, struct err *e)
{
    int64_t n = 0;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM channel_button WHERE chat_id = ? AND line = ?",
        ARGS(v_int(chat_id), v_text(line)), &n, e);
    *out = n > 0;
    return rc;
}

enum rc store_button_use(struct db *db, const char *token, int64_t now, struct err *e)
{
    return row_change(db, "unused button",
        "UPDATE channel_button SET used_at = ? WHERE token = ? AND used_at IS NULL AND expires_at > ?",
        ARGS(v_int(now), v_text(token), v_int(now)), e);
}

enum rc store_button_end_turn(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e)
{
    return db_exec(db, "DELETE FROM channel_button WHERE turn_id = ? AND turn_id <> 0 AND chat_id = ?",
        ARGS(v_int(turn_id), v_int(chat_id)), NULL, e);
}

enum rc store_button_sweep(struct db *db, int64_t now, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM channel_button WHERE token IN "
        "(SELECT token FROM channel_button WHERE expires_at <= ? LIMIT ?)",
        ARGS(v_int(now), v_int(limit)), removed, e);
}

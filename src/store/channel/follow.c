#include "store/channel/follow.h"

#include "store/channel/button.h"
#include "store/channel/chat.h"
#include "store/message/message_row.h"

#define FOLLOW                                                                                             \
    "SELECT t.id, t.owner, t.session_id, t.asked_id, t.reply_id, t.pub, t.status, t.started_at, c.id, "    \
    "c.channel, c.chat, c.thread, c.grouped, c.paused_at IS NOT NULL, g.stop_token, coalesce(g.messages, " \
    "''), coalesce(c.branch_id, 0), CASE WHEN c.grouped THEN (SELECT h.message FROM message q "            \
    "JOIN channel_message h ON h.chat_id = c.id AND h.client_id = q.client_id WHERE q.id = t.asked_id "    \
    "ORDER BY h.start, h.created_at LIMIT 1) END "                                                         \
    "FROM channel_turn n JOIN turn t ON t.id = n.turn_id JOIN channel_chat c ON c.id = n.chat_id "         \
    "LEFT JOIN channel_growing g ON g.turn_id = n.turn_id AND g.chat_id = n.chat_id "

static struct follow_row read_follow(const struct rows *q, struct arena *a)
{
    return (struct follow_row){
        .turn =
            {
                .id = rows_int(q, 0),
                .owner = rows_int(q, 1),
                .session_id = rows_int(q, 2),
                .asked_id = rows_int(q, 3),
                .reply_id = rows_int(q, 4),
                .pub = row_text(q, 5, a),
                .status = message_status_of(rows_str(q, 6)),
                .started_at = rows_int(q, 7),
            },
        .chat_id = rows_int(q, 8),
        .channel = row_text(q, 9, a),
        .chat = row_text(q, 10, a),
        .thread = row_text(q, 11, a),
        .grouped = rows_int(q, 12) != 0,
        .paused = rows_int(q, 13) != 0,
        .stop_token = row_text(q, 14, a),
        .messages = row_text(q, 15, a),
        .branch_id = rows_int(q, 16),
        .reply_to = row_text(q, 17, a),
    };
}

DEFINE_ROWS(follow, struct follow_row, read_follow, "turn in a chat")

enum rc store_follow_list(
    struct db *db, struct arena *a, int limit, struct follow_row **out, size_t *n, struct err *e)
{
    return list_follow(db, a, FOLLOW "ORDER BY n.turn_id, n.chat_id LIMIT ?", ARGS(v_int(limit)), out, n, e);
}

enum rc store_follow_get(
    struct db *db, struct arena *a, int64_t turn_id, int64_t chat_id, struct follow_row *out, struct err *e)
{
    return get_follow(
        db, a, FOLLOW "WHERE n.turn_id = ? AND n.chat_id = ?", ARGS(v_int(turn_id), v_int(chat_id)), out, e);
}

enum rc store_growing_begin(
    struct db *db, int64_t turn_id, int64_t chat_id, const char *stop_token, struct err *e)
{
    return db_exec(db, "INSERT INTO channel_growing (turn_id, chat_id, stop_token) VALUES (?, ?, ?)",
        ARGS(v_int(turn_id), v_int(chat_id), v_text(stop_token)), NULL, e);
}

enum rc store_growing_set(
    struct db *db, int64_t turn_id, int64_t chat_id, const char *messages, struct err *e)
{
    return row_change(db, "growing answer",
        "UPDATE channel_growing SET messages = ? WHERE turn_id = ? AND chat_id = ?",
        ARGS(v_text(messages), v_int(turn_id), v_int(chat_id)), e);
}

enum rc store_follow_end(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e)
{
    enum rc rc = store_button_end_turn(db, turn_id, chat_id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM channel_growing WHERE turn_id = ? AND chat_id = ?",
            ARGS(v_int(turn_id), v_int(chat_id)), NULL, e);
    return rc == RC_OK ? store_channel_turn_delete(db, turn_id, chat_id, e) : rc;
}

enum rc store_follow_sweep(struct db *db, int64_t before, struct err *e)
{
    return db_exec(db,
        "DELETE FROM channel_turn WHERE EXISTS (SELECT 1 FROM turn t WHERE t.id = turn_id AND t.ended_at < "
        "?)",
        ARGS(v_int(before)), NULL, e);
}

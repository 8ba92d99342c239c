/* Parts of users' messages that came from a channel, and messages of groups that do not address Alfred. */
#include "store/channel/chat.h"
#include "store/row.h"

static struct channel_message read_part(const struct rows *q, struct arena *a)
{
    return (struct channel_message){.chat_id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .session = row_text(q, 2, a),
        .client_id = row_text(q, 3, a),
        .start = rows_int(q, 4),
        .length = rows_int(q, 5)};
}

DEFINE_ROWS(part, struct channel_message, read_part, "message of a chat")

enum rc store_channel_message_add(struct db *db, const char *channel, const char *chat, const char *message,
    const struct channel_message *m, int64_t now, struct err *e)
{
    return db_exec(db,
        "INSERT INTO channel_message (channel, chat, message, chat_id, client_id, start, length, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        ARGS(v_text(channel), v_text(chat), v_text(message), v_int(m->chat_id), v_text(m->client_id),
            v_int(m->start), v_int(m->length), v_int(now)),
        NULL, e);
}

enum rc store_channel_message_find(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *message, struct channel_message *out, struct err *e)
{
    return get_part(db, a,
        "SELECT m.chat_id, c.owner, s.pub, m.client_id, m.start, m.length FROM channel_message m "
        "JOIN channel_chat c ON c.id = m.chat_id LEFT JOIN session s ON s.id = c.session_id "
        "WHERE m.channel = ? AND m.chat = ? AND m.message = ?",
        ARGS(v_text(channel), v_text(chat), v_text(message)), out, e);
}

enum rc store_channel_message_resize(struct db *db, const char *channel, const char *chat,
    const char *message, const struct channel_message *old, int64_t length, struct err *e)
{
    /* a part without text, such as a picture, begins where the next one does */
    enum rc rc = db_exec(db,
        "UPDATE channel_message SET start = start + ?1 WHERE chat_id = ?2 AND client_id = ?3 "
        "AND (start > ?4 OR (start = ?4 AND length > 0 AND ?5 = 0))",
        ARGS(v_int(length - old->length), v_int(old->chat_id), v_text(old->client_id), v_int(old->start),
            v_int(old->length)),
        NULL, e);
    return rc == RC_OK
               ? row_change(db, "message of a chat",
                     "UPDATE channel_message SET length = ? WHERE channel = ? AND chat = ? AND message = ?",
                     ARGS(v_int(length), v_text(channel), v_text(chat), v_text(message)), e)
               : rc;
}

enum rc store_channel_message_detach(struct db *db, int64_t owner, const char *client_id, struct err *e)
{
    return db_exec(db,
        "UPDATE channel_message SET length = -1 "
        "WHERE chat_id IN (SELECT id FROM channel_chat WHERE owner = ?) AND client_id = ?",
        ARGS(v_int(owner), v_text(client_id)), NULL, e);
}

enum rc store_channel_message_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM channel_message WHERE (channel, chat, message) IN "
        "(SELECT channel, chat, message FROM channel_message WHERE created_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

/* ---- what others wrote in a group ---- */

static struct str heard(const struct rows *q, struct arena *a)
{
    return row_str(q, 0, a);
}

DEFINE_ROWS(heard, struct str, heard, "text of a group")

enum rc store_channel_heard_take(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *thread, struct str *out, struct err *e)
{
    *out = STR("");
    enum rc rc = get_heard(db, a,
        "DELETE FROM channel_heard WHERE channel = ? AND chat = ? AND thread = ? RETURNING text",
        ARGS(v_text(channel), v_text(chat), v_text(thread)), out, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* The end of a text, from a line on that fits. A line that does not fit alone is cut. */
static struct str last_lines(struct str text, size_t max)
{
    if (text.len <= max)
        return text;
    struct str end = {text.s + (text.len - max), max};
    const char *line = memchr(end.s, '\n', end.len);
    if (line && line + 1 < end.s + end.len)
        return (struct str){line + 1, end.len - (size_t)(line + 1 - end.s)};
    while (end.len && ((unsigned char)end.s[0] & 0xC0) == 0x80) {
        end.s++;
        end.len--;
    }
    return end;
}

enum rc store_channel_heard_add(struct db *db, const char *channel, const char *chat, const char *thread,
    struct str line, size_t max, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct str before;
    enum rc rc = store_channel_heard_take(db, a, channel, chat, thread, &before, e);
    if (rc != RC_OK)
        return rc;
    const char *both = arena_printf(
        a, "%.*s%s%.*s", STR_FMT(before), before.len ? "\n" : "", STR_FMT(last_lines(line, max)));
    return db_exec(db, "INSERT INTO channel_heard (channel, chat, thread, text) VALUES (?, ?, ?, ?)",
        ARGS(v_text(channel), v_text(chat), v_text(thread), v_str(last_lines(str_of(both), max))), NULL, e);
}

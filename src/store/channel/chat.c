#include "store/channel/chat.h"

#include "store/row.h"

#define CHAT_COLUMNS                                                                                      \
    "c.id, c.owner, c.channel, c.chat, c.thread, c.grouped, c.sender, coalesce(c.session_id, 0), s.pub, " \
    "c.lost, coalesce(c.paused_at, 0), coalesce(c.branch_id, 0)"
#define CHAT_TABLES " FROM channel_chat c LEFT JOIN session s ON s.id = c.session_id AND s.owner = c.owner "

static struct channel_chat read_chat(const struct rows *q, struct arena *a)
{
    return (struct channel_chat){.id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .channel = row_text(q, 2, a),
        .chat = row_text(q, 3, a),
        .thread = row_text(q, 4, a),
        .grouped = rows_int(q, 5) != 0,
        .sender = row_text(q, 6, a),
        .session_id = rows_int(q, 7),
        .session = row_text(q, 8, a),
        .lost = row_text(q, 9, a),
        .paused_at = rows_int(q, 10),
        .branch_id = rows_int(q, 11)};
}

DEFINE_ROWS(chat, struct channel_chat, read_chat, "chat")

enum rc store_channel_chat_find(struct db *db, struct arena *a, const char *channel, const char *chat,
    const char *thread, int64_t owner, struct channel_chat *out, struct err *e)
{
    return get_chat(db, a,
        "SELECT " CHAT_COLUMNS CHAT_TABLES
        "WHERE c.channel = ? AND c.chat = ? AND c.thread = ? AND c.owner = ?",
        ARGS(v_text(channel), v_text(chat), v_text(thread), v_int(owner)), out, e);
}

enum rc store_channel_chat_get(
    struct db *db, struct arena *a, int64_t id, struct channel_chat *out, struct err *e)
{
    return get_chat(db, a, "SELECT " CHAT_COLUMNS CHAT_TABLES "WHERE c.id = ?", ARGS(v_int(id)), out, e);
}

enum rc store_channel_chat_add(
    struct db *db, const struct channel_chat *c, int64_t now, int64_t *id, struct err *e)
{
    return db_insert(db,
        "INSERT INTO channel_chat (channel, chat, thread, grouped, owner, sender, created_at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        ARGS(v_text(c->channel), v_text(c->chat), v_text(c->thread), v_int(c->grouped), v_int(c->owner),
            v_text(c->sender), v_int(now)),
        id, e);
}

enum rc store_channel_chat_set_sender(struct db *db, int64_t id, const char *sender, struct err *e)
{
    return row_change(
        db, "chat", "UPDATE channel_chat SET sender = ? WHERE id = ?", ARGS(v_text(sender), v_int(id)), e);
}

enum rc store_channel_chat_bind(
    struct db *db, int64_t owner, int64_t id, const char *session, int64_t branch, struct err *e)
{
    int64_t session_id = 0;
    enum rc rc = RC_OK;
    if (session)
        rc = db_one_int(db, "SELECT id FROM session WHERE pub = ? AND owner = ?",
            ARGS(v_text(session), v_int(owner)), &session_id, e);
    return rc == RC_OK ? row_change(db, "chat",
                             "UPDATE channel_chat SET session_id = ?, lost = ?, branch_id = ? WHERE id = ? "
                             "AND owner = ?",
                             ARGS(v_id(session_id), v_text(session ? NULL : CHAT_LEFT), v_id(branch),
                                 v_int(id), v_int(owner)),
                             e)
                       : rc;
}

enum rc store_channel_chat_set_branch(struct db *db, int64_t id, int64_t branch, struct err *e)
{
    return row_change(
        db, "chat", "UPDATE channel_chat SET branch_id = ? WHERE id = ?", ARGS(v_id(branch), v_int(id)), e);
}

enum rc store_channel_chat_pause(
    struct db *db, const char *channel, const char *chat, int64_t now, struct err *e)
{
    return db_exec(db,
        "UPDATE channel_chat SET paused_at = ? WHERE channel = ? AND chat = ? AND (paused_at IS NULL) <> (? "
        "= 0)",
        ARGS(v_id(now), v_text(channel), v_text(chat), v_int(now)), NULL, e);
}

enum rc store_channel_chat_move(
    struct db *db, const char *channel, const char *from, const char *to, struct err *e)
{
    static const char *const steps[] = {
        "UPDATE channel_chat AS c SET session_id = o.session_id, branch_id = o.branch_id FROM channel_chat o "
        "WHERE c.channel = ?1 AND c.chat = ?3 AND o.channel = ?1 AND o.chat = ?2 AND o.thread = c.thread "
        "AND o.owner = c.owner AND o.session_id IS NOT NULL",
        "UPDATE channel_chat SET session_id = NULL WHERE channel = ?1 AND chat = ?2 AND EXISTS (SELECT 1 "
        "FROM channel_chat c WHERE c.channel = ?1 AND c.chat = ?3 AND c.thread = channel_chat.thread "
        "AND c.owner = channel_chat.owner)",
        "UPDATE OR IGNORE channel_chat SET chat = ?3 WHERE channel = ?1 AND chat = ?2",
        "UPDATE OR IGNORE channel_heard SET chat = ?3 WHERE channel = ?1 AND chat = ?2",
        "DELETE FROM channel_heard WHERE channel = ?1 AND chat = ?2 AND chat <> ?3",
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(steps); i++)
        rc = db_exec(db, steps[i], ARGS(v_text(channel), v_text(from), v_text(to)), NULL, e);
    return rc;
}

enum rc store_channel_chats_private(
    struct db *db, struct arena *a, int64_t owner, struct channel_chat **out, size_t *n, struct err *e)
{
    return list_chat(db, a,
        "SELECT " CHAT_COLUMNS CHAT_TABLES "WHERE c.id IN (SELECT min(id) FROM channel_chat WHERE owner = ? "
        "AND grouped = 0 AND paused_at IS NULL GROUP BY channel, chat) ORDER BY c.id LIMIT ?",
        ARGS(v_int(owner), v_int(CHANNEL_CHATS_MAX)), out, n, e);
}

enum rc store_channel_chats_lost(
    struct db *db, struct arena *a, struct channel_chat **out, size_t *n, struct err *e)
{
    return list_chat(db, a,
        "SELECT " CHAT_COLUMNS CHAT_TABLES "WHERE c.lost IS NOT NULL AND c.lost <> ? ORDER BY c.id LIMIT ?",
        ARGS(v_text(CHAT_LEFT), v_int(CHANNEL_CHATS_MAX)), out, n, e);
}

enum rc store_channel_chat_told(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db, "UPDATE channel_chat SET lost = NULL WHERE id = ?", ARGS(v_int(id)), NULL, e);
}

enum rc store_channel_chat_known(
    struct db *db, const char *channel, const char *chat, bool *known, struct err *e)
{
    int64_t found = 0;
    enum rc rc = db_one_int(db, "SELECT EXISTS (SELECT 1 FROM channel_chat WHERE channel = ? AND chat = ?)",
        ARGS(v_text(channel), v_text(chat)), &found, e);
    *known = found != 0;
    return rc;
}

/* ---- turns to show ---- */

enum rc store_channel_turn_delete(struct db *db, int64_t turn_id, int64_t chat_id, struct err *e)
{
    return row_change(db, "turn of a chat", "DELETE FROM channel_turn WHERE turn_id = ? AND chat_id = ?",
        ARGS(v_int(turn_id), v_int(chat_id)), e);
}

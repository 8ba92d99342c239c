#include "store/channel/bot.h"

#include "store/row.h"

static struct channel_bot read_bot(const struct rows *q, struct arena *a)
{
    return (struct channel_bot){
        .channel = row_text(q, 0, a),
        .external_id = row_text(q, 1, a),
        .username = row_text(q, 2, a),
        .name = row_text(q, 3, a),
        .checked_at = rows_int(q, 4),
    };
}

DEFINE_ROWS(bot, struct channel_bot, read_bot, "bot")

enum rc store_channel_bot_put(struct db *db, const struct channel_bot *b, struct err *e)
{
    return db_exec(db,
        "INSERT INTO channel_bot (channel, external_id, username, name, checked_at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (channel) DO UPDATE SET external_id = excluded.external_id, "
        "username = excluded.username, name = excluded.name, checked_at = excluded.checked_at",
        ARGS(v_text(b->channel), v_text(b->external_id), v_text(b->username), v_text(b->name),
            v_int(b->checked_at)),
        NULL, e);
}

enum rc store_channel_bot_get(
    struct db *db, struct arena *a, const char *channel, struct channel_bot *out, struct err *e)
{
    return get_bot(db, a,
        "SELECT channel, external_id, username, name, checked_at FROM channel_bot WHERE channel = ?",
        ARGS(v_text(channel)), out, e);
}

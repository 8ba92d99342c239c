#include "store/channel/identity.h"

#include "store/row.h"

#define COLUMNS \
    "i.id, i.user_id, i.channel, i.external_id, i.name, i.created_at, i.linked_at, i.ask_chat, i.language "

static struct channel_identity read_identity(const struct rows *q, struct arena *a)
{
    return (struct channel_identity){
        .id = rows_int(q, 0),
        .user_id = rows_int(q, 1),
        .channel = row_text(q, 2, a),
        .external_id = row_text(q, 3, a),
        .name = row_text(q, 4, a),
        .created_at = rows_int(q, 5),
        .linked_at = rows_int(q, 6),
        .ask_chat = row_text(q, 7, a),
        .language = row_text(q, 8, a),
    };
}

DEFINE_ROWS(identity, struct channel_identity, read_identity, "identity")

enum rc store_channel_identity_find(struct db *db, struct arena *a, const char *channel,
    const char *external_id, struct channel_identity *out, struct err *e)
{
    return get_identity(db, a,
        "SELECT " COLUMNS "FROM channel_identity i LEFT JOIN user u ON u.id = i.user_id "
        "WHERE i.channel = ? AND i.external_id = ? AND u.disabled_at IS NULL",
        ARGS(v_text(channel), v_text(external_id)), out, e);
}

enum rc store_channel_identity_put(
    struct db *db, const struct channel_identity *c, int64_t now, struct err *e)
{
    return db_exec(db,
        "INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at, ask_chat) "
        "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (channel, external_id) DO UPDATE SET "
        "name = excluded.name, user_id = excluded.user_id, linked_at = excluded.linked_at, ask_chat = "
        "excluded.ask_chat",
        ARGS(v_text(c->channel), v_text(c->external_id), v_text(c->name), v_id(c->user_id), v_int(now),
            v_id(c->user_id ? now : 0), v_text(c->ask_chat)),
        NULL, e);
}

enum rc store_channel_identity_list(
    struct db *db, struct arena *a, int64_t user_id, struct channel_identity **out, size_t *n, struct err *e)
{
    return list_identity(db, a,
        "SELECT " COLUMNS "FROM channel_identity i WHERE i.user_id IS ? ORDER BY i.id", ARGS(v_id(user_id)),
        out, n, e);
}

enum rc store_channel_identity_speaks(
    struct db *db, const char *channel, const char *external_id, const char *language, struct err *e)
{
    return db_exec(db,
        "UPDATE channel_identity SET language = ? WHERE channel = ? AND external_id = ? AND language IS NOT "
        "?",
        ARGS(v_text(language), v_text(channel), v_text(external_id), v_text(language)), NULL, e);
}

enum rc store_channel_identity_language(
    struct db *db, struct arena *a, int64_t user_id, const char **out, struct err *e)
{
    struct channel_identity c;
    enum rc rc = get_identity(db, a,
        "SELECT " COLUMNS "FROM channel_identity i WHERE i.user_id = ? AND i.language IS NOT NULL "
        "ORDER BY i.linked_at DESC LIMIT 1",
        ARGS(v_int(user_id)), &c, e);
    *out = rc == RC_OK ? c.language : NULL;
    return rc;
}

enum rc store_channel_identity_count(struct db *db, int64_t user_id, int64_t *out, struct err *e)
{
    return db_one_int(
        db, "SELECT count(*) FROM channel_identity WHERE user_id IS ?", ARGS(v_id(user_id)), out, e);
}

enum rc store_channel_identity_get(
    struct db *db, struct arena *a, int64_t user_id, int64_t id, struct channel_identity *out, struct err *e)
{
    return get_identity(db, a, "SELECT " COLUMNS "FROM channel_identity i WHERE i.user_id IS ? AND i.id = ?",
        ARGS(v_id(user_id), v_int(id)), out, e);
}

enum rc store_channel_identity_delete(struct db *db, int64_t user_id, int64_t id, struct err *e)
{
    return row_change(db, "identity", "DELETE FROM channel_identity WHERE user_id IS ? AND id = ?",
        ARGS(v_id(user_id), v_int(id)), e);
}

enum rc store_channel_identity_admitted(
    struct db *db, struct arena *a, struct channel_identity **out, size_t *n, struct err *e)
{
    return list_identity(db, a,
        "SELECT " COLUMNS
        "FROM channel_identity i JOIN user u ON u.id = i.user_id WHERE i.ask_chat IS NOT NULL "
        "AND u.disabled_at IS NULL ORDER BY i.id",
        NO_ARGS, out, n, e);
}

enum rc store_channel_identity_told(struct db *db, int64_t id, struct err *e)
{
    return db_exec(db, "UPDATE channel_identity SET ask_chat = NULL WHERE id = ?", ARGS(v_int(id)), NULL, e);
}

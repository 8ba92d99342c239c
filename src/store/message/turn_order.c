#include "store/message/turn_order.h"

#include "store/row.h"

#define ORDER_COLUMNS                                                                                      \
    "o.id, o.owner, s.pub, o.kind, coalesce(o.message_id, 0), o.text, o.client_id, o.channel, o.purpose, " \
    "o.purpose_id, o.error, o.created_at, o.pasted_from, coalesce(o.branch_id, 0), o.pictures"
#define ORDER_TABLES " FROM turn_order o JOIN session s ON s.id = o.session_id "

static const char *const kinds[] = {"send", "regenerate", "continue"};

static struct turn_order read_order(const struct rows *q, struct arena *a)
{
    struct turn_order o = {.id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .session = row_text(q, 2, a),
        .message_id = rows_int(q, 4),
        .text = row_str(q, 5, a),
        .client_id = row_text(q, 6, a),
        .channel = row_text(q, 7, a),
        .purpose = row_text(q, 8, a),
        .purpose_id = rows_int(q, 9),
        .error = row_text(q, 10, a),
        .created_at = rows_int(q, 11),
        .sets_pasted = !rows_is_null(q, 12),
        .pasted_from = rows_int(q, 12),
        .branch_id = rows_int(q, 13),
        .pictures = row_text(q, 14, a)};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (strcmp(kinds[i], row_text(q, 3, a)) == 0)
            o.kind = (enum order_kind)i;
    return o;
}

DEFINE_ROWS(order, struct turn_order, read_order, "order for a turn")

enum rc store_turn_order_add(struct db *db, const struct turn_order *o, struct err *e)
{
    int64_t session_id = 0;
    enum rc rc = db_one_int(db, "SELECT id FROM session WHERE pub = ? AND owner = ?",
        ARGS(v_text(o->session), v_int(o->owner)), &session_id, e);
    if (rc != RC_OK)
        return rc;
    return db_exec(db,
        "INSERT INTO turn_order (owner, session_id, kind, message_id, text, client_id, channel, purpose, "
        "purpose_id, created_at, pasted_from, branch_id, pictures) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        ARGS(v_int(o->owner), v_int(session_id), v_text(kinds[o->kind]), v_id(o->message_id), v_str(o->text),
            v_text(o->client_id), v_text(o->channel), v_text(o->purpose), v_int(o->purpose_id),
            v_int(o->created_at), o->sets_pasted ? v_int(o->pasted_from) : v_null(), v_id(o->branch_id),
            v_text(o->pictures)),
        NULL, e);
}

enum rc store_turn_orders_ready(
    struct db *db, struct arena *a, int limit, struct turn_order **out, size_t *n, struct err *e)
{
    return list_order(db, a,
        "SELECT " ORDER_COLUMNS ORDER_TABLES "WHERE o.id IN (SELECT min(id) FROM turn_order "
        "WHERE error IS NULL GROUP BY session_id) "
        "AND (SELECT disabled_at FROM user u WHERE u.id = o.owner) IS NULL "
        "AND NOT EXISTS (SELECT 1 FROM turn t WHERE t.session_id = o.session_id AND t.status = 'running') "
        "ORDER BY o.id LIMIT ?",
        ARGS(v_int(limit)), out, n, e);
}

enum rc store_turn_orders_wait(struct db *db, bool *any, struct err *e)
{
    int64_t found = 0;
    enum rc rc =
        db_one_int(db, "SELECT EXISTS (SELECT 1 FROM turn_order WHERE error IS NULL)", NO_ARGS, &found, e);
    *any = found != 0;
    return rc;
}

enum rc store_turn_order_delete(struct db *db, int64_t id, struct err *e)
{
    return row_change(db, "order for a turn", "DELETE FROM turn_order WHERE id = ?", ARGS(v_int(id)), e);
}

enum rc store_turn_order_refuse(struct db *db, int64_t id, const char *error, struct err *e)
{
    return row_change(db, "order for a turn", "UPDATE turn_order SET error = ? WHERE id = ?",
        ARGS(v_text(error), v_int(id)), e);
}

enum rc store_turn_orders_refused(
    struct db *db, struct arena *a, const char *purpose, struct turn_order **out, size_t *n, struct err *e)
{
    return list_order(db, a,
        "SELECT " ORDER_COLUMNS ORDER_TABLES "WHERE o.purpose = ? AND o.error IS NOT NULL ORDER BY o.id",
        ARGS(v_text(purpose)), out, n, e);
}

enum rc store_turn_orders_late(struct db *db, struct arena *a, const char *purpose, int64_t before,
    struct turn_order **out, size_t *n, struct err *e)
{
    return list_order(db, a,
        "SELECT " ORDER_COLUMNS ORDER_TABLES "WHERE o.id IN (SELECT min(id) FROM turn_order "
        "WHERE error IS NULL AND purpose = ? AND told = 0 AND created_at < ? GROUP BY session_id) "
        "AND EXISTS (SELECT 1 FROM turn t WHERE t.session_id = o.session_id AND t.status = 'running') "
        "ORDER BY o.id",
        ARGS(v_text(purpose), v_int(before)), out, n, e);
}

enum rc store_turn_orders_told(struct db *db, int64_t owner, const char *session, struct err *e)
{
    return db_exec(db,
        "UPDATE turn_order SET told = 1 WHERE owner = ? AND error IS NULL "
        "AND session_id = (SELECT id FROM session WHERE pub = ? AND owner = ?)",
        ARGS(v_int(owner), v_text(session), v_int(owner)), NULL, e);
}

enum rc store_turn_order_by_client(struct db *db, struct arena *a, int64_t owner, const char *client_id,
    struct turn_order *out, struct err *e)
{
    return get_order(db, a,
        "SELECT " ORDER_COLUMNS ORDER_TABLES "WHERE o.owner = ? AND o.client_id = ? AND o.error IS NULL",
        ARGS(v_int(owner), v_text(client_id)), out, e);
}

enum rc store_turn_order_set_text(
    struct db *db, int64_t id, struct str text, int64_t pasted_from, struct err *e)
{
    return row_change(db, "order for a turn",
        "UPDATE turn_order SET text = ?, pasted_from = ? WHERE id = ? AND error IS NULL",
        ARGS(v_str(text), pasted_from < 0 ? v_null() : v_int(pasted_from), v_int(id)), e);
}

enum rc store_turn_orders_withdraw(
    struct db *db, int64_t owner, const char *session, int64_t *withdrawn, struct err *e)
{
    return db_exec(db,
        "DELETE FROM turn_order WHERE owner = ? AND error IS NULL "
        "AND session_id = (SELECT id FROM session WHERE pub = ? AND owner = ?)",
        ARGS(v_int(owner), v_text(session), v_int(owner)), withdrawn, e);
}

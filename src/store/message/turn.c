#include "store/message/turn.h"

#include "store/message/message_row.h"

#define TURN_COLUMNS                                                               \
    "id, owner, session_id, asked_id, reply_id, pub, runner, status, started_at, " \
    "coalesce(ended_at, 0), slot"

static struct turn_row read_turn(const struct rows *q, struct arena *a)
{
    return (struct turn_row){
        .id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .session_id = rows_int(q, 2),
        .asked_id = rows_int(q, 3),
        .reply_id = rows_int(q, 4),
        .pub = row_text(q, 5, a),
        .runner = row_text(q, 6, a),
        .status = message_status_of(rows_str(q, 7)),
        .started_at = rows_int(q, 8),
        .ended_at = rows_int(q, 9),
        .slot = (int)rows_int(q, 10),
    };
}

DEFINE_ROWS(turn, struct turn_row, read_turn, "turn")

/* A foreign session gives no row. */
static enum rc check_running(struct db *db, const struct turn_row *t, struct err *e)
{
    int64_t running = 0;
    enum rc rc = db_one_int(db,
        "SELECT (SELECT count(*) FROM turn t WHERE t.session_id = s.id AND t.status = 'running') "
        "FROM session s WHERE s.id = ? AND s.owner = ?",
        ARGS(v_int(t->session_id), v_int(t->owner)), &running, e);
    if (rc == RC_OK && running != (t->joins ? 1 : 0))
        return err_set(e, RC_CONFLICT, "%lld turns of the session run", (long long)running);
    return rc;
}

static enum rc count_running(struct db *db, const struct turn_row *t, struct err *e)
{
    struct session_advance by = {
        .last = t->last, .counted = t->messages, .asked = t->asks, .turns = 1, .title = t->title};
    if (t->last)
        return message_advance_session(db, t->owner, &by, e);
    return db_exec(db, "UPDATE session SET running_turns = running_turns + 1 WHERE id = ? AND owner = ?",
        ARGS(v_int(t->session_id), v_int(t->owner)), NULL, e);
}

enum rc store_turn_add(struct db *db, const struct turn_row *t, int64_t *id, struct err *e)
{
    if (message_owner(t->asked_id) != t->owner || message_owner(t->reply_id) != t->owner)
        return err_set(e, RC_NOT_FOUND, "no such message");
    /* The unique index is per slot, so it would allow a turn in slot 0 while one in slot 1 still runs. */
    enum rc rc = t->begins ? RC_OK : check_running(db, t, e);
    if (rc != RC_OK)
        return rc;
    rc = db_insert(db,
        "INSERT INTO turn (pub, owner, session_id, asked_id, reply_id, runner, status, started_at, "
        "indexes_asked, client_id, slot) VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?, ?)",
        ARGS(v_text(t->pub), v_int(t->owner), v_int(t->session_id), v_int(t->asked_id), v_int(t->reply_id),
            v_text(t->runner), v_int(t->started_at), v_int(t->indexes_asked), v_text(t->client_id),
            v_int(t->slot)),
        id, e);
    return rc == RC_OK && !t->begins ? count_running(db, t, e) : rc;
}

enum rc store_turn_set_reply(struct db *db, int64_t owner, int64_t id, int64_t reply_id, struct err *e)
{
    if (message_owner(reply_id) != owner)
        return err_set(e, RC_NOT_FOUND, "no such message");
    return row_change(db, "turn", "UPDATE turn SET reply_id = ? WHERE id = ? AND owner = ?",
        ARGS(v_int(reply_id), v_int(id), v_int(owner)), e);
}

struct ended {
    int64_t session_id, asked_id;
    struct str unindexed; /* text of the question; empty: it is in the index */
};

static struct ended read_ended(const struct rows *q, struct arena *a)
{
    return (struct ended){rows_int(q, 0), rows_int(q, 1), row_str(q, 2, a)};
}

DEFINE_ROWS(ended, struct ended, read_ended, "running turn")

enum rc store_turn_end(
    struct db *db, int64_t owner, int64_t id, enum message_status status, int64_t now, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct ended t;
    if (status == MESSAGE_RUNNING)
        return err_set(e, RC_INTERNAL, "a turn cannot end running");
    enum rc rc = get_ended(db, a,
        "UPDATE turn SET status = ?, ended_at = ? WHERE id = ? AND owner = ? AND status = 'running' "
        "RETURNING session_id, asked_id, "
        "CASE WHEN indexes_asked THEN (SELECT text FROM message WHERE id = asked_id) END",
        ARGS(v_text(message_status_name(status)), v_int(now), v_int(id), v_int(owner)), &t, e);
    if (rc == RC_NOT_FOUND) /* ended already, or absent */
        return db_one_int(
            db, "SELECT id FROM turn WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), &id, e);
    if (rc == RC_OK) /* the session may be in the trash, and then it is not the owner's */
        rc = db_exec(db, "UPDATE session SET running_turns = running_turns - 1 WHERE id = ?",
            ARGS(v_int(t.session_id)), NULL, e);
    return rc == RC_OK && t.unindexed.len ? store_message_index_ended(db, t.asked_id, t.unindexed, e) : rc;
}

enum rc store_turn_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct turn_row *out, struct err *e)
{
    return get_turn(db, a, "SELECT " TURN_COLUMNS " FROM turn WHERE pub = ? AND owner = ?",
        ARGS(v_text(pub), v_int(owner)), out, e);
}

enum rc store_turn_by_asked(
    struct db *db, struct arena *a, const struct turn_asked_key *key, struct turn_row *out, struct err *e)
{
    return get_turn(db, a,
        "SELECT " TURN_COLUMNS " FROM turn WHERE session_id = ? AND asked_id = ? AND owner = ? "
        "AND started_at = ? AND slot = ? ORDER BY id DESC LIMIT 1",
        ARGS(v_int(key->session_id), v_int(key->asked_id), v_int(key->owner), v_int(key->started_at),
            v_int(key->slot)),
        out, e);
}

enum rc store_turn_by_client(
    struct db *db, struct arena *a, int64_t owner, const char *client_id, struct turn_row *out, struct err *e)
{
    return get_turn(db, a, "SELECT " TURN_COLUMNS " FROM turn WHERE owner = ? AND client_id = ?",
        ARGS(v_int(owner), v_text(client_id)), out, e);
}

enum rc store_turns_running(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct turn_row **out, size_t *n, struct err *e)
{
    return list_turn(db, a,
        "SELECT " TURN_COLUMNS " FROM turn WHERE session_id = ? AND owner = ? AND status = 'running' "
        "ORDER BY slot, id DESC",
        ARGS(v_int(session_id), v_int(owner)), out, n, e);
}

enum rc store_turn_orphans(
    struct db *db, struct arena *a, const char *runner, struct turn_row **out, size_t *n, struct err *e)
{
    return list_turn(db, a,
        "SELECT " TURN_COLUMNS " FROM turn WHERE runner = ? AND status = 'running' ORDER BY id",
        ARGS(v_text(runner)), out, n, e);
}

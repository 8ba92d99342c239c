#include "store/suggestion.h"

#include "store/row.h"

#define SELECT_OPEN                                                               \
    "SELECT g.id, g.text, g.source_id, s.pub, g.created_at FROM suggestion g "    \
    "JOIN message m ON m.id = g.source_id JOIN session s ON s.id = m.session_id " \
    "WHERE g.owner = ? AND g.dismissed_at IS NULL "

static enum rc read_open(struct db *db, struct arena *a, const char *sql, struct db_args args,
    struct suggestion **out, size_t *n, struct err *e)
{
    struct list l = LIST(a, struct suggestion);
    struct rows q;
    enum rc rc = db_query(db, &q, sql, args, e);
    while (rc == RC_OK && rows_next(&q))
        *(struct suggestion *)list_add(&l) = (struct suggestion){
            .id = rows_int(&q, 0),
            .text = row_str(&q, 1, a),
            .source_id = rows_int(&q, 2),
            .source_session = row_text(&q, 3, a),
            .created_at = rows_int(&q, 4),
        };
    rc = rows_done(&q, rc, e);
    *out = l.items;
    *n = l.n;
    return rc;
}

enum rc store_suggestion_list(
    struct db *db, struct arena *a, int64_t owner, struct suggestion **out, size_t *n, struct err *e)
{
    return read_open(db, a, SELECT_OPEN "ORDER BY g.id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(SUGGESTIONS_OPEN_MAX)), out, n, e);
}

enum rc store_suggestion_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct suggestion *out, struct err *e)
{
    struct suggestion *one;
    size_t n;
    enum rc rc = read_open(db, a, SELECT_OPEN "AND g.id = ?", ARGS(v_int(owner), v_int(id)), &one, &n, e);
    rc = must_exist(rc, (int64_t)n, "suggestion", e);
    if (rc == RC_OK)
        *out = one[0];
    return rc;
}

enum rc store_suggestion_known(
    struct db *db, struct arena *a, int64_t owner, struct str **out, size_t *n, struct err *e)
{
    struct list l = LIST(a, struct str);
    struct rows q;
    enum rc rc = db_query(db, &q, "SELECT text FROM suggestion WHERE owner = ? ORDER BY id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(SUGGESTIONS_KNOWN_MAX)), e);
    while (rc == RC_OK && rows_next(&q))
        *(struct str *)list_add(&l) = row_str(&q, 0, a);
    rc = rows_done(&q, rc, e);
    *out = l.items;
    *n = l.n;
    return rc;
}

/* ---- changes ---- */

enum rc store_suggestion_add(struct db *db, int64_t owner, struct str text, int64_t source_id,
    struct str said, int64_t now, struct err *e)
{
    return db_exec(db,
        "INSERT INTO suggestion (owner, text, source_id, created_at) "
        "SELECT s.owner, ?, m.id, ? FROM message m JOIN session s ON s.id = m.session_id "
        "WHERE m.id = ? AND s.owner = ? AND m.role = 'user' AND m.text = ? "
        "AND (SELECT count(*) FROM suggestion WHERE owner = s.owner AND dismissed_at IS NULL) < ? "
        "ON CONFLICT (owner, text) DO NOTHING",
        ARGS(v_str(text), v_int(now), v_int(source_id), v_int(owner), v_str(said),
            v_int(SUGGESTIONS_OPEN_MAX)),
        NULL, e);
}

enum rc store_suggestion_dismiss(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db,
        "UPDATE suggestion SET dismissed_at = ? WHERE id = ? AND owner = ? AND dismissed_at IS NULL",
        ARGS(v_int(now), v_int(id), v_int(owner)), &changed, e);
    return must_exist(rc, changed, "suggestion", e);
}

enum rc store_suggestion_remove(struct db *db, int64_t owner, int64_t id, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(
        db, "DELETE FROM suggestion WHERE id = ? AND owner = ?", ARGS(v_int(id), v_int(owner)), &changed, e);
    return must_exist(rc, changed, "suggestion", e);
}

enum rc store_suggestion_clear(struct db *db, int64_t owner, struct err *e)
{
    return db_exec(db, "DELETE FROM suggestion WHERE owner = ?", ARGS(v_int(owner)), NULL, e);
}

/* ---- what is to be looked through ---- */

enum rc store_suggestion_unread(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int limit,
    size_t bytes, struct unread *out, struct err *e)
{
    struct list l = LIST(a, struct utterance);
    struct rows q;
    size_t used = 0;
    *out = (struct unread){0};
    enum rc rc = db_one_int(db, "SELECT facts_id FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(session_id), v_int(owner)), &out->from, e);
    if (rc != RC_OK)
        return rc;
    rc = db_query(db, &q,
        "SELECT id, text FROM message WHERE session_id = ? AND id > ? AND role = 'user' ORDER BY id LIMIT ?",
        ARGS(v_int(session_id), v_int(out->from), v_int((int64_t)limit + 1)), e);
    while (rc == RC_OK && !out->more && rows_next(&q)) {
        used += rows_str(&q, 1).len;
        out->more = l.n == (size_t)limit || (l.n && used > bytes);
        if (!out->more)
            *(struct utterance *)list_add(&l) = (struct utterance){rows_int(&q, 0), row_str(&q, 1, a)};
    }
    rc = rows_done(&q, rc, e);
    out->said = l.items;
    out->n = l.n;
    return rc;
}

enum rc store_suggestion_advance(
    struct db *db, int64_t owner, int64_t session_id, int64_t from, int64_t upto, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db, "UPDATE session SET facts_id = ? WHERE id = ? AND owner = ? AND facts_id = ?",
        ARGS(v_int(upto), v_int(session_id), v_int(owner), v_int(from)), &changed, e);
    if (rc == RC_OK && changed == 0)
        return err_set(e, RC_CONFLICT, "session %lld changed meanwhile", (long long)session_id);
    return rc;
}

enum rc store_suggestion_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e)
{
    enum rc rc =
        db_exec(db, "DELETE FROM suggestion WHERE owner = ? AND source_id = ? AND dismissed_at IS NULL",
            ARGS(v_int(owner), v_int(message_id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET facts_id = ? WHERE id = ? AND owner = ? AND facts_id >= ?",
            ARGS(v_int(message_id - 1), v_int(session_id), v_int(owner), v_int(message_id)), NULL, e);
    return rc;
}

enum rc store_suggestion_skip(struct db *db, int64_t owner, struct err *e)
{
    return db_exec(db,
        "UPDATE session SET facts_id = coalesce((SELECT max(id) FROM message WHERE session_id = session.id), "
        "facts_id) WHERE owner = ?",
        ARGS(v_int(owner)), NULL, e);
}

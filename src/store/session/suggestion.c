#include "store/session/suggestion.h"

#include "store/row.h"

static const char *const states[] = {[SUGGESTION_OPEN] = "open",
    [SUGGESTION_DONE] = "done",
    [SUGGESTION_DISMISSED] = "dismissed",
    [SUGGESTION_UNDONE] = "undone"};

const char *suggestion_state_name(enum suggestion_state s)
{
    return states[s];
}

static enum suggestion_state state_of(struct str word)
{
    for (size_t i = 0; i < ARRAY_LEN(states); i++)
        if (str_is(word, states[i]))
            return (enum suggestion_state)i;
    return SUGGESTION_DISMISSED; /* the column's CHECK allows no other word */
}

/* ---- reading ---- */

/* Its session, answer and source are not in the trash. */
#define NOT_IN_TRASH                                                                                   \
    "AND NOT EXISTS (SELECT 1 FROM trash x WHERE x.session_id = g.session_id) AND NOT EXISTS "         \
    "(SELECT 1 FROM message y JOIN trash x ON x.session_id = y.session_id WHERE y.id = g.message_id) " \
    "AND NOT EXISTS (SELECT 1 FROM message y JOIN trash x ON x.session_id = y.session_id "             \
    "WHERE y.id = g.source_id) "

/* The columns of a struct suggestion, and their tables. */
#define SELECT_SUGGESTION                                                                     \
    "SELECT g.id, g.kind, g.state, coalesce(g.session_id, 0), coalesce(g.message_id, 0), "    \
    "coalesce(g.source_id, 0), coalesce(s.pub, t.pub), g.subject, g.text, g.tags, g.due, "    \
    "g.permanent, g.prior_text, g.prior_tags, g.created_at, coalesce(g.lapses_at, 0), "       \
    "coalesce(g.settled_at, 0), coalesce(g.undo_until, 0), g.rule, g.zone FROM suggestion g " \
    "LEFT JOIN session s ON s.id = g.session_id LEFT JOIN message m ON m.id = g.source_id "   \
    "LEFT JOIN session t ON t.id = m.session_id WHERE g.owner = ? " NOT_IN_TRASH
#define LIVES   "AND (g.state <> 'open' OR g.lapses_at IS NULL OR g.lapses_at > ?) "
#define VISIBLE "AND (g.session_id IS NULL OR g.message_id IS NOT NULL) "

static struct suggestion read_row(const struct rows *q, struct arena *a)
{
    return (struct suggestion){.id = rows_int(q, 0),
        .kind = row_text(q, 1, a),
        .state = state_of(rows_str(q, 2)),
        .session_id = rows_int(q, 3),
        .message_id = rows_int(q, 4),
        .source_id = rows_int(q, 5),
        .session = row_text(q, 6, a),
        .subject = rows_int(q, 7),
        .text = row_str(q, 8, a),
        .tags = row_text(q, 9, a),
        .due = row_text(q, 10, a),
        .permanent = rows_int(q, 11) != 0,
        .prior_text = rows_is_null(q, 12) ? (struct str){NULL, 0} : row_str(q, 12, a),
        .prior_tags = row_text(q, 13, a),
        .created_at = rows_int(q, 14),
        .lapses_at = rows_int(q, 15),
        .settled_at = rows_int(q, 16),
        .undo_until = rows_int(q, 17),
        .rule = row_text(q, 18, a),
        .zone = row_text(q, 19, a)};
}

static struct str read_text(const struct rows *q, struct arena *a)
{
    return row_str(q, 0, a);
}

DEFINE_ROWS(suggestion, struct suggestion, read_row, "suggestion")
DEFINE_ROWS(text, struct str, read_text, "suggestion")

enum rc store_suggestion_list(struct db *db, struct arena *a, int64_t owner, const char *kind, int64_t now,
    int limit, struct suggestion **out, size_t *n, struct err *e)
{
    return list_suggestion(db, a,
        SELECT_SUGGESTION "AND g.state = 'open' AND (? IS NULL OR g.kind = ?) " LIVES VISIBLE
                          "ORDER BY g.id DESC LIMIT ?",
        ARGS(v_int(owner), v_text(kind), v_text(kind), v_int(now), v_int(limit)), out, n, e);
}

enum rc store_suggestion_of_session(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t now, struct suggestion **out, size_t *n, struct err *e)
{
    return list_suggestion(db, a,
        SELECT_SUGGESTION "AND g.session_id = ? AND g.state = 'open' " LIVES VISIBLE "ORDER BY g.id",
        ARGS(v_int(owner), v_int(session_id), v_int(now)), out, n, e);
}

enum rc store_suggestion_shown(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    int64_t now, struct suggestion **out, size_t *n, struct err *e)
{
    return list_suggestion(db, a,
        SELECT_SUGGESTION "AND g.session_id = ? AND g.message_id BETWEEN ? AND ? " LIVES "ORDER BY g.id",
        ARGS(v_int(owner), v_int(range.session_id), v_int(range.first), v_int(range.last), v_int(now)), out,
        n, e);
}

enum rc store_suggestion_of_source(struct db *db, struct arena *a, int64_t owner, int64_t source_id,
    struct suggestion **out, size_t *n, struct err *e)
{
    return list_suggestion(db, a, SELECT_SUGGESTION "AND g.source_id = ? AND g.state = 'done' ORDER BY g.id",
        ARGS(v_int(owner), v_int(source_id)), out, n, e);
}

enum rc store_suggestion_get(struct db *db, struct arena *a, int64_t owner, int64_t id, int64_t now,
    struct suggestion *out, struct err *e)
{
    return get_suggestion(db, a, SELECT_SUGGESTION "AND g.id = ? " LIVES VISIBLE,
        ARGS(v_int(owner), v_int(id), v_int(now)), out, e);
}

enum rc store_suggestion_open_count(struct db *db, int64_t owner, int64_t *n, struct err *e)
{
    return db_one_int(db,
        "SELECT count(*) FROM suggestion g WHERE g.owner = ? AND g.state = 'open' AND g.lapses_at IS "
        "NULL " NOT_IN_TRASH,
        ARGS(v_int(owner)), n, e);
}

enum rc store_suggestion_drop_oldest(struct db *db, int64_t owner, int64_t *n, struct err *e)
{
    return db_exec(db,
        "DELETE FROM suggestion WHERE id = (SELECT min(id) FROM suggestion WHERE owner = ? AND state = "
        "'open' "
        "AND session_id IS NULL)",
        ARGS(v_int(owner)), n, e);
}

/* ---- changes ---- */

enum rc store_suggestion_add(struct db *db, int64_t owner, struct suggestion *s, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO suggestion (owner, kind, state, session_id, message_id, source_id, subject, text, tags, "
        "due, "
        "permanent, prior_text, prior_tags, created_at, lapses_at, settled_at, undo_until, rule, zone) "
        "SELECT u.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM user u WHERE u.id = ? "
        "AND EXISTS (SELECT 1 FROM session x WHERE x.id = ? AND x.owner = u.id) "
        "AND (? IS NULL OR EXISTS (SELECT 1 FROM message x WHERE x.id = ? AND x.id >> 32 = u.id)) "
        "RETURNING id",
        ARGS(v_text(s->kind), v_text(states[s->state]), v_id(s->session_id), v_id(s->message_id),
            v_id(s->source_id), v_int(s->subject), v_str(s->text), v_text(s->tags), v_text(s->due),
            v_int(s->permanent), s->prior_text.s ? v_str(s->prior_text) : v_null(), v_text(s->prior_tags),
            v_int(s->created_at), v_id(s->lapses_at), v_id(s->settled_at), v_id(s->undo_until),
            v_text(s->rule), v_text(s->zone), v_int(owner), v_int(s->session_id), v_id(s->source_id),
            v_id(s->source_id)),
        &s->id, e);
}

enum rc store_suggestion_set_state(
    struct db *db, int64_t owner, const struct suggestion *s, enum suggestion_state from, struct err *e)
{
    return row_change(db, "suggestion",
        "UPDATE suggestion SET state = ?, subject = ?, text = ?, prior_text = ?, prior_tags = ?, "
        "message_id = ?, settled_at = ?, undo_until = ? WHERE id = ? AND owner = ? AND state = ?",
        ARGS(v_text(states[s->state]), v_int(s->subject), v_str(s->text),
            s->prior_text.s ? v_str(s->prior_text) : v_null(), v_text(s->prior_tags), v_id(s->message_id),
            v_id(s->settled_at), v_id(s->undo_until), v_int(s->id), v_int(owner), v_text(states[from])),
        e);
}

enum rc store_suggestion_show(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e)
{
    enum rc rc = db_exec(db,
        "UPDATE suggestion SET message_id = ? WHERE session_id = ? AND owner = ? AND message_id IS NULL "
        "AND EXISTS (SELECT 1 FROM message WHERE id = ?)",
        ARGS(v_int(message_id), v_int(session_id), v_int(owner), v_int(message_id)), NULL, e);
    return rc == RC_OK
               ? db_exec(db,
                     "DELETE FROM suggestion WHERE session_id = ? AND owner = ? "
                     "AND (message_id IS NULL OR (kind = '" SUGGESTION_CALL_TOOL "' AND state = 'open'))",
                     ARGS(v_int(session_id), v_int(owner)), NULL, e)
               : rc;
}

enum rc store_suggestion_replace(struct db *db, int64_t owner, const struct suggestion *s, struct err *e)
{
    return db_exec(db,
        "DELETE FROM suggestion WHERE owner = ? AND session_id = ? AND kind = ? AND subject = ? "
        "AND (subject <> 0 OR (text = ? AND due IS ? AND rule IS ? AND zone IS ?)) AND state = 'open'",
        ARGS(v_int(owner), v_int(s->session_id), v_text(s->kind), v_int(s->subject), v_str(s->text),
            v_text(s->due), v_text(s->rule), v_text(s->zone)),
        NULL, e);
}

enum rc store_suggestion_clear(struct db *db, int64_t owner, struct err *e)
{
    return db_exec(db,
        "DELETE FROM suggestion WHERE owner = ? AND kind IN ('remember', 'change_memory', 'forget')",
        ARGS(v_int(owner)), NULL, e);
}

enum rc store_suggestion_sweep(struct db *db, int64_t now, struct err *e)
{
    enum rc rc = db_exec(
        db, "DELETE FROM suggestion WHERE state = 'open' AND lapses_at <= ?", ARGS(v_int(now)), NULL, e);
    return rc == RC_OK ? db_exec(db,
                             "UPDATE suggestion SET text = '', prior_text = NULL, prior_tags = NULL "
                             "WHERE undo_until <= ? AND (prior_text IS NOT NULL OR prior_tags IS NOT NULL)",
                             ARGS(v_int(now)), NULL, e)
                       : rc;
}

/* ---- facts that the helper finds ---- */

enum rc store_suggestion_found(struct db *db, int64_t owner, struct str text, int64_t source_id,
    struct str said, int64_t now, struct err *e)
{
    enum rc rc = db_exec(db,
        "INSERT INTO suggestion (owner, kind, state, text, permanent, source_id, created_at) "
        "SELECT s.owner, 'remember', 'open', ?, 1, m.id, ? FROM message m "
        "JOIN session s ON s.id = m.session_id "
        "WHERE m.id = ? AND s.owner = ? AND m.role = 'user' AND m.text = ? ON CONFLICT DO NOTHING",
        ARGS(v_str(text), v_int(now), v_int(source_id), v_int(owner), v_str(said)), NULL, e);
    int64_t open = 0, dropped;
    if (rc == RC_OK)
        rc = store_suggestion_open_count(db, owner, &open, e);
    return rc == RC_OK && open > SUGGESTIONS_OPEN_MAX ? store_suggestion_drop_oldest(db, owner, &dropped, e)
                                                      : rc;
}

enum rc store_suggestion_known(
    struct db *db, struct arena *a, int64_t owner, struct str **out, size_t *n, struct err *e)
{
    return list_text(db, a,
        "SELECT text FROM suggestion WHERE owner = ? AND kind = 'remember' "
        "AND state IN ('open', 'dismissed') ORDER BY id DESC LIMIT ?",
        ARGS(v_int(owner), v_int(SUGGESTIONS_KNOWN_MAX)), out, n, e);
}

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
        "SELECT id, text FROM message WHERE session_id = ? "
        "AND id > max(?, (SELECT facts_after FROM user WHERE id = ?)) AND role = 'user' ORDER BY id LIMIT ?",
        ARGS(v_int(session_id), v_int(out->from), v_int(owner), v_int((int64_t)limit + 1)), e);
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
    enum rc rc = db_exec(db, "DELETE FROM suggestion WHERE owner = ? AND source_id = ? AND state = 'open'",
        ARGS(v_int(owner), v_int(message_id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET facts_id = ? WHERE id = ? AND owner = ? AND facts_id >= ?",
            ARGS(v_int(message_id - 1), v_int(session_id), v_int(owner), v_int(message_id)), NULL, e);
    return rc;
}

enum rc store_suggestion_skip(struct db *db, int64_t owner, struct err *e)
{
    return db_exec(db, "UPDATE user SET facts_after = (id << 32) | message_seq WHERE id = ?",
        ARGS(v_int(owner)), NULL, e);
}

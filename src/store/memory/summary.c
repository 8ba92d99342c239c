/* The owner is part of a summary's id and of its session's row. Every statement names it through the
 * session. */
#include "store/memory/summary.h"

#include "store/row.h"
#include "store/search/vector.h"

#define SUMMARY_COLUMNS                                                                              \
    "s.id, s.session_id, s.version, s.whole, s.current, s.first_id, s.last_id, s.messages, s.text, " \
    "s.provider, s.model, s.created_at"
#define OF_SESSION "FROM summary s JOIN session o ON o.id = s.session_id WHERE o.id = ? AND o.owner = ?"

static struct summary read_summary(const struct rows *q, struct arena *a)
{
    return (struct summary){
        .id = rows_int(q, 0),
        .session_id = rows_int(q, 1),
        .version = rows_int(q, 2),
        .whole = rows_int(q, 3) != 0,
        .current = rows_int(q, 4) != 0,
        .first_id = rows_int(q, 5),
        .last_id = rows_int(q, 6),
        .messages = rows_int(q, 7),
        .text = row_str(q, 8, a),
        .provider = row_text(q, 9, a),
        .model = row_text(q, 10, a),
        .created_at = rows_int(q, 11),
    };
}

DEFINE_ROWS(summary, struct summary, read_summary, "summary")

static enum rc session_owned(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    int64_t one;
    return db_one_int(db, "SELECT 1 FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(session_id), v_int(owner)), &one, e);
}

/* Each of `statements` has the session as its only parameter. */
static enum rc run_all(
    struct db *db, const char *const *statements, size_t n, int64_t session_id, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = db_exec(db, statements[i], ARGS(v_int(session_id)), NULL, e);
    return rc;
}

/* Only the current summary has a vector. */
static enum rc forget_vector(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    int64_t id;
    enum rc rc = db_one_int(
        db, "SELECT id FROM summary WHERE session_id = ? AND current = 1", ARGS(v_int(session_id)), &id, e);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    return rc == RC_OK ? store_vector_forget(db, VECTOR_SUMMARY, owner, id, e) : rc;
}

static enum rc replace_current(struct db *db, const struct summary *s, struct err *e)
{
    static const char *const retire[] = {
        "INSERT INTO summary_text (summary_text, rowid, text) "
        "SELECT 'delete', id, text FROM summary WHERE session_id = ? AND current = 1",
        "UPDATE summary SET current = 0 WHERE session_id = ? AND current = 1",
    };
    enum rc rc = forget_vector(db, s->id >> 32, s->session_id, e);
    if (rc == RC_OK)
        rc = run_all(db, retire, ARRAY_LEN(retire), s->session_id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE summary SET current = 1 WHERE id = ?", ARGS(v_int(s->id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "INSERT INTO summary_text (rowid, text) VALUES (?, ?)",
            ARGS(v_int(s->id), v_str(s->text)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "UPDATE session SET summarised_id = ? WHERE id = ?",
            ARGS(v_int(s->known_id), v_int(s->session_id)), NULL, e);
    return rc;
}

enum rc store_summary_add(struct db *db, int64_t owner, struct summary *s, struct err *e)
{
    enum rc rc = session_owned(db, owner, s->session_id, e);
    if (rc == RC_OK)
        rc = row_next_id(db, owner, ROW_SEQUENCE("summary_seq", "summary"), &s->id, e);
    if (rc != RC_OK)
        return rc;
    s->current = s->whole;
    rc = db_one_int(db,
        "INSERT INTO summary (id, session_id, version, whole, current, first_id, last_id, messages, text, "
        "provider, model, created_at) VALUES (?, ?, "
        "(SELECT coalesce(max(version), 0) + 1 FROM summary WHERE session_id = ?), "
        "?, 0, ?, ?, ?, ?, ?, ?, ?) RETURNING version",
        ARGS(v_int(s->id), v_int(s->session_id), v_int(s->session_id), v_int(s->whole), v_int(s->first_id),
            v_int(s->last_id), v_int(s->messages), v_str(s->text), v_text(s->provider), v_text(s->model),
            v_int(s->created_at)),
        &s->version, e);
    return rc == RC_OK && s->whole ? replace_current(db, s, e) : rc;
}

enum rc store_summary_current(
    struct db *db, struct arena *a, int64_t owner, int64_t session_id, struct summary *out, struct err *e)
{
    return get_summary(db, a, "SELECT " SUMMARY_COLUMNS " " OF_SESSION " AND s.current = 1",
        ARGS(v_int(session_id), v_int(owner)), out, e);
}

enum rc store_summary_of_range(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    struct summary *out, struct err *e)
{
    return get_summary(db, a,
        "SELECT " SUMMARY_COLUMNS " " OF_SESSION " AND s.first_id = ? AND s.last_id = ? "
        "ORDER BY CASE WHEN s.provider = 'offline' THEN 1 ELSE 0 END, s.version DESC LIMIT 1",
        ARGS(v_int(range.session_id), v_int(owner), v_int(range.first), v_int(range.last)), out, e);
}

enum rc store_summary_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t before,
    int limit, struct summary **out, size_t *n, struct err *e)
{
    return list_summary(db, a,
        "SELECT " SUMMARY_COLUMNS " " OF_SESSION " AND s.version < ? ORDER BY s.version DESC LIMIT ?",
        ARGS(v_int(session_id), v_int(owner), v_int(before ? before : INT64_MAX), v_int(limit)), out, n, e);
}

/* ---- invalidation ---- */

#define TAINTED                                                                                            \
    "session_id = ? AND (? BETWEEN first_id AND last_id "                                                  \
    "OR NOT EXISTS (SELECT 1 FROM message m WHERE m.id = first_id AND m.session_id = summary.session_id) " \
    "OR NOT EXISTS (SELECT 1 FROM message m WHERE m.id = last_id AND m.session_id = summary.session_id))"

#define INDEX_DROP \
    "INSERT INTO summary_text (summary_text, rowid, text) SELECT 'delete', id, text FROM summary "

enum rc store_summary_index_drop(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    enum rc rc = forget_vector(db, owner, session_id, e);
    return rc == RC_OK ? db_exec(db, INDEX_DROP "WHERE session_id = ? AND current = 1",
                             ARGS(v_int(session_id)), NULL, e)
                       : rc;
}

enum rc store_summary_index_add(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    enum rc rc = forget_vector(db, owner, session_id, e);
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO summary_text (rowid, text) SELECT id, text FROM summary "
                             "WHERE session_id = ? AND current = 1",
                             ARGS(v_int(session_id)), NULL, e)
                       : rc;
}

enum rc store_summary_move(struct db *db, int64_t session_id, int64_t message_id, int64_t to, struct err *e)
{
    return db_exec(db, "UPDATE summary SET session_id = ? WHERE " TAINTED,
        ARGS(v_int(to), v_int(session_id), v_int(message_id)), NULL, e);
}

/* A summary that was written meanwhile stays the current one. The restored versions are then numbered after
 * it. They have negative numbers until they are moved, because a number is unique in its session. */
enum rc store_summary_move_back(struct db *db, int64_t from, int64_t session_id, struct err *e)
{
    static const char *const statements[] = {
        "UPDATE summary SET current = 0 WHERE session_id = ?1 AND EXISTS "
        "(SELECT 1 FROM summary x WHERE x.session_id = ?2 AND x.current = 1)",
        "UPDATE session SET summarised_id = (SELECT h.summarised_id FROM session h WHERE h.id = ?1) "
        "WHERE id = ?2 AND EXISTS (SELECT 1 FROM summary x WHERE x.session_id = ?1 AND x.current = 1)",
        "UPDATE summary SET version = -version - (SELECT max(x.version) FROM summary x WHERE x.session_id = "
        "?2) WHERE session_id = ?1 AND EXISTS (SELECT 1 FROM summary x WHERE x.session_id = ?2 "
        "AND x.version >= (SELECT min(y.version) FROM summary y WHERE y.session_id = ?1))",
        "UPDATE summary SET session_id = ?2, version = abs(version) WHERE session_id = ?1",
    };
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(statements); i++)
        rc = db_exec(db, statements[i], ARGS(v_int(from), v_int(session_id)), NULL, e);
    return rc;
}

enum rc store_summary_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e)
{
    enum rc rc = session_owned(db, owner, session_id, e);
    struct db_args which = ARGS(v_int(session_id), v_int(message_id));
    if (rc == RC_OK)
        rc = db_exec(db, INDEX_DROP "WHERE current = 1 AND " TAINTED, which, NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM summary WHERE " TAINTED, which, NULL, e);
    /* An earlier version does not become current again: it is older than the removed one. */
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE session SET summarised_id = 0 WHERE id = ? AND NOT EXISTS "
            "(SELECT 1 FROM summary WHERE session_id = session.id AND current = 1)",
            ARGS(v_int(session_id)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE session SET topic = NULL, keywords = NULL, topic_id = 0 WHERE id = ? AND topic_id >= ?",
            which, NULL, e);
    return rc;
}

/* ---- remaining work ---- */

/* Also of other branches than the head's: every new message counts. */
#define SAID \
    "m.session_id = s.id AND m.role IN ('user', 'assistant') AND m.status <> 'running' AND m.calls IS NULL"
#define NEWER_THAN(column) \
    "(SELECT count(*) FROM (SELECT 1 FROM message m WHERE " SAID " AND m.id > s." column " LIMIT ?))"

static struct summary_work read_work(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct summary_work){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2)};
}

DEFINE_ROWS(work, struct summary_work, read_work, "session")

enum rc store_summary_work(
    struct db *db, int64_t owner, int64_t session_id, int64_t most, struct summary_work *out, struct err *e)
{
    return get_work(db, NULL,
        "SELECT " NEWER_THAN("summarised_id") ", " NEWER_THAN(
            "topic_id") ", coalesce("
                        "(SELECT m.id FROM message m WHERE " SAID
                        " ORDER BY m.id DESC LIMIT 1), 0) FROM session s WHERE s.id = ? AND s.owner = ?",
        ARGS(v_int(most), v_int(most), v_int(session_id), v_int(owner)), out, e);
}

/* ---- requests ---- */

enum rc store_summary_request(
    struct db *db, int64_t owner, struct message_range range, int64_t now, struct err *e)
{
    int64_t waiting;
    enum rc rc = session_owned(db, owner, range.session_id, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) FROM summary_request WHERE session_id = ?",
            ARGS(v_int(range.session_id)), &waiting, e);
    if (rc == RC_OK && waiting >= SUMMARY_REQUESTS_MAX)
        return err_say(e, RC_CONFLICT, "chat.summaries_wait");
    if (rc == RC_OK)
        rc = db_exec(db,
            "INSERT INTO summary_request (session_id, first_id, last_id, asked_at) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (session_id, first_id, last_id) DO NOTHING",
            ARGS(v_int(range.session_id), v_int(range.first), v_int(range.last), v_int(now)), NULL, e);
    return rc;
}

static struct summary_request read_request(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct summary_request){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2), rows_int(q, 3)};
}

DEFINE_ROWS(request, struct summary_request, read_request, "summary request")

enum rc store_summary_requests(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct summary_request **out, size_t *n, struct err *e)
{
    return list_request(db, a,
        "SELECT r.id, r.first_id, r.last_id, r.asked_at FROM summary_request r "
        "JOIN session o ON o.id = r.session_id WHERE o.id = ? AND o.owner = ? ORDER BY r.id",
        ARGS(v_int(session_id), v_int(owner)), out, n, e);
}

enum rc store_summary_request_done(
    struct db *db, int64_t owner, int64_t session_id, int64_t id, struct err *e)
{
    return db_exec(db,
        "DELETE FROM summary_request WHERE id = ? AND session_id = "
        "(SELECT id FROM session WHERE id = ? AND owner = ?)",
        ARGS(v_int(id), v_int(session_id), v_int(owner)), NULL, e);
}

/* ---- topic ---- */

enum rc store_session_set_topic(struct db *db, int64_t owner, int64_t session_id, const char *topic,
    const char *keywords, int64_t upto, struct err *e)
{
    return row_change(db, "session",
        "UPDATE session SET topic = ?, keywords = ?, topic_id = ? WHERE id = ? AND owner = ?",
        ARGS(v_text(topic), v_text(keywords), v_int(upto), v_int(session_id), v_int(owner)), e);
}

#include "store/memory/compaction.h"

#include "base/clock.h"
#include "store/job.h"
#include "store/row.h"

#define COMPACTION_COLUMNS                                                     \
    "c.id, c.session_id, c.first_id, c.last_id, c.messages, c.tokens_before, " \
    "c.tokens_after, c.keep, c.text, c.facts, c.transcript, c.provider, c.model, c.created_at"
#define OF_SESSION "FROM compaction c JOIN session s ON s.id = c.session_id WHERE s.id = ? AND s.owner = ? "

/* Walks from a message up to the last parameter's id, exclusive. Ids decrease on the way. */
#define UP_FROM                                                                    \
    "WITH RECURSIVE up (id, parent_id) AS ("                                       \
    "SELECT id, parent_id FROM message WHERE id = ? AND session_id = ? UNION ALL " \
    "SELECT m.id, m.parent_id FROM up JOIN message m ON m.id = up.parent_id WHERE up.id > ?) "

static struct compaction read_compaction(const struct rows *q, struct arena *a)
{
    return (struct compaction){
        .id = rows_int(q, 0),
        .session_id = rows_int(q, 1),
        .first_id = rows_int(q, 2),
        .last_id = rows_int(q, 3),
        .messages = rows_int(q, 4),
        .tokens_before = rows_int(q, 5),
        .tokens_after = rows_int(q, 6),
        .keep = row_str(q, 7, a),
        .text = row_str(q, 8, a),
        .facts = row_str(q, 9, a),
        .transcript = row_text(q, 10, a),
        .provider = row_text(q, 11, a),
        .model = row_text(q, 12, a),
        .created_at = rows_int(q, 13),
    };
}

DEFINE_ROWS(compaction, struct compaction, read_compaction, "compaction")

enum rc store_compaction_add(struct db *db, int64_t owner, struct compaction *c, struct err *e)
{
    return db_one_int(db,
        "INSERT INTO compaction (session_id, first_id, last_id, messages, tokens_before, tokens_after, keep, "
        "text, facts, transcript, provider, model, created_at) "
        "SELECT s.id, ?, m.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM session s JOIN message m "
        "ON m.session_id = s.id WHERE s.id = ? AND s.owner = ? AND m.id = ? RETURNING id",
        ARGS(v_int(c->first_id), v_int(c->messages), v_int(c->tokens_before), v_int(c->tokens_after),
            v_str(c->keep), v_str(c->text), v_str(c->facts), v_text(c->transcript), v_text(c->provider),
            v_text(c->model), v_int(c->created_at), v_int(c->session_id), v_int(owner), v_int(c->last_id)),
        &c->id, e);
}

enum rc store_compaction_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct compaction *out, struct err *e)
{
    return get_compaction(db, a, "SELECT " COMPACTION_COLUMNS " " OF_SESSION "AND c.id = ?",
        ARGS(v_int(session_id), v_int(owner), v_int(id)), out, e);
}

enum rc store_compaction_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t before, int limit, struct compaction **out, size_t *n, struct err *e)
{
    return list_compaction(db, a,
        "SELECT " COMPACTION_COLUMNS " " OF_SESSION "AND c.id < ? ORDER BY c.id DESC LIMIT ?",
        ARGS(v_int(session_id), v_int(owner), v_int(before ? before : INT64_MAX), v_int(limit)), out, n, e);
}

enum rc store_compaction_between(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    struct compaction **out, size_t *n, struct err *e)
{
    return list_compaction(db, a,
        "SELECT " COMPACTION_COLUMNS " " OF_SESSION
        "AND c.last_id BETWEEN ? AND ? ORDER BY c.id DESC LIMIT ?",
        ARGS(v_int(range.session_id), v_int(owner), v_int(range.first), v_int(range.last),
            v_int(COMPACTIONS_BETWEEN_MAX)),
        out, n, e);
}

/* ---- paths ---- */

struct candidate {
    int64_t id, last_id;
    bool has_text; /* else it empties the context, and changes of its messages do not matter */
};

static struct candidate read_candidate(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct candidate){rows_int(q, 0), rows_int(q, 1), rows_int(q, 2) != 0};
}

DEFINE_ROWS(candidate, struct candidate, read_candidate, "compaction")

/* The compactions whose last message is in the range, the furthest first. */
static enum rc candidates(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    struct candidate **out, size_t *n, struct err *e)
{
    return list_candidate(db, a,
        "SELECT c.id, c.last_id, c.text <> '' " OF_SESSION
        "AND c.last_id BETWEEN ? AND ? ORDER BY c.last_id DESC, c.id DESC",
        ARGS(v_int(range.session_id), v_int(owner), v_int(range.first), v_int(range.last)), out, n, e);
}

/* True when `above` is on the path that ends in `below`; false when `below` was deleted. */
static enum rc lies_above(
    struct db *db, int64_t session_id, int64_t above, int64_t below, bool *yes, struct err *e)
{
    int64_t count = 0;
    enum rc rc = db_one_int(db, UP_FROM "SELECT count(*) FROM up WHERE id = ?",
        ARGS(v_int(below), v_int(session_id), v_int(above), v_int(above)), &count, e);
    *yes = count > 0;
    return rc;
}

enum rc store_compaction_on_path(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t head, struct compaction *out, struct err *e)
{
    struct candidate *list;
    size_t n;
    enum rc rc = candidates(db, a, owner, (struct message_range){session_id, 0, head}, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++) {
        bool yes = false;
        rc = lies_above(db, session_id, list[i].last_id, head, &yes, e);
        if (rc == RC_OK && yes)
            return store_compaction_get(db, a, owner, session_id, list[i].id, out, e);
    }
    return rc == RC_OK ? err_set(e, RC_NOT_FOUND, "no compaction above message %lld", (long long)head) : rc;
}

/* ---- invalidation ---- */

static enum rc covers(struct db *db, int64_t session_id, const struct candidate *c, int64_t message_id,
    bool *yes, struct err *e)
{
    bool above = false;
    int64_t left = 0;
    enum rc rc = lies_above(db, session_id, message_id, c->last_id, &above, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) FROM message WHERE id = ? AND session_id = ?",
            ARGS(v_int(c->last_id), v_int(session_id)), &left, e);
    *yes = (above && c->has_text) || left == 0;
    return rc;
}

/* A request whose end was deleted applies to the session's current path. */
static enum rc renew_request(
    struct db *db, int64_t owner, int64_t session_id, int64_t now, int64_t *renewed, struct err *e)
{
    static const char *const statements[] = {
        "UPDATE compaction_request SET asked_at = CASE WHEN asked_at < ? THEN ? ELSE asked_at + 1 END, "
        "head_id = CASE WHEN EXISTS (SELECT 1 FROM message m WHERE m.id = compaction_request.head_id "
        "AND m.session_id = compaction_request.session_id) "
        "THEN head_id ELSE (SELECT coalesce(head_id, 0) FROM session WHERE id = "
        "compaction_request.session_id) "
        "END WHERE session_id = (SELECT id FROM session WHERE id = ? AND owner = ?)",
        "DELETE FROM compaction_request WHERE head_id = 0 "
        "AND session_id = (SELECT id FROM session WHERE id = ? AND owner = ?)"};
    enum rc rc =
        db_exec(db, statements[0], ARGS(v_int(now), v_int(now), v_int(session_id), v_int(owner)), renewed, e);
    return rc == RC_OK ? db_exec(db, statements[1], ARGS(v_int(session_id), v_int(owner)), NULL, e) : rc;
}

/* The compactions of the session that cover the message. */
static enum rc covering(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t message_id,
    struct candidate **out, size_t *n, struct err *e)
{
    struct candidate *list = NULL;
    size_t all = 0, kept = 0;
    enum rc rc =
        candidates(db, a, owner, (struct message_range){session_id, message_id, INT64_MAX}, &list, &all, e);
    for (size_t i = 0; rc == RC_OK && i < all; i++) {
        bool yes = false;
        rc = covers(db, session_id, &list[i], message_id, &yes, e);
        if (rc == RC_OK && yes)
            list[kept++] = list[i];
    }
    *out = list;
    *n = kept;
    return rc;
}

enum rc store_compaction_forget(struct db *db, int64_t owner, int64_t session_id, int64_t message_id,
    int64_t now, int64_t *removed, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct candidate *list;
    size_t n;
    int64_t renewed = 0;
    *removed = 0;
    enum rc rc = covering(db, a, owner, session_id, message_id, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++, (*removed)++)
        rc = db_exec(db, "DELETE FROM compaction WHERE id = ? AND session_id = ?",
            ARGS(v_int(list[i].id), v_int(session_id)), NULL, e);
    if (rc == RC_OK)
        rc = renew_request(db, owner, session_id, now, &renewed, e);
    /* a running compaction may have written its transcript, which no row will name */
    if (rc == RC_OK && *removed + renewed)
        rc = store_job_add(db, JOB_SWEEP_TRANSCRIPTS, 0, 0, now, now, e);
    return rc;
}

enum rc store_compaction_move(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, int64_t to, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct candidate *list;
    size_t n;
    enum rc rc = covering(db, a, owner, session_id, message_id, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = db_exec(db, "UPDATE compaction SET session_id = ? WHERE id = ? AND session_id = ?",
            ARGS(v_int(to), v_int(list[i].id), v_int(session_id)), NULL, e);
    return rc;
}

/* ---- transcripts ---- */

enum rc store_compaction_transcripts(
    struct db *db, struct arena *a, const char *session_pub, const char ***out, size_t *n, struct err *e)
{
    return row_list_texts(db, a,
        "SELECT c.transcript FROM compaction c JOIN session s ON s.id = c.session_id WHERE s.pub = ? "
        "UNION ALL SELECT c.transcript FROM session s JOIN trash t ON t.from_id = s.id "
        "JOIN compaction c ON c.session_id = t.session_id WHERE s.pub = ?",
        ARGS(v_text(session_pub), v_text(session_pub)), out, n, e);
}

/* A request may have left a transcript, too, when its work was interrupted. */
enum rc store_compaction_sweep_later(struct db *db, int64_t session_id, struct err *e)
{
    int64_t now = clock_wall_ms(), any = 0;
    enum rc rc = db_one_int(db,
        "SELECT EXISTS (SELECT 1 FROM compaction WHERE session_id = ?) "
        "OR EXISTS (SELECT 1 FROM compaction_request WHERE session_id = ?)",
        ARGS(v_int(session_id), v_int(session_id)), &any, e);
    return rc == RC_OK && any ? store_job_add(db, JOB_SWEEP_TRANSCRIPTS, 0, 0, now, now, e) : rc;
}

/* ---- requests ---- */

enum rc store_compaction_request(
    struct db *db, int64_t owner, const struct compaction_request *r, struct err *e)
{
    int64_t known, added = 0;
    enum rc rc = db_one_int(db, "SELECT id FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(r->session_id), v_int(owner)), &known, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "INSERT INTO compaction_request (session_id, head_id, keep, by_user, asked_at) "
            "VALUES (?, ?, ?, ?, ?) ON CONFLICT (session_id) DO UPDATE SET head_id = excluded.head_id, "
            "keep = CASE excluded.keep WHEN '' THEN compaction_request.keep ELSE excluded.keep END, "
            "by_user = excluded.by_user, error = NULL, asked_at = excluded.asked_at "
            "WHERE compaction_request.error IS NOT NULL",
            ARGS(v_int(r->session_id), v_int(r->head_id), v_text(r->keep), v_int(r->by_user),
                v_int(r->asked_at)),
            &added, e);
    if (rc == RC_OK && added == 0)
        rc = err_say(e, RC_CONFLICT, "chat.compacting_already");
    return rc;
}

static struct compaction_request read_request(const struct rows *q, struct arena *a)
{
    return (struct compaction_request){
        .session_id = rows_int(q, 0),
        .head_id = rows_int(q, 1),
        .keep = row_text(q, 2, a),
        .by_user = rows_int(q, 3) != 0,
        .error = row_text(q, 4, a),
        .asked_at = rows_int(q, 5),
    };
}

DEFINE_ROWS(request, struct compaction_request, read_request, "compaction request")

enum rc store_compaction_request_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct compaction_request *out, struct err *e)
{
    return get_request(db, a,
        "SELECT r.session_id, r.head_id, r.keep, r.by_user, r.error, r.asked_at FROM compaction_request r "
        "JOIN session s ON s.id = r.session_id WHERE s.id = ? AND s.owner = ?",
        ARGS(v_int(session_id), v_int(owner)), out, e);
}

enum rc store_compaction_request_done(
    struct db *db, int64_t owner, int64_t session_id, int64_t asked_at, struct err *e)
{
    return row_change(db, "compaction request",
        "DELETE FROM compaction_request WHERE asked_at = ? "
        "AND session_id = (SELECT id FROM session WHERE id = ? AND owner = ?)",
        ARGS(v_int(asked_at), v_int(session_id), v_int(owner)), e);
}

enum rc store_compaction_request_failed(
    struct db *db, int64_t owner, int64_t session_id, const char *error, struct err *e)
{
    return db_exec(db,
        "UPDATE compaction_request SET error = ? "
        "WHERE session_id = (SELECT id FROM session WHERE id = ? AND owner = ?)",
        ARGS(v_text(error), v_int(session_id), v_int(owner)), NULL, e);
}

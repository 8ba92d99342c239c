#include "store/session/temporary.h"

#include "store/job.h"
#include "store/message/message_row.h"
#include "store/row.h"
#include "store/search/vector.h"
#include "store/trash/trash.h"

enum rc store_temporary_begin(struct db *db, int64_t session_id, int64_t lives_ms, int64_t now, struct err *e)
{
    enum rc rc = db_exec(db, "INSERT INTO temporary (session_id, lives_ms, ends_at) VALUES (?, ?, ?)",
        ARGS(v_int(session_id), v_int(lives_ms), v_int(now + lives_ms)), NULL, e);
    return rc == RC_OK ? store_job_add(db, JOB_END_TEMPORARY, 0, 0, now + lives_ms, now, e) : rc;
}

enum rc store_temporary_is(struct db *db, int64_t session_id, bool *is, struct err *e)
{
    int64_t n = 0;
    enum rc rc =
        db_one_int(db, "SELECT count(*) FROM temporary WHERE session_id = ?", ARGS(v_int(session_id)), &n, e);
    *is = n > 0;
    return rc;
}

enum rc session_lasting(const struct session *s, struct err *e)
{
    return s->ends_at ? err_say(e, RC_CONFLICT, "chat.temporary_not") : RC_OK;
}

enum rc store_temporary_touch(struct db *db, int64_t session_id, int64_t now, bool *is, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db, "UPDATE temporary SET ends_at = ? + lives_ms WHERE session_id = ?",
        ARGS(v_int(now), v_int(session_id)), &changed, e);
    *is = changed > 0;
    return rc;
}

/* The user's message with which the window begins: the oldest one among the newest `most` messages, else the
 * newest one. */
static enum rc window_start(struct db *db, int64_t session_id, int most, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce((SELECT min(id) FROM (SELECT id, role FROM message WHERE session_id = ? "
        "AND role IN ('user', 'assistant') ORDER BY id DESC LIMIT ?) WHERE role = 'user'), "
        "(SELECT max(id) FROM message WHERE session_id = ? AND role = 'user'), 0)",
        ARGS(v_int(session_id), v_int(most), v_int(session_id)), id, e);
}

enum rc store_temporary_window(struct db *db, int64_t owner, int64_t session_id, int most, struct err *e)
{
    int64_t start = 0, erased = 0;
    enum rc rc = window_start(db, session_id, most, &start, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "DELETE FROM turn WHERE session_id = ? AND owner = ? AND asked_id < ? AND status <> 'running'",
            ARGS(v_int(session_id), v_int(owner), v_int(start)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM message WHERE session_id = ? AND id < ?",
            ARGS(v_int(session_id), v_int(start)), &erased, e);
    if (rc != RC_OK || !erased)
        return rc;
    rc = db_exec(db, "UPDATE message SET parent_id = NULL WHERE session_id = ? AND parent_id < ?",
        ARGS(v_int(session_id), v_int(start)), NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "UPDATE session SET message_count = (SELECT count(*) FROM message WHERE session_id = session.id "
            "AND " MESSAGE_COUNTS ") WHERE id = ? AND owner = ?",
            ARGS(v_int(session_id), v_int(owner)), NULL, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

enum rc store_temporary_keep(struct db *db, int64_t owner, int64_t session_id, struct err *e)
{
    enum rc rc = row_change(db, "temporary chat",
        "DELETE FROM temporary WHERE session_id = (SELECT id FROM session WHERE id = ? AND owner = ?)",
        ARGS(v_int(session_id), v_int(owner)), e);
    if (rc == RC_OK)
        rc = message_index_add_session(db, session_id, 0, e);
    return rc == RC_OK ? store_vector_show(db, owner, session_id, 0, INT64_MAX, e) : rc;
}

struct ended {
    int64_t owner;
    const char *pub;
};

static struct ended read_ended(const struct rows *q, struct arena *a)
{
    return (struct ended){rows_int(q, 0), row_text(q, 1, a)};
}

DEFINE_ROWS(ended, struct ended, read_ended, "temporary chat")

enum rc store_temporary_sweep(
    struct db *db, int64_t now, int limit, int64_t *erased, int64_t *next, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct ended *some;
    size_t n = 0;
    *erased = *next = 0;
    enum rc rc = db_exec(db,
        "UPDATE temporary SET ends_at = ? + lives_ms WHERE ends_at > ? + lives_ms OR (ends_at <= ? AND "
        "(SELECT running_turns FROM session WHERE id = session_id) > 0)",
        ARGS(v_int(now), v_int(now), v_int(now)), NULL, e);
    if (rc == RC_OK)
        rc = list_ended(db, a,
            "SELECT s.owner, s.pub FROM temporary t JOIN session s ON s.id = t.session_id "
            "WHERE t.ends_at <= ? ORDER BY t.ends_at LIMIT ?",
            ARGS(v_int(now), v_int(limit)), &some, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = store_trash_session(db, some[i].owner, some[i].pub, now, e);
    *erased = (int64_t)n;
    return rc == RC_OK
               ? db_one_int(db, "SELECT coalesce((SELECT min(ends_at) FROM temporary), 0)", NO_ARGS, next, e)
               : rc;
}

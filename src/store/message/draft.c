#include "store/message/draft.h"

#include "base/clock.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/message/message_row.h"
#include "store/session/session.h"

#define PURGE_MESSAGES 200 /* in one transaction */

static struct draft read_draft(const struct rows *q, struct arena *a)
{
    return (struct draft){
        .session_id = rows_int(q, 0),
        .owner = rows_int(q, 1),
        .transfer_id = rows_int(q, 2),
        .pub = row_text(q, 3, a),
        .outer_id = row_text(q, 4, a),
        .digest = rows_int(q, 5),
        .done = rows_int(q, 6),
        .hidden = rows_int(q, 7) == USER_NOBODY,
        .created_at = rows_int(q, 8),
    };
}

DEFINE_ROWS(draft, struct draft, read_draft, "draft")

enum rc store_draft_find(
    struct db *db, struct arena *a, int64_t owner, const char *outer_id, struct draft *out, struct err *e)
{
    return get_draft(db, a,
        "SELECT d.session_id, d.owner, d.transfer_id, s.pub, d.outer_id, d.digest, d.done, s.owner, "
        "d.created_at FROM import_draft d JOIN session s ON s.id = d.session_id "
        "WHERE d.owner = ? AND d.outer_id = ? AND d.abandoned = 0",
        ARGS(v_int(owner), v_text(outer_id)), out, e);
}

enum rc store_draft_begin(struct db *db, struct draft *d, struct err *e)
{
    enum rc rc = store_session_add(db, USER_NOBODY, d->pub, NULL, NULL, d->created_at, &d->session_id, e);
    d->hidden = true;
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO import_draft (session_id, owner, transfer_id, outer_id, digest, "
                             "done, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
                             ARGS(v_int(d->session_id), v_int(d->owner), v_int(d->transfer_id),
                                 v_text(d->outer_id), v_int(d->digest), v_int(d->done), v_int(d->created_at)),
                             NULL, e)
                       : rc;
}

enum rc store_draft_message(struct db *db, const struct draft *d, struct message *m, struct err *e)
{
    enum rc rc = message_next_id(db, d->owner, &m->id, e);
    m->session_id = d->session_id;
    if (rc == RC_OK)
        rc = message_insert(db, m, e);
    if (rc == RC_OK && (m->reasoning.len || m->tokens_cached || m->tokens_reasoning))
        rc = db_exec(db,
            "UPDATE message SET reasoning = ?, reasoning_ms = ?, tokens_cached = ?, tokens_reasoning = ? "
            "WHERE id = ?",
            ARGS(m->reasoning.len ? v_str(m->reasoning) : v_null(), v_id(m->reasoning_ms),
                v_id(m->tokens_cached), v_id(m->tokens_reasoning), v_int(m->id)),
            NULL, e);
    return rc == RC_OK ? message_index_add(db, m->id, m->text, e) : rc;
}

enum rc store_draft_messages(struct db *db, struct arena *a, const struct draft *d, int64_t after,
    int64_t **out, size_t *n, struct err *e)
{
    return row_list_ids(db, a, "SELECT id FROM message WHERE session_id = ? AND id > ? ORDER BY id",
        ARGS(v_int(d->session_id), v_int(after)), out, n, e);
}

enum rc store_draft_done(struct db *db, const struct draft *d, struct err *e)
{
    return db_exec(db, "UPDATE import_draft SET done = ? WHERE session_id = ?",
        ARGS(v_int(d->done), v_int(d->session_id)), NULL, e);
}

enum rc store_draft_show(struct db *db, const struct draft *d, struct err *e)
{
    return row_change(db, "hidden session", "UPDATE session SET owner = ? WHERE id = ? AND owner = ?",
        ARGS(v_int(d->owner), v_int(d->session_id), v_int(USER_NOBODY)), e);
}

enum rc store_draft_end(struct db *db, const struct draft *d, struct err *e)
{
    return db_exec(db, "DELETE FROM import_draft WHERE session_id = ?", ARGS(v_int(d->session_id)), NULL, e);
}

enum rc store_draft_each_hidden(struct db *db, int64_t owner, search_id_fn *fn, void *arg, struct err *e)
{
    return row_each_id(db,
        "SELECT m.id FROM import_draft d JOIN session s ON s.id = d.session_id "
        "JOIN message m ON m.session_id = s.id WHERE d.owner = ? AND s.owner = ?",
        ARGS(v_int(owner), v_int(USER_NOBODY)), fn, arg, e);
}

/* ---- deletion ---- */

static enum rc purge_later(struct db *db, int64_t abandoned, struct err *e)
{
    int64_t now = clock_wall_ms();
    return abandoned ? store_job_add(db, JOB_PURGE_DRAFTS, 0, 0, now, now, e) : RC_OK;
}

enum rc store_draft_abandon(struct db *db, int64_t session_id, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db, "UPDATE import_draft SET abandoned = 1 WHERE session_id = ? AND abandoned = 0",
        ARGS(v_int(session_id)), &changed, e);
    return rc == RC_OK ? purge_later(db, changed, e) : rc;
}

enum rc store_draft_abandon_transfer(struct db *db, int64_t transfer_id, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db, "UPDATE import_draft SET abandoned = 1 WHERE transfer_id = ? AND abandoned = 0",
        ARGS(v_int(transfer_id)), &changed, e);
    return rc == RC_OK ? purge_later(db, changed, e) : rc;
}

enum rc store_draft_sweep(struct db *db, int64_t before, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = db_exec(db,
        "UPDATE import_draft SET abandoned = 1 WHERE abandoned = 0 AND ("
        "(transfer_id = 0 AND created_at < ?) OR "
        "(transfer_id <> 0 AND NOT EXISTS (SELECT 1 FROM transfer t WHERE t.id = import_draft.transfer_id "
        "AND t.state = 'waiting')) OR "
        "NOT EXISTS (SELECT 1 FROM user u WHERE u.id = import_draft.owner))",
        ARGS(v_int(before)), &changed, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) FROM import_draft WHERE abandoned = 1", NO_ARGS, &changed, e);
    return rc == RC_OK ? purge_later(db, changed, e) : rc;
}

static enum rc purge_messages(struct db *db, int64_t session, int64_t *removed, struct err *e)
{
    /* Children first, so that the rest stays a tree. */
    static const char forget[] =
        "INSERT INTO message_text (message_text, rowid, text) SELECT 'delete', id, text "
        "FROM message WHERE session_id = ? ORDER BY id DESC LIMIT ?";
    static const char remove[] = "DELETE FROM message WHERE id IN "
                                 "(SELECT id FROM message WHERE session_id = ? ORDER BY id DESC LIMIT ?)";
    enum rc rc = db_exec(db, forget, ARGS(v_int(session), v_int(PURGE_MESSAGES)), NULL, e);
    return rc == RC_OK ? db_exec(db, remove, ARGS(v_int(session), v_int(PURGE_MESSAGES)), removed, e) : rc;
}

enum rc store_draft_purge(struct db *db, bool *more, struct err *e)
{
    struct draft d = {0};
    int64_t removed = 0, owner = 0;
    enum rc rc =
        db_one_int(db, "SELECT session_id FROM import_draft WHERE abandoned = 1 ORDER BY session_id LIMIT 1",
            NO_ARGS, &d.session_id, e);
    *more = rc == RC_OK;
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT owner FROM session WHERE id = ?", ARGS(v_int(d.session_id)), &owner, e);
    if (rc == RC_OK && owner != USER_NOBODY)
        return store_draft_end(db, &d, e); /* shown already: the imported messages stay */
    if (rc == RC_OK)
        rc = purge_messages(db, d.session_id, &removed, e);
    if (rc != RC_OK || removed)
        return rc;
    rc = db_exec(db, "DELETE FROM session WHERE id = ? AND owner = ?",
        ARGS(v_int(d.session_id), v_int(USER_NOBODY)), NULL, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

/* Erasing: a mark that hides the entry at once, then the removal of its rows in short steps. The messages of
 * an entry have left the text index already. */
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/compaction.h"
#include "store/row.h"
#include "store/trash/trash.h"

#define PURGE_MESSAGES 200  /* in one transaction */
#define ERASED_AT_ONCE 1000 /* entries */

/* Messages can be restored only below the session that they were in and the session or entry that has their
 * parent. So their entry is erased with these, at any depth. Each entry of messages is read once; those of
 * sessions, which can be many, only when messages hang on them. */
static enum rc erase_dependent(struct db *db, int64_t owner, struct err *e)
{
    return db_exec(db,
        "WITH RECURSIVE need (entry, above) AS MATERIALIZED ("
        "SELECT session_id, from_id FROM trash WHERE owner = ?1 AND erased = 0 AND from_id IS NOT NULL "
        "UNION ALL SELECT t.session_id, p.session_id FROM trash t JOIN message m ON m.id = t.message_id "
        "JOIN message p ON p.id = m.parent_id WHERE t.owner = ?1 AND t.erased = 0 AND t.from_id IS NOT "
        "NULL), "
        "gone (id) AS (SELECT need.entry FROM need CROSS JOIN trash x ON x.session_id = need.above "
        "WHERE x.owner = ?1 AND x.erased = 1 "
        "UNION SELECT need.entry FROM gone JOIN need ON need.above = gone.id) "
        "UPDATE trash SET erased = 1 WHERE session_id IN (SELECT id FROM gone)",
        ARGS(v_int(owner)), NULL, e);
}

static enum rc purge_soon(struct db *db, struct err *e)
{
    int64_t now = clock_wall_ms();
    return store_job_add(db, JOB_PURGE_TRASH, 0, 0, now, now, e);
}

enum rc store_trash_erase(struct db *db, int64_t owner, const char *pub, struct err *e)
{
    enum rc rc = pub ? row_change(db, "entry of the trash",
                           "UPDATE trash SET erased = 1 WHERE owner = ? AND erased = 0 "
                           "AND session_id = (SELECT id FROM session WHERE pub = ?)",
                           ARGS(v_int(owner), v_text(pub)), e)
                     : db_exec(db, "UPDATE trash SET erased = 1 WHERE owner = ? AND erased = 0",
                           ARGS(v_int(owner)), NULL, e);
    if (rc == RC_OK)
        rc = erase_dependent(db, owner, e);
    return rc == RC_OK ? purge_soon(db, e) : rc;
}

enum rc store_trash_erase_some(struct db *db, int64_t owner, bool *more, struct err *e)
{
    int64_t erased = 0;
    enum rc rc = db_exec(db,
        "UPDATE trash SET erased = 1 WHERE session_id IN (SELECT session_id FROM trash WHERE owner = ? "
        "AND erased = 0 ORDER BY trashed_at, session_id LIMIT ?)",
        ARGS(v_int(owner), v_int(ERASED_AT_ONCE)), &erased, e);
    *more = rc == RC_OK && erased == ERASED_AT_ONCE;
    if (rc == RC_OK && erased)
        rc = erase_dependent(db, owner, e);
    return rc == RC_OK && erased ? purge_soon(db, e) : rc;
}

enum rc store_trash_sweep(struct db *db, int64_t before, int limit, int64_t *erased, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t *owners = NULL;
    size_t n = 0;
    enum rc rc = db_exec(db,
        "UPDATE trash SET erased = 1 WHERE erased = 0 AND session_id IN "
        "(SELECT session_id FROM trash WHERE erased = 0 AND trashed_at <= ? ORDER BY trashed_at LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), erased, e);
    if (rc == RC_OK && *erased)
        rc =
            row_list_ids(db, a, "SELECT DISTINCT owner FROM trash WHERE erased = 1", NO_ARGS, &owners, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = erase_dependent(db, owners[i], e);
    return rc == RC_OK && *erased ? purge_soon(db, e) : rc;
}

/* Of one owner, or of all (0). Messages of a session may be in the trash by themselves: they go before it. */
static enum rc next_erased(struct db *db, int64_t owner, int64_t *session_id, struct err *e)
{
    return db_one_int(db,
        "SELECT session_id FROM trash WHERE erased = 1 AND owner BETWEEN ? AND ? "
        "ORDER BY owner, from_id IS NULL, session_id LIMIT 1",
        ARGS(v_int(owner), v_int(owner ? owner : INT64_MAX)), session_id, e);
}

static enum rc purge_session(struct db *db, int64_t session_id, struct err *e)
{
    static const char *const statements[] = {
        "DELETE FROM summary WHERE session_id = ?",
        "DELETE FROM turn WHERE session_id = ?",
        "DELETE FROM trash WHERE session_id = ?",
        "DELETE FROM session WHERE id = ?",
    };
    enum rc rc = store_compaction_sweep_later(db, session_id, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(statements); i++)
        rc = db_exec(db, statements[i], ARGS(v_int(session_id)), NULL, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

/* Of the messages that are deleted next. One alone may have more bytes than all of these messages. */
static enum rc purge_picture(struct db *db, int64_t session_id, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM picture WHERE id IN (SELECT id FROM picture WHERE message_id IN (SELECT id FROM message "
        "WHERE session_id = ? ORDER BY id DESC LIMIT ?) LIMIT 1)",
        ARGS(v_int(session_id), v_int(PURGE_MESSAGES)), removed, e);
}

enum rc store_trash_purge(struct db *db, int64_t owner, bool *more, struct err *e)
{
    int64_t id, removed = 0;
    enum rc rc = next_erased(db, owner, &id, e);
    *more = rc == RC_OK;
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    bool indexed = false;
    if (rc == RC_OK)
        rc = store_trash_unindex_erased(db, id, &indexed, e);
    if (rc == RC_OK && !indexed)
        rc = purge_picture(db, id, &removed, e);
    if (rc != RC_OK || indexed || removed)
        return rc;
    rc = db_exec(db, /* children first, so that the rest stays a tree */
        "DELETE FROM message WHERE id IN (SELECT id FROM message WHERE session_id = ? ORDER BY id DESC LIMIT "
        "?)",
        ARGS(v_int(id), v_int(PURGE_MESSAGES)), &removed, e);
    return rc == RC_OK && removed < PURGE_MESSAGES ? purge_session(db, id, e) : rc;
}

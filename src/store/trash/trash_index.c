/* Takes the messages of an entry out of the indexes and puts them back, in steps for a long entry. Vectors
 * are hidden and shown with the words. */
#include "base/clock.h"
#include "store/job.h"
#include "store/message/message_row.h"
#include "store/search/vector.h"
#include "store/trash/trash_private.h"

static enum rc drop_some(
    struct db *db, int64_t session_id, int64_t upto, int most, int64_t *left, struct err *e)
{
    enum rc rc = message_index_drop_some(db, session_id, upto, most, left, e);
    if (rc == RC_OK)
        rc = store_vector_hide(db, session_id, *left, upto, e);
    return rc == RC_OK && (*left || upto != INT64_MAX)
               ? db_exec(db, "UPDATE trash SET indexed_to = ? WHERE session_id = ?",
                     ARGS(v_int(*left), v_int(session_id)), NULL, e)
               : rc;
}

/* The messages of a running turn are not in the index, but look as if they were when it has ended. `*id`: the
 * first that may be one of them; INT64_MAX: none. */
static enum rc first_running(struct db *db, int64_t session_id, int64_t *id, struct err *e)
{
    return db_one_int(db,
        "SELECT coalesce(min(iif(indexes_asked, min(asked_id, reply_id), reply_id)), ?) FROM turn "
        "WHERE session_id = ? AND status = 'running'",
        ARGS(v_int(INT64_MAX), v_int(session_id)), id, e);
}

/* Removes more than `most` messages if a running turn has an older one: afterwards all messages up to
 * trash.indexed_to must be in the index. */
enum rc store_trash_unindex(struct db *db, int64_t session_id, int most, struct err *e)
{
    int64_t left = INT64_MAX, running, now = clock_wall_ms();
    enum rc rc = first_running(db, session_id, &running, e);
    if (rc == RC_OK)
        do
            rc = drop_some(db, session_id, left, most, &left, e);
        while (rc == RC_OK && left >= running);
    return rc == RC_OK && left ? store_job_add(db, JOB_PURGE_TRASH, 0, 0, now, now, e) : rc;
}

struct indexed {
    int64_t session_id, upto;
};

static struct indexed read_indexed(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct indexed){rows_int(q, 0), rows_int(q, 1)};
}

DEFINE_ROWS(indexed, struct indexed, read_indexed, "entry of the trash")

enum rc store_trash_unindex_step(struct db *db, bool *more, struct err *e)
{
    struct indexed x;
    enum rc rc = get_indexed(db, NULL,
        "SELECT session_id, indexed_to FROM trash WHERE indexed_to > 0 AND restoring = 0 "
        "ORDER BY session_id LIMIT 1",
        NO_ARGS, &x, e);
    *more = rc == RC_OK;
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    return rc == RC_OK ? drop_some(db, x.session_id, x.upto, TRASH_STEP, &x.upto, e) : rc;
}

enum rc store_trash_unindex_erased(struct db *db, int64_t session_id, bool *more, struct err *e)
{
    int64_t upto = 0;
    enum rc rc = db_one_int(
        db, "SELECT indexed_to FROM trash WHERE session_id = ?", ARGS(v_int(session_id)), &upto, e);
    *more = rc == RC_OK && upto > 0;
    return *more ? drop_some(db, session_id, upto, TRASH_STEP, &upto, e) : rc;
}

/* Leaves out the messages of a running turn, and later ones, because that turn may end before the entry is
 * restored. */
enum rc trash_index_step(struct db *db, int64_t owner, const char *pub, bool *more, struct err *e)
{
    struct indexed x;
    int64_t running, shown = 0;
    *more = false;
    enum rc rc = get_indexed(db, NULL,
        "SELECT t.session_id, t.indexed_to FROM trash t JOIN session s ON s.id = t.session_id "
        "WHERE s.pub = ? AND t.owner = ? AND t.erased = 0",
        ARGS(v_text(pub), v_int(owner)), &x, e);
    if (rc == RC_OK)
        rc = first_running(db, x.session_id, &running, e);
    if (rc == RC_OK) {
        shown = x.upto;
        rc = message_index_add_some(db, x.session_id, &x.upto, running, TRASH_STEP, more, e);
    }
    if (rc == RC_OK && *more)
        rc = store_vector_show(db, owner, x.session_id, shown, x.upto, e);
    return rc == RC_OK && *more
               ? db_exec(db, "UPDATE trash SET indexed_to = ?, restoring = 1 WHERE session_id = ?",
                     ARGS(v_int(x.upto), v_int(x.session_id)), NULL, e)
               : rc;
}

/* Deleting a user: the counts of the data, and the account with all that foreign keys do not delete. */
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/memory.h"
#include "store/message/draft.h"
#include "store/message/message_row.h"
#include "store/row.h"

static struct user_holdings read_holdings(const struct rows *q, struct arena *a)
{
    (void)a;
    return (struct user_holdings){
        .user_id = rows_int(q, 0),
        .sessions = rows_int(q, 1),
        .messages = rows_int(q, 2),
        .memories = rows_int(q, 3),
        .tasks = rows_int(q, 4),
        .transfers = rows_int(q, 5),
    };
}

DEFINE_ROWS(holdings, struct user_holdings, read_holdings, "user")

enum rc store_user_holdings(struct db *db, int64_t user_id, struct user_holdings *out, struct err *e)
{
    *out = (struct user_holdings){.user_id = user_id};
    return get_holdings(db, NULL,
        "SELECT u.id, (SELECT count(*) FROM session WHERE owner = u.id) + "
        "(SELECT count(*) FROM trash WHERE owner = u.id AND from_id IS NULL), "
        "(SELECT count(*) FROM message WHERE id BETWEEN ? AND ? AND " MESSAGE_COUNTS "), "
        "(SELECT count(*) FROM memory WHERE owner = u.id AND deleted_at IS NULL), "
        "(SELECT count(*) FROM task WHERE owner = u.id AND deleted_at IS NULL), "
        "(SELECT count(*) FROM transfer WHERE owner = u.id) "
        "FROM user u WHERE u.id = ?",
        ARGS(v_int(owner_first(user_id)), v_int(owner_last(user_id)), v_int(user_id)), out, e);
}

/* The caller deletes sessions first, because they have a text index and jobs. */
static enum rc refuse_sessions(struct db *db, int64_t user_id, struct err *e)
{
    int64_t sessions;
    enum rc rc = db_one_int(db,
        "SELECT (SELECT count(*) FROM session WHERE owner = ?) + (SELECT count(*) FROM trash WHERE owner = "
        "?)",
        ARGS(v_int(user_id), v_int(user_id)), &sessions, e);
    if (rc == RC_OK && sessions)
        return err_say(e, RC_CONFLICT, "auth.sessions_left", arg_int("n", sessions));
    return rc;
}

/* Counts whose key contains the account: "name:NAME", "second:ID" and "pair:NAME NETWORK". '!' is the
 * character after the blank. */
static enum rc forget_failures(struct db *db, int64_t user_id, struct err *e)
{
    return db_exec(db,
        "DELETE FROM signin_failure WHERE subject = (SELECT 'name:' || name FROM user WHERE id = ?) "
        "OR subject = 'second:' || ? "
        "OR (subject >= (SELECT 'pair:' || name || ' ' FROM user WHERE id = ?) "
        "AND subject < (SELECT 'pair:' || name || '!' FROM user WHERE id = ?))",
        ARGS(v_int(user_id), v_int(user_id), v_int(user_id), v_int(user_id)), NULL, e);
}

enum rc store_user_delete(struct db *db, int64_t user_id, struct err *e)
{
    int64_t changed = 0;
    enum rc rc = refuse_sessions(db, user_id, e);
    if (rc == RC_OK)
        rc = store_memory_clear(db, user_id, &changed, e); /* with its text index */
    if (rc == RC_OK)
        rc = forget_failures(db, user_id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "DELETE FROM user WHERE id = ?", ARGS(v_int(user_id)), &changed, e);
    rc = must_exist(rc, changed, "user", e);
    if (rc == RC_OK)
        rc = store_draft_sweep(db, 0, e);
    return rc == RC_OK ? store_job_purge_later(db, e) : rc;
}

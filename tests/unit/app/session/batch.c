#include "app/store_rig.h"

#include "app/session/batch.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/memory/compaction.h"
#include "store/session/session.h"

#define NOW INT64_C(1795182361000)

static const struct auth_client from = {.address = "192.0.2.1", .agent = "test", .now = NOW};
static struct config config;
static int64_t anna, session;

/* A session in which a compaction was requested. */
static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    int64_t asked;
    (void)arg;
    enum rc rc = store_user_add(db, "anna", USER_MEMBER, "", NOW, &anna, e);
    if (rc == RC_OK)
        rc = store_session_add(db, anna, "ses_a", NULL, NULL, NOW, &session, e);
    if (rc == RC_OK)
        rc = rig_add_message(db, anna, session, 0, ROLE_USER, "a question", NOW, &asked, e);
    struct compaction_request request = {
        .session_id = session, .head_id = asked, .keep = "", .by_user = true, .asked_at = NOW};
    if (rc == RC_OK)
        rc = store_compaction_request(db, anna, &request, e);
    return rc == RC_OK ? store_job_add_wanted(db, JOB_COMPACT, anna, session, NOW, NOW, e) : rc;
}

static struct store *start(void)
{
    config.server.data_dir = unit_tmp();
    return rig_store(fill_tx, NULL);
}

static int64_t jobs(struct store *s, const char *kind)
{
    int64_t n = 0;
    struct db *db = store_read(s);
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM job WHERE kind = ? AND state = 'ready'", ARGS(v_text(kind)), &n, NULL));
    store_read_done(s, db);
    return n;
}

static struct batch trash(struct store *s, struct arena *a)
{
    const struct batch_request q = {.owner = anna, .from = &from, .action = BATCH_TRASH, .ids = STR("ses_a")};
    struct batch b;
    assert_ok(session_batch(s, &config, &q, a, &b, NULL));
    assert_int_equal(b.changed, 1);
    return b;
}

TEST(a_batch_that_fills_the_trash_wakes_its_purge)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    trash(s, a);
    assert_int_equal(jobs(s, JOB_PURGE_TRASH), 1); /* erases at once when [trash] days is 0 */
}

TEST(a_session_that_undo_brings_back_has_its_jobs_again)
{
    AUTO(store) s = start();
    AUTO(arena) a = arena_new();
    struct batch b = trash(s, a);
    assert_int_equal(jobs(s, JOB_COMPACT), 0);
    assert_ok(session_batch_undo(s, &config, anna, b.pub, a, &b, NULL));
    assert_int_equal(jobs(s, JOB_COMPACT), 1);
}

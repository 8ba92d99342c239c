#include "app/store_rig.h"

#include "base/clock.h"
#include "helper/task_sweep.h"
#include "store/account/idempotency.h"
#include "store/account/user.h"
#include "store/channel/inbox.h"
#include "store/job.h"
#include "store/message/picture.h"
#include "store/session/session.h"
#include "store/session/share.h"

#define LONG_AGO INT64_C(1000)

/* A session that is due for the archive, and an old failure to sign in that cannot be removed. */
static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    int64_t id;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", LONG_AGO, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, id, "ses_a", NULL, NULL, LONG_AGO, &id, e);
    if (rc == RC_OK)
        rc = db_exec(db, "INSERT INTO signin_failure (subject, at) VALUES ('name:x', 1)", NO_ARGS, NULL, e);
    if (rc == RC_OK)
        rc = db_exec(db,
            "CREATE TRIGGER broken BEFORE DELETE ON signin_failure BEGIN SELECT raise(ABORT, 'it is "
            "broken'); END",
            NO_ARGS, NULL, e);
    return rc;
}

static enum rc archived_fn(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM session WHERE archived_at IS NOT NULL", NO_ARGS, arg, e);
}

TEST(a_part_of_the_sweep_that_fails_stops_no_other_and_is_reported)
{
    struct config *config;
    struct err e = ERR_INIT;
    int64_t archived = 0;
    assert_int_equal(config_parse("test", unit_tmp(), STR(""), &config, NULL), RC_OK);
    struct helper h = {.config = config, .store = rig_store(fill_tx, NULL), .signal_fd = -1};
    assert_int_not_equal(task_sweep(&h, &(struct job){.kind = JOB_SWEEP}, &e), RC_OK);
    assert_string_equal(e.text, "it is broken");
    assert_int_equal(store_with_reader(h.store, archived_fn, &archived, NULL), RC_OK);
    assert_int_equal(archived, 1);
    store_free(h.store);
    config_free(config);
}

/* An idle session, and a sweep that was done `arg` ms ago. */
static enum rc swept_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *ago = arg;
    int64_t id;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", LONG_AGO, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, id, "ses_a", NULL, NULL, LONG_AGO, &id, e);
    return rc == RC_OK ? db_exec(db,
                             "INSERT INTO job (kind, subject, state, run_at, created_at, ended_at) "
                             "VALUES ('sweep', 0, 'done', 1, 1, ?)",
                             ARGS(v_int(clock_wall_ms() - *ago)), NULL, e)
                       : rc;
}

struct swept {
    int64_t archived, next_at;
};

static enum rc swept_fn(struct db *db, void *arg, struct err *e)
{
    struct swept *s = arg;
    enum rc rc = archived_fn(db, &s->archived, e);
    return rc == RC_OK ? db_one_int(db,
                             "SELECT coalesce(sum(run_at), 0) FROM job WHERE kind = 'sweep' AND state = "
                             "'ready'",
                             NO_ARGS, &s->next_at, e)
                       : rc;
}

static struct swept sweep_after(int64_t ago)
{
    struct config *config;
    struct swept s;
    assert_int_equal(config_parse("test", unit_tmp(), STR(""), &config, NULL), RC_OK);
    struct helper h = {.config = config, .store = rig_store(swept_tx, &ago), .signal_fd = -1};
    assert_int_equal(task_sweep(&h, &(struct job){.kind = JOB_SWEEP}, NULL), RC_OK);
    assert_int_equal(store_with_reader(h.store, swept_fn, &s, NULL), RC_OK);
    store_free(h.store);
    config_free(config);
    return s;
}

TEST(a_sweep_long_after_the_last_one_waits_because_the_clock_may_be_wrong)
{
    struct swept s = sweep_after(8 * MS_PER_DAY);
    assert_int_equal(s.archived, 0);
    assert_true(s.next_at > clock_wall_ms() + 9 * MS_PER_MIN);
    assert_true(s.next_at < clock_wall_ms() + 11 * MS_PER_MIN);
    s = sweep_after(6 * MS_PER_DAY);
    assert_int_equal(s.archived, 1);
    assert_int_equal(s.next_at, 0);
    s = sweep_after(-MS_PER_DAY); /* the clock was set back since */
    assert_int_equal(s.archived, 1);
}

#define MANY 1200 /* more than one transaction removes */

/* Rows that were due during an outage. */
static enum rc many_tx(struct db *db, void *arg, struct err *e)
{
    static const char *const rows[] = {
        "INSERT INTO job (kind, subject, state, run_at, created_at, ended_at) "
        "SELECT 'embed', i, 'done', 1, 1, 1 FROM n",
        "INSERT INTO inbox (channel, bot, update_id, received_at, state) "
        "SELECT 'telegram', '', i, 1, iif(i = 1, 'new', 'done') FROM n",
        "INSERT INTO idempotency (owner, key_hash, request, created_at) SELECT 1, i, x'00', 1 FROM n",
    };
    AUTO(arena) a = arena_new();
    int64_t id;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", LONG_AGO, &id, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(rows); i++)
        rc = db_exec(db,
            arena_printf(a,
                "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) %s", MANY,
                rows[i]),
            NO_ARGS, NULL, e);
    return rc;
}

struct rows_left {
    int64_t jobs, updates, answers;
};

static enum rc rows_left_fn(struct db *db, void *arg, struct err *e)
{
    struct rows_left *l = arg;
    enum rc rc = db_one_int(db, "SELECT count(*) FROM job WHERE kind = 'embed'", NO_ARGS, &l->jobs, e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT count(*) FROM inbox", NO_ARGS, &l->updates, e);
    return rc == RC_OK ? db_one_int(db, "SELECT count(*) FROM idempotency", NO_ARGS, &l->answers, e) : rc;
}

static enum rc one_step_tx(struct db *db, void *arg, struct err *e)
{
    int64_t *removed = arg, n;
    enum rc rc = store_job_sweep(db, LONG_AGO, 100, removed, e);
    if (rc == RC_OK)
        rc = store_inbox_sweep(db, LONG_AGO, 100, &n, e);
    *removed += n;
    if (rc == RC_OK)
        rc = store_idempotency_sweep(db, LONG_AGO, 100, &n, e);
    *removed += n;
    return rc;
}

TEST(old_records_are_removed_in_steps)
{
    struct config *config;
    int64_t removed = 0;
    struct rows_left left;
    assert_int_equal(config_parse("test", unit_tmp(), STR(""), &config, NULL), RC_OK);
    struct helper h = {.config = config, .store = rig_store(many_tx, NULL), .signal_fd = -1};
    assert_int_equal(store_write(h.store, one_step_tx, &removed, NULL), RC_OK);
    assert_int_equal(removed, 3 * 100);
    assert_int_equal(task_sweep(&h, &(struct job){.kind = JOB_SWEEP}, NULL), RC_OK);
    assert_int_equal(store_with_reader(h.store, rows_left_fn, &left, NULL), RC_OK);
    assert_int_equal(left.jobs, 0);
    assert_int_equal(left.updates, 1); /* that waits */
    assert_int_equal(left.answers, 0);
    store_free(h.store);
    config_free(config);
}

#define PICTURES 20

static enum rc pictures_tx(struct db *db, void *arg, struct err *e)
{
    struct picture p = {.media_type = "image/png", .width = 1, .height = 1, .bytes = 1};
    int64_t owner;
    AUTO(arena) a = arena_new();
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", LONG_AGO, &owner, e);
    for (int i = 0; rc == RC_OK && i < PICTURES; i++)
        rc = store_picture_add(db, a, owner, &p, STR("x"), LONG_AGO, e);
    return rc == RC_OK ? store_picture_add(db, a, owner, &p, STR("y"), clock_wall_ms(), e) : rc;
}

static enum rc left_fn(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM picture", NO_ARGS, arg, e);
}

TEST(all_pictures_that_were_not_sent_in_time_are_removed)
{
    struct config *config;
    int64_t left = 0;
    assert_int_equal(config_parse("test", unit_tmp(), STR(""), &config, NULL), RC_OK);
    struct helper h = {.config = config, .store = rig_store(pictures_tx, NULL), .signal_fd = -1};
    assert_int_equal(task_sweep(&h, &(struct job){.kind = JOB_SWEEP}, NULL), RC_OK);
    assert_int_equal(store_with_reader(h.store, left_fn, &left, NULL), RC_OK);
    assert_int_equal(left, 1);
    store_free(h.store);
    config_free(config);
}

/* Three links that ended long ago, one that ends later and one without an end. */
static enum rc shares_tx(struct db *db, void *arg, struct err *e)
{
    int64_t owner, session;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", LONG_AGO, &owner, e);
    if (rc == RC_OK)
        rc = store_session_add(db, owner, "ses_a", NULL, NULL, clock_wall_ms(), &session, e);
    return rc == RC_OK ? db_exec(db,
                             "WITH n (i, ends) AS (VALUES (1, 1), (2, 1), (3, 1), (4, 9e15), (5, NULL)) "
                             "INSERT INTO share (owner, session_id, token, token_hash, messages, created_at, "
                             "copied_at, expires_at) SELECT ?, ?, i, i, 1, 1, 1, ends FROM n",
                             ARGS(v_int(owner), v_int(session)), NULL, e)
                       : rc;
}

static enum rc one_share_tx(struct db *db, void *arg, struct err *e)
{
    return store_share_sweep(db, LONG_AGO, 1, arg, e);
}

static enum rc shares_left_fn(struct db *db, void *arg, struct err *e)
{
    return db_one_int(db, "SELECT sum(id) FROM share", NO_ARGS, arg, e);
}

TEST(shared_links_that_ended_are_removed_one_by_one)
{
    struct config *config;
    int64_t removed = 0, left = 0;
    assert_int_equal(config_parse("test", unit_tmp(), STR(""), &config, NULL), RC_OK);
    struct helper h = {.config = config, .store = rig_store(shares_tx, NULL), .signal_fd = -1};
    assert_int_equal(store_write(h.store, one_share_tx, &removed, NULL), RC_OK);
    assert_int_equal(removed, 1);
    assert_int_equal(task_sweep(&h, &(struct job){.kind = JOB_SWEEP}, NULL), RC_OK);
    assert_int_equal(store_with_reader(h.store, shares_left_fn, &left, NULL), RC_OK);
    assert_int_equal(left, 4 + 5);
    store_free(h.store);
    config_free(config);
}

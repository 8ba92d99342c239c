#include "app/store_rig.h"

#include "base/clock.h"
#include "helper/task_sweep.h"
#include "store/account/user.h"
#include "store/session/session.h"

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

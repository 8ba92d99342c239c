/* Mass jobs while the helper stops. */
#include "app/store_rig.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "app/erasure/erasure_tasks.h"
#include "app/jobs/mass.h"
#include "app/search/search_tasks.h"
#include "app/session/session_tasks.h"
#include "app/transfer/transfer_tasks.h"
#include "app/trash/trash_tasks.h"
#include "store/account/user.h"
#include "store/session/session.h"

#define NOW INT64_C(1795182361000)

static const struct {
    const char *name;
    task_fn *run;
} tasks[] = {
    {"erase_user", task_erase_user},
    {"purge_trash", task_purge_trash},
    {"purge_drafts", task_purge_drafts},
    {"purge_index", task_purge_index},
    {"index_pairs", task_index_pairs},
    {"batch", task_batch},
    {"embed", task_embed},
};

/* User 1 stays, user 2 is erased. */
static enum rc fill(struct db *db, void *arg, struct err *e)
{
    int64_t id;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bert", USER_MEMBER, "x", NOW, &id, e);
    return rc == RC_OK ? store_session_add(db, id, "ses_b", NULL, NULL, NOW, &id, e) : rc;
}

static enum rc berts(struct db *db, void *n, struct err *e)
{
    return db_one_int(db, "SELECT count(*) FROM user WHERE name = 'bert'", NO_ARGS, n, e);
}

static enum rc count_step(struct db *db, void *arg, struct err *e)
{
    (void)db, (void)e;
    ++*(int *)arg;
    return RC_OK;
}

TEST(no_step_begins_when_the_helper_stops)
{
    AUTO(store) s = rig_store(fill, NULL);
    struct mass m = {.store = s, .stop_fd = eventfd(0, EFD_CLOEXEC)};
    struct err e = ERR_INIT;
    int steps = 0;
    assert_int_equal(mass_step(&m, count_step, &steps, &e), RC_OK);
    assert_int_equal(eventfd_write(m.stop_fd, 1), 0);
    assert_int_equal(mass_step(&m, count_step, &steps, &e), RC_CANCELLED);
    assert_int_equal(mass_merge(&m, &e), RC_CANCELLED);
    assert_int_equal(steps, 1);
    close(m.stop_fd);
}

TEST(every_mass_job_ends_when_the_helper_stops_and_goes_on_later)
{
    AUTO(store) s = rig_store(fill, NULL);
    struct config config = {.server.data_dir = (char *)(uintptr_t)unit_tmp(), .trash.days = 30};
    struct helper h = {.config = &config, .store = s, .signal_fd = eventfd(1, EFD_CLOEXEC)};
    struct job job = {.owner = 2, .subject = 2};
    int64_t n = 0;
    for (size_t i = 0; i < ARRAY_LEN(tasks); i++) {
        struct err e = ERR_INIT;
        if (tasks[i].run(&h, &job, &e) != RC_CANCELLED)
            fail_msg("%s did not stop", tasks[i].name);
    }
    assert_int_equal(store_with_reader(s, berts, &n, NULL), RC_OK);
    assert_int_equal(n, 1);
    close(h.signal_fd);
    h.signal_fd = -1;
    assert_int_equal(task_erase_user(&h, &job, NULL), RC_OK);
    assert_int_equal(store_with_reader(s, berts, &n, NULL), RC_OK);
    assert_int_equal(n, 0);
}

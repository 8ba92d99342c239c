#include "app/store_rig.h"

#include "base/clock.h"
#include "helper/clock_back.h"
#include "store/account/user.h"
#include "store/channel/chat.h"
#include "store/channel/outbox.h"
#include "store/channel/problem.h"
#include "store/job.h"
#include "store/session/session.h"

#define NOW  INT64_C(1760000000000)
#define BACK (2 * MS_PER_H)
#define NEW  (NOW - BACK) /* what the clock shows now */

static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    int64_t owner, chat;
    struct channel_chat c = {.channel = "telegram", .chat = "7", .thread = "", .owner = 1, .sender = "7"};
    struct channel_problem p = {"telegram", CHANNEL_SENDS, "401", NOW, NOW + 60};
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NEW, &owner, e);
    if (rc == RC_OK)
        rc = store_job_add(db, JOB_SWEEP, 0, 0, NEW - 10, NEW, e);
    if (rc == RC_OK)
        rc = store_job_add(db, JOB_TITLE, owner, 1, NOW + 30, NOW, e);
    if (rc == RC_OK)
        rc = store_channel_chat_add(db, &c, NEW, &chat, e);
    if (rc == RC_OK)
        rc = store_outbox_add(
            db, &(struct outbox_row){.chat_id = chat, .markdown = STR("Hello"), .created_at = NOW}, e);
    return rc == RC_OK ? store_channel_problem_set(db, &p, e) : rc;
}

static enum rc times_fn(struct db *db, void *arg, struct err *e)
{
    int64_t *at = arg;
    enum rc rc = db_one_int(db, "SELECT run_at FROM job WHERE kind = 'sweep'", NO_ARGS, &at[0], e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT run_at FROM job WHERE kind = 'title'", NO_ARGS, &at[1], e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT run_at FROM outbox", NO_ARGS, &at[2], e);
    return rc == RC_OK ? db_one_int(db, "SELECT next_at FROM channel_problem", NO_ARGS, &at[3], e) : rc;
}

TEST(after_the_clock_is_set_back_nothing_waits_longer_than_before)
{
    struct store *s = rig_store(fill_tx, NULL);
    int64_t at[4];
    assert_int_equal(clock_back_move(s, NEW, BACK, NULL), RC_OK);
    assert_int_equal(store_with_reader(s, times_fn, at, NULL), RC_OK);
    assert_int_equal(at[0], NEW - 10); /* it was due */
    assert_int_equal(at[1], NEW + 30);
    assert_int_equal(at[2], NEW);
    assert_int_equal(at[3], NEW + 60);
    store_free(s);
}

/* Used before the time ahead, and twice in it. */
static enum rc sessions_tx(struct db *db, void *arg, struct err *e)
{
    int64_t owner, id;
    (void)arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NEW, &owner, e);
    if (rc == RC_OK)
        rc = store_session_add(db, owner, "ses_old", NULL, NULL, NEW - 50, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, owner, "ses_first", NULL, NULL, NOW - 20, &id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, owner, "ses_last", NULL, NULL, NOW - 10, &id, e);
    return rc == RC_OK ? store_session_seen(db, owner, id, NOW, e) : rc;
}

static enum rc sessions_fn(struct db *db, void *arg, struct err *e)
{
    int64_t *at = arg;
    enum rc rc = db_one_int(db, "SELECT active_at FROM session WHERE pub = 'ses_old'", NO_ARGS, &at[0], e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT active_at FROM session WHERE pub = 'ses_first'", NO_ARGS, &at[1], e);
    if (rc == RC_OK)
        rc = db_one_int(db, "SELECT active_at FROM session WHERE pub = 'ses_last'", NO_ARGS, &at[2], e);
    return rc == RC_OK
               ? db_one_int(db, "SELECT seen_at FROM session WHERE pub = 'ses_last'", NO_ARGS, &at[3], e)
               : rc;
}

TEST(no_session_was_used_or_seen_later_than_now)
{
    const struct {
        int64_t back, want[4];
    } cases[] = {{BACK, {NEW - 50, NEW - 20, NEW - 10, NEW}}, {0, {NEW - 50, NEW, NEW, NEW}}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct store *s = rig_store(sessions_tx, NULL);
        int64_t at[4];
        assert_int_equal(clock_back_move(s, NEW, cases[i].back, NULL), RC_OK);
        assert_int_equal(store_with_reader(s, sessions_fn, at, NULL), RC_OK);
        assert_memory_equal(at, cases[i].want, sizeof at);
        store_free(s);
    }
}

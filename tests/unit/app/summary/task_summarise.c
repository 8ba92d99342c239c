/* The summary of a session to which another program adds messages while the helper reads it. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "app/config/config.h"
#include "app/models/providers.h"
#include "app/store_rig.h"
#include "app/summary/summary_tasks.h"
#include "db/db.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/session/session.h"

#define NOW    INT64_C(1700000000000)
#define ROUNDS 500

struct talk {
    struct store *store; /* of the program that answers */
    int64_t owner, session;
    atomic_bool over;
    int64_t covered; /* the last message of the newest summary */
    int64_t read;    /* the message up to which the session counts as summarised */
};

static enum rc begin(struct db *db, void *arg, struct err *e)
{
    struct talk *t = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "-", NOW, &t->owner, e);
    return rc == RC_OK ? store_session_add(db, t->owner, "ses_1", NULL, NULL, NOW, &t->session, e) : rc;
}

/* A question is edited: each is the first one of its branch, so that reading the path takes no time. */
static enum rc say(struct db *db, void *arg, struct err *e)
{
    struct talk *t = arg;
    int64_t asked, answered;
    enum rc rc = rig_add_message(db, t->owner, t->session, 0, ROLE_USER, "I drink tea.", NOW, &asked, e);
    return rc == RC_OK ? rig_add_message(
                             db, t->owner, t->session, asked, ROLE_ASSISTANT, "So do I.", NOW, &answered, e)
                       : rc;
}

static void *talk_on(void *arg)
{
    struct talk *t = arg;
    while (!atomic_load(&t->over))
        assert_ok(store_write(t->store, say, t, NULL));
    return NULL;
}

static void read_state(struct talk *t)
{
    struct rows q;
    struct db *db = store_read_state(t->store);
    assert_ok(db_query(db, &q,
        "SELECT s.summarised_id, (SELECT last_id FROM summary WHERE session_id = s.id ORDER BY version "
        "DESC LIMIT 1) FROM session s WHERE s.id = ?",
        ARGS(v_int(t->session)), NULL));
    assert_true(rows_next(&q));
    t->read = rows_int(&q, 0);
    t->covered = rows_int(&q, 1);
    assert_ok(rows_done(&q, RC_OK, NULL));
    store_read_done(t->store, db);
}

TEST(a_summary_covers_every_message_that_counts_as_summarised)
{
    AUTO(config) config = NULL;
    struct providers *providers;
    char path[256];
    struct store *own; /* the helper's */
    struct talk t = {0};
    pthread_t talking;
    int unread = 0;
    assert_ok(config_parse("test", unit_tmp(), STR("[session]\nidle_minutes = 0\n"), &config, NULL));
    assert_ok(providers_new(config, &providers, NULL));
    snprintf(path, sizeof path, "%s/summarised.db", unit_tmp());
    assert_ok(store_open(unit_migrated(path), 1, &t.store, NULL));
    assert_ok(store_open(path, 1, &own, NULL));
    assert_ok(store_write(t.store, begin, &t, NULL));
    assert_ok(store_write(t.store, say, &t, NULL));
    struct helper h = {.config = config, .providers = providers, .store = own};
    struct job job = {.owner = t.owner, .subject = t.session, .kind = JOB_SUMMARISE};
    assert_int_equal(pthread_create(&talking, NULL, talk_on, &t), 0);
    for (int i = 0; i < ROUNDS; i++) {
        assert_ok(task_summarise(&h, &job, NULL));
        read_state(&t);
        unread += t.covered != t.read;
    }
    atomic_store(&t.over, true);
    pthread_join(talking, NULL);
    assert_int_equal(unread, 0);
    providers_free(providers);
    store_free(own);
    store_free(t.store);
}

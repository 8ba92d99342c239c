/* The plan of an exported conversation whose messages another program replaces meanwhile. */
#include <pthread.h> /* the Makefile runs files that name it under TSan too */

#include "unit.h"

#include <stdatomic.h>
#include <stdio.h>

#include "app/export/conversation.h"
#include "app/store_rig.h"
#include "store/account/user.h"

#define NOW    INT64_C(1700000000000)
#define ROUNDS 3000

struct talk {
    struct store *store;
    int64_t owner, session;
    atomic_bool over;
};

static enum rc begin(struct db *db, void *arg, struct err *e)
{
    struct talk *t = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "-", NOW, &t->owner, e);
    return rc == RC_OK ? store_session_add(db, t->owner, "ses_1", NULL, NULL, NOW, &t->session, e) : rc;
}

/* A new message is the end, and the one before is gone. */
static enum rc replace(struct db *db, void *arg, struct err *e)
{
    struct talk *t = arg;
    int64_t id;
    enum rc rc = rig_add_message(db, t->owner, t->session, 0, ROLE_USER, "I drink tea.", NOW, &id, e);
    return rc == RC_OK ? db_exec(db, "DELETE FROM message WHERE session_id = ? AND id <> ?",
                             ARGS(v_int(t->session), v_int(id)), NULL, e)
                       : rc;
}

static void *talk_on(void *arg)
{
    struct talk *t = arg;
    while (!atomic_load(&t->over))
        assert_ok(store_write(t->store, replace, t, NULL));
    return NULL;
}

TEST(a_plan_has_the_end_of_the_conversation)
{
    char path[256];
    struct talk t = {0};
    pthread_t talking;
    int empty = 0;
    snprintf(path, sizeof path, "%s/conversation.db", unit_tmp());
    assert_ok(store_open(unit_migrated(path), 1, &t.store, NULL));
    assert_ok(store_write(t.store, begin, &t, NULL));
    assert_ok(store_write(t.store, replace, &t, NULL));
    assert_int_equal(pthread_create(&talking, NULL, talk_on, &t), 0);
    for (int i = 0; i < ROUNDS; i++) {
        AUTO(arena) a = arena_new();
        struct conversation c;
        assert_ok(conversation_plan(t.store, a, t.owner, "ses_1", CONVERSATION_SHOWN_BRANCH, &c, NULL));
        empty += c.n == 0;
    }
    atomic_store(&t.over, true);
    pthread_join(talking, NULL);
    assert_int_equal(empty, 0);
    store_free(t.store);
}

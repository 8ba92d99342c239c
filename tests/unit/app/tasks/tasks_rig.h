/* Shared by the tests of tasks: a store with two users. */
#ifndef ALFRED_TESTS_APP_TASKS_TASKS_RIG_H
#define ALFRED_TESTS_APP_TASKS_TASKS_RIG_H

#include "app/store_rig.h"

#include <stdlib.h>
#include <time.h>

#include "app/tasks/tasks.h"
#include "store/account/user.h"
#include "store/session/session.h"

#define NOW INT64_C(1795182361000) /* 2026-11-20T13:46:01Z, a Friday */

struct home {
    struct store *store;
    struct arena *a;
    int64_t now, asked; /* the user's newest message, 0: none */
};

static enum rc users_tx(struct db *db, void *arg, struct err *e)
{
    int64_t *id = arg;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_a", NULL, NULL, NOW, id, e);
    if (rc == RC_OK)
        rc = store_session_add(db, 1, "ses_b", NULL, NULL, NOW, id, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bob", USER_MEMBER, "x", NOW, id, e);
    return rc == RC_OK ? store_session_add(db, 2, "ses_c", NULL, NULL, NOW, id, e) : rc;
}

static struct home home(void)
{
    int64_t id;
    struct home h = {.a = arena_new(), .now = NOW};
    setenv("TZ", "UTC", 1);
    tzset();
    h.store = rig_store(users_tx, &id);
    return h;
}

static void leave(struct home *h)
{
    store_free(h->store);
    arena_free(h->a);
}

#endif

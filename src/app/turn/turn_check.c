/* Finds the running turns that may not go on: their owners are disabled, or their sessions were deleted when
 * it is not known which sessions were. */
#include <stdlib.h>

#include "app/turn/turn_private.h"
#include "store/account/user.h"

struct one_turn {
    int64_t owner;
    int64_t session_id; /* 0: it may not be stored yet */
    bool disabled, gone;
};

struct turn_check {
    struct turn_engine *en;
    struct one_turn *list;
    size_t n;
};

static enum rc check_one(struct db *db, struct arena *a, struct one_turn *t, struct err *e)
{
    const char *pub;
    enum rc rc = store_user_check_active(db, t->owner, e);
    t->disabled = rc == RC_UNAUTHENTICATED;
    if (rc != RC_OK || !t->session_id)
        return t->disabled ? RC_OK : rc;
    rc = store_session_pub(db, a, t->owner, t->session_id, &pub, e);
    t->gone = rc == RC_NOT_FOUND;
    return t->gone ? RC_OK : rc;
}

static enum rc check_tx(struct db *db, void *arg, struct err *e)
{
    struct turn_check *c = arg;
    AUTO(arena) a = arena_new();
    enum rc rc = RC_OK;
    for (size_t i = 0; rc == RC_OK && i < c->n; i++)
        rc = check_one(db, a, &c->list[i], e);
    return rc;
}

static void check(void *arg)
{
    struct turn_check *c = arg;
    struct err e = ERR_INIT;
    if (store_with_reader(c->en->set.store, check_tx, c, &e) != RC_OK)
        log_warn("checking the running turns: %s", e.text);
}

static void checked(void *arg)
{
    struct turn_check *c = arg;
    struct turn_engine *en = c->en;
    for (size_t i = 0; i < c->n; i++) {
        if (c->list[i].disabled)
            turn_stop_owner(en, c->list[i].owner);
        else if (c->list[i].gone)
            turn_stop_session(en, c->list[i].session_id);
    }
    free(c->list);
    free(c);
    en->checking = false;
    if (en->check_again)
        turn_check_running(en);
    turn_look_idle(en);
}

void turn_check_running(struct turn_engine *en)
{
    size_t n = 0;
    en->check_again = en->checking;
    if (en->checking || en->draining)
        return;
    for (const struct turn *t = en->turns; t; t = t->next)
        n++;
    if (n == 0)
        return;
    struct turn_check *c = xcalloc(1, sizeof *c);
    c->en = en;
    c->list = xcalloc(n, sizeof *c->list);
    for (const struct turn *t = en->turns; t; t = t->next)
        c->list[c->n++] =
            (struct one_turn){.owner = t->ids.owner, .session_id = t->committed ? t->ids.session_id : 0};
    en->checking = true;
    thread_pool_submit(en->set.pool, check, checked, c);
}

/* Finds the running turns whose sessions were deleted, when it is not known which sessions were. */
#include <stdlib.h>

#include "app/turn/turn_private.h"

struct one_session {
    int64_t owner, id;
    bool gone;
};

struct session_check {
    struct turn_engine *en;
    struct one_session *list;
    size_t n;
};

static enum rc check_tx(struct db *db, void *arg, struct err *e)
{
    struct session_check *c = arg;
    AUTO(arena) a = arena_new();
    for (size_t i = 0; i < c->n; i++) {
        const char *pub;
        struct one_session *s = &c->list[i];
        enum rc rc = store_session_pub(db, a, s->owner, s->id, &pub, e);
        s->gone = rc == RC_NOT_FOUND;
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
    }
    return RC_OK;
}

static void check(void *arg)
{
    struct session_check *c = arg;
    struct err e = ERR_INIT;
    if (store_with_reader(c->en->set.store, check_tx, c, &e) != RC_OK)
        log_warn("looking for deleted sessions: %s", e.text);
}

static void checked(void *arg)
{
    struct session_check *c = arg;
    struct turn_engine *en = c->en;
    for (size_t i = 0; i < c->n; i++)
        if (c->list[i].gone)
            turn_stop_session(en, c->list[i].id);
    free(c->list);
    free(c);
    en->checking = false;
    if (en->check_again)
        turn_check_sessions(en);
    turn_look_idle(en);
}

void turn_check_sessions(struct turn_engine *en)
{
    size_t n = 0;
    en->check_again = en->checking;
    if (en->checking || en->draining)
        return;
    for (const struct turn *t = en->turns; t; t = t->next)
        n += t->committed;
    if (n == 0)
        return;
    struct session_check *c = xcalloc(1, sizeof *c);
    c->en = en;
    c->list = xcalloc(n, sizeof *c->list);
    for (const struct turn *t = en->turns; t; t = t->next)
        if (t->committed) /* before, its session may not be stored yet */
            c->list[c->n++] = (struct one_session){.owner = t->ids.owner, .id = t->ids.session_id};
    en->checking = true;
    thread_pool_submit(en->set.pool, check, checked, c);
}

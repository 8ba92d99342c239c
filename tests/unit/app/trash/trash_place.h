/* Shared by the tests of the trash: a store with two users, one of whom has two sessions. */
#ifndef ALFRED_TESTS_APP_TRASH_PLACE_H
#define ALFRED_TESTS_APP_TRASH_PLACE_H

#include "app/store_rig.h"

#include "app/trash/trash.h"
#include "app/trash/trash_tasks.h"
#include "store/account/user.h"
#include "store/memory/compaction.h"
#include "store/memory/summary.h"
#include "store/message/turn.h"
#include "store/search/vector.h"
#include "store/session/session.h"

#define NOW INT64_C(1795182361000)

static const struct auth_client from = {.address = "192.0.2.1", .agent = "test", .now = NOW};
static struct config config;

struct place {
    int64_t anna, bert;
    struct {
        int64_t id, asked, reply;
        char pub[ID_SIZE];
    } sessions[2];
};
static struct place place;

__attribute__((unused)) static enum rc fill(struct db *db, void *arg, struct err *e)
{
    (void)arg;
    enum rc rc = store_user_add(db, "anna", USER_MEMBER, "", NOW, &place.anna, e);
    if (rc == RC_OK)
        rc = store_user_add(db, "bert", USER_MEMBER, "", NOW, &place.bert, e);
    for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(place.sessions); i++) {
        id_new(ID_SESSION, place.sessions[i].pub);
        rc = store_session_add(
            db, place.anna, place.sessions[i].pub, NULL, NULL, NOW, &place.sessions[i].id, e);
        if (rc == RC_OK)
            rc = rig_add_message(db, place.anna, place.sessions[i].id, 0, ROLE_USER, "a walrus", NOW,
                &place.sessions[i].asked, e);
        if (rc == RC_OK)
            rc = rig_add_message(db, place.anna, place.sessions[i].id, place.sessions[i].asked,
                ROLE_ASSISTANT, "another walrus", NOW, &place.sessions[i].reply, e);
    }
    return rc;
}

__attribute__((unused)) static struct store *start(void)
{
    config = (struct config){.server.data_dir = (char *)(uintptr_t)unit_tmp(), .trash.days = 30};
    return rig_store(fill, NULL);
}

struct question {
    const char *sql;
    int64_t n;
};

__attribute__((unused)) static enum rc ask(struct db *db, void *arg, struct err *e)
{
    struct question *q = arg;
    return db_one_int(db, q->sql, NO_ARGS, &q->n, e);
}

__attribute__((unused)) static int64_t number(struct store *s, const char *sql)
{
    struct question q = {sql, 0};
    assert_int_equal(store_with_reader(s, ask, &q, NULL), RC_OK);
    return q.n;
}

#define LISTED "SELECT count(*) FROM trash WHERE erased = 0"

__attribute__((unused)) static enum rc delete (struct store *s, int64_t owner, const char *pub) {
    return trash_session(s, &config, owner, pub, &from, NULL);
}

__attribute__((unused)) static enum rc restore(
    struct store *s, int64_t owner, const char *pub, struct trash_restored *out)
{
    struct err e = ERR_INIT;
    enum rc rc = trash_restore(s, &config, owner, pub, &from, out, &e);
    assert_true(rc == RC_OK || *e.text); /* a sentence for the user */
    return rc;
}

#endif

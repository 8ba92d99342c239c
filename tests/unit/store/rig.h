/* Shared by the store's tests: a database of their own, users, sessions, linear conversations. */
#ifndef ALFRED_TESTS_STORE_RIG_H
#define ALFRED_TESTS_STORE_RIG_H

#include "migrated.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "db/db_private.h"
#include "store/account/user.h"
#include "store/job.h"
#include "store/message/message.h"
#include "store/message/turn.h"
#include "store/session/session.h"
#include "store/store.h"
#include "store/trash/trash.h"

#define NOW INT64_C(1700000000000)
/* Ends a write that hangs. The usual limit would also end those on a machine that stops for seconds. */
#define PATIENCE_MS (600 * INT64_C(1000))

__attribute__((unused)) static const char *rig_path(char out[128])
{
    static atomic_int n;
    snprintf(out, 128, "%s/%d.db", unit_tmp(), atomic_fetch_add(&n, 1));
    return out;
}

/* Opens a database, which it makes with all migrations if there is none. Its reads have no time limit: on a
 * busy machine a check of the whole file takes longer than a request may. */
__attribute__((unused)) static struct db *rig_open(const char *path)
{
    struct db *db;
    assert_ok(db_open(unit_migrated(path), DB_READ_WRITE, &db, NULL));
    db->time_limit_ms = INT32_MAX;
    return db;
}

/* A fresh, migrated database with two users, 1 and 2. */
__attribute__((unused)) static struct db *rig_db(void)
{
    char path[128];
    int64_t id;
    struct db *db = rig_open(rig_path(path));
    assert_ok(store_user_add(db, "ann", USER_ADMIN, "hash-a", NOW, &id, NULL));
    assert_int_equal(id, 1);
    assert_ok(store_user_add(db, "bob", USER_MEMBER, "hash-b", NOW, &id, NULL));
    assert_int_equal(id, 2);
    return db;
}

__attribute__((unused)) static int64_t rig_session(struct db *db, int64_t owner, const char *pub)
{
    int64_t id;
    assert_ok(store_session_add(db, owner, pub, NULL, NULL, NOW, &id, NULL));
    return id;
}

__attribute__((unused)) static void rig_set_place(struct db *db, const char *pub, enum session_place place)
{
    struct rows q;
    int64_t id = 0, owner = 0;
    assert_ok(db_query(db, &q, "SELECT id, owner FROM session WHERE pub = ?", ARGS(v_text(pub)), NULL));
    if (rows_next(&q)) {
        id = rows_int(&q, 0);
        owner = rows_int(&q, 1);
    }
    assert_ok(rows_done(&q, RC_OK, NULL));
    assert_ok(store_session_set_place(db, owner, id, place, NOW, NULL, NULL));
}

__attribute__((unused)) static int64_t rig_message(
    struct db *db, int64_t owner, int64_t session, int64_t parent, enum message_role role, const char *text)
{
    struct message m = {.session_id = session,
        .parent_id = parent,
        .role = role,
        .status = MESSAGE_DONE,
        .channel = "web",
        .text = str_of(text),
        .created_at = NOW + 1};
    assert_ok(store_message_add(db, owner, &m, NULL));
    return m.id;
}

/* A running turn that began at NOW. */
__attribute__((unused)) static enum rc rig_turn(struct db *db, int64_t owner, const char *pub,
    int64_t session, int64_t asked, int64_t reply, const char *runner, int64_t *id)
{
    return store_turn_add(db,
        &(struct turn_row){.pub = pub,
            .owner = owner,
            .session_id = session,
            .asked_id = asked,
            .reply_id = reply,
            .runner = runner,
            .started_at = NOW},
        id, NULL);
}

__attribute__((unused)) static int64_t rig_int(struct db *db, const char *sql)
{
    int64_t n;
    assert_ok(db_one_int(db, sql, NO_ARGS, &n, NULL));
    return n;
}

/* Deletes a message with all below it, and erases them: what the trash and the helper do. */
__attribute__((unused)) static enum rc rig_message_delete(
    struct db *db, int64_t owner, int64_t session, int64_t id, struct err *e)
{
    char pub[ID_SIZE];
    bool more = true;
    id_new(ID_SESSION, pub);
    enum rc rc = store_trash_message(db, owner, session, id, pub, NOW, e);
    if (rc == RC_OK)
        rc = store_trash_erase(db, owner, pub, e);
    while (rc == RC_OK && more)
        rc = store_trash_purge(db, owner, &more, e);
    return rc;
}

/* The same for a session. */
__attribute__((unused)) static enum rc rig_session_delete(
    struct db *db, int64_t owner, const char *pub, struct err *e)
{
    bool more = true;
    enum rc rc = store_trash_session(db, owner, pub, NOW, e);
    if (rc == RC_OK)
        rc = store_trash_erase(db, owner, pub, e);
    while (rc == RC_OK && more)
        rc = store_trash_purge(db, owner, &more, e);
    return rc;
}

/* FTS5's own check of its index against the messages; wrong 'delete's show here. */
__attribute__((unused)) static void rig_check_index(struct db *db)
{
    assert_ok(db_exec(db, "INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)",
        NO_ARGS, NULL, NULL));
}

/* The number of messages that the text index finds for a word. */
__attribute__((unused)) static int64_t rig_hits(struct db *db, const char *word)
{
    int64_t n;
    assert_ok(db_one_int(
        db, "SELECT count(*) FROM message_text WHERE message_text MATCH ?", ARGS(v_text(word)), &n, NULL));
    return n;
}

#endif

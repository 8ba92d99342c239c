#include "unit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"

static int64_t one(struct db *db, const char *sql)
{
    int64_t n;
    assert_ok(db_one_int(db, sql, NO_ARGS, &n, NULL));
    return n;
}

TEST(an_empty_database_becomes_whole_and_stays_so)
{
    char path[128];
    struct db *db;
    snprintf(path, sizeof path, "%s/a.db", unit_tmp());
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_migrate(db, NULL));
    assert_true(
        one(db, "SELECT count(*) FROM schema_migration WHERE applied_at > 0 AND name = 'start'") == 1);
    int64_t tables = one(db, "SELECT count(*) FROM sqlite_schema");
    assert_ok(db_migrate(db, NULL));
    db_close(db);
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_migrate(db, NULL));
    assert_int_equal(one(db, "SELECT count(*) FROM sqlite_schema"), tables);
    assert_int_equal(one(db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    db_close(db);
}

static void insert_rows(struct db *db)
{
    assert_ok(db_exec(db, "PRAGMA foreign_keys = off", NO_ARGS, NULL, NULL));
    assert_ok(
        db_exec(db, "INSERT INTO session (id, pub, owner, created_at, active_at) VALUES (1, 's', 1, 1, 1)",
            NO_ARGS, NULL, NULL));
    assert_ok(db_exec(db,
        "INSERT INTO message (id, session_id, role, status, channel, text, created_at) "
        "VALUES (1, 1, 'user', 'done', 'web', 'Hello', 1)",
        NO_ARGS, NULL, NULL));
    assert_ok(db_exec(db,
        "INSERT INTO turn (pub, owner, session_id, asked_id, reply_id, runner, status, started_at) "
        "VALUES ('t', 1, 1, 1, 2, 'stream', 'done', 1)",
        NO_ARGS, NULL, NULL));
    assert_ok(db_exec(db,
        "INSERT INTO job (kind, owner, subject, state, run_at, created_at) VALUES ('title', 1, 1, 'ready', "
        "1, 1)",
        NO_ARGS, NULL, NULL));
}

/* 0060: the same conditions, written as comparisons. */
TEST(words_outside_of_the_lists_are_refused)
{
    static const char *const wrong[] = {
        "UPDATE session SET titled_by = 'nobody'",
        "UPDATE session SET effort = 'most'",
        "UPDATE message SET role = 'guest'",
        "UPDATE message SET status = 'lost'",
        "UPDATE message SET stop = 'bored'",
        "UPDATE turn SET status = 'lost'",
        "UPDATE job SET state = 'lost'",
    };
    char path[128];
    struct db *db;
    snprintf(path, sizeof path, "%s/w.db", unit_tmp());
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_migrate(db, NULL));
    insert_rows(db);
    for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
        assert_rc(db_exec(db, wrong[i], NO_ARGS, NULL, NULL), RC_CONFLICT);
    assert_ok(db_exec(
        db, "UPDATE message SET role = 'tool', status = 'failed', stop = 'paused'", NO_ARGS, NULL, NULL));
    assert_int_equal(
        one(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
                "AND name IN ('session', 'message', 'turn', 'job') AND sql GLOB '* IN (''*'', ''*'', *'"),
        0);
    assert_true(db_exec(db, "UPDATE sqlite_schema SET sql = ''", NO_ARGS, NULL, NULL) != RC_OK);
    db_close(db);
}

TEST(a_newer_database_is_refused_with_a_sentence)
{
    char path[128];
    struct db *db;
    struct err e = ERR_INIT;
    snprintf(path, sizeof path, "%s/b.db", unit_tmp());
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_migrate(db, NULL));
    assert_ok(db_exec(db, "INSERT INTO schema_migration VALUES (9999, 'future', 1)", NO_ARGS, NULL, NULL));
    assert_rc(db_migrate(db, &e), RC_CONFLICT);
    assert_true(e.for_user);
    db_close(db);
}

TEST(a_migration_that_fails_leaves_nothing)
{
    char path[128];
    struct db *db;
    snprintf(path, sizeof path, "%s/c.db", unit_tmp());
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_exec(db, "CREATE TABLE job (x)", NO_ARGS, NULL, NULL)); /* in the way of the first one */
    assert_true(db_migrate(db, NULL) != RC_OK);
    assert_false(db_in_transaction(db));
    assert_int_equal(one(db, "SELECT count(*) FROM sqlite_schema WHERE type = 'table'"), 1);
    db_close(db);
}

/* A wait for the others has a limit, which a busy machine exceeds. Then a program is started again. */
static bool opens_and_migrates(const char *path)
{
    enum rc rc;
    do {
        struct db *db = NULL;
        struct err e = ERR_INIT;
        rc = db_open(path, DB_READ_WRITE, &db, &e);
        if (rc == RC_OK)
            rc = db_migrate(db, &e);
        if (rc != RC_OK && rc != RC_UNAVAILABLE)
            fprintf(stderr, "%s: %s\n", rc_name(rc), e.text);
        db_close(db);
    } while (rc == RC_UNAVAILABLE);
    return rc == RC_OK;
}

TEST(processes_that_start_together_migrate_once)
{
    enum { PROCESSES = 6, ROUNDS = 4 };
    for (int round = 0; round < ROUNDS; round++) {
        char path[128];
        int gate[2];
        pid_t child[PROCESSES];
        snprintf(path, sizeof path, "%s/many%d.db", unit_tmp(), round);
        assert_int_equal(pipe(gate), 0);
        for (int i = 0; i < PROCESSES; i++) {
            child[i] = fork();
            if (child[i] == 0) {
                char c;
                close(gate[1]);
                (void)!read(gate[0], &c, 1); /* until all are there */
                _exit(opens_and_migrates(path) ? 0 : 1);
            }
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < PROCESSES; i++) {
            int status;
            assert_int_equal(waitpid(child[i], &status, 0), child[i]);
            assert_int_equal(status, 0);
        }
        struct db *db;
        assert_ok(db_open(path, DB_READ_ONLY, &db, NULL));
        assert_int_equal(one(db, "SELECT count(*) FROM schema_migration"),
            one(db, "SELECT max(version) FROM schema_migration"));
        db_close(db);
    }
}

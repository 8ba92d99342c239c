#include "unit.h"

#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "db/db_private.h"

static struct db *fresh(char path[128])
{
    static int n;
    struct db *db;
    snprintf(path, 128, "%s/%d.db", unit_tmp(), n++);
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_exec(db, "CREATE TABLE t (id INTEGER PRIMARY KEY, x UNIQUE, y TEXT CHECK (y <> 'bad'))",
        NO_ARGS, NULL, NULL));
    return db;
}

static int64_t count(struct db *db)
{
    int64_t n;
    assert_ok(db_one_int(db, "SELECT count(*) FROM t", NO_ARGS, &n, NULL));
    return n;
}

static void pragma_is(struct db *db, const char *sql, int64_t want)
{
    int64_t got;
    assert_ok(db_one_int(db, sql, NO_ARGS, &got, NULL));
    if (got != want)
        fail_msg("%s: %lld", sql, (long long)got);
}

static size_t kept(const struct db *db)
{
    size_t n = 0;
    for (size_t i = 0; i < DB_SLOTS; i++)
        n += db->slots[i] != NULL;
    return n;
}

TEST(a_built_statement_is_found_by_its_text)
{
    char path[128];
    AUTO(db) db = fresh(path);
    size_t before = kept(db);
    int64_t ids[40];
    for (int64_t i = 1; i <= 40; i++) {
        char sql[64]; /* another address and the same text */
        snprintf(sql, sizeof sql, "SELECT ? + %d", (int)(i % 20));
        struct db_args args = ARGS(v_int(i));
        args.built = true;
        assert_ok(db_one_int(db, sql, args, &ids[i - 1], NULL));
        assert_int_equal(ids[i - 1], i + i % 20);
    }
    assert_int_equal(kept(db), before + 20);
    /* one address, another text of the same length */
    char sql[] = "SELECT 1";
    int64_t got;
    for (char c = '1'; c <= '9'; c++) {
        sql[7] = c;
        assert_ok(db_one_int(db, sql, (struct db_args){.built = true}, &got, NULL));
        assert_int_equal(got, c - '0');
    }
}

TEST(a_connection_has_the_settings_of_the_design)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct rows q;
    enum rc rc = db_query(db, &q, "PRAGMA journal_mode", NO_ARGS, NULL);
    assert_true(rc == RC_OK && rows_next(&q));
    assert_string_equal(rows_text(&q, 0), "wal");
    assert_ok(rows_done(&q, rc, NULL));
    pragma_is(db, "PRAGMA synchronous", 2);
    pragma_is(db, "PRAGMA foreign_keys", 1);
    pragma_is(db, "PRAGMA secure_delete", 1);
    pragma_is(db, "PRAGMA trusted_schema", 0);
    pragma_is(db, "PRAGMA cell_size_check", 1);
    /* DEFENSIVE: the schema cannot be written to */
    assert_ok(db_exec(db, "PRAGMA writable_schema = 1", NO_ARGS, NULL, NULL));
    assert_true(db_exec(db, "DELETE FROM sqlite_schema", NO_ARGS, NULL, NULL) != RC_OK);
    assert_true(db_exec(db, "ATTACH 'other.db' AS other", NO_ARGS, NULL, NULL) != RC_OK);
    assert_true(db_exec(db, "SELECT \"no such column\"", NO_ARGS, NULL, NULL) != RC_OK);
}

TEST(files_are_private)
{
    char path[128], name[160];
    AUTO(db) db = fresh(path);
    static const char *const ends[] = {"", "-wal", "-shm", "-turn"};
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        snprintf(name, sizeof name, "%s%s", path, ends[i]);
        assert_int_equal(unit_mode(name), 0600);
    }
    struct db *again;
    assert_int_equal(chmod(path, 0644), 0);
    assert_ok(db_open(path, DB_READ_WRITE, &again, NULL));
    assert_int_equal(unit_mode(path), 0600);
    db_close(again);
}

TEST(a_failure_to_open_has_its_cause_in_the_error)
{
    char path[160];
    struct db *db;
    struct err e = ERR_INIT;
    snprintf(path, sizeof path, "%s/none/at/all.db", unit_tmp());
    assert_rc(db_open(path, DB_READ_WRITE, &db, &e), RC_IO);
    assert_null(db);
    assert_non_null(strstr(e.text, "none/at/all.db"));
    snprintf(path, sizeof path, "%s/absent.db", unit_tmp());
    assert_rc(db_open(path, DB_READ_ONLY, &db, &e), RC_IO);
    assert_false(fs_exists(path));
    snprintf(path, sizeof path, "%s/text.db", unit_tmp());
    char text[2000];
    memset(text, 'x', sizeof text);
    assert_ok(fs_write_atomic(path, (struct str){text, sizeof text}, NULL));
    assert_rc(db_open(path, DB_READ_WRITE, &db, &e), RC_IO);
    assert_null(db);
}

TEST(values_come_back_as_they_went_in)
{
    char path[128];
    AUTO(db) db = fresh(path);
    static const char nul[] = "a\0b";
    struct rows q;
    enum rc rc = db_query(db, &q, "SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?",
        ARGS(v_int(INT64_MIN), v_real(0.5), v_null(), v_text("\xc3\xa4"), v_text(NULL),
            v_str((struct str){0}), v_blob(nul, 4), v_blob(NULL, 0), v_id(0)),
        NULL);
    assert_true(rc == RC_OK && rows_next(&q));
    assert_true(rows_int(&q, 0) == INT64_MIN);
    assert_true(rows_real(&q, 1) == 0.5);
    assert_true(rows_is_null(&q, 2));
    assert_null(rows_text(&q, 2));
    assert_int_equal(rows_int(&q, 2), 0);
    assert_string_equal(rows_text(&q, 3), "\xc3\xa4");
    assert_true(rows_is_null(&q, 4));
    assert_false(rows_is_null(&q, 5)); /* empty is not null */
    assert_int_equal(rows_str(&q, 5).len, 0);
    assert_int_equal(rows_blob(&q, 6).len, 4);
    assert_memory_equal(rows_blob(&q, 6).s, nul, 4);
    assert_false(rows_is_null(&q, 7));
    assert_true(rows_is_null(&q, 8));
    assert_false(rows_next(&q));
    assert_false(rows_next(&q));
    assert_ok(rows_done(&q, rc, NULL));
}

TEST(mistakes_in_sql_are_internal)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct err e = ERR_INIT;
    assert_rc(db_exec(db, "SELEKT 1", NO_ARGS, NULL, &e), RC_INTERNAL);
    assert_rc(db_exec(db, "SELECT ?", NO_ARGS, NULL, &e), RC_INTERNAL);
    assert_non_null(strstr(e.text, "0 arguments for 1"));
    assert_rc(db_exec(db, "SELECT ?", ARGS(v_int(1), v_int(2)), NULL, &e), RC_INTERNAL);
    assert_rc(db_exec(db, "SELECT 1; DELETE FROM t", NO_ARGS, NULL, &e), RC_INTERNAL);
    assert_rc(db_exec(db, "", NO_ARGS, NULL, &e), RC_INTERNAL);
    assert_ok(db_exec(db, "SELECT 1; ", NO_ARGS, NULL, &e));
    assert_ok(db_exec(db, "SELECT ?", ARGS(v_int(1)), NULL, &e)); /* the refused statement is usable again */
}

TEST(constraints_are_conflicts_and_leave_the_connection_usable)
{
    char path[128];
    AUTO(db) db = fresh(path);
    int64_t changed;
    static const char insert[] = "INSERT INTO t (x, y) VALUES (?, ?)";
    assert_ok(db_exec(db, insert, ARGS(v_int(1), v_text("a")), &changed, NULL));
    assert_int_equal(changed, 1);
    assert_rc(db_exec(db, insert, ARGS(v_int(1), v_text("b")), &changed, NULL), RC_CONFLICT);
    assert_int_equal(changed, 0);
    assert_rc(db_exec(db, insert, ARGS(v_int(2), v_text("bad")), NULL, NULL), RC_CONFLICT);
    assert_ok(db_exec(db, insert, ARGS(v_int(2), v_text("b")), NULL, NULL));
    assert_ok(db_exec(db, "UPDATE t SET y = 'c'", NO_ARGS, &changed, NULL));
    assert_int_equal(changed, 2);
    assert_ok(db_exec(db, "UPDATE t SET y = 'c' WHERE id = 99", NO_ARGS, &changed, NULL));
    assert_int_equal(changed, 0);
}

TEST(one_int_runs_returning_to_its_end)
{
    char path[128];
    AUTO(db) db = fresh(path);
    int64_t id = -1;
    assert_ok(db_one_int(db, "INSERT INTO t (x) VALUES (1), (2), (3) RETURNING x", NO_ARGS, &id, NULL));
    assert_int_equal(id, 1);
    assert_int_equal(count(db), 3);
    assert_rc(db_one_int(db, "SELECT id FROM t WHERE x = 9", NO_ARGS, &id, NULL), RC_NOT_FOUND);
}

TEST(a_query_may_run_inside_itself)
{
    char path[128];
    AUTO(db) db = fresh(path);
    static const char sql[] = "SELECT x FROM t WHERE x > ? ORDER BY x";
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1), (2), (3)", NO_ARGS, NULL, NULL));
    int pairs = 0;
    struct rows outer;
    enum rc rc = db_query(db, &outer, sql, ARGS(v_int(0)), NULL);
    while (rc == RC_OK && rows_next(&outer)) {
        struct rows inner;
        rc = db_query(db, &inner, sql, ARGS(v_int(rows_int(&outer, 0))), NULL);
        while (rc == RC_OK && rows_next(&inner))
            pairs++;
        rc = rows_done(&inner, rc, NULL);
    }
    assert_ok(rows_done(&outer, rc, NULL));
    assert_int_equal(pairs, 3);
}

TEST(an_address_that_comes_back_with_other_text_is_another_statement)
{
    char path[128], sql[64];
    AUTO(db) db = fresh(path);
    for (int i = 0; i < 3; i++) {
        int64_t n;
        snprintf(sql, sizeof sql, "SELECT %d", i);
        assert_ok(db_one_int(db, sql, NO_ARGS, &n, NULL));
        assert_int_equal(n, i);
    }
}

TEST(more_statements_than_slots_work)
{
    enum { N = 1000 };
    char path[128];
    static char sql[N][24];
    AUTO(db) db = fresh(path);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            int64_t n;
            snprintf(sql[i], sizeof sql[i], "SELECT %d", i);
            assert_ok(db_one_int(db, sql[i], NO_ARGS, &n, NULL));
            assert_int_equal(n, i);
        }
    }
}

TEST(a_failed_query_needs_rows_done_and_keeps_its_error)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct rows q;
    struct err e = ERR_INIT;
    enum rc rc = db_query(db, &q, "SELECT nothing", NO_ARGS, &e);
    assert_false(rc == RC_OK && rows_next(&q));
    assert_rc(rows_done(&q, rc, &e), RC_INTERNAL);
    assert_non_null(strstr(e.text, "nothing"));
    /* rows that are left early, with the caller's own verdict */
    rc = db_query(db, &q, "SELECT 1 UNION ALL SELECT 2", NO_ARGS, &e);
    assert_true(rc == RC_OK && rows_next(&q));
    assert_rc(rows_done(&q, RC_TOO_BIG, &e), RC_TOO_BIG);
}

#define ENDLESS "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

TEST(a_long_query_ends_in_time_and_spares_the_transaction)
{
    char path[128];
    AUTO(db) db = fresh(path);
    int64_t n;
    db->time_limit_ms = 50;
    assert_ok(db_begin(db, NULL));
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1)", NO_ARGS, NULL, NULL));
    assert_rc(db_one_int(db, ENDLESS, NO_ARGS, &n, NULL), RC_TIMEOUT);
    db->time_limit_ms = DB_TIME_LIMIT_MS;
    assert_true(db_in_transaction(db));
    assert_ok(db_commit(db, NULL));
    assert_int_equal(count(db), 1);
}

TEST(a_long_write_is_not_ended)
{
    char path[128];
    AUTO(db) db = fresh(path);
    db->time_limit_ms = 1;
    assert_ok(db_exec(db,
        "INSERT INTO t (x) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
        "SELECT i FROM n",
        NO_ARGS, NULL, NULL));
    assert_int_equal(count(db), 50000);
}

TEST(savepoints_nest_and_undo_their_part)
{
    char path[128];
    AUTO(db) db = fresh(path);
    static const char insert[] = "INSERT INTO t (x) VALUES (?)";
    assert_ok(db_begin(db, NULL));
    assert_ok(db_exec(db, insert, ARGS(v_int(1)), NULL, NULL));
    assert_ok(db_savepoint(db, NULL));
    assert_ok(db_exec(db, insert, ARGS(v_int(2)), NULL, NULL));
    assert_ok(db_savepoint(db, NULL));
    assert_ok(db_exec(db, insert, ARGS(v_int(3)), NULL, NULL));
    assert_ok(db_rollback_to(db, NULL));
    assert_int_equal(count(db), 2);
    assert_ok(db_release(db, NULL));
    assert_ok(db_commit(db, NULL));
    assert_false(db_in_transaction(db));
    assert_int_equal(count(db), 2);
    assert_ok(db_begin(db, NULL));
    assert_ok(db_exec(db, insert, ARGS(v_int(4)), NULL, NULL));
    db_rollback(db);
    db_rollback(db); /* twice is fine */
    assert_int_equal(count(db), 2);
}

TEST(a_reader_cannot_write_and_sees_committed_rows)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct db *reader;
    assert_ok(db_open(path, DB_READ_ONLY, &reader, NULL));
    assert_true(db_exec(reader, "INSERT INTO t (x) VALUES (1)", NO_ARGS, NULL, NULL) != RC_OK);
    assert_ok(db_begin(db, NULL));
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1)", NO_ARGS, NULL, NULL));
    assert_int_equal(count(reader), 0);
    assert_ok(db_commit(db, NULL));
    assert_int_equal(count(reader), 1);
    db_close(reader);
}

TEST(a_backup_is_whole_and_never_overwrites)
{
    char path[128], to[160];
    AUTO(db) db = fresh(path);
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1), (2)", NO_ARGS, NULL, NULL));
    snprintf(to, sizeof to, "%s.backup", path);
    assert_ok(db_backup(db, to, NULL));
    assert_int_equal(unit_mode(to), 0600);
    struct db *copy;
    assert_ok(db_open(to, DB_READ_ONLY, &copy, NULL));
    assert_int_equal(count(copy), 2);
    db_close(copy);
    struct err e = ERR_INIT;
    assert_rc(db_backup(db, to, &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_rc(db_backup(db, "/nonexistent/folder/x", &e), RC_IO);
}

TEST(a_backup_beside_the_log_of_another_database_is_noticed)
{
    char path[128], to[160], log[192];
    struct err e = ERR_INIT;
    AUTO(db) db = fresh(path);
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1), (2)", NO_ARGS, NULL, NULL));
    assert_ok(db_check_log(path, NULL)); /* its own log */
    snprintf(to, sizeof to, "%s.backup", path);
    snprintf(log, sizeof log, "%s-wal", to);
    assert_ok(db_check_log(to, NULL)); /* there is no file */
    assert_ok(db_backup(db, to, NULL));
    assert_false(fs_exists(log));
    assert_ok(db_check_log(to, NULL));
    assert_ok(fs_write_atomic(log, STR(""), NULL));
    assert_ok(db_check_log(to, NULL)); /* SQLite finds nothing in it */
    assert_ok(fs_write_atomic(log, STR("x"), NULL));
    assert_rc(db_check_log(to, &e), RC_CONFLICT);
    assert_true(e.for_user);
    assert_non_null(strstr(e.text, "-wal"));
}

/* The kernel ends a process that writes beyond its limit for the size of a file. */
static void back_up_and_be_killed(const char *path, const char *to)
{
    struct db *db;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    if (db_open(path, DB_READ_ONLY, &db, NULL) == RC_OK)
        db_backup(db, to, NULL);
    _exit(0);
}

TEST(a_backup_that_is_killed_leaves_nothing_under_its_name)
{
    char path[128], to[160], parts[192];
    AUTO(db) db = fresh(path);
    assert_ok(db_exec(db,
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "INSERT INTO t (x) SELECT i FROM n",
        NO_ARGS, NULL, NULL));
    snprintf(to, sizeof to, "%s.killed", path);
    pid_t child = fork();
    if (child == 0)
        back_up_and_be_killed(path, to);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
    assert_int_equal(access(to, F_OK), -1);
    snprintf(parts, sizeof parts, "%s.part-*", to);
    glob_t found;
    assert_int_equal(glob(parts, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
    assert_ok(db_backup(db, to, NULL));
}

/* A limit for the size of a file is to SQLite what a full disk is. */
static int back_up_without_room(const char *path, const char *to)
{
    struct db *db;
    struct err e = ERR_INIT;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096});
    return db_open(path, DB_READ_ONLY, &db, NULL) == RC_OK && db_backup(db, to, &e) == RC_UNAVAILABLE &&
           e.for_user && strstr(e.text, to);
}

TEST(a_backup_without_room_names_its_file_and_leaves_none)
{
    char path[128], to[160], parts[192];
    AUTO(db) db = fresh(path);
    assert_ok(db_exec(db,
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
        "INSERT INTO t (x) SELECT i FROM n",
        NO_ARGS, NULL, NULL));
    snprintf(to, sizeof to, "%s.full", path);
    pid_t child = fork();
    if (child == 0)
        _exit(back_up_without_room(path, to));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    snprintf(parts, sizeof parts, "%s*", to);
    glob_t found;
    assert_int_equal(glob(parts, 0, NULL, &found), GLOB_NOMATCH);
    globfree(&found);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == true);
}

struct other {
    char path[128];
    pthread_barrier_t held;
    pthread_barrier_t asked;
};

static void *hold_the_lock(void *arg)
{
    struct other *o = arg;
    struct db *db;
    assert_ok(db_open(o->path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_begin(db, NULL));
    assert_ok(db_exec(db, "INSERT INTO t (x) VALUES (1)", NO_ARGS, NULL, NULL));
    pthread_barrier_wait(&o->held);
    pthread_barrier_wait(&o->asked);
    assert_ok(db_commit(db, NULL));
    db_close(db);
    return NULL;
}

TEST(a_writer_waits_for_another)
{
    struct other o;
    AUTO(db) db = fresh(o.path);
    pthread_t t;
    pthread_barrier_init(&o.held, NULL, 2);
    pthread_barrier_init(&o.asked, NULL, 2);
    assert_int_equal(pthread_create(&t, NULL, hold_the_lock, &o), 0);
    pthread_barrier_wait(&o.held);
    pthread_barrier_wait(&o.asked); /* from here on the other one lets go, sooner or later */
    assert_ok(db_begin(db, NULL));
    assert_int_equal(count(db), 1);
    assert_ok(db_commit(db, NULL));
    pthread_join(t, NULL);
    pthread_barrier_destroy(&o.held);
    pthread_barrier_destroy(&o.asked);
}

TEST(a_lock_that_is_never_given_back_is_unavailable_in_time)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct db *other;
    struct err e = ERR_INIT;
    assert_ok(db_open(path, DB_READ_WRITE, &other, NULL));
    assert_ok(db_begin(other, NULL));
    int64_t began = clock_mono_ms();
    assert_rc(db_begin(db, &e), RC_UNAVAILABLE);
    assert_true(clock_mono_ms() - began < 20000);
    assert_true(e.for_user);
    assert_true(e.retry_after_s > 0);
    assert_false(db_in_transaction(db));
    db_rollback(other);
    db_close(other);
    assert_ok(db_begin(db, NULL));
    db_rollback(db);
}

/* PRAGMA max_page_count makes SQLite itself say that the disk is full. */
TEST(a_full_disk_has_a_sentence_for_the_user)
{
    char path[128];
    AUTO(db) db = fresh(path);
    struct err e = ERR_INIT;
    assert_ok(db_exec(db, "INSERT INTO t (x, y) VALUES (1, 'kept')", NO_ARGS, NULL, NULL));
    assert_ok(db_exec(db, "PRAGMA max_page_count = 10", NO_ARGS, NULL, NULL));
    assert_rc(db_exec(db, "INSERT INTO t (x, y) VALUES (2, hex(zeroblob(100000)))", NO_ARGS, NULL, &e),
        RC_UNAVAILABLE);
    assert_true(e.for_user);
    assert_string_equal(e.text, "The disk of this server is full. Nothing was saved.");
    assert_int_equal(count(db), 1);
}

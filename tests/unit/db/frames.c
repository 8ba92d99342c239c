/* Commits whose frames are gathered (db_sqlite_frames.c). */
#include "unit.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "db/db_private.h"

#define assert_ok(call) assert_string_equal(rc_name(call), "ok")
#define ROW_BYTES       3000 /* a row takes a page */
#define ROWS_FEW        12
#define ROWS_MANY       1000 /* more than the cache of a writer holds */

static struct db *fresh(char path[128])
{
    static int n;
    struct db *db;
    snprintf(path, 128, "%s/frames-%d.db", unit_tmp(), n++);
    assert_ok(db_open(path, DB_READ_WRITE, &db, NULL));
    assert_ok(db_exec(db, "CREATE TABLE t (id INTEGER PRIMARY KEY, x BLOB)", NO_ARGS, NULL, NULL));
    return db;
}

static void add_rows(struct db *db, int rows)
{
    for (int i = 0; i < rows; i++)
        assert_ok(
            db_exec(db, "INSERT INTO t (x) VALUES (randomblob(?))", ARGS(v_int(ROW_BYTES)), NULL, NULL));
}

/* Seen by another connection. */
static void assert_rows(const char *path, int64_t rows)
{
    struct db *db;
    struct rows q;
    int64_t n;
    assert_ok(db_open(path, DB_READ_ONLY, &db, NULL));
    assert_ok(db_one_int(db, "SELECT count(*) FROM t", NO_ARGS, &n, NULL));
    assert_int_equal(n, rows);
    enum rc rc = db_query(db, &q, "PRAGMA integrity_check", NO_ARGS, NULL);
    assert_true(rc == RC_OK && rows_next(&q));
    assert_string_equal(rows_text(&q, 0), "ok");
    assert_ok(rows_done(&q, rc, NULL));
    db_close(db);
}

/* The calls of write and its relatives by this process so far; -1: the system does not count them. */
static int64_t writes_so_far(void)
{
    char line[64];
    long long n = -1;
    FILE *f = fopen("/proc/self/io", "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "syscw: %lld", &n) != 1)
        ;
    if (f)
        fclose(f);
    return n;
}

TEST(a_commit_writes_its_frames_with_one_call)
{
    char path[128];
    AUTO(db) db = fresh(path);
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_FEW);
    int64_t before = writes_so_far();
    assert_ok(db_commit(db, NULL));
    int64_t writes = writes_so_far() - before;
    assert_rows(path, ROWS_FEW);
    if (before >= 0)
        assert_int_equal(writes, 1);
}

TEST(a_commit_that_need_not_be_durable_is_seen_by_others_too)
{
    char path[128];
    AUTO(db) db = fresh(path);
    assert_ok(db_set_durable(db, false, NULL));
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_FEW);
    assert_ok(db_commit(db, NULL));
    assert_rows(path, ROWS_FEW);
}

TEST(more_pages_than_the_buffer_and_the_cache_hold_are_written_and_undone)
{
    char path[128];
    AUTO(db) db = fresh(path);
    AUTO(db) other = NULL;
    assert_ok(db_open(path, DB_READ_WRITE, &other, NULL));
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_MANY);
    assert_ok(db_exec(db, "UPDATE t SET x = randomblob(length(x)) WHERE id % 2", NO_ARGS, NULL, NULL));
    assert_ok(db_commit(db, NULL));
    assert_rows(path, ROWS_MANY);
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_MANY);
    db_rollback(db);
    assert_rows(path, ROWS_MANY);
    /* what the rollback left may not reach the log behind another writer's frames */
    assert_ok(db_begin(other, NULL));
    add_rows(other, ROWS_FEW);
    assert_ok(db_commit(other, NULL));
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_FEW);
    assert_ok(db_commit(db, NULL));
    assert_rows(path, ROWS_MANY + 2 * ROWS_FEW);
}

TEST(a_commit_that_cannot_be_written_fails_and_leaves_nothing)
{
    char path[128], log[140];
    struct rlimit was, small;
    struct stat st;
    struct err e = ERR_INIT;
    AUTO(db) db = fresh(path);
    snprintf(log, sizeof log, "%s-wal", path);
    assert_int_equal(stat(log, &st), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    small = was;
    small.rlim_cur = (rlim_t)st.st_size + 5000; /* room for one frame */
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_FEW);
    setrlimit(RLIMIT_FSIZE, &small);
    enum rc rc = db_commit(db, &e);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_string_equal(rc_name(rc), rc_name(RC_UNAVAILABLE));
    assert_string_equal(e.text, "The disk of this server is full. Nothing was saved.");
    assert_rows(path, 0);
    assert_ok(db_begin(db, NULL));
    add_rows(db, ROWS_FEW);
    assert_ok(db_commit(db, NULL));
    assert_rows(path, ROWS_FEW);
}

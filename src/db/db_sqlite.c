/*
 * SQLite: opening with all settings, transactions, error codes. Statements and rows are in db_sqlite_rows.c.
 *
 * A connection of DB_READ_ONLY is opened for reading and writing and then set to query_only. SQLite's own
 * read-only mode cannot open a WAL database that no other process has open.
 */
#include "db/db_private.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/letter.h"

#define TEXT_BYTES_MAX     (32 * 1024 * 1024) /* bytes of one value */
#define SQL_BYTES_MAX      (128 * 1024)
#define WRITER_CACHE_KB    2048
#define READER_CACHE_KB    512
#define WAL_KEEP_BYTES     (8 * 1024 * 1024) /* a longer WAL is truncated after its checkpoint */
#define BUSY_RETRY_AFTER_S 1

static bool disk_is_full(int code, int system_errno)
{
    /* EFBIG: the process's limit of file sizes */
    return code == SQLITE_FULL ||
           (code == SQLITE_IOERR && (fs_is_full(system_errno) || system_errno == EFBIG));
}

static bool disk_is_broken(int code, int system_errno)
{
    return (code == SQLITE_IOERR || code == SQLITE_CANTOPEN || code == SQLITE_CORRUPT) &&
           fs_is_broken(system_errno);
}

static enum rc fail_code(int extended_code, int system_errno, const char *message, struct err *e)
{
    int code = extended_code & 0xff;
    if (disk_is_full(code, system_errno))
        return err_say(e, RC_UNAVAILABLE, "error.disk_full");
    if (disk_is_broken(code, system_errno))
        return err_say(e, RC_UNAVAILABLE, "error.disk_broken", fs_reason(system_errno));
    switch (code) {
    case SQLITE_CONSTRAINT: return err_set(e, RC_CONFLICT, "%s", message);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        err_say(e, RC_UNAVAILABLE, "error.database_busy");
        if (e)
            e->retry_after_s = BUSY_RETRY_AFTER_S;
        return RC_UNAVAILABLE;
    case SQLITE_INTERRUPT: return err_set(e, RC_TIMEOUT, "a query took too long");
    case SQLITE_TOOBIG: return err_set(e, RC_TOO_BIG, "%s", message);
    case SQLITE_NOMEM: return err_set(e, RC_UNAVAILABLE, "SQLite is out of memory");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return err_set(e, RC_IO,
            "database: %s (%d). The file is damaged or not a complete copy; restore a backup.", message,
            extended_code);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_PROTOCOL:
        return err_set(e, RC_IO, "database: %s (%d)%s%s", message, extended_code, system_errno ? ": " : "",
            system_errno ? strerror(system_errno) : "");
    default: return err_set(e, RC_INTERNAL, "database: %s (%d)", message, extended_code);
    }
}

/* The errno of the last call that failed for a file of the connection; SQLite keeps it until the next one. */
static int last_errno(sqlite3 *sq)
{
    sqlite3_file *log = NULL;
    int last = 0;
    sqlite3_file_control(sq, "main", SQLITE_FCNTL_LAST_ERRNO, &last);
    if (!last && sqlite3_file_control(sq, "main", SQLITE_FCNTL_JOURNAL_POINTER, (void *)&log) == SQLITE_OK &&
        log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &last);
    return last;
}

/* SQLite reports a read that failed with EIO as SQLITE_CORRUPT, without its errno. */
enum rc db_fail(struct db *db, struct err *e)
{
    int code = sqlite3_extended_errcode(db->sq);
    int system_errno = (code & 0xff) == SQLITE_CORRUPT ? last_errno(db->sq) : sqlite3_system_errno(db->sq);
    return fail_code(code, system_errno, sqlite3_errmsg(db->sq), e);
}

enum rc db_script(struct db *db, const char *sql, struct err *e)
{
    return sqlite3_exec(db->sq, sql, NULL, NULL, NULL) == SQLITE_OK ? RC_OK : db_fail(db, e);
}

/* SQLite's own handler would back off to 100 ms, although the lock is often free for moments in between. */
static int on_busy(void *arg, int tries)
{
    struct db *db = arg;
    if (tries == 0)
        db->busy = stopwatch_start();
    else if (stopwatch_us(&db->busy) > db->busy_wait_ms * US_PER_MS)
        return 0;
    write_queue_pause(&db->busy);
    return 1;
}

static int on_progress(void *arg)
{
    const struct db *db = arg;
    struct stmt *st = db->stepping;
    return st && st->limited && stopwatch_us(&st->ran) > db->time_limit_ms * US_PER_MS;
}

/* SQLite would create the file with the umask's mode, and gives -wal and -shm the same mode. */
static enum rc make_private(const char *path, enum db_mode mode, struct err *e)
{
    if (mode == DB_READ_WRITE) {
        int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        else if (errno != EEXIST)
            return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    }
    /* by name: closing a second descriptor of the file would release the process's locks on it */
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    if ((st.st_mode & 077) && chmod(path, 0600) != 0)
        return err_set(
            e, RC_IO, "%s is accessible to other users and chmod failed: %s", path, strerror(errno));
    return RC_OK;
}

static void harden(sqlite3 *sq)
{
    static const struct {
        int what, on;
    } flags[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1}, {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0}, {SQLITE_DBCONFIG_ENABLE_FKEY, 1}, {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0}, {SQLITE_DBCONFIG_ENABLE_ATTACH_CREATE, 0},
        {SQLITE_DBCONFIG_ENABLE_ATTACH_WRITE, 0},
        {SQLITE_DBCONFIG_ENABLE_QPSG,
            1}, /* one plan per statement; otherwise each bound LIMIT is planned again */
    };
    for (size_t i = 0; i < ARRAY_LEN(flags); i++)
        sqlite3_db_config(sq, flags[i].what, flags[i].on, NULL);
    static const struct {
        int what, most;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, TEXT_BYTES_MAX},
        {SQLITE_LIMIT_SQL_LENGTH, SQL_BYTES_MAX},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 64},
        {SQLITE_LIMIT_ATTACHED, 0},
        {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1024},
        {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(limits); i++)
        sqlite3_limit(sq, limits[i].what, limits[i].most);
}

void db_set_defensive(struct db *db, bool on)
{
    sqlite3_db_config(db->sq, SQLITE_DBCONFIG_DEFENSIVE, on, NULL);
}

/* Several processes may create the same file at once; SQLite does not wait for the lock here. */
static enum rc enter_wal(struct db *db, struct err *e)
{
    struct stopwatch waited = stopwatch_start();
    for (;;) {
        bool wal = false;
        sqlite3_stmt *st;
        int rc = sqlite3_prepare_v2(db->sq, "PRAGMA journal_mode = wal", -1, &st, NULL);
        if (rc == SQLITE_OK) {
            rc = sqlite3_step(st);
            wal = rc == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(st, 0), "wal") == 0;
            rc = sqlite3_finalize(st);
        }
        if (wal)
            return RC_OK;
        if ((rc != SQLITE_OK && (rc & 0xff) != SQLITE_BUSY) ||
            stopwatch_us(&waited) > DB_BUSY_WAIT_MS * US_PER_MS)
            return rc == SQLITE_OK ? err_set(e, RC_IO, "the file system does not support a write-ahead log")
                                   : db_fail(db, e);
        write_queue_pause(&waited);
    }
}

static enum rc apply_settings(struct db *db, enum db_mode mode, struct err *e)
{
    sqlite3_extended_result_codes(db->sq, 1);
    sqlite3_busy_handler(db->sq, on_busy, db);
    sqlite3_setlk_timeout(db->sq, DB_BUSY_WAIT_MS, SQLITE_SETLK_BLOCK_ON_CONNECT);
    sqlite3_progress_handler(db->sq, DB_PROGRESS_STEPS, on_progress, db);
    harden(db->sq);
    enum rc rc = enter_wal(db, e);
    if (rc != RC_OK)
        return rc;
    char settings[512];
    sqlite3_snprintf(sizeof settings, settings,
        "PRAGMA synchronous = full; PRAGMA secure_delete = on; PRAGMA cell_size_check = on;"
        "PRAGMA temp_store = memory; PRAGMA mmap_size = 0; PRAGMA journal_size_limit = %d;"
        "PRAGMA cache_size = -%d; PRAGMA query_only = %d",
        WAL_KEEP_BYTES, mode == DB_READ_ONLY ? READER_CACHE_KB : WRITER_CACHE_KB, mode == DB_READ_ONLY);
    return db_script(db, settings, e);
}

static int compare_numeric(void *arg, int n, const void *a, int m, const void *b)
{
    (void)arg;
    return letter_compare_names((struct str){a, (size_t)n}, (struct str){b, (size_t)m});
}

enum rc db_open(const char *path, enum db_mode mode, struct db **out, struct err *e)
{
    *out = NULL;
    enum rc rc = make_private(path, mode, e);
    if (rc != RC_OK)
        return rc;
    AUTO(db) db = xcalloc(1, sizeof *db);
    db->write_queue.fd = -1;
    db->time_limit_ms = DB_TIME_LIMIT_MS;
    db->busy_wait_ms = DB_BUSY_WAIT_MS;
    if (mode == DB_READ_WRITE && (rc = write_queue_open(&db->write_queue, path, e)) != RC_OK)
        return rc;
    if (sqlite3_open_v2(path, &db->sq, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return db_fail(db, e);
    if (sqlite3_create_collation_v2(db->sq, "numeric", SQLITE_UTF8, NULL, compare_numeric, NULL) != SQLITE_OK)
        return db_fail(db, e);
    rc = apply_settings(db, mode, e);
    if (rc != RC_OK)
        return rc;
    *out = db;
    db = NULL;
    return RC_OK;
}

void db_close(struct db *db)
{
    if (!db)
        return;
    db_forget_statements(db);
    sqlite3_close_v2(db->sq);
    write_queue_close(&db->write_queue);
    free_charp(&db);
}

#define NOTE_ARGS 5

static void on_note(sqlite3_context *c, int n, sqlite3_value **v)
{
    const struct db *db = sqlite3_user_data(c);
    (void)n;
    db->note(db->note_arg, &(struct db_note){.kind = sqlite3_value_int64(v[0]),
                               .owner = sqlite3_value_int64(v[1]),
                               .id = sqlite3_value_int64(v[2]),
                               .name = (const char *)sqlite3_value_text(v[3]),
                               .value = sqlite3_value_int64(v[4])});
}

enum rc db_on_note(struct db *db, db_note_fn *fn, void *arg, struct err *e)
{
    db->note = fn;
    db->note_arg = arg;
    int rc = sqlite3_create_function_v2(
        db->sq, "note", NOTE_ARGS, SQLITE_UTF8 | SQLITE_INNOCUOUS, db, on_note, NULL, NULL, NULL);
    return rc == SQLITE_OK ? RC_OK : db_fail(db, e);
}

const char *db_path(const struct db *db)
{
    return sqlite3_db_filename(db->sq, "main");
}

bool db_in_transaction(const struct db *db)
{
    return !sqlite3_get_autocommit(db->sq);
}

/* The pragma takes effect when it is compiled, so a prepared one would not work twice. */
enum rc db_set_durable(struct db *db, bool durable, struct err *e)
{
    if (db->lazy == !durable)
        return RC_OK;
    enum rc rc = db_script(db, durable ? "PRAGMA synchronous = full" : "PRAGMA synchronous = normal", e);
    if (rc == RC_OK)
        db->lazy = !durable;
    return rc;
}

void db_checkpoint_at(struct db *db, int pages)
{
    sqlite3_wal_autocheckpoint(db->sq, pages);
}

enum rc db_begin(struct db *db, struct err *e)
{
    return db_begin_within(db, DB_BUSY_WAIT_MS, e);
}

enum rc db_begin_within(struct db *db, int64_t wait_ms, struct err *e)
{
    struct stopwatch waited = stopwatch_start();
    write_queue_enter(&db->write_queue, &waited, wait_ms);
    int64_t left = wait_ms - stopwatch_us(&waited) / US_PER_MS;
    db->busy_wait_ms = left > 0 ? left : 0;
    enum rc rc = db_exec(db, "BEGIN IMMEDIATE", NO_ARGS, NULL, e);
    db->busy_wait_ms = DB_BUSY_WAIT_MS;
    write_queue_leave(&db->write_queue);
    return rc;
}

enum rc db_begin_reading(struct db *db, struct err *e)
{
    return db_exec(db, "BEGIN", NO_ARGS, NULL, e);
}

enum rc db_commit(struct db *db, struct err *e)
{
    enum rc rc = db_exec(db, "COMMIT", NO_ARGS, NULL, e);
    if (rc != RC_OK)
        db_rollback(db);
    return rc;
}

void db_rollback(struct db *db)
{
    /* after some failures SQLite has rolled back already */
    if (db_in_transaction(db))
        (void)db_exec(db, "ROLLBACK", NO_ARGS, NULL, NULL);
}

/* One name is enough: SQLite uses the newest savepoint with this name. */
enum rc db_savepoint(struct db *db, struct err *e)
{
    return db_exec(db, "SAVEPOINT s", NO_ARGS, NULL, e);
}

enum rc db_release(struct db *db, struct err *e)
{
    return db_exec(db, "RELEASE s", NO_ARGS, NULL, e);
}

enum rc db_rollback_to(struct db *db, struct err *e)
{
    enum rc rc = db_exec(db, "ROLLBACK TO s", NO_ARGS, NULL, e);
    return rc == RC_OK ? db_release(db, e) : rc;
}

/* First copies the pages that can be copied while others write, so that writers wait only for the rest. */
enum rc db_truncate_log(struct db *db, int64_t wait_ms, struct err *e)
{
    db->busy_wait_ms = wait_ms;
    sqlite3_wal_checkpoint_v2(db->sq, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    struct stopwatch waited = stopwatch_start();
    write_queue_enter(&db->write_queue, &waited, wait_ms);
    int rc = sqlite3_wal_checkpoint_v2(db->sq, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    write_queue_leave(&db->write_queue);
    db->busy_wait_ms = DB_BUSY_WAIT_MS;
    return rc == SQLITE_OK ? RC_OK : db_fail(db, e);
}

#define AT_VERSION     18 /* in the file: 2 since the first use of a write-ahead log, else 1 */
#define VERSION_NO_LOG 1

/* The log first: another process that uses the file now has changed its version before it wrote a log. */
enum rc db_check_log(const char *path, struct err *e)
{
    char log[FS_PATH_MAX];
    struct stat st;
    unsigned char version = 0;
    if (snprintf(log, sizeof log, "%s-wal", path) >= (int)sizeof log || stat(log, &st) != 0 || !st.st_size)
        return RC_OK;
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || pread(fd, &version, 1, AT_VERSION) != 1 || version != VERSION_NO_LOG)
        return RC_OK;
    return err_tell(e, RC_CONFLICT,
        "%.150s is a backup. The files beside it that end in -wal and -shm belong to the database that it "
        "replaced. Move these two away, or put that database back. Nothing was changed.",
        path);
}

/* The disk of the copy is often another one than that of the database, so the sentence names the file. */
static enum rc fail_copy(sqlite3 *to, const char *path, struct err *e)
{
    int code = sqlite3_extended_errcode(to), system_errno = sqlite3_system_errno(to);
    if (disk_is_full(code & 0xff, system_errno))
        return err_tell(e, RC_UNAVAILABLE, "The disk has no room for %.150s. Nothing was written.", path);
    return fail_code(code, system_errno, to ? sqlite3_errmsg(to) : "", e);
}

/* Without a log, so that db_check_log() can tell it from a database in use. */
static enum rc copy(sqlite3 *to, struct db *from, const char *path, struct err *e)
{
    sqlite3_backup *b = sqlite3_backup_init(to, "main", from->sq, "main");
    if (b) {
        /* in one step: readers and writers of a WAL database continue, and the copy is one snapshot */
        sqlite3_backup_step(b, -1);
        sqlite3_backup_finish(b);
    }
    if (sqlite3_errcode(to) == SQLITE_OK)
        sqlite3_exec(to, "PRAGMA journal_mode = delete", NULL, NULL, NULL);
    if (sqlite3_errcode(to) == SQLITE_OK)
        return RC_OK;
    return fail_copy(to, path, e);
}

/* Copies into `part`, which gets the name `path` later. */
static enum rc copy_to_file(struct db *db, const char *part, const char *path, struct err *e)
{
    sqlite3 *to = NULL;
    enum rc rc;
    if (sqlite3_open_v2(part, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK)
        rc = copy(to, db, path, e);
    else
        rc = fail_copy(to, path, e);
    sqlite3_close_v2(to);
    return rc;
}

static void unlink_copy(const char *part)
{
    char journal[FS_PATH_MAX + sizeof "-journal"];
    snprintf(journal, sizeof journal, "%s-journal", part); /* SQLite keeps it when a write failed */
    unlink(part);
    unlink(journal);
}

/* A new empty file under the final name, which the copy replaces. rename() alone would replace any file; a
 * hard link would not, but some file systems have none. */
static enum rc reserve(const char *path, struct err *e)
{
    AUTO_FD fd = -1;
    return fs_create(path, &fd, e);
}

enum rc db_backup(struct db *db, const char *path, struct err *e)
{
    char part[FS_PATH_MAX];
    if (fs_exists(path))
        return fs_exists_already(path, e);
    int n = snprintf(part, sizeof part, "%s.part-XXXXXX", path);
    AUTO_FD fd = n < (int)sizeof part ? mkostemp(part, O_CLOEXEC) : -1;
    if (fd < 0)
        return err_set(e, RC_IO, "%s: %s", path, strerror(n < (int)sizeof part ? errno : ENAMETOOLONG));
    enum rc rc = copy_to_file(db, part, path, e);
    if (rc == RC_OK)
        rc = reserve(path, e);
    if (rc == RC_OK && rename(part, path) != 0) {
        rc = err_set(e, RC_IO, "%s: %s", path, strerror(errno));
        unlink(path);
    }
    if (rc == RC_OK)
        rc = fs_sync_name(path, e);
    if (rc != RC_OK)
        unlink_copy(part);
    return rc;
}

/*
 * Migrations: numbered files, built into the program. Each runs once, in a transaction that also records it.
 * Before the first one a database that is not new is copied (db_copy.c).
 * Several processes may start at once. A process that gets the write lock checks the version again, so later
 * ones find the migrations done.
 */
#include "db/db.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/db_private.h"

static const struct migration {
    int number;
    const char *name, *sql;
} migrations[] = {
#include "migrations.inc"
};

/* Another process migrates meanwhile: until it has finished, however large the database is. */
#define WAIT_MS MS_PER_H

#define NEWEST ((int64_t)ARRAY_LEN(migrations))

static enum rc version_of(struct db *db, int64_t *version, struct err *e)
{
    int64_t tables = 0;
    *version = 0;
    enum rc rc = db_one_int(
        db, "SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migration'", NO_ARGS, &tables, e);
    if (rc == RC_OK && tables)
        rc = db_one_int(db, "SELECT coalesce(max(version), 0) FROM schema_migration", NO_ARGS, version, e);
    if (rc == RC_OK && *version > NEWEST)
        return err_tell(e, RC_CONFLICT,
            "The database is of a newer Alfred (schema %lld, this program knows %lld). Start the newer "
            "one, or restore a backup of this version.",
            (long long)*version, (long long)NEWEST);
    return rc;
}

/* Runs the next migration, if one is left. In a transaction. */
static enum rc run_next(struct db *db, int64_t *version, struct err *e)
{
    enum rc rc = version_of(db, version, e);
    if (rc != RC_OK || *version == NEWEST)
        return rc;
    const struct migration *m = &migrations[*version];
    rc = db_script(db,
        "CREATE TABLE IF NOT EXISTS schema_migration ("
        "version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
        e);
    if (rc == RC_OK) {
        db_set_defensive(db, false);
        rc = db_script(db, m->sql, e);
        db_set_defensive(db, true);
    }
    if (rc == RC_OK)
        rc = db_exec(db, "INSERT INTO schema_migration (version, name, applied_at) VALUES (?, ?, ?)",
            ARGS(v_int(m->number), v_text(m->name), v_int(clock_wall_ms())), NULL, e);
    if (rc == RC_OK)
        *version = m->number;
    return rc;
}

enum rc db_is_outdated(struct db *db, bool *out, struct err *e)
{
    int64_t version;
    enum rc rc = version_of(db, &version, e);
    *out = rc == RC_OK && version < NEWEST;
    return rc;
}

static enum rc run_all(struct db *db, int64_t version, struct err *e)
{
    enum rc rc = RC_OK;
    while (rc == RC_OK && version < NEWEST) {
        rc = db_begin_within(db, WAIT_MS, e);
        if (rc != RC_OK)
            return rc;
        rc = run_next(db, &version, e);
        if (rc == RC_OK)
            rc = db_commit(db, e);
        else
            db_rollback(db);
    }
    return rc;
}

/* The lock keeps another process from migrating meanwhile. */
static enum rc copy_before(struct db *db, struct err *e)
{
    int64_t version;
    enum rc rc = db_begin_within(db, WAIT_MS, e);
    if (rc != RC_OK)
        return rc;
    rc = version_of(db, &version, e);
    if (rc == RC_OK && version < NEWEST)
        rc = db_copy_before(db, version, NEWEST, e);
    db_rollback(db);
    return rc;
}

enum rc db_migrate(struct db *db, struct err *e)
{
    int64_t version, begun = clock_mono_ms();
    enum rc rc = version_of(db, &version, e); /* a start without migrations takes no write lock */
    if (rc != RC_OK || version == NEWEST)
        return rc;
    if (version) /* not a new database: this can take a while */
        log_info("the database is upgraded from schema %lld to %lld", (long long)version, (long long)NEWEST);
    rc = version ? copy_before(db, e) : RC_OK;
    if (rc == RC_OK)
        rc = run_all(db, version, e);
    if (rc == RC_OK && version)
        log_info("the database was upgraded in %lld ms", (long long)(clock_mono_ms() - begun));
    return rc;
}

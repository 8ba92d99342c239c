/*
 * Databases for tests. The migrations take half of the processor time of a test that opens a database, so a
 * program runs them once, and each test has a copy.
 */
#ifndef ALFRED_TESTS_MIGRATED_H
#define ALFRED_TESTS_MIGRATED_H

#include "unit.h"

#include <pthread.h>
#include <stdio.h>

#include "base/fs.h"
#include "db/db.h"

#define MIGRATED_MAX ((size_t)16 << 20)

static struct {
    pthread_once_t once;
    struct strbuf file;
} migrated_first = {.once = PTHREAD_ONCE_INIT};

static void migrated_make(void)
{
    char path[256];
    struct db *db;
    struct err e = ERR_INIT;
    snprintf(path, sizeof path, "%s/migrated.db", unit_tmp());
    strbuf_init(&migrated_first.file, MIGRATED_MAX);
    if (db_open(path, DB_READ_WRITE, &db, &e) != RC_OK || db_migrate(db, &e) != RC_OK)
        fail_msg("%s", e.text);
    db_close(db); /* moves all from the write-ahead log into the file */
    if (fs_read(path, &migrated_first.file, &e) != RC_OK)
        fail_msg("%s", e.text);
}

/* Makes `path` a new database with all migrations, if there is no file yet. Returns `path`. */
__attribute__((unused)) static const char *unit_migrated(const char *path)
{
    struct err e = ERR_INIT;
    pthread_once(&migrated_first.once, migrated_make);
    if (!fs_exists(path) && fs_write_atomic(path, strbuf_str(&migrated_first.file), &e) != RC_OK)
        fail_msg("%s", e.text);
    return path;
}

#endif

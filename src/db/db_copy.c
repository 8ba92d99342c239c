/*
 * The copy of the database that an upgrade makes before its first migration: "alfred.db.schema-76-before-80".
 * An upgrade that goes on after it was killed finds a copy to the same schema, from an older one than the
 * database has now, and keeps it. There is one copy, the newest.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "db/db_private.h"

#define DB_COPY_SUFFIX ".schema-" /* "alfred.db.schema-76-before-80" */

#define BEFORE "before-"
#define MB     (1024 * 1024)

/* `from` and `to`: the schemas in the name of a copy; 0: a copy that was not completed. */
typedef void copy_fn(void *arg, const char *copy, int64_t from, int64_t to);

static void each_copy(const char *path, copy_fn *fn, void *arg)
{
    char dir[FS_PATH_MAX], copy[FS_PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const struct dirent *d;
    fs_folder_of(path, dir);
    DIR *all = opendir(dir);
    while (all && (d = readdir(all))) {
        struct str rest = str_of(d->d_name), to;
        int64_t a = 0, b = 0;
        if (!str_starts(rest, str_of(name)) ||
            !str_starts(rest = str_from(rest, strlen(name)), STR(DB_COPY_SUFFIX)) ||
            fs_join(copy, dir, d->d_name, NULL) != RC_OK)
            continue;
        rest = str_from(rest, strlen(DB_COPY_SUFFIX));
        struct str from = str_cut(&rest, '-');
        to = str_starts(rest, STR(BEFORE)) ? str_from(rest, strlen(BEFORE)) : STR("");
        if (!str_to_int(from, 1, INT32_MAX, &a) || !str_to_int(to, 1, INT32_MAX, &b))
            a = b = 0;
        fn(arg, copy, a, b);
    }
    if (all)
        closedir(all);
}

struct wanted {
    int64_t from, to;
    bool begun; /* there is the copy of an upgrade to `to` that has begun */
    const char *kept;
};

static void look(void *arg, const char *copy, int64_t from, int64_t to)
{
    struct wanted *w = arg;
    (void)copy;
    w->begun = w->begun || (from && from < w->from && to == w->to);
}

/* A killed upgrade left it. It must not take the room of the next copy. */
static void drop_incomplete(void *arg, const char *copy, int64_t from, int64_t to)
{
    (void)arg;
    (void)to;
    if (!from)
        unlink(copy);
}

static void drop_other(void *arg, const char *copy, int64_t from, int64_t to)
{
    const struct wanted *w = arg;
    (void)from;
    (void)to;
    if (strcmp(copy, w->kept) != 0)
        unlink(copy);
}

static enum rc check_room(struct db *db, const char *copy, struct err *e)
{
    char dir[FS_PATH_MAX];
    struct statvfs disk;
    int64_t bytes;
    fs_folder_of(copy, dir);
    enum rc rc = db_one_int(
        db, "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size", NO_ARGS, &bytes, e);
    if (rc != RC_OK || statvfs(dir, &disk) != 0)
        return rc;
    int64_t room = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    long long needed_mb = bytes / MB + 1, free_mb = room / MB;
    if (room < bytes)
        return err_tell(e, RC_UNAVAILABLE,
            "An upgrade of the database begins with a copy of it. The disk has no room for the copy: it "
            "needs %lld MB, and %lld MB are free. Nothing was changed. Free some space and start again.",
            needed_mb, free_mb);
    log_info("before its upgrade the database is copied to %s (%lld MB)", copy, needed_mb);
    return RC_OK;
}

enum rc db_copy_before(struct db *db, int64_t from, int64_t to, struct err *e)
{
    char copy[FS_PATH_MAX];
    const char *path = db_path(db);
    struct wanted w = {.from = from, .to = to, .kept = copy};
    AUTO(db) reader = NULL; /* SQLite copies no connection that is in a transaction */
    each_copy(path, look, &w);
    if (w.begun)
        return RC_OK;
    if (snprintf(copy, sizeof copy, "%s" DB_COPY_SUFFIX "%lld-" BEFORE "%lld", path, (long long)from,
            (long long)to) >= (int)sizeof copy)
        return err_set(e, RC_TOO_BIG, "%s: the path is too long", path);
    unlink(copy); /* of an upgrade that was undone by hand */
    each_copy(path, drop_incomplete, NULL);
    enum rc rc = check_room(db, copy, e);
    if (rc == RC_OK)
        rc = db_open(path, DB_READ_ONLY, &reader, e);
    if (rc == RC_OK)
        rc = db_backup(reader, copy, e);
    if (rc == RC_OK)
        each_copy(path, drop_other, &w);
    return rc;
}

static void drop_old(void *arg, const char *copy, int64_t from, int64_t to)
{
    const int64_t *before = arg;
    struct stat st;
    (void)from;
    (void)to;
    if (stat(copy, &st) == 0 && (int64_t)st.st_mtime * MS_PER_S < *before && unlink(copy) == 0)
        log_info("%s removed", copy);
}

void db_drop_copies(const char *path, int64_t before)
{
    each_copy(path, drop_old, &before);
}

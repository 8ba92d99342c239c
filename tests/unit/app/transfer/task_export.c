/* The files on disk when an export is marked as done. */
#include "migrated.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "app/transfer/transfer.h"
#include "app/transfer/transfer_tasks.h"
#include "base/clock.h"
#include "store/account/user.h"

#define NOW INT64_C(1700000000000)

static struct seen {
    struct store *store;
    char path[FS_PATH_MAX];
    int folder_synced; /* while the file was there under its name and the row still waited */
} seen;

static bool row_waits(void)
{
    int64_t n = 0;
    struct db *db = store_read(seen.store);
    assert_ok(db_one_int(db, "SELECT count(*) FROM transfer WHERE state = 'waiting'", NO_ARGS, &n, NULL));
    store_read_done(seen.store, db);
    return n == 1;
}

/* Replaces libc's function. */
int fsync(int fd)
{
    struct stat st;
    if (*seen.path && fstat(fd, &st) == 0 && S_ISDIR(st.st_mode) && fs_exists(seen.path) && row_waits())
        seen.folder_synced++;
    return (int)syscall(SYS_fsync, fd);
}

static enum rc fill_tx(struct db *db, void *arg, struct err *e)
{
    int64_t id;
    enum rc rc = store_user_add(db, "ann", USER_ADMIN, "x", NOW, &id, e);
    return rc == RC_OK ? store_transfer_add(db, arg, e) : rc;
}

TEST(an_exports_name_is_on_the_disk_before_its_row_says_so)
{
    char at[256], text[300];
    struct config *config;
    struct transfer t = {
        .owner = 1, .pub = "xfr_0", .kind = TRANSFER_EXPORT, .format = "", .created_at = NOW};
    snprintf(at, sizeof at, "%s/alfred.toml", unit_tmp());
    snprintf(text, sizeof text, "[server]\ndata_dir = \"%s\"\n", unit_tmp());
    assert_ok(fs_write_atomic(at, str_of(text), NULL));
    assert_ok(config_load(at, &config, NULL));
    snprintf(at, sizeof at, "%s/alfred.db", unit_tmp());
    assert_ok(store_open(unit_migrated(at), 2, &seen.store, NULL));
    assert_ok(store_write(seen.store, fill_tx, &t, NULL));
    assert_ok(transfer_path(config, t.pub, seen.path, NULL));
    struct helper h = {.config = config, .store = seen.store, .signal_fd = -1};
    struct job job = {.owner = 1, .subject = t.id};
    assert_ok(task_export(&h, &job, NULL));
    assert_false(row_waits());
    assert_true(fs_exists(seen.path));
    assert_int_equal(seen.folder_synced, 1);
    *seen.path = '\0';
    store_free(seen.store);
    config_free(config);
}

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"

#define CLI_READERS 1

int cli_fail(const struct err *e)
{
    fprintf(stderr, "alfred: %s\n", *e->text ? e->text : rc_name(e->rc));
    return COMMAND_FAILED;
}

static bool service_runs(const struct config *c)
{
    char path[FS_PATH_MAX];
    if (fs_join(path, c->server.data_dir, CONFIG_LOCK, NULL) != RC_OK)
        return false;
    AUTO_FD fd = open(path, O_RDWR | O_CLOEXEC);
    return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* After an upgrade of the files, the programs that run are of the earlier version until the restart. A
 * command that upgraded the database under them would break them. */
static enum rc check_version(const struct config *c, const char *database, struct err *e)
{
    AUTO(db) db = NULL;
    bool outdated = false;
    if (!fs_exists(database))
        return RC_OK;
    enum rc rc = db_open(database, DB_READ_ONLY, &db, e);
    if (rc == RC_OK)
        rc = db_is_outdated(db, &outdated, e);
    if (rc == RC_OK && outdated && service_runs(c))
        return err_tell(e, RC_CONFLICT,
            "The Alfred that is running is of an earlier version. Restart it, then repeat the command.");
    return rc;
}

enum rc cli_check_data(const struct config *c, struct err *e)
{
    static const char *const names[] = {"", "/" CONFIG_DATABASE, "/" CONFIG_DATABASE "-wal",
        "/" CONFIG_DATABASE "-shm", "/" CONFIG_DATABASE "-turn", "/" CONFIG_LOCK, "/run", "/turns",
        "/transcripts", "/transfers"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const char *path = arena_printf(c->arena, "%s%s", c->server.data_dir, names[i]);
        struct stat st;
        bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
        if (access(path, folder ? R_OK | W_OK | X_OK : R_OK | W_OK) == 0 || errno == ENOENT)
            continue;
        if (errno != EACCES)
            return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
        const struct passwd *p = getpwuid(geteuid());
        const char *user = p ? p->pw_name : arena_printf(c->arena, "%u", geteuid());
        return err_tell(e, RC_FORBIDDEN,
            "%s: Permission denied. This program runs as %s. Run it as the owner of the data folder, or "
            "change the owner: chown -R %s %s",
            path, user, user, c->server.data_dir);
    }
    return db_check_log(arena_printf(c->arena, "%s/" CONFIG_DATABASE, c->server.data_dir), e);
}

/* A command in a wrong folder must not create an empty database there. */
static enum rc ensure_folder(const struct config *c, struct err *e)
{
    if (!c->path && !fs_exists(c->server.data_dir))
        return err_tell(e, RC_NOT_FOUND,
            "There is neither " CONFIG_FILE_NAME
            " nor the data folder %.150s. Run the command in the folder of "
            "Alfred, or name its settings file with --config. `alfred serve` creates the data folder.",
            c->server.data_dir);
    enum rc rc = fs_mkdirs(c->server.data_dir, e);
    return rc == RC_OK ? cli_check_data(c, e) : rc;
}

enum rc cli_open(struct config **c, struct store **store, struct err *e)
{
    char path[FS_PATH_MAX];
    umask(S_IRWXG | S_IRWXO);
    if (sodium_init() < 0)
        return err_set(e, RC_INTERNAL, "libsodium cannot be initialised");
    enum rc rc = config_load(NULL, c, e);
    if (rc != RC_OK || !store)
        return rc;
    log_init("alfred", (*c)->server.log_level);
    if ((rc = ensure_folder(*c, e)) != RC_OK ||
        (rc = fs_join(path, (*c)->server.data_dir, CONFIG_DATABASE, e)) != RC_OK ||
        (rc = check_version(*c, path, e)) != RC_OK)
        return rc;
    return store_open(path, CLI_READERS, store, e);
}

int cli_run(const struct command_line *l, cli_fn *fn)
{
    AUTO(arena) a = arena_new();
    struct err e = ERR_INIT;
    struct cli k = {.arena = a, .from = {.address = "", .agent = l->command->words, .now = clock_wall_ms()}};
    enum rc rc = cli_open(&k.config, &k.store, &e);
    if (rc == RC_OK)
        rc = fn(&k, l, &e);
    store_free(k.store);
    config_free(k.config);
    return rc == RC_OK ? 0 : cli_fail(&e);
}

enum rc cli_find_user(struct cli *k, const char *name, struct err *e)
{
    char folded[USER_NAME_MAX + 1];
    enum rc rc = auth_name(name, folded, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(k->store);
    rc = store_user_by_name(db, k->arena, folded, &k->user, e);
    store_read_done(k->store, db);
    return rc == RC_NOT_FOUND ? err_tell(e, rc, "There is no user %s.", folded) : rc;
}

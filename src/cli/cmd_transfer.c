/* alfred export USER [FILE] and alfred import USER FILE: what the page "Your data" does, here and now. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/account/auth.h"
#include "app/transfer/export.h"
#include "app/transfer/import.h"
#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "base/fs.h"

static const char export_usage[] = "usage: alfred export USER [FILE]   all that is a user's, as JSON Lines "
                                   "(docs/export.md), to FILE, which must not "
                                   "exist;\n"
                                   "                                   packed when it ends in .gz; without "
                                   "FILE or with - to standard output\n";
static const char import_usage[] =
    "usage: alfred import USER FILE     conversations of an export of Alfred's, ChatGPT's "
    "(conversations.json or the zip) "
    "or\n"
    "                                   Open WebUI's; the same file twice adds nothing twice\n";

struct command {
    struct config *config;
    struct store *store;
    struct user user;
    struct arena *arena;
};

static enum rc find_user(struct command *k, const char *name, struct err *e)
{
    char folded[USER_NAME_MAX + 1];
    enum rc rc = auth_name(name, folded, e);
    if (rc != RC_OK)
        return rc;
    struct db *db = store_read(k->store);
    rc = store_user_by_name(db, k->arena, folded, &k->user, e);
    store_read_done(k->store, db);
    return rc == RC_NOT_FOUND ? err_say(e, rc, "There is no user %s.", folded) : rc;
}

struct note {
    const struct command *k;
    const char *action;
};

static enum rc note_tx(struct db *db, void *arg, struct err *e)
{
    const struct note *n = arg;
    return store_audit(db, clock_wall_ms(), n->k->user.id, n->action, "command line", "", e);
}

static enum rc note(const struct command *k, const char *action, struct err *e)
{
    return store_write(k->store, note_tx, &(struct note){k, action}, e);
}

/* ---- export ---- */

static bool ends_in_gz(const char *path)
{
    size_t n = strlen(path);
    return n > 3 && strcmp(path + n - 3, ".gz") == 0;
}

static enum rc export_to(struct command *k, const char *path, struct err *e)
{
    bool out = !path || strcmp(path, "-") == 0;
    AUTO_FD file = out ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (!out && file < 0)
        return err_say(e, RC_IO, "%.150s: %s", path, strerror(errno));
    enum rc rc = note(k, "exported", e);
    if (rc == RC_OK)
        rc = export_write(
            k->store, k->user.id, out ? STDOUT_FILENO : file, !out && ends_in_gz(path), NULL, NULL, e);
    if (rc == RC_OK && !out && fsync(file) != 0)
        rc = err_set(e, RC_IO, "%.150s: %s", path, strerror(errno));
    if (rc != RC_OK && !out)
        unlink(path);
    if (rc == RC_OK && !out)
        printf("All that is %s's is in %s. Keep it as safe as the original.\n", k->user.name, path);
    return rc;
}

/* ---- import ---- */

static void show_progress(void *arg, const struct transfer *t)
{
    int64_t passed = t->done + t->skipped;
    (void)arg;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%lld of %lld", (long long)passed, (long long)t->total);
}

static enum rc import_from(struct command *k, const char *path, struct err *e)
{
    struct stat st;
    struct transfer t = {.owner = k->user.id, .format = ""};
    struct import_args x = {.store = k->store, .config = k->config, .path = path, .progress = show_progress};
    bool whole;
    if (stat(path, &st) != 0)
        return err_say(e, RC_NOT_FOUND, "%.150s: %s", path, strerror(errno));
    enum rc rc = note(k, "imported", e);
    if (rc == RC_OK)
        rc = import_run(&x, &t, &whole, e);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (t.done || t.skipped || t.facts || rc == RC_OK)
        printf("%s.\n", import_result_words(k->arena, &t));
    helper_wake(k->config->server.data_dir);
    return rc;
}

/* ---- both ---- */

static int run(
    const char *name, enum rc (*fn)(struct command *, const char *, struct err *), const char *path)
{
    struct err e = ERR_INIT;
    AUTO(arena) a = arena_new();
    struct command k = {.arena = a};
    enum rc rc = cli_open(&k.config, &k.store, &e);
    if (rc == RC_OK)
        rc = find_user(&k, name, &e);
    if (rc == RC_OK)
        rc = fn(&k, path, &e);
    store_free(k.store);
    config_free(k.config);
    return rc == RC_OK ? 0 : cli_fail(&e);
}

int cmd_export(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fputs(export_usage, stderr);
        return EXIT_USAGE;
    }
    return run(argv[1], export_to, argc == 3 ? argv[2] : NULL);
}

int cmd_import(int argc, char **argv)
{
    if (argc != 3) {
        fputs(import_usage, stderr);
        return EXIT_USAGE;
    }
    return run(argv[1], import_from, argv[2]);
}

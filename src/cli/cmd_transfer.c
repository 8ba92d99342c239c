/* alfred export and alfred import: the actions of the page "Your data", run at once in this process. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/export/export.h"
#include "app/import/import.h"
#include "app/jobs/helper_notify.h"
#include "base/fs.h"

static enum rc note(const struct cli *k, const char *action, struct err *e)
{
    return auth_audit_write(k->store, &k->from, k->user.id, action, "command line", e);
}

/* ---- export ---- */

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), of = strlen(ending);
    return n > of && strcmp(path + n - of, ending) == 0;
}

static enum export_container container_of(const char *path)
{
    return ends_in(path, ".gz") ? EXPORT_GZIP : ends_in(path, ".zip") ? EXPORT_ZIP : EXPORT_LINES;
}

static enum rc export_to(struct cli *k, const char *path, struct err *e)
{
    bool out = !path || strcmp(path, "-") == 0;
    AUTO_FD file = -1;
    enum rc rc = out ? RC_OK : fs_create(path, &file, e);
    if (rc != RC_OK)
        return rc;
    struct export_options options = {.container = out ? EXPORT_LINES : container_of(path)};
    char folder[FS_PATH_MAX];
    if (!out) { /* the disk of the data folder may be full */
        fs_folder_of(path, folder);
        options.folder = folder;
    }
    rc = note(k, "exported", e);
    if (rc == RC_OK)
        rc = export_write(k->store, k->user.id, out ? STDOUT_FILENO : file, &options, NULL, NULL, e);
    if (rc == RC_OK && !out && fsync(file) != 0)
        rc = err_set(e, RC_IO, "%.150s: %s", path, strerror(errno));
    if (rc == RC_OK && !out)
        rc = fs_sync_name(path, e);
    if (rc != RC_OK && !out)
        unlink(path);
    if (rc == RC_OK && !out)
        printf("All data of %s is in %s. Protect it like the original.\n", k->user.name, path);
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

static enum rc import_from(struct cli *k, const char *path, struct err *e)
{
    struct stat st;
    struct transfer t = {.owner = k->user.id, .format = ""};
    struct import_args x = {.store = k->store, .config = k->config, .path = path, .progress = show_progress};
    bool whole;
    if (stat(path, &st) != 0)
        return err_tell(e, RC_NOT_FOUND, "%.150s: %s", path, strerror(errno));
    enum rc rc = note(k, "imported", e);
    if (rc == RC_OK)
        rc = import_run(&x, &t, &whole, e);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (t.done || t.skipped || t.facts || rc == RC_OK)
        printf("%s.\n", import_result_words(k->arena, lang_english(), &t));
    helper_notify(k->config->server.data_dir);
    return rc;
}

/* ---- both ---- */

static enum rc run_export(struct cli *k, const struct command_line *l, struct err *e)
{
    enum rc rc = cli_find_user(k, l->args[0], e);
    return rc == RC_OK ? export_to(k, l->args[1], e) : rc;
}

static enum rc run_import(struct cli *k, const struct command_line *l, struct err *e)
{
    enum rc rc = cli_find_user(k, l->args[0], e);
    return rc == RC_OK ? import_from(k, l->args[1], e) : rc;
}

int cmd_export(const struct command_line *l)
{
    return cli_run(l, run_export);
}

int cmd_import(const struct command_line *l)
{
    return cli_run(l, run_import);
}

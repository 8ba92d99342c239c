#include "app/transfer/transfer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/jobs/helper_notify.h"
#include "base/log.h"
#include "store/job.h"
#include "store/message/draft.h"

#define FOLDER "transfers"

enum rc transfer_folder(const struct config *c, char out[FS_PATH_MAX], struct err *e)
{
    enum rc rc = fs_join(out, c->server.data_dir, FOLDER, e);
    if (rc != RC_OK || fs_exists(out))
        return rc;
    rc = fs_mkdirs(out, e);
    return rc == RC_OK ? fs_sync_name(out, e) : rc;
}

enum rc transfer_path(const struct config *c, const char *pub, char out[FS_PATH_MAX], struct err *e)
{
    char dir[FS_PATH_MAX];
    enum rc rc = transfer_folder(c, dir, e);
    return rc == RC_OK ? fs_join(out, dir, pub, e) : rc;
}

/* ---- begin ---- */

struct begin {
    struct transfer *t;
    const char *sessions; /* of a selection */
    const struct auth_client *from;
};

static enum rc may_begin(struct db *db, const struct transfer *t, struct err *e)
{
    int64_t waiting = 0, files = 0;
    enum rc rc = store_transfer_waiting(db, t->owner, t->kind, &waiting, e);
    if (rc == RC_OK)
        rc = store_transfer_files(db, t->owner, &files, e);
    if (rc != RC_OK)
        return rc;
    if (t->kind == TRANSFER_IMPORT && waiting >= TRANSFER_IMPORTS_MAX)
        return err_say(e, RC_CONFLICT, "import.imports_wait", arg_int("max", TRANSFER_IMPORTS_MAX));
    if (t->kind == TRANSFER_EXPORT && waiting > 0)
        return err_say(e, RC_CONFLICT, "import.export_runs");
    if (t->kind == TRANSFER_EXPORT && files >= TRANSFER_EXPORTS_MAX)
        return err_say(e, RC_CONFLICT, "import.exports_full", arg_int("max", TRANSFER_EXPORTS_MAX));
    return RC_OK;
}

static enum rc select_sessions(struct db *db, const struct begin *b, struct err *e)
{
    AUTO(arena) a = arena_new();
    bool found = false;
    for (struct str rest = str_of(b->sessions); rest.s;) {
        struct str id = str_cut(&rest, ' ');
        const char *pub = arena_strndup(a, id.s, id.len);
        enum rc rc = store_transfer_select(db, b->t->owner, b->t->id, pub, e);
        if (rc != RC_OK && rc != RC_NOT_FOUND)
            return rc;
        found = found || rc == RC_OK;
    }
    return found ? RC_OK : err_set(e, RC_NOT_FOUND, "none of the sessions exists");
}

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct begin *b = arg;
    struct transfer *t = b->t;
    bool out = t->kind == TRANSFER_EXPORT;
    enum rc rc = may_begin(db, t, e);
    if (rc == RC_OK)
        rc = store_transfer_add(db, t, e);
    if (rc == RC_OK && t->selected)
        rc = select_sessions(db, b, e);
    if (rc == RC_OK)
        rc = store_job_add_wanted(
            db, out ? JOB_EXPORT : JOB_IMPORT, t->owner, t->id, t->created_at, t->created_at, e);
    return rc == RC_OK ? auth_audit(db, b->from, t->owner, out ? "export_asked" : "import_asked", t->pub, e)
                       : rc;
}

static enum rc begin(struct store *s, const struct config *c, const struct auth_client *from,
    struct transfer *t, const char *sessions, struct err *e)
{
    struct begin b = {t, sessions, from};
    return helper_write(s, c->server.data_dir, begin_tx, &b, e);
}

enum rc transfer_export(struct store *s, const struct config *c, int64_t owner,
    const struct transfer_options *options, const struct auth_client *from, struct arena *a,
    struct transfer *out, struct err *e)
{
    char pub[ID_SIZE];
    id_new(ID_TRANSFER, pub);
    *out = (struct transfer){.owner = owner,
        .pub = arena_strdup(a, pub),
        .kind = TRANSFER_EXPORT,
        .format = "",
        .reasoning = options->reasoning,
        .selected = options->sessions != NULL,
        .created_at = from->now};
    return begin(s, c, from, out, options->sessions, e);
}

enum rc transfer_import(struct store *s, const struct config *c, int64_t owner, const char *pub,
    int64_t bytes, const struct auth_client *from, struct arena *a, struct transfer *out, struct err *e)
{
    *out = (struct transfer){.owner = owner,
        .pub = arena_strdup(a, pub),
        .kind = TRANSFER_IMPORT,
        .format = "",
        .bytes = bytes,
        .created_at = from->now};
    char path[FS_PATH_MAX];
    enum rc rc = transfer_path(c, pub, path, e);
    if (rc == RC_OK)
        rc = fs_sync_name(path, e); /* the row refers to the file */
    return rc == RC_OK ? begin(s, c, from, out, NULL, e) : rc;
}

enum rc transfer_note_download(
    struct store *s, const struct transfer *t, const struct auth_client *from, struct err *e)
{
    return auth_audit_write(s, from, t->owner, "export_downloaded", t->pub, e);
}

/* ---- delete ---- */

struct gone {
    int64_t owner;
    const char *pub;
    const struct auth_client *from;
};

static enum rc delete_tx(struct db *db, void *arg, struct err *e)
{
    const struct gone *g = arg;
    enum rc rc = store_transfer_delete(db, g->owner, g->pub, e);
    return rc == RC_OK ? auth_audit(db, g->from, g->owner, "transfer_deleted", g->pub, e) : rc;
}

enum rc transfer_delete(struct store *s, const struct config *c, int64_t owner, const char *pub,
    const struct auth_client *from, struct err *e)
{
    char path[FS_PATH_MAX];
    struct gone g = {owner, pub, from};
    enum rc rc = transfer_path(c, pub, path, e);
    if (rc == RC_OK)
        rc = store_write(s, delete_tx, &g, e);
    if (rc == RC_OK)
        unlink(path); /* absent before an export has begun; after a crash in between the sweep deletes it */
    return rc;
}

/* ---- state ---- */

const char *transfer_phase_name(enum transfer_phase p)
{
    static const char *const names[] = {[TRANSFER_PHASE_WAITS] = "waiting",
        [TRANSFER_PHASE_RUNS] = "running",
        [TRANSFER_PHASE_DONE] = "done",
        [TRANSFER_PHASE_FAILED] = "failed"};
    return names[p];
}

enum rc transfer_phase(
    struct db *db, struct arena *a, const struct transfer *t, enum transfer_phase *out, struct err *e)
{
    struct job job;
    *out = t->state == TRANSFER_DONE ? TRANSFER_PHASE_DONE : TRANSFER_PHASE_FAILED;
    if (t->state != TRANSFER_WAITING)
        return RC_OK;
    enum rc rc = store_job_latest(
        db, a, t->kind == TRANSFER_EXPORT ? JOB_EXPORT : JOB_IMPORT, t->owner, t->id, &job, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    bool begun = t->total > 0 || t->done > 0 || t->skipped > 0;
    if (rc == RC_OK && strcmp(job.state, "dead") != 0)
        *out = begun || strcmp(job.state, "leased") == 0 ? TRANSFER_PHASE_RUNS : TRANSFER_PHASE_WAITS;
    return RC_OK;
}

/* ---- the sweep ---- */

static enum rc sweep_tx(struct db *db, void *arg, struct err *e)
{
    const int64_t *now = arg;
    int64_t removed = 0;
    enum rc rc = store_transfer_sweep(db, *now - TRANSFER_KEEP_MS, &removed, e);
    if (rc == RC_OK)
        rc = store_draft_sweep(db, *now - TRANSFER_DRAFT_MS, e);
    if (rc == RC_OK && removed)
        log_info("%lld exports and imports removed", (long long)removed);
    return rc;
}

/* True for a file without a row that is not an upload in progress. */
static bool is_left(struct db *db, int dir, const char *name, int64_t now)
{
    struct stat st;
    bool needed = true;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return false;
    if ((int64_t)st.st_mtim.tv_sec * MS_PER_S > now - TRANSFER_LEFT_MS)
        return false;
    return store_transfer_needs_file(db, name, &needed, NULL) == RC_OK && !needed;
}

enum rc transfer_sweep(struct store *s, const struct config *c, int64_t now, struct err *e)
{
    char path[FS_PATH_MAX];
    enum rc rc = store_write(s, sweep_tx, &now, e);
    if (rc == RC_OK)
        rc = transfer_folder(c, path, e);
    if (rc != RC_OK)
        return rc;
    DIR *d = opendir(path);
    if (!d)
        return err_set(e, RC_IO, "%s: %s", path, strerror(errno));
    struct db *db = store_read(s);
    for (struct dirent *at; (at = readdir(d));)
        if (is_left(db, dirfd(d), at->d_name, now))
            unlinkat(dirfd(d), at->d_name, 0);
    store_read_done(s, db);
    closedir(d);
    return RC_OK;
}

/* Writes all of a user's data into a file. It is written under a temporary name and renamed when it is
 * complete. A helper that is killed leaves only the temporary file, which the next attempt overwrites. */
#include "app/transfer/transfer_tasks.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/export/export.h"
#include "app/transfer/transfer.h"
#include "base/clock.h"
#include "base/fs.h"
#include "store/account/audit.h"

#define PIECE_SUFFIX ".part"
#define PROGRESS_MS  500

struct work {
    struct helper *h;
    struct transfer t;
    int64_t told; /* monotonic: last update of the row */
};

static enum rc progress_tx(struct db *db, void *arg, struct err *e)
{
    return store_transfer_progress(db, arg, e);
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct transfer *t = arg;
    enum rc rc = store_transfer_end(db, t, e);
    if (rc == RC_OK && t->state == TRANSFER_DONE)
        rc = store_audit(db, t->ended_at, t->owner, "exported", t->pub, "", e);
    return rc;
}

static enum rc progress(void *arg, int64_t done, int64_t total, struct err *e)
{
    struct work *w = arg;
    struct pollfd stop = {.fd = w->h->signal_fd, .events = POLLIN};
    if (poll(&stop, 1, 0) > 0)
        return err_set(e, RC_CANCELLED, "the helper is stopping");
    w->t.done = done;
    w->t.total = total;
    int64_t now = clock_mono_ms();
    if (now - w->told < PROGRESS_MS)
        return RC_OK;
    w->told = now;
    return store_write(w->h->store, progress_tx, &w->t, e); /* RC_NOT_FOUND: the transfer was deleted */
}

static enum rc write_piece(struct work *w, const char *piece, struct err *e)
{
    char folder[FS_PATH_MAX];
    const struct export_options options = {.container = EXPORT_ZIP,
        .reasoning = w->t.reasoning,
        .transfer_id = w->t.selected ? w->t.id : 0,
        .folder = folder};
    enum rc rc = transfer_folder(w->h->config, folder, e);
    if (rc != RC_OK)
        return rc;
    AUTO_FD fd = open(piece, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct stat st;
    if (fd < 0)
        return fs_write_failed(piece, e);
    rc = export_write(w->h->store, w->t.owner, fd, &options, progress, w, e);
    if (rc == RC_OK && (fsync(fd) != 0 || fstat(fd, &st) != 0))
        return fs_write_failed(piece, e);
    if (rc == RC_OK)
        w->t.bytes = st.st_size;
    return rc;
}

/* The file and its name are on disk before the row says so. */
static enum rc run(struct work *w, struct err *e)
{
    char path[FS_PATH_MAX], piece[FS_PATH_MAX];
    enum rc rc = transfer_path(w->h->config, w->t.pub, path, e);
    if (rc != RC_OK)
        return rc;
    if (snprintf(piece, sizeof piece, "%s" PIECE_SUFFIX, path) >= (int)sizeof piece)
        return err_set(e, RC_TOO_BIG, "the path of a transfer is too long");
    rc = write_piece(w, piece, e);
    if (rc == RC_OK && rename(piece, path) != 0)
        rc = fs_write_failed(path, e);
    if (rc == RC_OK)
        rc = fs_sync_name(path, e);
    w->t.state = TRANSFER_DONE;
    w->t.format = EXPORT_ZIP_FORMAT;
    w->t.ended_at = clock_wall_ms();
    if (rc == RC_OK && (rc = store_write(w->h->store, end_tx, &w->t, e)) == RC_NOT_FOUND)
        unlink(path);
    if (rc != RC_OK)
        unlink(piece);
    return rc;
}

enum rc task_export(struct helper *h, const struct job *job, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct work w = {.h = h};
    struct db *db = store_read(h->store);
    enum rc rc = store_transfer_by_id(db, a, job->owner, job->subject, &w.t, e);
    store_read_done(h->store, db);
    if (rc == RC_OK && w.t.state == TRANSFER_WAITING)
        rc = run(&w, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the transfer was deleted */
}

/* Until the last attempt the page shows the transfer as running. Without a sentence in `why` the page
 * shows its own. */
enum rc task_transfer_on_dead(struct db *db, const struct job *job, const struct err *why, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct transfer t;
    enum rc rc = store_transfer_by_id(db, a, job->owner, job->subject, &t, e);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && t.state != TRANSFER_WAITING))
        return RC_OK; /* deleted */
    if (rc != RC_OK)
        return rc;
    t.state = TRANSFER_FAILED;
    t.error = err_stored(why);
    t.ended_at = clock_wall_ms();
    rc = store_transfer_end(db, &t, e);
    return rc == RC_OK ? store_audit(db, t.ended_at, t.owner,
                             t.kind == TRANSFER_EXPORT ? "export_failed" : "import_failed", t.pub, "", e)
                       : rc;
}

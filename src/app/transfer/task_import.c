/* Imports conversations from an uploaded file for SLICE_MS. The rest becomes a new job, so other jobs can
 * run. The time begins at the position where the previous slice ended. The parts that a killed helper had
 * committed are counted; the next attempt continues after them. */
#include "app/transfer/transfer_tasks.h"

#include <poll.h>
#include <unistd.h>

#include "app/import/import.h"
#include "app/jobs/helper_notify.h"
#include "app/transfer/transfer.h"
#include "base/clock.h"
#include "base/log.h"
#include "store/account/audit.h"

#define SLICE_MS 2000

struct work {
    struct helper *h;
    struct transfer t;
    int64_t until; /* monotonic; 0: nothing new was read yet */
    bool stopped;
};

static bool pause_now(void *arg)
{
    struct work *w = arg;
    struct pollfd stop = {.fd = w->h->signal_fd, .events = POLLIN};
    int64_t now = clock_mono_ms();
    w->stopped = poll(&stop, 1, 0) > 0;
    w->until = w->until ? w->until : now + SLICE_MS;
    return w->stopped || now >= w->until;
}

static enum rc end_tx(struct db *db, void *arg, struct err *e)
{
    const struct transfer *t = arg;
    enum rc rc = store_transfer_end(db, t, e);
    return rc == RC_OK ? store_audit(db, t->ended_at, t->owner,
                             t->state == TRANSFER_DONE ? "imported" : "import_failed", t->pub, "", e)
                       : rc;
}

static enum rc go_on_tx(struct db *db, void *arg, struct err *e)
{
    const struct transfer *t = arg;
    int64_t now = clock_wall_ms();
    return store_job_add(db, JOB_IMPORT, t->owner, t->id, now, now, e);
}

/* The row is updated before the file is deleted. */
static enum rc finish(
    struct work *w, enum transfer_state state, const char *error, const char *path, struct err *e)
{
    w->t.state = state;
    w->t.error = error;
    w->t.ended_at = clock_wall_ms();
    enum rc rc = store_write(w->h->store, end_tx, &w->t, e);
    if (rc == RC_OK || rc == RC_NOT_FOUND)
        unlink(path);
    return rc;
}

static bool is_final(enum rc rc)
{
    return rc == RC_BAD_INPUT || rc == RC_TOO_BIG;
}

static enum rc run(struct work *w, struct err *e)
{
    char path[FS_PATH_MAX];
    bool whole = false;
    struct import_args x = {
        .store = w->h->store, .config = w->h->config, .path = path, .pause = pause_now, .arg = w};
    struct err why = ERR_INIT;
    enum rc rc = transfer_path(w->h->config, w->t.pub, path, e);
    if (rc != RC_OK)
        return rc;
    int64_t facts = w->t.facts;
    rc = import_run(&x, &w->t, &whole, &why);
    if (w->t.facts > facts) /* reminders may be among them */
        helper_notify(w->h->config->server.data_dir);
    if (rc == RC_OK && whole)
        return finish(w, TRANSFER_DONE, NULL, path, e);
    if (rc == RC_OK)
        return w->stopped ? err_set(e, RC_CANCELLED, "the helper is stopping")
                          : store_write(w->h->store, go_on_tx, &w->t, e);
    if (is_final(rc)) {
        log_warn("transfer %lld failed: %s", (long long)w->t.id, why.text);
        return finish(w, TRANSFER_FAILED, err_stored(&why), path, e);
    }
    if (e)
        *e = why;
    return rc;
}

enum rc task_import(struct helper *h, const struct job *job, struct err *e)
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

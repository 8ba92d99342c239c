#include "app/session/batch.h"

#include "app/jobs/helper_notify.h"
#include "app/session/workspace.h"
#include "app/trash/trash.h"
#include "base/clock.h"
#include "store/job.h"
#include "store/session/tag.h"

struct begin {
    const struct batch_request *q;
    struct arena *arena;
    struct batch *batch;
    int64_t *ids;
    size_t n;
};

/* ---- which sessions ---- */

/* Ids that are not those of the owner's sessions are counted. */
static enum rc named(struct db *db, struct begin *t, struct err *e)
{
    struct str rest = t->q->ids;
    t->ids = ARENA_ARRAY(t->arena, int64_t, BATCH_IDS_MAX);
    while (rest.len) {
        struct str id = str_cut(&rest, ' ');
        int64_t found = 0;
        if (id.len == 0)
            continue;
        if (t->batch->total++ == BATCH_IDS_MAX)
            return err_say(e, RC_BAD_INPUT, "batch.too_many", arg_int("max", BATCH_IDS_MAX));
        enum rc rc = store_session_find(db, t->batch->owner, id, &found, e);
        if (rc == RC_NOT_FOUND)
            t->batch->absent++;
        else if (rc != RC_OK)
            return rc;
        else
            t->ids[t->n++] = found;
    }
    return t->batch->total ? RC_OK : err_say(e, RC_BAD_INPUT, "batch.none");
}

static enum rc matching(struct db *db, struct begin *t, struct err *e)
{
    enum rc rc = store_session_ids(
        db, t->arena, t->batch->owner, t->q->filter, BATCH_SESSIONS_MAX + 1, &t->ids, &t->n, e);
    if (rc == RC_OK && t->n > BATCH_SESSIONS_MAX)
        return err_say(e, RC_TOO_BIG, "batch.too_many", arg_int("max", BATCH_SESSIONS_MAX));
    t->batch->total = (int64_t)t->n;
    return rc;
}

/* Before the transaction: to find 100,000 sessions takes long. One that is gone when its turn comes is
 * counted then. */
static enum rc select_sessions(struct db *db, void *arg, struct err *e)
{
    struct begin *t = arg;
    return t->q->ids.len || !t->q->filter ? named(db, t, e) : matching(db, t, e);
}

static enum rc begin_tx(struct db *db, void *arg, struct err *e)
{
    struct begin *t = arg;
    struct batch *b = t->batch;
    struct tag tag;
    enum rc rc = RC_OK;
    if (b->tag_id)
        rc = store_tag_get(db, t->arena, b->owner, b->tag_id, &tag, e);
    if (rc == RC_OK)
        rc = store_batch_add(db, b, t->ids, t->n, e);
    if (rc == RC_OK && b->action == BATCH_TRASH)
        rc = auth_audit(db, t->q->from, b->owner, "sessions_trashed", arena_printf(t->arena, "%zu", t->n), e);
    /* runs after the time of the request; it also ends a batch that a crash interrupted */
    return rc == RC_OK ? store_job_add(
                             db, JOB_BATCH, b->owner, b->id, b->created_at + BATCH_WAIT_MS, b->created_at, e)
                       : rc;
}

/* ---- the work ---- */

struct step {
    const struct config *config;
    int64_t id;
    bool more;
};

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct step *t = arg;
    AUTO(arena) a = arena_new();
    struct batch_step did;
    int64_t now = clock_wall_ms();
    enum rc rc = store_batch_step(db, a, t->id, BATCH_STEP_MOST, MASS_STEP_MS, now, &did, e);
    if (rc == RC_OK && did.trashed)
        rc = trash_purge_soon(db, now, e);
    for (size_t i = 0; rc == RC_OK && i < did.restored_n; i++)
        rc = trash_restored_jobs(db, t->config, did.owner, did.restored[i], now, e);
    t->more = did.more;
    return rc;
}

enum rc session_batch_work(
    struct mass *m, const struct config *c, int64_t id, int64_t until, bool *more, struct err *e)
{
    struct step t = {.config = c, .id = id, .more = true};
    enum rc rc = RC_OK;
    while (rc == RC_OK && t.more && clock_mono_ms() < until)
        rc = mass_step(m, step_tx, &t, e);
    *more = t.more;
    return rc;
}

static enum rc work_and_read(
    struct store *s, const struct config *c, struct arena *a, int64_t id, struct batch *out, struct err *e)
{
    struct mass m = {.store = s};
    bool more;
    enum rc rc = session_batch_work(&m, c, id, clock_mono_ms() + BATCH_WAIT_MS, &more, e);
    if (rc != RC_OK)
        return rc;
    helper_notify(c->server.data_dir); /* the rest of the batch, and jobs that its steps have planned */
    struct db *db = store_read(s);
    rc = store_batch_by_id(db, a, id, out, e);
    store_read_done(s, db);
    return rc;
}

enum rc session_batch(struct store *s, const struct config *c, const struct batch_request *q, struct arena *a,
    struct batch *out, struct err *e)
{
    char pub[ID_SIZE];
    id_new(ID_BATCH, pub);
    struct batch b = {.owner = q->owner,
        .pub = pub,
        .action = q->action,
        .tag_id = q->action == BATCH_TAG || q->action == BATCH_UNTAG ? q->tag_id : 0,
        .created_at = clock_wall_ms()};
    struct begin t = {.q = q, .arena = a, .batch = &b};
    enum rc rc = RC_OK;
    if (q->action == BATCH_WORKSPACE && q->workspace && *q->workspace)
        rc = workspace_name(a, str_of(q->workspace), &b.workspace, e);
    if (rc == RC_OK && b.workspace && !*b.workspace)
        b.workspace = NULL;
    if (rc == RC_OK && (q->action == BATCH_TAG || q->action == BATCH_UNTAG) && !q->tag_id)
        rc = err_say(e, RC_BAD_INPUT, "batch.no_tag");
    if (rc == RC_OK)
        rc = store_with_reader(s, select_sessions, &t, e);
    if (rc == RC_OK)
        rc = store_write(s, begin_tx, &t, e);
    return rc == RC_OK ? work_and_read(s, c, a, b.id, out, e) : rc;
}

struct undo {
    int64_t owner;
    const char *pub;
    struct arena *arena;
    struct batch *batch;
};

static enum rc undo_tx(struct db *db, void *arg, struct err *e)
{
    const struct undo *t = arg;
    int64_t now = clock_wall_ms();
    enum rc rc = store_batch_undo(db, t->owner, t->pub, e);
    if (rc == RC_OK)
        rc = store_batch_get(db, t->arena, t->owner, t->pub, t->batch, e);
    return rc == RC_OK ? store_job_add(db, JOB_BATCH, t->owner, t->batch->id, now + BATCH_WAIT_MS, now, e)
                       : rc;
}

enum rc session_batch_undo(struct store *s, const struct config *c, int64_t owner, const char *pub,
    struct arena *a, struct batch *out, struct err *e)
{
    struct undo t = {owner, pub, a, out};
    enum rc rc = store_write(s, undo_tx, &t, e);
    return rc == RC_OK ? work_and_read(s, c, a, out->id, out, e) : rc;
}

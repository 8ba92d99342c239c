#include "app/erasure/erase_user.h"

#include "app/jobs/helper_notify.h"
#include "app/jobs/mass.h"
#include "app/summary/compact.h"
#include "app/transfer/transfer.h"
#include "store/message/picture.h"
#include "store/search/vector.h"
#include "store/session/session_filter.h"
#include "store/trash/trash.h"

#define AT_ONCE 20 /* sessions or transfers per list */

struct steps {
    const struct erasure *x;
    bool more; /* another one follows */
};

/* ---- sessions ---- */

static enum rc trash_some_tx(struct db *db, void *arg, struct err *e)
{
    struct steps *t = arg;
    const struct erasure *x = t->x;
    AUTO(arena) a = arena_new();
    struct session *list;
    size_t n = 0;
    int64_t until = clock_mono_ms() + MASS_STEP_MS;
    enum rc rc =
        store_session_list(db, a, x->user_id, &(struct session_filter){.show = SESSIONS_TEMPORARY_TOO},
            &(struct session_page){.limit = AT_ONCE, .brief = true}, &list, &n, e);
    for (size_t i = 0; rc == RC_OK && i < n && (i == 0 || clock_mono_ms() < until); i++)
        rc = store_trash_session(db, x->user_id, list[i].pub, x->from->now, e);
    t->more = n > 0;
    return rc == RC_OK && n == 0 ? store_trash_erase_some(db, x->user_id, &t->more, e) : rc;
}

static enum rc purge_tx(struct db *db, void *arg, struct err *e)
{
    struct steps *t = arg;
    return store_trash_purge(db, t->x->user_id, &t->more, e);
}

/* The foreign keys would delete these with the user, in a single transaction that can take seconds. */
static enum rc bytes_tx(struct db *db, void *arg, struct err *e)
{
    struct steps *t = arg;
    enum rc rc = store_picture_erase_one(db, t->x->user_id, &t->more, e);
    return rc == RC_OK && !t->more ? store_vector_erase_some(db, t->x->user_id, &t->more, e) : rc;
}

/* Not the sweep of all transcripts: this may be another process than the helper, which may be writing the
 * transcript of another user. A transcript that the helper writes meanwhile for this one is swept by the job
 * that the purge adds. */
static enum rc remove_transcripts(const struct erasure *x, struct err *e)
{
    AUTO(arena) a = arena_new();
    const char **pubs;
    size_t n = 0;
    struct db *db = store_read(x->store);
    enum rc rc = store_session_pubs(db, a, x->user_id, &pubs, &n, e);
    store_read_done(x->store, db);
    for (size_t i = 0; rc == RC_OK && i < n; i++)
        rc = compact_transcripts_remove(x->config->server.data_dir, pubs[i], e);
    return rc;
}

/* Through the trash, in steps that delay no other writer for long. */
static enum rc erase_sessions(const struct erasure *x, struct err *e)
{
    struct mass m = {.store = x->store, .stop_fd = x->stop_fd};
    struct steps t = {.x = x};
    enum rc rc = remove_transcripts(x, e); /* first, because the helper also purges erased data */
    if (rc == RC_OK)
        rc = mass_steps(&m, trash_some_tx, &t, &t.more, e);
    if (rc == RC_OK)
        rc = mass_steps(&m, purge_tx, &t, &t.more, e);
    return rc == RC_OK ? mass_steps(&m, bytes_tx, &t, &t.more, e) : rc;
}

/* ---- transfers ---- */

static enum rc list_transfers(
    const struct erasure *x, struct arena *a, struct transfer **list, size_t *n, struct err *e)
{
    struct db *db = store_read(x->store);
    enum rc rc = store_transfer_list(db, a, x->user_id, AT_ONCE, list, n, e);
    store_read_done(x->store, db);
    return rc;
}

static enum rc erase_transfers(const struct erasure *x, struct err *e)
{
    for (;;) {
        AUTO(arena) a = arena_new();
        struct transfer *list;
        size_t n;
        enum rc rc = list_transfers(x, a, &list, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++) {
            rc = transfer_delete(x->store, x->config, x->user_id, list[i].pub, x->from, e);
            rc = rc == RC_NOT_FOUND ? RC_OK : rc;
        }
        if (rc != RC_OK || n == 0)
            return rc;
    }
}

/* ---- the account ---- */

static enum rc account_tx(struct db *db, void *arg, struct err *e)
{
    const struct steps *t = arg;
    const struct erasure *x = t->x;
    AUTO(arena) a = arena_new();
    struct user u;
    enum rc rc = store_user_by_id(db, a, x->user_id, &u, e);
    if (rc == RC_OK)
        rc = store_user_delete(db, x->user_id, e);
    if (rc != RC_OK)
        return rc;
    const char *detail = arena_printf(a, "user %lld: %s", (long long)u.id, u.name);
    return auth_audit(db, x->from, x->by, "user_deleted", detail, e);
}

enum rc erase_user(const struct erasure *x, struct user_holdings *out, struct err *e)
{
    struct db *db = store_read(x->store);
    enum rc rc = store_user_holdings(db, x->user_id, out, e);
    store_read_done(x->store, db);
    if (rc == RC_OK)
        rc = auth_user_set_disabled(x->store, x->by, x->user_id, true, x->from, e);
    if (rc == RC_OK)
        rc = erase_transfers(x, e); /* first: an import that runs adds sessions until its row is gone */
    if (rc == RC_OK)
        rc = erase_sessions(x, e);
    if (rc == RC_OK)
        rc = helper_write(x->store, x->config->server.data_dir, account_tx, &(struct steps){.x = x}, e);
    return rc;
}

#include "app/erasure/erase_user.h"

#include "app/jobs/helper_notify.h"
#include "app/summary/compact.h"
#include "app/transfer/transfer.h"
#include "store/session/session_filter.h"

#define AT_ONCE 50 /* sessions or transfers per list */

struct erasure {
    struct store *store;
    const struct config *config;
    int64_t by, user_id;
    const struct auth_client *from;
};

static enum rc holdings_tx(struct db *db, void *arg, struct err *e)
{
    struct user_holdings *h = arg;
    return store_user_holdings(db, h->user_id, h, e);
}

/* ---- sessions ---- */

struct one_session {
    int64_t owner;
    const char *pub;
};

static enum rc session_tx(struct db *db, void *arg, struct err *e)
{
    const struct one_session *o = arg;
    enum rc rc = store_session_delete(db, o->owner, o->pub, e);
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the user deleted it meanwhile */
}

static enum rc list_sessions(
    const struct erasure *x, struct arena *a, struct session **list, size_t *n, struct err *e)
{
    struct db *db = store_read(x->store);
    enum rc rc = store_session_list(db, a, x->user_id, &(struct session_filter){.show = SESSIONS_ALL},
        &(struct session_page){.limit = AT_ONCE}, list, n, e);
    store_read_done(x->store, db);
    return rc;
}

static enum rc erase_sessions(const struct erasure *x, struct err *e)
{
    for (;;) {
        AUTO(arena) a = arena_new();
        struct session *list;
        size_t n;
        enum rc rc = list_sessions(x, a, &list, &n, e);
        for (size_t i = 0; rc == RC_OK && i < n; i++) {
            rc = store_write(x->store, session_tx, &(struct one_session){x->user_id, list[i].pub}, e);
            if (rc == RC_OK)
                rc = compact_transcripts_remove(x->config->server.data_dir, list[i].pub, e);
        }
        if (rc != RC_OK || n == 0)
            return rc;
    }
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
    const struct erasure *x = arg;
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

enum rc erase_user(struct store *s, const struct config *c, int64_t by, int64_t user_id,
    const struct auth_client *from, struct user_holdings *out, struct err *e)
{
    struct erasure x = {s, c, by, user_id, from};
    out->user_id = user_id;
    enum rc rc = store_with_reader(s, holdings_tx, out, e);
    if (rc == RC_OK && out->running_turns)
        return err_say(e, RC_CONFLICT, "auth.answer_runs");
    if (rc == RC_OK)
        rc = auth_user_set_disabled(s, by, user_id, true, from, e);
    if (rc == RC_OK)
        rc = erase_sessions(&x, e);
    if (rc == RC_OK)
        rc = erase_transfers(&x, e);
    if (rc == RC_OK)
        rc = helper_write(s, c->server.data_dir, account_tx, &x, e);
    return rc;
}

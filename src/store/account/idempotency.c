#include "store/account/idempotency.h"

#include "store/row.h"

#define KEY(i) v_int((i)->owner), v_blob((i)->key, IDEMPOTENCY_HASH)

static struct idempotency read_known(const struct rows *q, struct arena *a)
{
    struct idempotency i = {.status = (int)rows_int(q, 1), .body = row_str(q, 2, a)};
    struct str request = rows_blob(q, 0);
    if (request.len == IDEMPOTENCY_HASH)
        memcpy(i.request, request.s, IDEMPOTENCY_HASH);
    return i;
}

DEFINE_ROWS(known, struct idempotency, read_known, "repeated request")

enum rc store_idempotency_begin(
    struct db *db, struct arena *a, const struct idempotency *i, struct idempotency *known, struct err *e)
{
    int64_t added = 0;
    enum rc rc = db_exec(db,
        "INSERT INTO idempotency (owner, key_hash, request, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT DO NOTHING",
        ARGS(KEY(i), v_blob(i->request, IDEMPOTENCY_HASH), v_int(i->created_at)), &added, e);
    if (rc != RC_OK || added)
        return rc;
    rc = get_known(db, a,
        "SELECT request, coalesce(status, 0), body FROM idempotency WHERE owner = ? AND key_hash = ?",
        ARGS(KEY(i)), known, e);
    return rc == RC_OK ? RC_CONFLICT : rc;
}

enum rc store_idempotency_end(struct db *db, const struct idempotency *i, struct err *e)
{
    return row_change(db, "repeated request",
        "UPDATE idempotency SET status = ?, body = ? WHERE owner = ? AND key_hash = ?",
        ARGS(v_int(i->status), i->body.len ? v_str(i->body) : v_null(), KEY(i)), e);
}

enum rc store_idempotency_drop(struct db *db, const struct idempotency *i, struct err *e)
{
    return db_exec(db, "DELETE FROM idempotency WHERE owner = ? AND key_hash = ?", ARGS(KEY(i)), NULL, e);
}

enum rc store_idempotency_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e)
{
    return db_exec(db,
        "DELETE FROM idempotency WHERE (owner, key_hash) IN "
        "(SELECT owner, key_hash FROM idempotency WHERE created_at < ? LIMIT ?)",
        ARGS(v_int(before), v_int(limit)), removed, e);
}

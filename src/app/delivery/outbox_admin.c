#include "app/delivery/outbox_admin.h"

#include <stdio.h>

#include "app/jobs/helper_notify.h"
#include "store/channel/outbox.h"
#include "store/channel/problem.h"

#define DETAIL_MAX 32

static enum rc audit(struct db *db, const struct outbox_action *a, const char *what, struct err *e)
{
    char detail[DETAIL_MAX] = "";
    if (a->id)
        snprintf(detail, sizeof detail, "%lld", (long long)a->id);
    return auth_audit(db, a->from, a->admin, what, detail, e);
}

static enum rc retry_tx(struct db *db, void *arg, struct err *e)
{
    const struct outbox_action *a = arg;
    enum rc rc = store_outbox_retry(db, a->id, a->from->now, e);
    return rc == RC_OK ? audit(db, a, "outbox_retried", e) : rc;
}

static enum rc drop_tx(struct db *db, void *arg, struct err *e)
{
    const struct outbox_action *a = arg;
    enum rc rc = store_outbox_drop(db, a->id, e);
    return rc == RC_OK ? audit(db, a, "outbox_dropped", e) : rc;
}

static enum rc resume_tx(struct db *db, void *arg, struct err *e)
{
    const struct outbox_action *a = arg;
    enum rc rc = store_channel_problems_clear(db, e);
    return rc == RC_OK ? audit(db, a, "outbox_resumed", e) : rc;
}

static enum rc run(store_fn *fn, const struct outbox_action *a, struct err *e)
{
    struct outbox_action copy = *a;
    return helper_write(a->store, a->config->server.data_dir, fn, &copy, e);
}

enum rc outbox_retry(const struct outbox_action *a, struct err *e)
{
    return run(retry_tx, a, e);
}

enum rc outbox_drop(const struct outbox_action *a, struct err *e)
{
    return run(drop_tx, a, e);
}

enum rc outbox_resume(const struct outbox_action *a, struct err *e)
{
    return run(resume_tx, a, e);
}

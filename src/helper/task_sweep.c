/* Removes what nobody can use any more: dead logins, old failures, finished jobs. Never a session. */
#include "helper/helper.h"

#include "base/clock.h"
#include "base/log.h"
#include "store/user.h"

#define DEAD_LOGINS_DAYS 30
#define DONE_JOBS_DAYS   7

static enum rc sweep_tx(struct db *db, void *arg, struct err *e)
{
    const struct helper *h = arg;
    int64_t now = clock_wall_ms(), removed = 0;
    enum rc rc = store_login_sweep(db, now - DEAD_LOGINS_DAYS * MS_PER_DAY, &removed, e);
    if (rc == RC_OK)
        rc = store_failure_sweep(db, now - h->config->login.failure_minutes * MS_PER_MIN, e);
    if (rc == RC_OK)
        rc = store_job_sweep(db, now - DONE_JOBS_DAYS * MS_PER_DAY, e);
    if (rc == RC_OK && removed)
        log_info("%lld dead logins removed", (long long)removed);
    return rc;
}

enum rc task_sweep(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    return store_write(h->store, sweep_tx, h, e);
}

/* Erases temporary chats whose time is over, and waits for the next one. */
#include "app/session/session_tasks.h"

#include "base/clock.h"
#include "store/session/temporary.h"

#define AT_ONCE 50 /* in one transaction, so that other writers do not wait long */

struct sweep {
    int64_t erased, next;
};

static enum rc sweep_tx(struct db *db, void *arg, struct err *e)
{
    struct sweep *s = arg;
    int64_t now = clock_wall_ms();
    enum rc rc = store_temporary_sweep(db, now, AT_ONCE, &s->erased, &s->next, e);
    return rc == RC_OK && s->next ? store_job_add(db, JOB_END_TEMPORARY, 0, 0, s->next, now, e) : rc;
}

enum rc task_end_temporary(struct helper *h, const struct job *job, struct err *e)
{
    struct sweep s = {.erased = AT_ONCE};
    enum rc rc = RC_OK;
    (void)job;
    while (rc == RC_OK && s.erased == AT_ONCE)
        rc = store_write(h->store, sweep_tx, &s, e);
    return rc;
}

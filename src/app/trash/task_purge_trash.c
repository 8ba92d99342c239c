/* Takes the messages of long new entries out of the text index, erases what was in the trash for [trash]
 * days, and removes erased entries in short steps that delay no other writer for long. */
#include "app/trash/trash_tasks.h"

#include "app/jobs/mass.h"
#include "app/trash/trash.h"
#include "base/clock.h"
#include "base/log.h"

#define SWEPT_AT_ONCE        200
#define STEPS_BETWEEN_MERGES 8 /* of the text index */

struct sweep {
    int64_t before, erased;
};

static enum rc sweep_tx(struct db *db, void *arg, struct err *e)
{
    struct sweep *s = arg;
    return store_trash_sweep(db, s->before, SWEPT_AT_ONCE, &s->erased, e);
}

static enum rc unindex_tx(struct db *db, void *more, struct err *e)
{
    return store_trash_unindex_step(db, more, e);
}

/* Long entries leave the text index. */
static enum rc unindex(struct mass *m, struct err *e)
{
    bool more = true;
    enum rc rc = RC_OK;
    for (int i = 1; rc == RC_OK && more; i++) {
        rc = mass_step(m, unindex_tx, &more, e);
        if (rc == RC_OK && i % STEPS_BETWEEN_MERGES == 0)
            rc = mass_merge(m, e);
    }
    return rc;
}

enum rc task_purge_trash(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    struct sweep s = {
        .before = clock_wall_ms() - h->config->trash.days * MS_PER_DAY, .erased = SWEPT_AT_ONCE};
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    int64_t all = 0;
    bool more = true;
    enum rc rc = unindex(&m, e);
    while (rc == RC_OK && s.erased == SWEPT_AT_ONCE) {
        rc = mass_step(&m, sweep_tx, &s, e);
        all += rc == RC_OK ? s.erased : 0;
    }
    while (rc == RC_OK && more)
        rc = mass_step(&m, trash_purge_tx, &more, e);
    if (all)
        log_info("%lld entries of the trash erased by their age", (long long)all);
    return rc;
}

/* Takes the messages of long new entries out of the text index, erases what was in the trash for [trash]
 * days, removes erased entries in short steps that delay no other writer for long, and undoes deletions that
 * were broken off. */
#include "app/trash/trash_tasks.h"

#include "app/jobs/mass.h"
#include "app/trash/trash.h"
#include "base/clock.h"
#include "base/log.h"

#define SWEPT_AT_ONCE 200

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

enum rc task_purge_trash(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    struct sweep s = {
        .before = clock_wall_ms() - h->config->trash.days * MS_PER_DAY, .erased = SWEPT_AT_ONCE};
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    int64_t all = 0;
    bool more = true;
    enum rc rc = mass_index_steps(&m, unindex_tx, &more, &more, e);
    while (rc == RC_OK && s.erased == SWEPT_AT_ONCE) {
        rc = mass_step(&m, sweep_tx, &s, e);
        all += rc == RC_OK ? s.erased : 0;
    }
    if (rc == RC_OK)
        rc = mass_index_steps(&m, trash_purge_tx, &more, &more, e);
    if (all)
        log_info("%lld entries of the trash erased by their age", (long long)all);
    return rc == RC_OK ? trash_restore_broken(h->store, h->config, e) : rc;
}

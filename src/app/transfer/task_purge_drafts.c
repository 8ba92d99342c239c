/* Removes abandoned imports in short steps that delay no other writer for long. */
#include "app/transfer/transfer_tasks.h"

#include "app/jobs/mass.h"
#include "store/message/draft.h"

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    return store_draft_purge(db, arg, e);
}

enum rc task_purge_drafts(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    bool more = true;
    return mass_steps(&m, step_tx, &more, &more, e);
}

/* Removes erased entries of the trash in short steps that delay no other writer for long. */
#include "app/trash/trash_tasks.h"

#include "store/trash/trash.h"

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    return store_trash_purge(db, 0, arg, e);
}

enum rc task_purge_trash(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    bool more = true;
    enum rc rc = RC_OK;
    while (rc == RC_OK && more)
        rc = store_write(h->store, step_tx, &more, e);
    return rc;
}

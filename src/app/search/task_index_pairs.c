/* Indexes texts from before the index of character pairs existed, in short steps. An interrupted task
 * starts again. */
#include "app/search/search_tasks.h"

#include "app/jobs/mass.h"
#include "store/message/message.h"

struct step {
    int64_t after;
    bool more;
};

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct step *s = arg;
    return store_message_index_pairs(db, &s->after, &s->more, e);
}

enum rc task_index_pairs(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    struct step s = {.more = true};
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    enum rc rc = RC_OK;
    while (rc == RC_OK && s.more) {
        rc = mass_step(&m, step_tx, &s, e);
        if (rc == RC_OK)
            rc = mass_merge(&m, e);
    }
    return rc;
}

/* Removes the words of deleted messages from the text index and their vectors from the packs, in short
 * steps that delay no other writer for long. Then it removes all erased data from the write-ahead log. */
#include "app/search/search_tasks.h"

#include "app/jobs/erase_log.h"
#include "app/jobs/mass.h"
#include "store/search/text_merge.h"
#include "store/search/vector.h"

struct purge {
    bool begin, more;
};

static enum rc step_tx(struct db *db, void *arg, struct err *e)
{
    struct purge *p = arg;
    return store_text_purge(db, p->begin, &p->more, e);
}

static enum rc vectors_tx(struct db *db, void *arg, struct err *e)
{
    struct purge *p = arg;
    return store_vector_purge(db, &p->more, e);
}

enum rc task_purge_index(struct helper *h, const struct job *job, struct err *e)
{
    (void)job;
    struct purge p = {.begin = true, .more = true};
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    enum rc rc = RC_OK;
    while (rc == RC_OK && p.more) {
        rc = mass_step(&m, step_tx, &p, e);
        p.begin = false;
    }
    if (rc == RC_OK)
        rc = mass_steps(&m, vectors_tx, &p, &p.more, e);
    return rc == RC_OK ? erase_log(h, e) : rc;
}

/* Ends an action on many sessions that a request has begun. A batch that is gone has ended. */
#include "app/session/batch.h"
#include "app/session/session_tasks.h"
#include "base/clock.h"

#define STEPS_MS 50 /* between merges of the text index */

enum rc task_batch(struct helper *h, const struct job *job, struct err *e)
{
    struct mass m = {.store = h->store, .stop_fd = h->signal_fd};
    bool more = true;
    while (more) {
        enum rc rc = session_batch_work(&m, h->config, job->subject, clock_mono_ms() + STEPS_MS, &more, e);
        if (rc == RC_OK)
            rc = mass_merge(&m, e);
        if (rc != RC_OK)
            return rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    return RC_OK;
}

/* Ends an action on many sessions that a request has begun. A batch that is gone has ended. */
#include <poll.h>

#include "app/session/batch.h"
#include "app/session/session_tasks.h"
#include "base/clock.h"

#define PAUSE_MS_MIN 5
#define PAUSE_MS_MAX 100

/* After each step a pause of the same length, so that other programs get the write lock, the disk and the
 * processor as often. */
enum rc task_batch(struct helper *h, const struct job *job, struct err *e)
{
    struct pollfd stop = {.fd = h->signal_fd, .events = POLLIN};
    bool more = true;
    while (more) {
        int64_t begun = clock_mono_ms();
        enum rc rc = session_batch_work(h->store, job->subject, begun + 1, &more, e);
        if (rc != RC_OK)
            return rc == RC_NOT_FOUND ? RC_OK : rc;
        int64_t took = clock_mono_ms() - begun;
        int64_t pause = took < PAUSE_MS_MIN ? PAUSE_MS_MIN : took > PAUSE_MS_MAX ? PAUSE_MS_MAX : took;
        if (more && poll(&stop, 1, (int)pause) > 0)
            return err_set(e, RC_CANCELLED, "the helper is stopping");
    }
    return RC_OK;
}

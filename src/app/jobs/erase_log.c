#include "app/jobs/erase_log.h"

#include <poll.h>

#include "base/backoff.h"

enum rc erase_log(struct helper *h, struct err *e)
{
    struct pollfd stop = {.fd = h->signal_fd, .events = POLLIN};
    struct backoff pause = {.first_ms = ERASE_LOG_PAUSE_MS, .max_ms = ERASE_LOG_MAX_MS};
    enum rc rc = store_truncate_log(h->store, ERASE_LOG_WAIT_MS, e);
    for (int i = 1; rc == RC_UNAVAILABLE && i < ERASE_LOG_TRIES; i++) {
        if (poll(&stop, 1, (int)backoff_next(&pause)) > 0)
            return err_set(e, RC_CANCELLED, "the helper is stopping");
        rc = store_truncate_log(h->store, ERASE_LOG_WAIT_MS, e);
    }
    return rc;
}

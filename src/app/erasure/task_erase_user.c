/* Erases the account of a user who has deleted it. */
#include "app/erasure/erasure_tasks.h"

#include "app/erasure/erase_user.h"

enum rc task_erase_user(struct helper *h, const struct job *job, struct err *e)
{
    struct auth_client from = {.address = "", .agent = "", .now = clock_wall_ms()};
    struct user_holdings erased;
    struct erasure x = {.store = h->store,
        .config = h->config,
        .by = job->subject,
        .user_id = job->subject,
        .from = &from,
        .stop_fd = h->signal_fd};
    enum rc rc = erase_user(&x, &erased, e);
    return rc == RC_NOT_FOUND ? RC_OK
                              : rc; /* the admin was faster, or an earlier run was interrupted after it */
}

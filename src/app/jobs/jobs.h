/* What admins do with the helper's jobs, on the page and on the command line. */
#ifndef ALFRED_APP_JOBS_H
#define ALFRED_APP_JOBS_H

#include "app/account/auth.h"

/* A kind in words: "Summary of a session"; the kind itself when it is unknown. */
const char *job_label(const char *kind);

/* Puts a dead job back into the queue, with an audit row by `admin` (0: the command line), and wakes the
 * helper. RC_NOT_FOUND: no dead job of this id. RC_CONFLICT: the same work waits already. */
enum rc jobs_retry(struct store *s, const struct config *c, int64_t admin, int64_t id,
    const struct auth_client *from, struct err *e);

#endif

/* Actions of admins on the helper's jobs, for the page and the command line. */
#ifndef ALFRED_APP_JOBS_JOBS_H
#define ALFRED_APP_JOBS_JOBS_H

#include "app/account/auth.h"
#include "store/search/vector_skip.h"

/* The label of a kind, like "Summary of a session": the text job.kind_KIND. The kind itself when it has none.
 */
const char *job_label(struct arena *a, const struct lang *l, const char *kind);
bool job_is_kind(const char *word);

/* Puts a dead job back into the queue, with an audit row by `admin` (0: the command line), and wakes the
 * helper. RC_NOT_FOUND: no dead job has this id. RC_CONFLICT: the same job waits already. */
enum rc jobs_retry(struct store *s, const struct config *c, int64_t admin, int64_t id,
    const struct auth_client *from, struct err *e);

/* The same for the dead jobs of a kind, without those that wait already; at most JOBS_RETRIED_MAX. */
#define JOBS_RETRIED_MAX 5000
enum rc jobs_retry_kind(struct store *s, const struct config *c, int64_t admin, const char *kind,
    const struct auth_client *from, int64_t *retried, struct err *e);

/* The reason why a text has no vector, as the key of a label: "Refused by the provider". */
const char *job_skip_label(enum vector_skip reason);
/* Counts the texts without a vector by reason. Search finds them by their words only. SKIP_EMPTY counts 0:
 * such texts contain nothing to find. */
enum rc jobs_skipped(struct db *db, int64_t out[SKIP_REASONS], struct err *e);
/* Queues another attempt for all of them. Otherwise like jobs_retry(). */
enum rc jobs_retry_skipped(
    struct store *s, const struct config *c, int64_t admin, const struct auth_client *from, struct err *e);

#endif

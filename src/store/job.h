/*
 * Jobs: durable units of the helper's work. Inserted in the transaction that needs them, claimed by lease,
 * counted before they run, retried with backoff, dead (and visible) after too many attempts.
 */
#ifndef ALFRED_STORE_JOB_H
#define ALFRED_STORE_JOB_H

#include "store/store.h"

/* The kinds that are about a session: their subject is its id, and they go when it is deleted. Those of every
 * other kind stay, whatever their subject is (a transfer, or 0: nothing). No kind is about a message. */
#define JOB_TITLE     "title"     /* it has none yet */
#define JOB_SUMMARISE "summarise" /* what it was about */
#define JOB_TOPIC     "topic"
#define JOB_COMPACT   "compact"
#define JOB_FACTS     "facts" /* whose user's messages are looked through */
#define JOB_KINDS_OF_SESSIONS \
    "('" JOB_TITLE "', '" JOB_SUMMARISE "', '" JOB_TOPIC "', '" JOB_COMPACT "', '" JOB_FACTS "')"

#define JOB_EXPORT             "export" /* subject: the transfer (store/transfer.h) */
#define JOB_IMPORT             "import" /* the same */
#define JOB_KINDS_OF_TRANSFERS "('" JOB_EXPORT "', '" JOB_IMPORT "')"

#define JOB_SWEEP "sweep" /* dead logins, old failures, finished jobs; sessions to the archive */
#define JOB_EMBED "embed" /* vectors of what the owner has; owner 0: a job for everybody */

struct job {
    int64_t id, owner, subject;
    const char *kind;
    const char *state;
    const char *error;
    int attempts;
    int64_t run_at, created_at, ended_at;
};

/* A ready job of the same kind and subject is kept instead (RC_OK), its run_at the earlier of both. owner 0:
 * the house. */
enum rc store_job_add(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, struct err *e);
/* The next due job: leases it until `lease_until` and counts the attempt. An expired lease is due again.
 * RC_NOT_FOUND: none. */
enum rc store_job_claim(
    struct db *db, struct arena *a, int64_t now, int64_t lease_until, struct job *out, struct err *e);
/* All jobs about a session that is being deleted, in whatever state. */
enum rc store_job_forget_session(struct db *db, int64_t session_id, struct err *e);
enum rc store_job_done(struct db *db, int64_t id, int64_t now, struct err *e);
enum rc store_job_retry(
    struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e); /* back to ready */
/* Back to ready without the attempt that the claim counted: it was no fault of the job's. */
enum rc store_job_postpone(struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e);
/* `ran` false: it was only claimed to be buried, and that attempt does not count. */
enum rc store_job_dead(struct db *db, int64_t id, int64_t now, const char *error, bool ran, struct err *e);
/* At the start of the one worker there is: what is leased was left behind by one that died, and is due at
 * once.
 */
enum rc store_job_release_all(struct db *db, int64_t now, struct err *e);
enum rc store_job_next_due(struct db *db, int64_t *run_at, struct err *e); /* RC_NOT_FOUND: none waits */
enum rc store_job_list(struct db *db, struct arena *a, const char *state, int limit, struct job **out,
    size_t *n, struct err *e); /* newest first */
/* The newest job of a kind about a subject, whatever its state; RC_NOT_FOUND: none. */
enum rc store_job_latest(struct db *db, struct arena *a, const char *kind, int64_t owner, int64_t subject,
    struct job *out, struct err *e);

struct job_count {
    const char *kind;
    int64_t ready, leased, dead;
};
enum rc store_job_counts(
    struct db *db, struct arena *a, struct job_count **out, size_t *n, struct err *e); /* by kind */

/* A dead one, with its attempts at 0. RC_CONFLICT, with a sentence: the same work waits already. */
enum rc store_job_revive(struct db *db, int64_t id, int64_t now, struct err *e);
enum rc store_job_sweep(struct db *db, int64_t done_before, struct err *e);

#endif

/*
 * Jobs: durable units of the helper's work. They are inserted in the transaction that needs them, claimed by
 * lease, counted before they run and retried with backoff. After too many attempts they are dead and stay
 * visible.
 *
 * A job is wanted while a user waits for it: its session was just used or is open in a browser, or a user
 * requested it. Wanted jobs run first, the most recently wanted one before the others. The rest run in the
 * order in which they became due.
 */
#ifndef ALFRED_STORE_JOB_H
#define ALFRED_STORE_JOB_H

#include "base/clock.h"
#include "store/store.h"

/* The kinds about a session, which ask a model: their subject is its id, and they are deleted with it. Jobs
 * of other kinds stay, whatever their subject is (a transfer, or 0: none). No kind is about a message. */
#define JOB_TITLE     "title"     /* the first title */
#define JOB_SUMMARISE "summarise" /* the summary */
#define JOB_TOPIC     "topic"
#define JOB_COMPACT   "compact"
#define JOB_FACTS     "facts" /* suggested facts from the user's messages */
#define JOB_KINDS_OF_SESSIONS \
    "'" JOB_TITLE "', '" JOB_SUMMARISE "', '" JOB_TOPIC "', '" JOB_COMPACT "', '" JOB_FACTS "'"

#define JOB_EXPORT             "export" /* subject: the transfer (store/transfer.h) */
#define JOB_IMPORT             "import" /* subject: the transfer */
#define JOB_KINDS_OF_TRANSFERS "'" JOB_EXPORT "', '" JOB_IMPORT "'"

#define JOB_SWEEP          "sweep"       /* removes expired records and archives idle sessions */
#define JOB_PURGE_INDEX    "purge_index" /* removes erased text from the text index and the write-ahead log */
#define JOB_EMBED_DELAY_MS 250           /* several turns share one embed job */
#define JOB_PURGE_DELAY_MS (5 * MS_PER_MIN) /* several deletions share one purge */
#define JOB_PURGE_DRAFTS   "purge_drafts"   /* removes abandoned drafts (store/message/draft.h) */
#define JOB_ERASE_USER     "erase_user"     /* subject: the user, who has deleted the account */
#define JOB_PURGE_TRASH    "purge_trash"    /* removes erased entries of the trash (store/trash/trash.h) */
#define JOB_BATCH          "batch" /* an action on many sessions (store/session/batch.h); subject: its id */
#define JOB_END_TEMPORARY  "end_temporary" /* erases temporary chats whose time is over */
#define JOB_INDEX_PAIRS    "index_pairs" /* once, for messages from before the index of pairs (migration 21) */

#define JOB_EMBED "embed" /* vectors of the owner's texts; owner 0: a job for all owners */

/* A worker claims the jobs of one lane. A provider can be silent for minutes. In lanes of their own, jobs
 * that wait for one delay no import and no deletion, and embeddings, whose provider is often another, no
 * titles. */
enum job_lane {
    LANE_SESSIONS, /* JOB_KINDS_OF_SESSIONS, which ask a model, and JOB_SWEEP_TRANSCRIPTS: it may not run
                      during a compaction, whose new transcript no row names yet */
    LANE_EMBED,
    LANE_UPKEEP, /* all other kinds, which ask no provider */
    JOB_LANES
};

struct job {
    int64_t id, owner, subject;
    const char *kind;
    const char *state;
    const char *error;
    int attempts;
    int64_t run_at, created_at, ended_at;
    int64_t tried_at; /* the first claim since it was added or revived; 0: none */
};

/* Adds a job. If a ready job of the same kind and subject exists, it is kept instead (RC_OK), with the
 * earlier run_at. owner 0: the system. */
enum rc store_job_add(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, struct err *e);
/* Adds or keeps a job that a user waits for now. */
enum rc store_job_add_wanted(struct db *db, const char *kind, int64_t owner, int64_t subject, int64_t run_at,
    int64_t now, struct err *e);
/* After a deletion: plans the removal of the erased text from the text index and the write-ahead log,
 * JOB_PURGE_DELAY_MS later. */
enum rc store_job_purge_later(struct db *db, struct err *e);
/* Marks the ready jobs about a session as wanted now. */
enum rc store_job_want_session(struct db *db, int64_t owner, int64_t session_id, int64_t now, struct err *e);
/* True when a due job about the session is behind others that were wanted later. */
enum rc store_job_is_behind(
    struct db *db, int64_t owner, int64_t session_id, int64_t now, bool *out, struct err *e);
/* Claims the job of the lane that is due longest: leases it until `lease_until` and counts the attempt. An
 * expired lease is due again. RC_NOT_FOUND: none. */
enum rc store_job_claim(struct db *db, struct arena *a, enum job_lane lane, int64_t now, int64_t lease_until,
    struct job *out, struct err *e);
/* Claims the due job of the lane that was wanted last. RC_NOT_FOUND: no wanted job is due. */
enum rc store_job_claim_wanted(struct db *db, struct arena *a, enum job_lane lane, int64_t now,
    int64_t lease_until, struct job *out, struct err *e);
/* Deletes all jobs about a session that is being deleted, in any state. */
enum rc store_job_forget_session(struct db *db, int64_t session_id, struct err *e);
enum rc store_job_done(struct db *db, int64_t id, int64_t now, struct err *e);
/* Back to ready, because the attempt failed with `error`. */
enum rc store_job_retry(struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e);
/* Back to ready, without the attempt that the claim counted: the job did not fail. */
enum rc store_job_postpone(struct db *db, int64_t id, int64_t run_at, const char *error, struct err *e);
enum rc store_job_dead(struct db *db, int64_t id, int64_t now, const char *error, struct err *e);
/* The same for a job that had no attempt left when it was claimed: the claim does not count as one. */
enum rc store_job_found_dead(struct db *db, int64_t id, int64_t now, const char *error, struct err *e);
/* At the start of the only worker: leased jobs were left by one that died, so they are due at once. */
enum rc store_job_release_all(struct db *db, int64_t now, struct err *e);
/* The ready jobs of an owner are due now. */
enum rc store_job_hasten(struct db *db, int64_t owner, int64_t now, struct err *e);
/* RC_NOT_FOUND: no job of the lane waits. */
enum rc store_job_next_due(struct db *db, enum job_lane lane, int64_t *run_at, struct err *e);
enum rc store_job_list(struct db *db, struct arena *a, const char *state, int limit, struct job **out,
    size_t *n, struct err *e); /* newest first */
/* The newest job of a kind about a subject, in any state. RC_NOT_FOUND: none. */
enum rc store_job_latest(struct db *db, struct arena *a, const char *kind, int64_t owner, int64_t subject,
    struct job *out, struct err *e);

/* When the newest job of a kind without a subject was done; 0: none is stored. */
enum rc store_job_last_done(struct db *db, const char *kind, int64_t *at, struct err *e);

struct job_count {
    const char *kind;
    int64_t ready, leased, dead;
};
/* The numbers of jobs by kind. */
enum rc store_job_counts(struct db *db, struct arena *a, struct job_count **out, size_t *n, struct err *e);

/* Puts a dead job back, with 0 attempts. RC_CONFLICT, with a sentence: the same job waits already. */
enum rc store_job_revive(struct db *db, int64_t id, int64_t now, struct err *e);
/* The same for at most `limit` dead jobs of a kind, without those that wait already. */
enum rc store_job_revive_kind(
    struct db *db, const char *kind, int limit, int64_t now, int64_t *revived, struct err *e);
/* Removes at most `limit` jobs that were done before a time. */
enum rc store_job_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);
/* The clock was set back by `ms` and shows `now`: jobs that wait for a time wait no longer than before. */
enum rc store_job_clock_back(struct db *db, int64_t now, int64_t ms, struct err *e);

#endif

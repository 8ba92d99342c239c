/*
 * The helper: the background process. It sleeps until a datagram, a due job or HELPER_POLL_MS, claims one job
 * at a time by lease and runs it. A job that fails is tried again with backoff; after HELPER_ATTEMPTS it is
 * dead, with its reason. The attempt is counted before it runs, so a job that takes the helper down with it
 * dies too: there is one helper at a time, and what it finds leased at its start goes back into the queue
 * with its attempts. A provider's rate limit puts a job off without counting, for up to HELPER_PATIENCE_MS.
 */
#ifndef ALFRED_HELPER_HELPER_H
#define ALFRED_HELPER_HELPER_H

#include "app/models/providers.h"
#include "net/http.h"
#include "store/job.h"

#define HELPER_NICE           10
#define HELPER_POLL_MS        10000
#define HELPER_LEASE_MS       (5 * MS_PER_MIN)
#define HELPER_ATTEMPTS       5
#define HELPER_PATIENCE_MS    MS_PER_DAY
#define HELPER_SWEEP_EVERY_MS MS_PER_H

struct helper {
    const struct config *config;
    const struct providers *providers;
    struct store *store;
    struct loop *loop;
    struct http_client *http;
    int64_t *later; /* by choice of `providers`: wall clock until which nobody asks it */
    int signal_fd;  /* readable: the helper has to end */
};

/* One row per kind of job. `run` blocks; RC_OK: done. RC_RATE_LIMITED and RC_CANCELLED put it off, anything
 * else counts as a failure. */
struct task_kind {
    const char *kind;
    enum rc (*run)(struct helper *h, const struct job *job, struct err *e);
};

enum rc task_title(struct helper *h, const struct job *job, struct err *e);
enum rc task_sweep(struct helper *h, const struct job *job, struct err *e);
enum rc task_summarise(struct helper *h, const struct job *job, struct err *e);
enum rc task_topic(struct helper *h, const struct job *job, struct err *e);
enum rc task_facts(struct helper *h, const struct job *job, struct err *e);
enum rc task_embed(struct helper *h, const struct job *job, struct err *e);
enum rc task_compact(struct helper *h, const struct job *job, struct err *e);
/* Leaves the sentence for the user in the request. */
enum rc task_compact_died(struct db *db, const struct job *job, const struct err *why, struct err *e);
enum rc task_sweep_transcripts(struct helper *h, const struct job *job, struct err *e);
enum rc task_export(struct helper *h, const struct job *job, struct err *e);
enum rc task_import(struct helper *h, const struct job *job, struct err *e);
/* Of both: leaves the sentence for the user in the row. */
enum rc task_transfer_died(struct db *db, const struct job *job, const struct err *why, struct err *e);
enum rc task_purge_index(struct helper *h, const struct job *job, struct err *e);

/* The whole life of the program; returns the exit code. */
int helper_main(void);

#endif

/*
 * Actions on many sessions at once (store/session/batch.h), with Undo. The request itself works for at most
 * BATCH_WAIT_MS; a job does the rest in steps and pauses after each, so that other writers wait only
 * briefly. The job also completes a batch that a crash interrupted.
 */
#ifndef ALFRED_APP_SESSION_BATCH_H
#define ALFRED_APP_SESSION_BATCH_H

#include "app/account/auth.h"
#include "app/jobs/mass.h"
#include "store/session/batch.h"
#include "store/session/session_filter.h"

#define BATCH_IDS_MAX      1000   /* sessions that a request can name */
#define BATCH_SESSIONS_MAX 100000 /* that a filter can select */
#define BATCH_WAIT_MS      400
#define BATCH_STEP_MOST    200
#define BATCH_KEEP_MS      MS_PER_DAY

struct batch_request {
    int64_t owner;
    const struct auth_client *from; /* for the audit row */
    enum batch_action action;
    const char *workspace; /* of BATCH_WORKSPACE; blank: none */
    int64_t tag_id;        /* of BATCH_TAG and BATCH_UNTAG */
    struct str ids;        /* public ids of sessions, separated by spaces; empty: those of the filter */
    const struct session_filter *filter;
};

/* RC_BAD_INPUT: no session is named, or more than BATCH_IDS_MAX, or a bad name of a workspace. RC_NOT_FOUND:
 * the tag is not the owner's. RC_TOO_BIG: the filter selects more than BATCH_SESSIONS_MAX. The batch may
 * still run at the return. */
enum rc session_batch(struct store *s, const struct config *c, const struct batch_request *q, struct arena *a,
    struct batch *out, struct err *e);

/* Undoes it in the same way. RC_CONFLICT with a sentence: it is being undone, or was. */
enum rc session_batch_undo(struct store *s, const struct config *c, int64_t owner, const char *pub,
    struct arena *a, struct batch *out, struct err *e);

/* Works on a batch until it has ended or `until` (clock_mono_ms()); `*more`: it has not ended. */
enum rc session_batch_work(
    struct mass *m, const struct config *c, int64_t id, int64_t until, bool *more, struct err *e);

#endif

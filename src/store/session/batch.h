/*
 * Actions on many sessions at once. A batch is a list of sessions. They are changed in the order of their
 * ids, in steps that are separate transactions. The batch stores the previous state of each session, so that
 * it can be undone exactly. A session that was deleted, or that the owner never had, is counted and skipped.
 */
#ifndef ALFRED_STORE_SESSION_BATCH_H
#define ALFRED_STORE_SESSION_BATCH_H

#include "base/id.h"
#include "store/store.h"

enum batch_action {
    BATCH_PIN,
    BATCH_UNPIN,
    BATCH_ARCHIVE,
    BATCH_UNARCHIVE,
    BATCH_WORKSPACE,
    BATCH_TAG,
    BATCH_UNTAG,
    BATCH_TRASH,
    BATCH_ACTIONS
};

const char *batch_action_name(enum batch_action a);          /* "pin" */
bool batch_action_parse(struct str s, enum batch_action *a); /* false: no such action */

struct batch {
    int64_t id, owner;
    const char *pub;
    enum batch_action action;
    const char *workspace; /* NULL: none */
    int64_t tag_id;
    bool undoing;
    int64_t total, done, changed, absent;
    int64_t created_at, ended_at; /* ended_at 0: it is running */
};

/* Sets b->id. `absent` sessions were asked for and not found. A workspace gets its spelling as by
 * store_session_set_workspace(). */
enum rc store_batch_add(struct db *db, struct batch *b, const int64_t *sessions, size_t n, struct err *e);
/* RC_NOT_FOUND: not the owner's. Owner 0: of any. */
enum rc store_batch_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct batch *out, struct err *e);
enum rc store_batch_by_id(struct db *db, struct arena *a, int64_t id, struct batch *out, struct err *e);

struct batch_step {
    bool more; /* some sessions are left; otherwise the batch has ended */
    int64_t owner;
    bool trashed;      /* sessions went to the trash; the caller plans JOB_PURGE_TRASH */
    int64_t *restored; /* sessions that came back from it, in the arena; the caller plans their jobs */
    size_t restored_n;
};
/* One step: handles at most `most` sessions, and none after `ms` milliseconds. Undoing: changes back what the
 * batch has changed. Other failures than an absent session undo the step. */
enum rc store_batch_step(struct db *db, struct arena *a, int64_t id, int most, int64_t ms, int64_t now,
    struct batch_step *out, struct err *e);

/* Begins to undo a batch, ended or running. RC_CONFLICT: it is being undone, or was. */
enum rc store_batch_undo(struct db *db, int64_t owner, const char *pub, struct err *e);

/* Removes batches that began before a time. A batch can have very many sessions: each call removes at most
 * `limit` of them. To be repeated, each time in a transaction of its own, until it removes fewer. */
enum rc store_batch_sweep(struct db *db, int64_t before, int limit, int64_t *removed, struct err *e);

#endif

/*
 * Drafts: conversations that are being imported, one slice per transaction. The session of a draft belongs to
 * USER_NOBODY. Its messages have ids of the future owner. store_draft_show() gives it to the owner, so that
 * it becomes visible as a whole.
 *
 * The helper removes an abandoned draft in steps (JOB_PURGE_DRAFTS).
 */
#ifndef ALFRED_STORE_MESSAGE_DRAFT_H
#define ALFRED_STORE_MESSAGE_DRAFT_H

#include "store/message/message.h"
#include "store/search/search.h"

struct draft {
    int64_t session_id, owner, transfer_id;
    const char *pub;      /* public id of the session */
    const char *outer_id; /* as in store_imported_known() */
    int64_t digest;       /* digest of the messages */
    int64_t done;         /* stored parts */
    bool hidden;
    int64_t created_at;
};

/* The owner's draft of the conversation. RC_NOT_FOUND: none, or abandoned. */
enum rc store_draft_find(
    struct db *db, struct arena *a, int64_t owner, const char *outer_id, struct draft *out, struct err *e);
/* Creates the hidden session `pub` and the draft; sets session_id and hidden. */
enum rc store_draft_begin(struct db *db, struct draft *d, struct err *e);
/* Adds a message below `m->parent_id`, which is 0 or in the draft. Sets m->id, larger than earlier ones.
 * Head and counters of the session do not change. Reads only owner and session_id of `d`, which may be a
 * session that was imported before (store_imported_grow()). */
enum rc store_draft_message(struct db *db, const struct draft *d, struct message *m, struct err *e);
/* The ids above `after` of its messages, in the order of their creation. */
enum rc store_draft_messages(struct db *db, struct arena *a, const struct draft *d, int64_t after,
    int64_t **out, size_t *n, struct err *e);
enum rc store_draft_done(struct db *db, const struct draft *d, struct err *e); /* saves `done` */
enum rc store_draft_show(struct db *db, const struct draft *d, struct err *e);
enum rc store_draft_end(struct db *db, const struct draft *d, struct err *e);

/* The owner's hidden messages. */
enum rc store_draft_each_hidden(struct db *db, int64_t owner, search_id_fn *fn, void *arg, struct err *e);

/* Three functions that abandon drafts. Each plans the job that removes them. */
enum rc store_draft_abandon(struct db *db, int64_t session_id, struct err *e);
/* Those of a transfer that was deleted or has failed. */
enum rc store_draft_abandon_transfer(struct db *db, int64_t transfer_id, struct err *e);
/* Those whose transfer or user was deleted, and those of the command line from before `before`. */
enum rc store_draft_sweep(struct db *db, int64_t before, struct err *e);
/* Removes a part of an abandoned draft. `*more`: there may be another part. */
enum rc store_draft_purge(struct db *db, bool *more, struct err *e);

#endif

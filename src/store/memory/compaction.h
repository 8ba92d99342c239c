/*
 * Compactions: replacements for the older part of a path in the context. The messages themselves stay. The
 * path of a head decides which compaction applies: one whose last message is on it.
 *
 * A compaction replaces everything on the path up to and with `last_id`: a later one includes the one before
 * it. Its first_id and its count cover only the messages that it added to those of the one before.
 */
#ifndef ALFRED_STORE_MEMORY_COMPACTION_H
#define ALFRED_STORE_MEMORY_COMPACTION_H

#include "store/message/message.h"

struct compaction {
    int64_t id, session_id;
    int64_t first_id, last_id; /* messages of one path; the context continues after last_id */
    int64_t messages;          /* messages of the user, and answers, from first_id to last_id */
    int64_t tokens_before, tokens_after;
    struct str keep;        /* the user's note on what to keep; may be empty */
    struct str text;        /* Markdown; empty: the context was emptied there */
    struct str facts;       /* JSON array of strings */
    const char *transcript; /* path in data/transcripts: "ses_.../4294967301.jsonl" */
    const char *provider, *model;
    int64_t created_at;
};

/* Sets the id. RC_NOT_FOUND: not the owner's session, or last_id is not one of its messages. */
enum rc store_compaction_add(struct db *db, int64_t owner, struct compaction *c, struct err *e);
enum rc store_compaction_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct compaction *out, struct err *e);
/* Newest first, at most `limit`, with ids below `before` (0: from the newest). */
enum rc store_compaction_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t before, int limit, struct compaction **out, size_t *n, struct err *e);
#define COMPACTIONS_BETWEEN_MAX 100
/* The newest COMPACTIONS_BETWEEN_MAX of those whose last message is in the range, newest first. */
enum rc store_compaction_between(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    struct compaction **out, size_t *n, struct err *e);
/* The furthest one on the path that ends in `head`. RC_NOT_FOUND: none. Costs the steps from the head to
 * it. */
enum rc store_compaction_on_path(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    int64_t head, struct compaction *out, struct err *e);
/* After `message_id` was changed or deleted: removes compactions that quote it, or quote deleted messages.
 * Renews a request of the session, so that a result made from the old text is discarded. `removed`: number
 * of removed compactions. */
enum rc store_compaction_forget(struct db *db, int64_t owner, int64_t session_id, int64_t message_id,
    int64_t now, int64_t *removed, struct err *e);
/* After `message_id` went to the trash: moves these compactions to the hidden session `to`, which has the
 * messages (store/trash/trash.h). */
enum rc store_compaction_move(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, int64_t to, struct err *e);

/* The transcripts that compactions of a session (by its public id, of any owner) name, also those in the
 * trash. A job removes the files that no compaction names. It is planned when there is something to remove.
 */
#define JOB_SWEEP_TRANSCRIPTS "sweep_transcripts"
enum rc store_compaction_transcripts(
    struct db *db, struct arena *a, const char *session_pub, const char ***out, size_t *n, struct err *e);
/* Call it before a session's rows are deleted. */
enum rc store_compaction_sweep_later(struct db *db, int64_t session_id, struct err *e);

/* A requested compaction that is not finished; one per session. */
struct compaction_request {
    int64_t session_id;
    int64_t head_id;   /* end of its path */
    const char *keep;  /* "": no note */
    bool by_user;      /* otherwise planned because the path grew too long */
    const char *error; /* the sentence for the user after the final failure; NULL: it waits or runs */
    int64_t asked_at;  /* identifies this state of the request */
};

/* Replaces a failed one, and keeps its `keep` when the new one has none. RC_CONFLICT: one waits already.
 * RC_NOT_FOUND: not the owner's session. */
enum rc store_compaction_request(
    struct db *db, int64_t owner, const struct compaction_request *r, struct err *e);
/* RC_NOT_FOUND: none. */
enum rc store_compaction_request_get(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct compaction_request *out, struct err *e);
/* Deletes the request. RC_NOT_FOUND: it was deleted, or is not the one of `asked_at` any more. */
enum rc store_compaction_request_done(
    struct db *db, int64_t owner, int64_t session_id, int64_t asked_at, struct err *e);
enum rc store_compaction_request_failed(struct db *db, int64_t owner, int64_t session_id, const char *error,
    struct err *e); /* RC_OK also when it was deleted */

#endif

/*
 * Suggestions: facts that the helper found in what a user said, waiting for the user's word. Nothing reads
 * them but the pages that ask: only "keep" makes one a memory (app/facts.h), and one that was dismissed stays
 * known, so that it is not suggested again.
 *
 * A suggestion lives as long as the message that says it: it goes with it (foreign key), and an open one also
 * when the message is rewritten. session.facts_id is the last message of a session that was looked through.
 *
 * Every function names the owner; a foreign row and an absent one are the same RC_NOT_FOUND.
 */
#ifndef ALFRED_STORE_SUGGESTION_H
#define ALFRED_STORE_SUGGESTION_H

#include "store/store.h"

#define SUGGESTIONS_OPEN_MAX 50 /* of one user: with so many open no more are made */
#define SUGGESTIONS_KNOWN_MAX \
    500 /* the newest of one user, open or dismissed, that a new one is held against */

struct suggestion {
    int64_t id;
    struct str text;
    int64_t source_id;          /* the user's message */
    const char *source_session; /* public id of its session */
    int64_t created_at;
};

/* Open ones, the newest first; all there can be. */
enum rc store_suggestion_list(
    struct db *db, struct arena *a, int64_t owner, struct suggestion **out, size_t *n, struct err *e);
/* An open one. */
enum rc store_suggestion_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct suggestion *out, struct err *e);
/* Texts that were suggested already, dismissed ones too, the newest SUGGESTIONS_KNOWN_MAX. */
enum rc store_suggestion_known(
    struct db *db, struct arena *a, int64_t owner, struct str **out, size_t *n, struct err *e);

/* Nothing happens (RC_OK) when the text is known, SUGGESTIONS_OPEN_MAX are open, or the source is not a
 * message of this user's own that still reads `said`. */
enum rc store_suggestion_add(struct db *db, int64_t owner, struct str text, int64_t source_id,
    struct str said, int64_t now, struct err *e);
enum rc store_suggestion_dismiss(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* It became a memory. */
enum rc store_suggestion_remove(struct db *db, int64_t owner, int64_t id, struct err *e);
/* All of the owner's, dismissed ones too. */
enum rc store_suggestion_clear(struct db *db, int64_t owner, struct err *e);

/* ---- what is to be looked through ---- */

struct utterance {
    int64_t id;
    struct str text;
};
struct unread {
    struct utterance *said;
    size_t n;
    int64_t from; /* facts_id */
    bool more;    /* behind these */
};
/* The session's messages of role user after facts_id, oldest first: at most `limit`, and as many as fit
 * `bytes` of text, but one at least. */
enum rc store_suggestion_unread(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int limit,
    size_t bytes, struct unread *out, struct err *e);
/* They are read up to `upto`, unless facts_id was moved from `from` meanwhile: then RC_CONFLICT. */
enum rc store_suggestion_advance(
    struct db *db, int64_t owner, int64_t session_id, int64_t from, int64_t upto, struct err *e);
/* A message was rewritten: its open suggestions go, and it is to be looked through again. */
enum rc store_suggestion_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);
/* What the owner has said so far is not looked through any more, in no session. */
enum rc store_suggestion_skip(struct db *db, int64_t owner, struct err *e);

#endif

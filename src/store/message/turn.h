/*
 * Turns: exchanges with their runner and status. At most one runs per session (RC_CONFLICT), or
 * two that answer one question: slots 0 and 1 (store/message/comparison.h).
 */
#ifndef ALFRED_STORE_MESSAGE_TURN_H
#define ALFRED_STORE_MESSAGE_TURN_H

#include "base/id.h"
#include "store/message/message.h"

struct turn_row {
    int64_t id, owner, session_id, asked_id, reply_id;
    const char *pub, *runner;
    enum message_status status;
    int64_t started_at, ended_at;
    int slot;              /* 1: it writes the second answer of a comparison */
    bool joins;            /* only for adding: the turn of slot 0 runs already */
    const char *client_id; /* only for adding: the sender's id, for a turn whose messages do not store it;
                              NULL: none */
    bool indexes_asked;    /* only for adding: the end of the turn adds the question to the text index */
    /* Only for adding: the messages of the turn that were added with `with_turn`. One statement moves the
     * head and counts them and the turn. */
    const struct message *last; /* NULL: none */
    int messages;               /* that count (message.h) */
    bool asks;                  /* one of them is the user's */
    const char *title;          /* for a session that nobody has named, with `last`; NULL: stays */
    bool begins;                /* only for adding: store_session_begin() has counted all of it */
};

/* Also counts the turn in the session's running_turns, unless it `begins`. Ignores id, status, ended_at. */
enum rc store_turn_add(struct db *db, const struct turn_row *t, int64_t *id, struct err *e);
enum rc store_turn_set_reply(struct db *db, int64_t owner, int64_t id, int64_t reply_id, struct err *e);
/* Idempotent: a turn that has ended stays unchanged (RC_OK). While a turn runs, its session, question and
 * branch cannot be deleted or edited, so a question that waits for its index entry is never removed from it.
 * The index entry is the last change: with an answer that store_message_index_ended() adds next, it enters
 * the index as one segment. */
enum rc store_turn_end(
    struct db *db, int64_t owner, int64_t id, enum message_status status, int64_t now, struct err *e);
enum rc store_turn_get(
    struct db *db, struct arena *a, int64_t owner, const char *pub, struct turn_row *out, struct err *e);
/* A question has a turn for each of its answers. `started_at` and `slot` select one. */
struct turn_asked_key {
    int64_t owner, session_id, asked_id, started_at;
    int slot;
};
enum rc store_turn_by_asked(
    struct db *db, struct arena *a, const struct turn_asked_key *key, struct turn_row *out, struct err *e);
enum rc store_turn_by_client(struct db *db, struct arena *a, int64_t owner, const char *client_id,
    struct turn_row *out, struct err *e);
/* The running turns of a session, by slot: at most two. */
enum rc store_turns_running(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct turn_row **out, size_t *n, struct err *e);
/* The running turns of a runner, of all users: for recovery at its start. */
enum rc store_turn_orphans(
    struct db *db, struct arena *a, const char *runner, struct turn_row **out, size_t *n, struct err *e);

#endif

/*
 * Temporary chats: sessions that are gone some time after their last message. They are in the sidebar, and in
 * no other list, search, export or context. Their messages are in no index and have no vectors. The oldest
 * messages are erased when there are many.
 *
 * A chat whose time is over is RC_NOT_FOUND for everybody, with a sentence (session.c), but not while a turn
 * of it runs. The helper then erases it (app/session/task_end_temporary.c).
 */
#ifndef ALFRED_STORE_SESSION_TEMPORARY_H
#define ALFRED_STORE_SESSION_TEMPORARY_H

#include "store/session/session.h"

/* The condition of messages m in a search index. */
#define TEMPORARY_NOT "NOT EXISTS (SELECT 1 FROM temporary t WHERE t.session_id = m.session_id)"

/* Makes a new session a temporary chat that ends `lives_ms` after its last message. */
enum rc store_temporary_begin(
    struct db *db, int64_t session_id, int64_t lives_ms, int64_t now, struct err *e);
enum rc store_temporary_is(struct db *db, int64_t session_id, bool *is, struct err *e);
/* RC_CONFLICT, with a sentence: the session is a temporary chat. For actions that keep a text elsewhere. */
enum rc session_lasting(const struct session *s, struct err *e);
/* Call it after a message was added or an answer has ended: moves the end of a temporary chat to its lifetime
 * after `now`. `is`: the session is temporary; otherwise nothing changes. */
enum rc store_temporary_touch(struct db *db, int64_t session_id, int64_t now, bool *is, struct err *e);
/* Erases all but the newest `most` messages of users and models. The rest begins with a message of the
 * user, and has at least the newest message. */
enum rc store_temporary_window(struct db *db, int64_t owner, int64_t session_id, int most, struct err *e);
/* Makes it an ordinary session: its messages enter the indexes. The jobs are the caller's. RC_NOT_FOUND: it
 * is not temporary, or has ended. */
enum rc store_temporary_keep(struct db *db, int64_t owner, int64_t session_id, struct err *e);
/* Erases at most `limit` temporary chats whose time is over. `next`: when the next one ends; 0: there is
 * none. Two kinds of chats get their lifetime from `now`: one that would live too long, because the clock was
 * set back, and one whose time is over while a turn of it runs. */
enum rc store_temporary_sweep(
    struct db *db, int64_t now, int limit, int64_t *erased, int64_t *next, struct err *e);

#endif

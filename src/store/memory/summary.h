/*
 * Summaries of sessions and of parts of them. Ids are (owner << 32) | n with n counted in the user's row. The
 * newest summary of the whole session is the current one. Only it is in the text index (summary_text). Older
 * versions and those of parts stay readable.
 *
 * This file also has a session's topic and keywords, and the last messages that its summary and topic cover.
 */
#ifndef ALFRED_STORE_MEMORY_SUMMARY_H
#define ALFRED_STORE_MEMORY_SUMMARY_H

#include "store/message/message.h"

#define SUMMARY_REQUESTS_MAX 10 /* waiting requests of one session */

struct summary {
    int64_t id, session_id;
    int64_t version;           /* 1, 2, ... in its session */
    bool whole, current;       /* whole: of the session so far, otherwise of a part */
    int64_t first_id, last_id; /* messages of one path */
    int64_t known_id; /* input of store_summary_add() for a whole one: the session's newest message */
    int64_t messages;
    struct str text; /* Markdown */
    const char *provider, *model;
    int64_t created_at;
};

/* Sets id and version. A whole one becomes the current one, replaces the previous one in the index, and
 * sets the last message that the summary covers. RC_NOT_FOUND: not the owner's session. */
enum rc store_summary_add(struct db *db, int64_t owner, struct summary *s, struct err *e);
/* The current one; RC_NOT_FOUND: none. */
enum rc store_summary_current(
    struct db *db, struct arena *a, int64_t owner, int64_t session_id, struct summary *out, struct err *e);
/* The newest summary of exactly this range, one by a model before one by rule. RC_NOT_FOUND. */
enum rc store_summary_of_range(struct db *db, struct arena *a, int64_t owner, struct message_range range,
    struct summary *out, struct err *e);
/* Newest first, at most `limit`, below version `before` (0: from the newest). */
enum rc store_summary_list(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t before,
    int limit, struct summary **out, size_t *n, struct err *e);
/* After messages of a session were changed or deleted: removes the summaries and the topic that covered
 * `message_id`, or deleted messages. The session counts as unread from there. */
enum rc store_summary_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, struct err *e);

/* For the trash (store/trash/trash.h). The first two take the current summary of a session out of the text
 * index and the vectors, and put it back. The others move the summaries that the last function would remove
 * to the hidden session `to`, and back. */
enum rc store_summary_index_drop(struct db *db, int64_t owner, int64_t session_id, struct err *e);
enum rc store_summary_index_add(struct db *db, int64_t owner, int64_t session_id, struct err *e);
enum rc store_summary_move(struct db *db, int64_t session_id, int64_t message_id, int64_t to, struct err *e);
enum rc store_summary_move_back(struct db *db, int64_t from, int64_t session_id, struct err *e);

/* The remaining work for a session. `summary` and `topic` count finished user and assistant messages that
 * are newer than the last one read, each up to its `most`. */
struct summary_work {
    int64_t summary, topic;
    int64_t newest_id; /* the newest of these messages, on any branch; 0: none */
};
enum rc store_summary_work(
    struct db *db, int64_t owner, int64_t session_id, int64_t most, struct summary_work *out, struct err *e);

struct summary_request {
    int64_t id, first_id, last_id; /* messages; 0 and 0: the whole session */
    int64_t asked_at;
};

/* `range` from 0 to 0: the whole session. Requesting the same twice adds one. RC_CONFLICT:
 * SUMMARY_REQUESTS_MAX wait already. */
enum rc store_summary_request(
    struct db *db, int64_t owner, struct message_range range, int64_t now, struct err *e);
enum rc store_summary_requests(struct db *db, struct arena *a, int64_t owner, int64_t session_id,
    struct summary_request **out, size_t *n, struct err *e); /* the oldest first */
enum rc store_summary_request_done(struct db *db, int64_t owner, int64_t session_id, int64_t id,
    struct err *e); /* RC_OK also when it was deleted */

/* `keywords` is one line, "a, b, c". `upto`: the last message that was read. */
enum rc store_session_set_topic(struct db *db, int64_t owner, int64_t session_id, const char *topic,
    const char *keywords, int64_t upto, struct err *e);

#endif

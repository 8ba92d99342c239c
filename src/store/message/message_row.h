/* Rows of messages, for the files of store/ only. */
#ifndef ALFRED_STORE_MESSAGE_MESSAGE_ROW_H
#define ALFRED_STORE_MESSAGE_MESSAGE_ROW_H

#include "store/message/message.h"
#include "store/row.h"

#define MESSAGE_COLUMNS                                                                            \
    "m.id, m.session_id, coalesce(m.parent_id, 0), m.role, m.status, m.channel, m.text, m.calls, " \
    "m.call_id, m.tool, m.error, m.client_id, m.provider, m.model, "                               \
    "coalesce(m.tokens_in, 0), coalesce(m.tokens_out, 0), m.created_at, coalesce(m.ended_at, 0), " \
    "coalesce(m.pasted_from, -1), coalesce(m.stop, ''), coalesce(m.tokens_cached, 0), "            \
    "coalesce(m.reasoning, ''), coalesce(m.reasoning_ms, 0), coalesce(m.opaque, ''), m.lasting, "  \
    "coalesce(m.tokens_reasoning, 0), m.edited, coalesce(m.compared, 0), m.pictures"
#define MESSAGE_COLUMNS_N 29

/* The words of the columns, whose CHECKs allow no others. */
enum message_role message_role_of(struct str word);
enum message_status message_status_of(struct str word);

/* message_counts() (message.h) of a row of `message`. */
#define MESSAGE_COUNTS                                                                                   \
    "(role = 'user' OR role = 'assistant' AND NOT EXISTS (SELECT 1 FROM message above WHERE above.id = " \
    "message.parent_id AND above.role = 'tool'))"

/* Begins a statement: `below` has the message, whose id is the parameter, and all below it in its session. */
#define MESSAGE_BELOW                                                                                   \
    "WITH RECURSIVE below (id, session_id) AS (SELECT id, session_id FROM message WHERE id = ? "        \
    "UNION ALL SELECT m.id, m.session_id FROM below JOIN message m ON m.session_id = below.session_id " \
    "AND m.parent_id = below.id) "

/* The next id of an owner; a row with all columns. Neither checks anything. */
enum rc message_next_id(struct db *db, int64_t owner, int64_t *id, struct err *e);
enum rc message_insert(struct db *db, const struct message *m, struct err *e);

/* The changes that messages make in their session. */
struct session_advance {
    const struct message *last; /* the head moves to it, unless `beside` */
    int counted;                /* those that count (message.h) */
    bool asked;                 /* one of them is the user's */
    int turns;                  /* that begin with them */
    const char *title;          /* for a session without a name by its user; NULL: unchanged */
};
enum rc message_advance_session(
    struct db *db, int64_t owner, const struct session_advance *by, struct err *e);

struct message message_read(const struct rows *q, struct arena *a);

/* Adds a text to the text index. */
enum rc message_index_add(struct db *db, int64_t id, struct str text, struct err *e);
/* `text`: as it was added to the index. */
enum rc message_index_forget(struct db *db, int64_t id, const char *text, struct err *e);

/* For the trash: removes messages of a session from the index, at most `most`, the newest of those with ids
 * up to `upto`. `*left`: the largest id that is still in the index; 0: none. */
enum rc message_index_drop_some(
    struct db *db, int64_t session_id, int64_t upto, int most, int64_t *left, struct err *e);
/* Removes a message and all below it from the index, in one step. */
enum rc message_index_drop_below(struct db *db, int64_t id, struct err *e);
/* Adds the messages of a restored session again: those with ids above `after`. */
enum rc message_index_add_session(struct db *db, int64_t session_id, int64_t after, struct err *e);
/* One step of it. If more than `most` messages with ids between `*after` and `before` are missing, it adds
 * the first `most`, sets `*after` to the last of them, and `*more`. Otherwise it adds none. */
enum rc message_index_add_some(
    struct db *db, int64_t session_id, int64_t *after, int64_t before, int most, bool *more, struct err *e);

/* A foreign id and an absent one are indistinguishable. */
static inline enum rc message_owned(int64_t owner, int64_t id, struct err *e)
{
    return id > 0 && message_owner(id) == owner ? RC_OK : err_set(e, RC_NOT_FOUND, "no such message");
}

#endif

/*
 * An open comparison: two answers to one question, which are shown side by side until the user chooses one. A
 * session has at most one. The first message of each answer has message.compared 1 or 2. The user's choice
 * closes it, and so does the next turn of the session. Afterwards the answers are versions like any others.
 *
 * The session's head stays in the first answer until the choice.
 */
#ifndef ALFRED_STORE_MESSAGE_COMPARISON_H
#define ALFRED_STORE_MESSAGE_COMPARISON_H

#include "store/message/message.h"

#define COMPARISON_COLUMNS 2

struct comparison {
    int64_t asked_id;
    int64_t begins[COMPARISON_COLUMNS]; /* first message of each answer */
};

/* SQL: true while the session has an open comparison. Its messages in the trash are not in the session. */
#define COMPARISON_IS_OPEN(session) \
    "(SELECT count(*) FROM message c WHERE c.session_id = " session " AND c.compared IS NOT NULL) = 2"
_Static_assert(COMPARISON_COLUMNS == 2, "COMPARISON_IS_OPEN() counts the answers");
enum rc store_comparison_is_open(struct db *db, int64_t session_id, bool *out, struct err *e);

/* RC_NOT_FOUND: none is open, or one of its answers was deleted. */
enum rc store_comparison_get(
    struct db *db, int64_t owner, int64_t session_id, struct comparison *out, struct err *e);

/* Puts the answer that begins with message `id` into column 1 or 2. */
enum rc store_comparison_mark(
    struct db *db, int64_t owner, int64_t session_id, int64_t id, int column, struct err *e);

/* The user's choice: `head` becomes the session's head, and the comparison is closed. RC_NOT_FOUND. */
enum rc store_comparison_choose(
    struct db *db, int64_t owner, int64_t session_id, int64_t head, int64_t now, struct err *e);

/* Without an open comparison nothing changes. */
enum rc store_comparison_close(struct db *db, int64_t owner, int64_t session_id, struct err *e);

#endif

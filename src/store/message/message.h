/*
 * Messages: a tree per session. An id is (owner << 32) | n with n counted in the user's row, so one user's
 * messages are one range of ids. The text index is updated in the same statement group. Context is the path
 * from a head to the root. Siblings share a parent and a role: edits are user siblings, regenerations
 * assistant siblings.
 */
#ifndef ALFRED_STORE_MESSAGE_MESSAGE_H
#define ALFRED_STORE_MESSAGE_MESSAGE_H

#include "store/message/picture.h"

#define MESSAGE_PATH_MAX      10000 /* longest path of a query */
#define MESSAGE_CLIENT_ID_MAX 64
#define MESSAGE_TYPED         (-1)

static inline int64_t message_owner(int64_t id)
{
    return id >> 32;
}

enum message_role { ROLE_USER, ROLE_ASSISTANT, ROLE_SYSTEM, ROLE_TOOL };
enum message_status { MESSAGE_DONE, MESSAGE_RUNNING, MESSAGE_STOPPED, MESSAGE_INTERRUPTED, MESSAGE_FAILED };
/* The reasons of the model or the provider for which an answer ended early. */
enum message_stop {
    STOP_NONE,
    STOP_LENGTH,   /* the limit of an answer */
    STOP_WINDOW,   /* the model's window is full */
    STOP_REFUSAL,  /* the model, or the provider's classifiers for it, declined */
    STOP_FILTER,   /* the provider's content filter cut it */
    STOP_REJECTED, /* the provider did not accept the request */
    STOP_PAUSED    /* the provider paused it again and again */
};
const char *message_role_name(enum message_role r);
const char *message_stop_name(enum message_stop s); /* NULL for none */
const char *message_status_name(enum message_status s);

struct message {
    int64_t id, session_id, parent_id; /* 0: none */
    enum message_role role;
    enum message_status status;
    const char *channel;
    struct str text;
    const char *calls; /* JSON array of {"id","name","args"} (args an object), NULL: none; tool: the call it
                          answers */
    const char *call_id, *tool;
    const char *error;
    const char *client_id;
    const char *provider, *model;
    enum message_stop stop;
    bool edited;  /* of an answer: the user wrote this version */
    bool lasting; /* of a failure: the same request fails again */
    int compared; /* column (1 or 2) of the answer that begins here in the open comparison (comparison.h); 0:
                     none */
    int64_t tokens_in, tokens_out;
    int64_t tokens_cached;    /* part of the input tokens: read from the provider's cache */
    int64_t tokens_reasoning; /* part of the output tokens */
    struct str reasoning;     /* before the answer; not searched or summarised, exported on request */
    int64_t reasoning_ms;
    struct str opaque; /* JSON that the provider wants back with the answer (llm.h, LLM_OPAQUE) */
    int64_t created_at, ended_at;
    bool beside; /* only for adding: the session's head moves to it only from its parent. The second answer of
                    a comparison leaves the head in the first one */
    int64_t taken_id; /* only for adding: its id, one of store_message_ids(); 0: the next one */
    bool index_later; /* only for adding and finishing: the end of its turn adds the text to the index
                         (store/message/turn.h) */
    bool with_turn;   /* only for adding: the head and the counts change with store_turn_add() */
    bool counts;      /* set by adding: one of the session's message_count */
    const struct picture *pictures; /* of a user's message; before adding: store_pictures_free() */
    size_t pictures_n;
    int64_t pasted_from; /* bytes of a user's text that were typed, before the first pasted or imported text;
                            the default 0: none; MESSAGE_TYPED: all, as far as is known */
    /* set by store_message_path() and store_message_placed() only: its place among its siblings, and its
     * neighbours there (0: none) */
    int sibling, siblings; /* 1-based */
    int64_t prev_sibling, next_sibling;
};

/* Whether a message is one of the session's message_count: an answer with tools counts once. MESSAGE_COUNTS
 * (message_row.h) is the same in SQL. `below_tool`: its parent is a tool's result. */
static inline bool message_counts(enum message_role role, bool below_tool)
{
    return role == ROLE_USER || (role == ROLE_ASSISTANT && !below_tool);
}

/* Takes the owner's next `n` ids for messages that are added later. */
enum rc store_message_ids(struct db *db, int64_t owner, int n, int64_t *first, struct err *e);

/* Sets m->id. Inserts the row, and its index entry unless it is running or index_later. Moves the session's
 * head to it, unless `beside` or with_turn. Counts it, unless with_turn, when it is the user's or an answer;
 * an answer that continues below a tool's result is counted once. Sets m->counts accordingly, and active_at =
 * created_at. m->session_id must be the owner's. RC_CONFLICT: client_id was used before. */
enum rc store_message_add(struct db *db, int64_t owner, struct message *m, struct err *e);

/* Ends the running message m->id: stores text, status, calls, error, stop, tokens, reasoning, opaque,
 * ended_at, and indexes its text unless index_later. Provider and model replace those of the row unless NULL.
 * RC_CONFLICT: it is not running. */
enum rc store_message_finish(struct db *db, int64_t owner, const struct message *m, struct err *e);

/* Indexes the text of a message with index_later, unless it is in the trash or in a temporary chat. */
enum rc store_message_index_ended(struct db *db, int64_t id, struct str text, struct err *e);

/* A message by its id, or by the client id of its send. RC_NOT_FOUND. */
enum rc store_message_get(
    struct db *db, struct arena *a, int64_t owner, int64_t id, struct message *out, struct err *e);
enum rc store_message_by_client(
    struct db *db, struct arena *a, int64_t owner, const char *client_id, struct message *out, struct err *e);

/* The messages of a session with ids from `first` to `last`, on all branches. */
struct message_range {
    int64_t session_id, first, last;
};

#define MESSAGE_LONG_BYTES 2048
/* The bytes of all messages of the user in a session that have at least MESSAGE_LONG_BYTES. Reads an index
 * only. */
enum rc store_message_long_bytes(struct db *db, int64_t session_id, int64_t *bytes, struct err *e);

/* The path that ends in `head`, or its end. */
struct path_query {
    int64_t owner, session_id, head; /* head 0: no messages */
    int64_t below; /* only below this message; 0: from the root. When it is not on the path: all messages with
                      a greater id */
    int limit;     /* only so many of the newest messages; 0: MESSAGE_PATH_MAX */
};
/* The messages of the path, oldest first. One recursive query over parent_id. With `below`, the cost is that
 * of the messages below it. */
enum rc store_message_path(struct db *db, struct arena *a, const struct path_query *q, struct message **out,
    size_t *n, struct err *e);
/* The id above the first message of such a path; 0: it begins at the root. */
static inline int64_t message_above_path(const struct path_query *q, const struct message *path, size_t n)
{
    return n ? path[0].parent_id : q->head;
}

/* One message of the session, with its place among its siblings. */
enum rc store_message_placed(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t id,
    struct message *out, struct err *e);

/* The message `steps` below `id` on the path that ends in `head`; `head` when fewer messages follow `id`.
 * RC_NOT_FOUND: `id` is not on that path. */
enum rc store_message_path_step(struct db *db, int64_t owner, int64_t session_id, int64_t head, int64_t id,
    int steps, int64_t *out, struct err *e);

/* The newest leaf below `id`, following the newest child: the end of its branch. */
enum rc store_message_leaf(struct db *db, int64_t owner, int64_t id, int64_t *leaf, struct err *e);
/* The last message of the newest answer to the question `asked`, which may have calls of tools; `asked` when
 * it has no answer. What was written below the answer is not part of it. RC_NOT_FOUND. */
enum rc store_message_answer_end(struct db *db, int64_t owner, int64_t asked, int64_t *end, struct err *e);
enum rc store_session_set_head(struct db *db, int64_t owner, int64_t session_id, int64_t head, struct err *e);

struct message_taken {
    int64_t messages; /* of the user and of models */
    int64_t head_id;  /* of the session, after it; 0: it is empty */
};
/* Moves the message and everything below it to the hidden session `to` (store/trash/trash.h). A head among
 * them moves to the leaf of the next sibling, else of the previous one, else to the parent (0 at the root).
 * They leave the indexes of words and vectors. RC_CONFLICT, with a sentence, while one of them is running. */
enum rc store_message_take(struct db *db, int64_t owner, int64_t session_id, int64_t id, int64_t to,
    struct message_taken *out, struct err *e);

/* Rewrites a user message in place, with its index entry (message_edit.c). RC_NOT_FOUND also for one of
 * another session. RC_BAD_INPUT for other roles and RC_CONFLICT while a turn of the session runs, both
 * with a sentence. */
enum rc store_message_set_text(struct db *db, int64_t owner, int64_t session_id, int64_t id, struct str text,
    int64_t pasted_from, struct err *e);

/* True for an answer with text that ended before its end: cut by a limit, stopped, interrupted or failed. */
bool message_can_continue(const struct message *m);

/* Makes an ended answer running again, with its text in the row, and moves the head to it (message_edit.c).
 * It leaves the indexes until it ends. RC_CONFLICT: it is running. */
enum rc store_message_reopen(
    struct db *db, int64_t owner, int64_t session_id, int64_t id, int64_t now, struct err *e);

/* Adds a version of the answer `id` with the user's text, as another answer to its question, and moves the
 * head to it; `out` is its id. RC_NOT_FOUND as above. RC_BAD_INPUT for other roles and RC_CONFLICT while a
 * turn of the session runs, both with a sentence. */
enum rc store_message_add_edited(struct db *db, int64_t owner, int64_t session_id, int64_t id,
    struct str text, int64_t now, int64_t *out, struct err *e);

/* The `pasted_from` of an edited text. Typed text of `old` stays typed up to the first difference. The
 * sender's `hint` can only reduce trust. */
int64_t message_pasted_after_edit(const struct message *old, struct str text, int64_t hint);

/* Adds messages to the index of character pairs that were stored before this index existed. One step handles
 * messages with an id above `*after`, which moves on. Repeat it, each time in a separate transaction, while
 * `more` is set. Adding a message twice changes nothing. */
enum rc store_message_index_pairs(struct db *db, int64_t *after, bool *more, struct err *e);

#endif

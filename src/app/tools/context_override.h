/*
 * The contents that the model requested for the context of the next turn (the tool set_context_preferences),
 * for that turn only: facts by id instead of the relevant ones, a range of earlier messages, the session's
 * summaries, and the number of the newest messages. The transaction that sends the turn's message deletes the
 * request. A send that fails therefore keeps it, and no request is used twice.
 *
 * Facts, range and summaries follow the newest message as blocks of data (data_block.h).
 */
#ifndef ALFRED_APP_TOOLS_CONTEXT_OVERRIDE_H
#define ALFRED_APP_TOOLS_CONTEXT_OVERRIDE_H

#include "store/message/message.h"
#include "store/session/context_override.h"

#define OVERRIDE_RANGE_TOKENS     4000 /* at most, and a quarter of the free tokens */
#define OVERRIDE_SUMMARIES_TOKENS 2000 /* at most, and an eighth */
#define OVERRIDE_SHARE_RANGE      4
#define OVERRIDE_SHARE_SUMMARIES  8
#define OVERRIDE_SHARE_FACTS      4
#define OVERRIDE_RECENT_MAX       200

struct context_override_text {
    bool present;
    bool sets_memories;
    int64_t *memories; /* those that still exist */
    size_t memories_n;
    struct str text; /* to append after the newest message; may be empty */
    size_t from;     /* the path is included from here: always the start of an exchange */
};

/* The turn of the context: the one below `parent_id`. */
struct context_override_owner {
    int64_t owner, session_id; /* session_id 0: a new one, which has no request */
    int64_t parent_id;
    int64_t room; /* tokens of the model's window that are free for blocks and path; may be 0 */
    int64_t now;
};

/* The requested contents for a turn. `path` is the path that its context would have, with the question at
 * its end. A range may be before it, in the part that a compaction replaces. A range on another branch is
 * left out. The result is in the arena. */
enum rc context_override_read(struct db *db, struct arena *a, const struct context_override_owner *who,
    const struct message *path, size_t n, struct context_override_text *out, struct err *e);

#endif

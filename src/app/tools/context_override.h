/*
 * What the model asked to find in the context of the next turn (the tool set_context_preferences), for that
 * turn only: facts by id in place of those that matter, a range of earlier messages, the session's summaries,
 * and how many of the newest messages. Whoever sends the turn's message takes the wish away in the same
 * transaction, so that a send that fails leaves it and nothing uses it twice.
 *
 * Facts, range and summaries stand behind the system prompt as blocks of data (data_block.h).
 */
#ifndef ALFRED_APP_TOOLS_CONTEXT_OVERRIDE_H
#define ALFRED_APP_TOOLS_CONTEXT_OVERRIDE_H

#include "store/message.h"
#include "store/context_override.h"

#define OVERRIDE_RANGE_TOKENS     4000 /* at most, and a quarter of the room */
#define OVERRIDE_SUMMARIES_TOKENS 2000 /* at most, and an eighth */
#define OVERRIDE_SHARE_RANGE      4
#define OVERRIDE_SHARE_SUMMARIES  8
#define OVERRIDE_SHARE_FACTS      4
#define OVERRIDE_RECENT_MAX       200

struct context_override_text {
    bool present;
    bool sets_memories;
    int64_t *memories; /* those that are still there */
    size_t memories_n;
    struct str text; /* for behind the system prompt; may be empty */
    size_t from;     /* the path goes in from here: always the start of an exchange */
};

/* Whose context: the turn that asks below `parent_id`. */
struct context_override_owner {
    int64_t owner, session_id; /* session_id 0: a new one, which has no wish */
    int64_t parent_id;
    int64_t room; /* tokens of the model's window that nothing else needs, the path aside; may be 0 */
    int64_t now;
};

/* The wish for a turn. `path` is what its context would hold, with the question at its end; a range may lie
 * before it (a compaction stands for that part), but one that is on another branch is left out. Everything
 * lives in the arena. */
enum rc context_override_read(struct db *db, struct arena *a, const struct context_override_owner *who,
    const struct message *path, size_t n, struct context_override_text *out, struct err *e);

#endif

/*
 * What a session is speaking of, so that "that task" and "the second one" mean something, whatever model
 * answers: the tools that show or make tasks and memories note them here, in the order shown, and the tools
 * that take one resolve words to its id. It lapses FOCUS_LAPSE_MS after the last note.
 */
#ifndef ALFRED_APP_TOOLS_DISCOURSE_FOCUS_H
#define ALFRED_APP_TOOLS_DISCOURSE_FOCUS_H

#include "app/tools/tools.h"
#include "base/clock.h"
#include "store/discourse_focus.h"

#define FOCUS_LAPSE_MS      (30 * MS_PER_MIN)
#define FOCUS_REFERENCE_MAX 64 /* characters of an id or a reference */
#define FOCUS_PROMPT_SHOWN  20 /* of a kind go to the model, and the one that was spoken of last */

enum focus_kind { FOCUS_TASKS, FOCUS_MEMORIES };

/* A tool has shown these, in this order: they take the place of what was shown before. A single one is what
 * "that" means from now on; of several none is. The notes do not fail a tool that has done its work: what
 * goes wrong is logged. */
void discourse_focus_show(
    const struct tool_context *c, const char *tool, enum focus_kind kind, const int64_t *ids, size_t n);
/* A tool has made or touched this one: "that" from now on. A list that was shown keeps its order; one that
 * is not on it comes last. */
void discourse_focus_touch(const struct tool_context *c, const char *tool, enum focus_kind kind, int64_t id);

/* An id, or words as codec/ordinal_reference.h has them, as an id; the caller finds out whether it is the
 * owner's. RC_BAD_INPUT with a sentence for the model: the words mean nothing, more than one thing, or what
 * they meant has lapsed. */
enum rc discourse_focus_resolve(
    const struct tool_context *c, enum focus_kind kind, struct str text, int64_t *id, struct err *e);

/* The same for the model to read: a block of data (data_block.h) of at most `room` bytes to put behind the
 * system prompt; empty when nothing was spoken of. Memories are left out while they are paused. In the arena.
 */
enum rc discourse_focus_prompt(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    size_t room, struct str *out, struct err *e);

#endif

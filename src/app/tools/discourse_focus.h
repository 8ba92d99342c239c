/*
 * The tasks and memories that a session currently refers to, so that "that task" and "the second one" have a
 * meaning, whatever model answers. Tools that show or create tasks and memories record them here, in the
 * order shown. Tools with such an argument resolve words to an id. The record lapses FOCUS_LAPSE_MS after the
 * last change.
 */
#ifndef ALFRED_APP_TOOLS_DISCOURSE_FOCUS_H
#define ALFRED_APP_TOOLS_DISCOURSE_FOCUS_H

#include "app/tools/tools.h"
#include "base/clock.h"
#include "store/session/discourse_focus.h"

#define FOCUS_LAPSE_MS      (30 * MS_PER_MIN)
#define FOCUS_REFERENCE_MAX 64 /* characters of an id or a reference */
#define FOCUS_PROMPT_SHOWN  20 /* entries of a kind that a model sees besides the last used one */

enum focus_kind { FOCUS_TASKS, FOCUS_MEMORIES };

/* Records that a tool has shown these, in this order. They replace what was shown before. A single one
 * becomes the meaning of "that"; several leave it empty. A failure does not fail the tool, which has done
 * its work; it is logged. */
void discourse_focus_show(
    const struct tool_context *c, const char *tool, enum focus_kind kind, const int64_t *ids, size_t n);
/* Records that a tool has created or touched this one, which becomes the meaning of "that". A shown list
 * keeps its order. An item that is not on it is added at its end. */
void discourse_focus_touch(const struct tool_context *c, const char *tool, enum focus_kind kind, int64_t id);

/* Resolves an id, or words as in codec/words/ordinal_reference.h, to an id. The caller checks that it is the
 * owner's. RC_BAD_INPUT with a sentence for the model: the words have no meaning, several, or a lapsed
 * one. */
enum rc discourse_focus_resolve(
    const struct tool_context *c, enum focus_kind kind, struct str text, int64_t *id, struct err *e);

/* Tells the model which tasks and facts were shown and what "that" means: a block of data (data_block.h) of
 * at most `room` bytes to append to the system prompt; empty when there is nothing. Memories are left out
 * while they are paused. In the arena. */
enum rc discourse_focus_prompt(struct db *db, struct arena *a, int64_t owner, int64_t session_id, int64_t now,
    size_t room, struct str *out, struct err *e);

#endif

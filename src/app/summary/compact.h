/*
 * Compaction: a summary replaces the older part of a path in the context, never in the store, so that the
 * conversation continues to fit its model's window.
 *
 * When: a turn that ends plans it in its own transaction once the context takes more than [context]
 * compact_percent of the window, or the path since the last compaction has more than compact_messages
 * messages. The user can also request it and say what to keep (session_compact()). The helper does the work
 * (app/summary/task_compact.c), so no answer waits for it.
 *
 * How: as many of the last messages stay word for word as fit, [context] compact_keep at most, so that the
 * context then takes less than COMPACT_TARGET percent of the window. The kept part begins with a message of
 * the user, so that a tool call is never separated from its result. The messages above, with the compaction
 * before, become the new one. First they are written to a transcript (compact_file.c), then the model is
 * asked, then one transaction stores the result. Until then the context is unchanged; messages that do not
 * fit it are covered by a summary by rule that each request makes for itself (compact_left_out()).
 *
 * A model's output is untrusted input: an answer that is empty, too long or not text is RC_UPSTREAM.
 */
#ifndef ALFRED_APP_SUMMARY_COMPACT_H
#define ALFRED_APP_SUMMARY_COMPACT_H

#include "app/config/config.h"
#include "app/context/context.h"
#include "base/lang.h"
#include "store/memory/compaction.h"
#include "store/message/message.h"
#include "store/session/session.h"

#define COMPACT_TARGET        60 /* largest share of the window that a compacted context takes, in percent */
#define COMPACT_LEAST         2  /* messages, counted by context_counts(), before a first compaction */
#define COMPACT_AGAIN         6  /* messages between two, so that not every turn starts one */
#define COMPACT_RETRY_MS      MS_PER_H /* least time between a final failure and the next planned one */
#define COMPACT_KEEP_MAX      500      /* characters of the user's note on what to keep */
#define COMPACT_TOKENS        2000     /* tokens of a summary */
#define COMPACT_TEXT_MAX      ((size_t)COMPACT_TOKENS * CONTEXT_BYTES_PER_TOKEN)
#define COMPACT_FACTS_MAX     30
#define COMPACT_FACT_CHARS    300
#define COMPACT_CHARS         5000 /* length requested from a model, if its window allows it */
#define COMPACT_ANSWER_TOKENS 4000 /* tokens of the model's answer: the summary, the facts and the JSON */
#define COMPACT_PIECES_MAX    20   /* most pieces in which a model reads a text that exceeds its window */
#define COMPACT_MESSAGE_MIN   ((size_t)512) /* bytes; messages are not cut shorter for a model */

/* ---- planning (compact.c) ---- */

/* The number of messages, from the start of the path, that a compaction replaces; 0: none. `f`: the frame
 * of the session's requests, without a compaction. */
size_t compact_border(
    const struct config *c, const struct context_frame *f, const struct message *path, size_t n);

/* The number of these messages that one compaction covers. It is limited by the size of a transcript, and
 * by what a model reads in COMPACT_PIECES_MAX pieces of `piece` bytes, even when each message is cut to
 * COMPACT_MESSAGE_MIN. Ends before a message of the user; the next compaction covers the rest. */
size_t compact_covered(const struct message *path, size_t n, size_t piece);

/* The state of a session at the end of a turn. */
struct compact_state {
    int64_t owner, session_id, head_id;
    struct context_size size; /* size of the path since the last compaction */
    int64_t window;
    bool again;    /* the path begins at a compaction */
    int64_t fresh; /* newer than that compaction */
};

/* The number of messages on the path that are newer than the compaction. */
int64_t compact_fresh(const struct compaction *c, const struct message *path, size_t n);

/* Stores the size in the session's row, and plans a compaction when it is due. The caller then wakes the
 * helper. */
enum rc compact_plan(
    struct db *db, const struct config *c, const struct compact_state *s, int64_t now, struct err *e);

/* After a message was changed or deleted: removes compactions that quote it, and restarts one that is
 * being made from the old text. */
enum rc compact_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, int64_t now, struct err *e);

/* The block of data (data_block.h) that replaces the messages in a context: the summary and as many facts
 * as fit. It gets this share of a window of `window` tokens and may be cut. Empty for a compaction without
 * text, which empties the context (session_clear()). */
#define COMPACT_SHARE 4
struct str compact_block(struct arena *a, const struct compaction *c, int64_t window);

/* The block of data for messages that do not fit a request and that no compaction covers yet: the
 * beginning of each, or sentences by rule when there are too many. It gets a share of the window, or the
 * rest of it, but at least COMPACT_LEFT_OUT_LEAST tokens. Empty when n is 0. */
#define COMPACT_LEFT_OUT_SHARE 8
#define COMPACT_LEFT_OUT_LEAST 256
struct str compact_left_out(struct arena *a, const struct message *path, size_t n, int64_t tokens);

/* ---- the summary (compact_text.c) ---- */

struct compact_made {
    struct strbuf text;  /* Markdown, at most COMPACT_TEXT_MAX bytes */
    struct strbuf facts; /* JSON array of strings */
};
void compact_made_init(struct compact_made *m);
void compact_made_release(struct compact_made *m);

extern const char compact_prompt[]; /* system prompt for the model */

/* Renders the conversation for a model, at most `limit` bytes per message, less per tool result. */
void compact_render(const struct message *path, size_t n, size_t limit, struct strbuf *out);

/* The request to the model about one piece, for a summary of at most `chars`. All text of the conversation
 * is between two unpredictable lines. `before` is the result for the pieces above; at most `chars` of it
 * is included. `keep`: the user's note on what to keep; empty: none. */
void compact_question(
    struct str keep, const struct compact_made *before, struct str piece, size_t chars, struct strbuf *out);

/* Parses {"summary": "...", "facts": ["...", ...]}, or Markdown with the facts as list under a heading
 * "Facts". RC_UPSTREAM. */
enum rc compact_parse(struct str answer, struct compact_made *out, struct err *e);

/* The messages that a compaction replaces in the context. */
struct compact_part {
    const struct compaction *before; /* the one above; NULL: none */
    const struct message *path;
    size_t n;
};
/* The compaction without a model: sentences of the conversation, preferably those with words of `keep`. The
 * headings are in the language. */
void compact_by_rule(struct arena *a, const struct lang *l, const struct compact_part *part, struct str keep,
    struct compact_made *out);

/* ---- transcripts (compact_file.c) ---- */

#define COMPACT_TRANSCRIPT_MAX ((size_t)32 * 1024 * 1024) /* bytes of a file */

/* Writes the replaced part to data_dir/transcripts/SESSION/NAME.jsonl and syncs the file. `name` gets
 * "SESSION/NAME.jsonl". The same messages give the same name. */
enum rc compact_transcript_write(const char *data_dir, struct arena *a, const struct session *s,
    const struct compact_part *part, const char **name, struct err *e);
/* Appends the transcript to `out`. RC_NOT_FOUND, RC_TOO_BIG, RC_IO. */
enum rc compact_transcript_read(const char *data_dir, const char *name, struct strbuf *out, struct err *e);
/* The size of all transcripts of a session. */
enum rc compact_transcripts_bytes(const char *data_dir, const char *session, int64_t *bytes, struct err *e);
/* Removes all transcripts of a session that is deleted. */
enum rc compact_transcripts_remove(const char *data_dir, const char *session, struct err *e);
/* Removes the files that no compaction names. Only the helper may call it, because it is the only writer. */
enum rc compact_transcripts_sweep(struct store *s, const char *data_dir, int64_t *removed, struct err *e);

#endif

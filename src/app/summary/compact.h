/*
 * Compaction: a summary replaces the older part of a path in the context, never in the store, so that the
 * conversation continues to fit its model's window.
 *
 * When: a turn that ends plans it in its own transaction once the context takes more than [context]
 * compact_percent of the window, or the path since the last compaction has more than compact_messages
 * messages. The user can also request it and say what to keep (session_compact()). The helper does the work
 * (app/summary/task_compact.c), so no answer waits for it.
 *
 * How: the last COMPACT_KEPT messages stay word for word, extended back to a message of the user, so that a
 * tool call is never separated from its result. The messages above, with the compaction before, become the
 * new one. First they are written to a transcript (compact_file.c), then the model is asked, then one
 * transaction stores the result. Until then the context is unchanged.
 *
 * A model's output is untrusted input: an answer that is empty, too long or not text is RC_UPSTREAM.
 */
#ifndef ALFRED_APP_SUMMARY_COMPACT_H
#define ALFRED_APP_SUMMARY_COMPACT_H

#include "app/config/config.h"
#include "app/context/context.h"
#include "store/compaction.h"
#include "store/message.h"
#include "store/session.h"

#define COMPACT_KEPT       20       /* messages, as context_counts() has it */
#define COMPACT_LEAST      2        /* a first one replaces at least so many messages */
#define COMPACT_AGAIN      6        /* a later one; else each turn would have its own */
#define COMPACT_RETRY_MS   MS_PER_H /* after one failed for good the next is planned no sooner */
#define COMPACT_WISH_MAX   500      /* characters of what the user wants kept */
#define COMPACT_TOKENS     2000     /* of a summary */
#define COMPACT_TEXT_MAX   ((size_t)COMPACT_TOKENS * CONTEXT_BYTES_PER_TOKEN)
#define COMPACT_FACTS_MAX  30
#define COMPACT_FACT_CHARS 300
#define COMPACT_CHARS      5000 /* of a summary that a model is asked for, where its window allows */
#define COMPACT_ANSWER_TOKENS                                                                           \
    4000                       /* of the model's answer: the summary, the facts and what is around them \
                                */
#define COMPACT_PIECES_MAX  20 /* in so many pieces a model reads what does not fit its window at once */
#define COMPACT_MESSAGE_MIN ((size_t)512) /* bytes; no message is cut shorter for a model */

/* ---- when (compact.c) ---- */

/* How many messages of the path, from its beginning, a compaction replaces; 0: there is nothing to. */
size_t compact_border(const struct message *path, size_t n);

/* How many of the messages to be replaced one compaction takes in: a transcript has a limit, and so has what
 * a model reads in COMPACT_PIECES_MAX pieces of `piece` bytes, even when each message is cut to
 * COMPACT_MESSAGE_MIN. Ends before a message of the user's; the rest is left to the next one. */
size_t compact_part(const struct message *path, size_t n, size_t piece);

/* How a session stands at the end of a turn. */
struct compact_state {
    int64_t owner, session_id, head_id;
    struct context_size size; /* of the path since the last compaction */
    int64_t window;
    bool again; /* there is a compaction above */
};

/* Notes the size in the session's row, and plans a compaction when it is time; wake the helper after it. */
enum rc compact_plan(
    struct db *db, const struct config *c, const struct compact_state *s, int64_t now, struct err *e);

/* After a message was changed or deleted: compactions that would go on quoting it are removed, and what is
 * being made from the old words is made anew. */
enum rc compact_forget(
    struct db *db, int64_t owner, int64_t session_id, int64_t message_id, int64_t now, struct err *e);

/* The block of data (data_block.h) that replaces the messages in a context: the summary and as many facts
 * as fit. It gets this share of a window of `window` tokens and may be cut. */
#define COMPACT_SHARE 4
struct str compact_block(struct arena *a, const struct compaction *c, int64_t window);

/* ---- what is made (compact_text.c) ---- */

struct compact_made {
    struct strbuf text;  /* Markdown, at most COMPACT_TEXT_MAX bytes */
    struct strbuf facts; /* JSON array of strings */
};
void compact_made_init(struct compact_made *m);
void compact_made_release(struct compact_made *m);

extern const char compact_prompt[]; /* what the system says to the model */

/* The conversation for a model to read; of one message at most `limit` bytes, of a tool's result less. */
void compact_render(const struct message *path, size_t n, size_t limit, struct strbuf *out);

/* The question to the model about one piece, for a summary of at most `chars`. All text of the
 * conversation is between two unpredictable lines. `before` is the result for the pieces above, of which
 * so much is shown. */
void compact_question(
    struct str wish, const struct compact_made *before, struct str piece, size_t chars, struct strbuf *out);

/* Takes {"summary": "...", "facts": ["...", ...]}, or Markdown whose list under a heading "Facts" are the
 * facts. RC_UPSTREAM. */
enum rc compact_parse(struct str answer, struct compact_made *out, struct err *e);

/* The compaction without a model: sentences of the conversation, preferably those with words of the user's
 * request. `before` may be NULL. */
void compact_by_rule(struct arena *a, const struct message *path, size_t n, struct str wish,
    const struct compaction *before, struct compact_made *out);

/* ---- transcripts (compact_file.c) ---- */

#define COMPACT_TRANSCRIPT_MAX ((size_t)32 * 1024 * 1024) /* bytes of a file */

/* Writes what is replaced to data_dir/transcripts/SESSION/NAME.jsonl, on the disk when it returns; `name`
 * gets "SESSION/NAME.jsonl". The same messages give the same name. */
enum rc compact_transcript_write(const char *data_dir, struct arena *a, const struct session *s,
    const struct compaction *before, const struct message *path, size_t n, const char **name, struct err *e);
/* Appends it to `out`. RC_NOT_FOUND, RC_TOO_BIG, RC_IO. */
enum rc compact_transcript_read(const char *data_dir, const char *name, struct strbuf *out, struct err *e);
/* Removes all transcripts of a session that is deleted. */
enum rc compact_transcripts_remove(const char *data_dir, const char *session, struct err *e);
/* Removes the files that no compaction names. Only where nobody writes one at the same time: in the helper.
 */
enum rc compact_transcripts_sweep(struct store *s, const char *data_dir, int64_t *removed, struct err *e);

#endif

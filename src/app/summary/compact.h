/*
 * Compaction: the older part of a path is replaced in the context, never in the store, by a summary, so that
 * the conversation goes on fitting its model's window.
 *
 * When: a turn that ends plans it in its own transaction once the context takes more than [context]
 * compact_percent of the window, or the path since the last compaction has more than compact_messages
 * messages; or the user asks for it and says what to keep (chat_compact()). The helper does it
 * (helper/task_compact.c), so that no answer waits for it.
 *
 * What: the last COMPACT_KEPT messages stay word for word, and from there up to a message of the user's, so
 * that a call of a tool is never parted from its result. What lies above, with the compaction before, becomes
 * the new one. First it is written as it was to a transcript (compact_file.c), then the model is asked, then
 * one transaction takes the result in. Until then the context is as it was.
 *
 * What a model says is hostile input: an answer that is empty, too long or no text is RC_UPSTREAM.
 */
#ifndef ALFRED_APP_COMPACT_H
#define ALFRED_APP_COMPACT_H

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

/* What a context says instead of the messages: the summary and as many facts as fit beside it, as a block of
 * data (data_block.h). A window of `window` tokens gives it a part, so it may be cut there. */
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

/* What the model is asked about a piece of that, for a summary of at most `chars`: everything that comes from
 * the conversation lies between two lines that nobody can have foreseen. `before`: what it made of the pieces
 * above, of which so much is shown. */
void compact_question(
    struct str wish, const struct compact_made *before, struct str piece, size_t chars, struct strbuf *out);

/* Takes {"summary": "...", "facts": ["...", ...]}, or Markdown whose list under a heading "Facts" are the
 * facts. RC_UPSTREAM. */
enum rc compact_parse(struct str answer, struct compact_made *out, struct err *e);

/* Where there is no model: sentences of the conversation, and those that have words of the user's wish.
 * `before` may be NULL. */
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
/* Removes the files that no compaction names. Only where nobody writes one at the same time: in the helper.
 */
enum rc compact_transcripts_sweep(struct store *s, const char *data_dir, int64_t *removed, struct err *e);

#endif

/*
 * Summaries and topics: their schedule, the question to a model, the check of its answer, and the rule used
 * without a model (extractive_summary.h).
 *
 * A session is due when it was idle for [session] idle_minutes or has SUMMARY_EVERY new messages; its topic
 * after every TOPIC_EVERY. The transaction that ends a turn plans the jobs. The job for an idle session
 * checks again when it runs and plans itself anew if the session continued, so a turn never has to move it.
 *
 * A model's output is untrusted input: an answer that is empty, too long or of another form is RC_UPSTREAM.
 */
#ifndef ALFRED_APP_SUMMARY_SUMMARY_H
#define ALFRED_APP_SUMMARY_SUMMARY_H

#include "app/config/config.h"
#include "base/lang.h"
#include "base/strbuf.h"
#include "store/message/message.h"

#define SUMMARY_EVERY      20   /* messages */
#define SUMMARY_TEXT_MAX   8000 /* bytes */
#define SUMMARY_TOKENS     700  /* tokens of a model's answer */
#define TOPIC_EVERY        5    /* messages */
#define TOPIC_CHARS_MAX    120
#define TOPIC_TOKENS       150
#define KEYWORDS_MIN       3
#define KEYWORDS_MAX       5
#define KEYWORD_CHARS_MAX  40
#define KEYWORDS_BYTES_MAX ((size_t)KEYWORDS_MAX * (KEYWORD_CHARS_MAX * 4 + 2))
#define TOPIC_BYTES_MAX    ((size_t)TOPIC_CHARS_MAX * 4)

/* Plans the jobs that are due after a change of the session, in its transaction. The caller then wakes the
 * helper. */
enum rc summary_plan(
    struct db *db, const struct config *c, int64_t owner, int64_t session_id, int64_t now, struct err *e);
/* The same after messages were changed or deleted: first discards what was made from them. */
enum rc summary_plan_afresh(struct db *db, const struct config *c, int64_t owner, int64_t session_id,
    int64_t message_id, int64_t now, struct err *e);

/* System prompts for the model. */
extern const char summary_prompt[], topic_prompt[];

/* The conversation as data for the model, at most `cap` bytes: from the newest message back as far as it
 * fits. `before` (the previous summary, empty: none) covers the rest. The text is between two
 * unpredictable lines, so no text in it can imitate its end. */
void summary_transcript(
    const struct message *path, size_t n, struct str before, size_t cap, struct strbuf *out);

/* Checks a model's answer and appends it as a summary. RC_UPSTREAM. */
enum rc summary_clean(struct str answer, struct strbuf *out, struct err *e);
/* A summary in sentences of the conversation, with headings in a language. Empty when no message has text. */
void summary_by_rule(
    struct arena *a, const struct lang *l, const struct message *path, size_t n, struct strbuf *out);

/* Parses {"topic": "...", "keywords": ["...", ...]}. RC_UPSTREAM. */
enum rc topic_parse(struct str answer, struct strbuf *topic, struct strbuf *keywords, struct err *e);
/* Both stay empty when no message has text. */
void topic_by_rule(
    struct arena *a, const struct message *path, size_t n, struct strbuf *topic, struct strbuf *keywords);

#endif

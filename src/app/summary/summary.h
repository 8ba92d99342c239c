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
#include "base/strbuf.h"
#include "store/message.h"

#define SUMMARY_EVERY      20   /* messages */
#define SUMMARY_TEXT_MAX   8000 /* bytes */
#define SUMMARY_TOKENS     700  /* of a model's answer */
#define TOPIC_EVERY        5    /* messages */
#define TOPIC_CHARS_MAX    120
#define TOPIC_TOKENS       150
#define KEYWORDS_MIN       3
#define KEYWORDS_MAX       5
#define KEYWORD_CHARS_MAX  40
#define KEYWORDS_BYTES_MAX ((size_t)KEYWORDS_MAX * (KEYWORD_CHARS_MAX * 4 + 2))
#define TOPIC_BYTES_MAX    ((size_t)TOPIC_CHARS_MAX * 4)

/* Plans what is due after a change of the session, in that change's transaction; wake the helper after it. */
enum rc summary_plan(
    struct db *db, const struct config *c, int64_t owner, int64_t session_id, int64_t now, struct err *e);
/* The same after messages were changed or deleted: what was made from them is forgotten first. */
enum rc summary_plan_afresh(struct db *db, const struct config *c, int64_t owner, int64_t session_id,
    int64_t message_id, int64_t now, struct err *e);

/* System prompts for the model. */
extern const char summary_prompt[], topic_prompt[];

/* The conversation as data for the model, at most `cap` bytes: from the newest message back as far as it
 * fits; for what is left out `before` (the summary before, empty: none) stands in. It lies between two lines
 * that nobody can have foreseen, so that no text in it can pretend to be its end. */
void summary_transcript(
    const struct message *path, size_t n, struct str before, size_t cap, struct strbuf *out);

/* Takes a model's answer as a summary. RC_UPSTREAM. */
enum rc summary_clean(struct str answer, struct strbuf *out, struct err *e);
/* A summary in the conversation's own sentences. Empty when nobody said anything. */
void summary_by_rule(struct arena *a, const struct message *path, size_t n, struct strbuf *out);

/* Takes {"topic": "...", "keywords": ["...", ...]}. RC_UPSTREAM. */
enum rc topic_parse(struct str answer, struct strbuf *topic, struct strbuf *keywords, struct err *e);
/* Both empty when nobody said anything. */
void topic_by_rule(
    struct arena *a, const struct message *path, size_t n, struct strbuf *topic, struct strbuf *keywords);

#endif

/*
 * Suggested facts from a user's messages. When a session is summarised, the helper reads the user's own
 * messages and stores suggestions (store/session/suggestion.h). A suggestion is only a line on the memory
 * page until its user chooses "Keep". No text becomes a memory here.
 *
 * Only a user's own words are read, by the model and by the rule. facts_own_words() leaves out code,
 * quotations, text after a colon or a forwarded mail's head, long pastes, texts to be edited, questions, and
 * sentences about passwords. It prefers to leave out too much: "remember that" is there for the rest.
 * Messages of tools and answers are never read.
 *
 * A model's answer is untrusted input. facts_parse() accepts only lines that are short, come from a message
 * that was shown, and contain that message's own words and numbers.
 */
#ifndef ALFRED_APP_MEMORY_FACTS_H
#define ALFRED_APP_MEMORY_FACTS_H

#include "app/memory/memory.h"
#include "base/strbuf.h"
#include "store/session/suggestion.h"

#define FACTS_MAX         5   /* facts of one run */
#define FACTS_CHARS_MAX   300 /* characters of one fact */
#define FACTS_TOKENS      600 /* tokens of a model's answer */
#define FACTS_MESSAGES    60  /* read in one run; the rest is another run */
#define FACTS_READ_BYTES  ((size_t)24 * 1024)
#define FACTS_MESSAGE_MAX 2000                            /* bytes: a longer message was pasted */
#define FACTS_OWN_MAX     ((size_t)2 * FACTS_MESSAGE_MAX) /* bytes: the most of facts_own_words() */

struct fact {
    struct str text;
    const struct utterance *from;
};

/* ---- the user's own words (app/memory/facts_words.c) ---- */

/* Appends the sentences that may say something about their author, one per line. */
void facts_own_words(struct str message, struct strbuf *out);
/* True when the text mentions a password or the like, or contains the digits of a card. */
bool facts_is_secret(struct str text);

/* ---- by a model ---- */

extern const char facts_prompt[];
/* Writes the user's own sentences, numbered from 1; false when there are none. */
bool facts_lines(const struct utterance *said, size_t n, struct strbuf *out);
/* Parses [{"text": "...", "message": 1}, ...] and drops invalid entries. RC_UPSTREAM: not a list. */
enum rc facts_parse(struct arena *a, struct str answer, const struct utterance *said, size_t n,
    struct fact out[FACTS_MAX], size_t *found, struct err *e);

/* ---- by rule (app/memory/facts_rule.c) ---- */

/* Finds sentences that begin like a lasting statement about the speaker ("I live in ...", "my wife's name
 * is ...", "ich arbeite bei ..."). */
size_t facts_by_rule(struct arena *a, const struct utterance *said, size_t n, struct fact out[FACTS_MAX]);

/* ---- storing them ---- */

/* Drops facts that are stored or were suggested already, and duplicates. `n` becomes the number of the
 * rest. */
enum rc facts_fresh(
    struct db *db, struct arena *a, int64_t owner, int64_t now, struct fact *facts, size_t *n, struct err *e);

/* Plans a run over a session, in the transaction that summarises it. Does nothing while the memory is
 * paused. */
enum rc facts_plan(struct db *db, int64_t owner, int64_t session_id, int64_t now, struct err *e);

#endif

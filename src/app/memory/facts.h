/*
 * Suggested facts from a user's messages. When a session is summarised, the helper reads the user's own
 * messages and stores suggestions (store/suggestion.h). A suggestion is only a line on the memory page until
 * its user chooses "Keep". No text becomes a memory here.
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
#include "store/suggestion.h"

#define FACTS_MAX         5   /* of one look */
#define FACTS_CHARS_MAX   300 /* of one of them */
#define FACTS_TOKENS      600 /* of a model's answer */
#define FACTS_MESSAGES    60  /* read at once; the rest is another look */
#define FACTS_READ_BYTES  ((size_t)24 * 1024)
#define FACTS_MESSAGE_MAX 2000 /* bytes: a longer message was not typed */

struct fact {
    struct str text;
    const struct utterance *from;
};

/* ---- whose words (app/memory/facts_words.c) ---- */

/* Appends the sentences that may say something about who wrote them, a line each. */
void facts_own_words(struct str message, struct strbuf *out);
/* It speaks of a password or the like, or has the digits of a card. */
bool facts_is_secret(struct str text);

/* ---- by a model ---- */

extern const char facts_prompt[];
/* Writes the user's own sentences, numbered from 1; false when there are none. */
bool facts_lines(const struct utterance *said, size_t n, struct strbuf *out);
/* Takes [{"text": "...", "message": 1}, ...]; what does not hold in it is dropped. RC_UPSTREAM: no list. */
enum rc facts_parse(struct arena *a, struct str answer, const struct utterance *said, size_t n,
    struct fact out[FACTS_MAX], size_t *found, struct err *e);

/* ---- by rule (app/memory/facts_rule.c) ---- */

/* Sentences that begin like a lasting statement about oneself ("I live in ...", "my wife's name is ...",
 * "ich arbeite bei ..."). */
size_t facts_by_rule(struct arena *a, const struct utterance *said, size_t n, struct fact out[FACTS_MAX]);

/* ---- what becomes of them ---- */

/* Drops what is remembered or was suggested already, and what is there twice; `n` is how many are left. */
enum rc facts_fresh(
    struct db *db, struct arena *a, int64_t owner, int64_t now, struct fact *facts, size_t *n, struct err *e);

/* Plans a look through a session, in the transaction that summarises it. Not while the memory is paused. */
enum rc facts_plan(struct db *db, int64_t owner, int64_t session_id, int64_t now, struct err *e);

#endif

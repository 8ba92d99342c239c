/*
 * Facts worth keeping, found in what a user said: the helper looks through the user's own messages when a
 * session is summarised and makes suggestions of what it finds (store/suggestion.h). A suggestion is nothing
 * but a line on the memory page until its user says "keep": no text, wherever it comes from, becomes a memory
 * here.
 *
 * Only a person's own words are looked at, by the model and by the rule: facts_own_words() leaves out code,
 * quotations, what stands behind a colon or a forwarded mail's head, long pastes, texts that are to be worked
 * on, questions, and whatever speaks of passwords. It leaves out too much rather than too little: what is
 * missed can still be said with "remember that". Messages of tools and answers are never looked at.
 *
 * A model's answer is hostile input: facts_parse() takes from it only lines that are short, come from a
 * message that was shown, and hold that message's own words and numbers.
 */
#ifndef ALFRED_APP_FACTS_H
#define ALFRED_APP_FACTS_H

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

/* ---- whose words (app/facts_words.c) ---- */

/* Appends the sentences that may say something about who wrote them, a line each. */
void facts_own_words(struct str message, struct strbuf *out);
/* It speaks of a password or the like, or has the digits of a card. */
bool facts_is_secret(struct str text);

/* ---- by a model ---- */

extern const char facts_prompt[];
/* What it reads: the own words behind numbers from 1; false when there are none. */
bool facts_lines(const struct utterance *said, size_t n, struct strbuf *out);
/* Takes [{"text": "...", "message": 1}, ...]; what does not hold in it is dropped. RC_UPSTREAM: no list. */
enum rc facts_parse(struct arena *a, struct str answer, const struct utterance *said, size_t n,
    struct fact out[FACTS_MAX], size_t *found, struct err *e);

/* ---- by rule (app/facts_rule.c) ---- */

/* Sentences that begin like a lasting statement about oneself ("I live in ...", "my wife's name is ...",
 * "ich arbeite bei ..."). */
size_t facts_by_rule(struct arena *a, const struct utterance *said, size_t n, struct fact out[FACTS_MAX]);

/* ---- what becomes of them ---- */

/* Drops what is remembered or was suggested already, and what is there twice; `n` is how many are left. */
enum rc facts_fresh(
    struct db *db, struct arena *a, int64_t owner, int64_t now, struct fact *facts, size_t *n, struct err *e);

/* Plans a look through a session, in the transaction that summarises it. Not while the memory is paused. */
enum rc facts_plan(struct db *db, int64_t owner, int64_t session_id, int64_t now, struct err *e);

/* The suggestion becomes a memory for good, with its source. `known`: it was one already. RC_NOT_FOUND, and
 * those of memory_add(). */
enum rc facts_keep(struct store *s, int64_t owner, int64_t id, int64_t now, struct arena *a,
    struct memory *out, bool *known, struct err *e);
/* All open ones up to this id, which are those that the user has seen. */
enum rc facts_keep_all(
    struct store *s, int64_t owner, int64_t upto, int64_t now, size_t *kept, struct err *e);
enum rc facts_dismiss(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e);

#endif

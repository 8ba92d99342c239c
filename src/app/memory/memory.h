/*
 * Facts about a user, each with its source. Facts are made by the user's own turns (the tools of
 * app/tools/tools_memory.c), on the memory page, and from a suggestion that the user keeps
 * (app/memory/facts.h). Untrusted text cannot create one.
 *
 * Near-duplicates are merged: the newer wording replaces the older one and the tags of both stay.
 * memory_same() is the rule.
 *
 * The score of a fact for a message: MEMORY_LIKENESS_SHARE of it is the similarity of their vectors (the
 * lexical embedder of codec/words/lexical.h, which needs no request, whatever model serves search). In it a
 * word of the message counts by its rarity among the facts. The rest of the score is the age since the fact
 * was made or used, decaying with MEMORY_DECAY_DAYS. A fact below MEMORY_LIKENESS_MIN is unrelated to the
 * message, however new it is. MEMORY_SCORE_MIN is low enough that a fact of any age is found by one rare word
 * of a short message, such as a name. A long message is compared by sentences, and the most similar one
 * counts.
 */
#ifndef ALFRED_APP_MEMORY_MEMORY_H
#define ALFRED_APP_MEMORY_MEMORY_H

#include "base/clock.h"
#include "store/memory/memory.h"

#define MEMORY_TEXT_CHARS_MAX 1000
#define MEMORY_TAGS_MAX       8
#define MEMORY_TAG_CHARS_MAX  32
/* Characters of the tags as one line. */
#define MEMORY_TAGS_TEXT_MAX (MEMORY_TAGS_MAX * (MEMORY_TAG_CHARS_MAX + 2))

#define MEMORY_QUERY_CHARS_MAX 500
#define MEMORY_OWNER_MAX       2000 /* facts of one user: all are compared with every message */
#define MEMORY_KEEP_MS         (90 * MS_PER_DAY)
#define MEMORY_UNDO_MS         MS_PER_H /* after a deletion; then the sweep removes the text */

#define MEMORY_LIKENESS_SHARE 0.6
#define MEMORY_DECAY_DAYS     30
#define MEMORY_LIKENESS_MIN   0.12
#define MEMORY_SCORE_MIN      0.1
#define MEMORY_CONTEXT_TOKENS 2000 /* tokens of a context, estimated as in context.h */

#define MEMORY_SAME_LIKENESS 0.9

struct memory_input {
    int64_t owner, id;   /* id: memory_change() only */
    struct str text;     /* .s NULL: unchanged */
    struct str tags;     /* words with commas or blanks between them; .s NULL: none, or unchanged */
    bool permanent;      /* else MEMORY_KEEP_MS from now on */
    bool sets_permanent; /* memory_change(): false, or no change of it, leaves the expiry */
    int64_t source_id;   /* memory_add(): the user's message */
    int64_t now;
};

/* `merged` (may be NULL): the fact was known already and `out` is that one. RC_BAD_INPUT with a sentence:
 * empty, too long, too many tags. RC_CONFLICT: the memory is full or paused. `out` lives in the arena. */
enum rc memory_add(struct store *s, const struct memory_input *in, struct arena *a, struct memory *out,
    bool *merged, struct err *e);
/* The same in the caller's transaction. */
enum rc memory_add_in(struct db *db, const struct memory_input *in, struct arena *a, struct memory *out,
    bool *merged, struct err *e);
/* Normalises text and tags (NULL: none) to their stored form, in the arena. RC_BAD_INPUT as above. */
enum rc memory_clean(struct arena *a, struct str *text, const char **tags, struct err *e);
/* The same failures, and RC_NOT_FOUND. Works while the memory is paused. */
enum rc memory_change(
    struct store *s, const struct memory_input *in, struct arena *a, struct memory *out, struct err *e);

/* The same in the caller's transaction. */
enum rc memory_change_in(
    struct db *db, const struct memory_input *in, struct arena *a, struct memory *out, struct err *e);

/* A deleted fact can be restored until the hourly cleanup, an hour later at the earliest. RC_NOT_FOUND. */
enum rc memory_delete(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e);
enum rc memory_restore(struct store *s, int64_t owner, int64_t id, int64_t now, struct err *e);
enum rc memory_restore_in(struct db *db, int64_t owner, int64_t id, int64_t now, struct err *e);
/* Deletes all facts and suggestions for good, with an audit row. */
enum rc memory_clear(struct store *s, int64_t owner, const char *address, int64_t now, struct err *e);
enum rc memory_pause(struct store *s, int64_t owner, bool paused, int64_t now, struct err *e);

/* ---- texts ---- */

/* Normalises tags: lower case, each word once, letters, digits, - and _ only, separated by one blank.
 * RC_BAD_INPUT with a sentence. */
enum rc memory_tags(struct arena *a, struct str raw, const char **out, struct err *e);

/* The FTS5 query that finds texts with all words of `text`. Words also match as prefixes. NULL without a
 * word. Pairs of characters (codec/words/tokenizer.h) are left out: memory_parts() returns those, as a JSON
 * array.
 */
const char *memory_match(struct arena *a, struct str text);
const char *memory_parts(struct arena *a, struct str text);

/* The vector of a fact, as stored. In the arena. */
void memory_embed(struct arena *a, struct memory *m);

/* ---- facts that say the same (memory_same.c) ---- */

/* True when both texts say the same. Either their words are the same in the same order, apart from case
 * and marks. Or they have the same numbers and negations, their common words are in the same order, and
 * their vectors have at least the similarity MEMORY_SAME_LIKENESS. */
bool memory_same(struct str a, struct str b);
/* True for a negation like "not", "never", "kein". The word is folded as by codec/words/tokenizer.h. */
bool memory_negates(const char *word);

/* The prepared form of a text for memory_same(), made once for many comparisons. It is in `a` and refers
 * to the caller's text. */
struct memory_words;
const struct memory_words *memory_words_of(struct arena *a, struct str text);
bool memory_words_same(const struct memory_words *x, const struct memory_words *y);

/* The stored fact with the same meaning (memory_same()); RC_NOT_FOUND. `reworded`: its words differ, so
 * adding the text would replace them. */
enum rc memory_find_same(struct db *db, struct arena *a, int64_t owner, struct str text, int64_t now,
    struct memory *out, bool *reworded, struct err *e);

/* ---- facts that are relevant for a message (app/memory/memory_ranking.c) ---- */

/* The score of a fact, 0 to 1: its similarity to the message (0 to 1) and its age since the last use, as in
 * docs/memory.md. */
double memory_score(double likeness, int64_t age_ms);

struct memory_hit {
    const struct memory *memory;
    double likeness, score;
};
/* A message that facts are sought for. */
struct memory_query {
    int64_t owner;
    struct str text;
    int64_t now;
};
/* Best first, at most `limit`, all above the thresholds. A text without words, or with stop words only, finds
 * nothing. */
enum rc memory_rank(struct db *db, struct arena *a, const struct memory_query *q, size_t limit,
    struct memory_hit **out, size_t *n, struct err *e);

/* Facts for a context: text to append after the newest message (empty: none), and their ids. The text has at
 * most MEMORY_CONTEXT_TOKENS and `room` bytes. A paused memory gives none. */
struct memory_block {
    struct str text;
    int64_t *ids;
    size_t n;
};
/* The facts that are relevant. */
enum rc memory_block_for(struct db *db, struct arena *a, const struct memory_query *q, size_t room,
    struct memory_block *out, struct err *e);

struct memory_choice {
    int64_t owner;
    const int64_t *ids;
    size_t n;
    int64_t now;
};
/* The given facts, in the given order, without deleted ones. */
enum rc memory_block_of(struct db *db, struct arena *a, const struct memory_choice *c, size_t room,
    struct memory_block *out, struct err *e);

#endif

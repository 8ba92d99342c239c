/*
 * Splits a text into words for the search: letters and digits in lower case, Latin diacritics folded as
 * SQLite's unicode61 tokenizer does, and "ß" as "ss", which that one does not. Any other character is a
 * border. Where a script has no blanks between its words (Chinese, Japanese, Thai and others), or joins
 * particles to them (Korean), the words are pairs of neighbouring characters, which overlap: so a part of a
 * word is found. Each word has a light stem: English plurals (Harman's S-stemmer, JASIS 42:1, 1991) and the
 * endings -ing and -ed if a stem of some length remains. A stem need not be a word.
 *
 * libstemmer is not used: its English and Porter stemmers find less. With them, evidence recall
 * (docs/search.md) is .2 and .3 lower at 5, .5 and .4 lower at 10.
 */
#ifndef ALFRED_CODEC_WORDS_TOKENIZER_H
#define ALFRED_CODEC_WORDS_TOKENIZER_H

#include "base/mem.h"
#include "base/str.h"
#include "base/strbuf.h"

#define TERM_MAX 64 /* bytes; a longer word is split */

struct term {
    struct str source;       /* its place in the text */
    char word[TERM_MAX + 1]; /* folded */
    char stem[TERM_MAX + 1];
    size_t stem_len;
};

/* Reads the next word of `*rest` and moves past it; false at the end. Any bytes are accepted. */
bool term_next(struct str *rest, struct term *out);

enum term_match {
    MATCH_WORD,      /* the word itself */
    MATCH_BEGINNING, /* words that begin with it, too */
};
/* Adds a word to a query of FTS5, or words one after the other with blanks between, as term_next() has them;
 * " AND " joins it to what is there. It is quoted, so that nothing in it is an operator. The index has "ß",
 * so "ss" is searched in both spellings. A pair has its name in the index; a single character of a script
 * without blanks is the beginning of pairs. */
#define TERM_MATCH_MAX(bytes) (8 * ((size_t)(bytes) + 8)) /* of words with so many bytes */
void term_add_match(struct strbuf *out, const char *words, enum term_match match);

/* True for a pair of characters, or a single character, of a script without blanks. */
bool term_is_pair(const char *word);
/* True when the pair or character `word` is part of the pair `other`, or equal to it. */
bool term_is_in(const char *word, const char *other);

/* A pair or a character is one word of ASCII in an index: "u5473u564c". */
#define PAIR_NAME_MAX 20

/* Adds the names of all pairs of the text, and of each character that ends a run of them, with blanks
 * between. A query for a single character is one for the beginning of a name. */
void term_add_pairs(struct strbuf *out, struct str text);

/* True for words without content ("the", "what"), and for parts that apostrophes leave ("don", "ll").
 * Takes the folded word. */
bool term_is_stop(const char *word);

/* The different stems of a text with their counts, in the order of their first occurrence. */
struct bag_word {
    uint64_t hash; /* hash of the stem */
    unsigned count;
    bool beginning;          /* of a word; bag_of() never sets it */
    bool part;               /* the beginning or the end of a longer word; bag_of() never sets it */
    const char *word, *stem; /* `word`: its first form */
    const char *written;     /* the stem with its "ß": stored vectors were made of it */
};

struct bag_word bag_word_of(struct arena *a, const struct term *t); /* with the count 0 */

struct bag {
    struct bag_word *words;
    size_t n;
    size_t total; /* the sum of their counts */
};

#define BAG_TEXT_MAX ((size_t)128 * 1024)

/* The words of the first BAG_TEXT_MAX bytes. */
struct bag bag_of(struct arena *a, struct str text);     /* without stop words */
struct bag bag_of_all(struct arena *a, struct str text); /* with them */
/* True when `beginning` or `part` allows that the word is in this longer one. */
bool bag_word_is_in(const struct bag_word *w, const struct term *t);
const struct bag_word *bag_find(const struct bag *b, const char *stem); /* NULL: none; linear search */

/* The weight of a word by its rarity: `holding` of `all` texts have it. The inverse document frequency of
 * BM25 (Robertson and Zaragoza, 2009), with 1 added in the logarithm, so that it is never negative. */
float term_idf(size_t holding, size_t all);

uint64_t term_hash(const char *s, size_t n); /* machine-independent: stored vectors depend on it */

#endif

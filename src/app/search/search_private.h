/* Shared by the searches over messages, sessions and memories (search_score.c). */
#ifndef ALFRED_APP_SEARCH_SEARCH_PRIVATE_H
#define ALFRED_APP_SEARCH_SEARCH_PRIVATE_H

#include "app/models/embedder.h"
#include "app/search/search.h"

#define BM25_K1        1.2
#define BM25_B         0.4
#define VECTOR_LEAST   0.2F /* with no word in common, a smaller similarity is chance */
#define WORDLESS_LEAST 0.5  /* share of the best score that a result without a word of the query needs */

/* The words of a search without stop words; all words when there are no others. */
struct bag search_bag(struct arena *a, const struct search_request *request);

/* The sessions that a query's operators allow. */
struct search_among {
    bool all;
    int64_t *ids; /* ascending */
    size_t n;
};
enum rc search_among_read(struct db *db, struct arena *a, int64_t owner, const struct search_query *q,
    struct search_among *out, struct err *e);
bool search_among_has(const struct search_among *among, int64_t session);
/* Clears in `allowed`, an array by message number, the messages that a query excludes. If the array is NULL,
 * it is created first. When the operators allow many sessions, the array does not contain this condition,
 * and the caller checks search_among_has(). */
enum rc search_allow(struct db *db, struct arena *a, int64_t owner, const struct search_query *q,
    const struct search_among *among, size_t room, bool **allowed, struct err *e);

/* The index gives only candidates for some needs. True when a text that search_allow() has kept meets these
 * needs. */
bool search_query_confirms(const struct search_query *q, struct str text);

/* The query's words that a text contains, and the text's length: a document for search_bm25(). */
struct bag search_matching(struct arena *a, const struct bag *words, struct str text);
/* The sum over the words of a set (bits). */
double search_idf_sum(const float *idf, uint32_t holds);

/* The bits of the words that a text contains, compared by stem. */
uint32_t search_holds(const struct bag *words, struct str text);

/* ---- words that occur in no text (search_typos.c) ---- */

/* Marks a word as part of longer ones, such as "Keller" of "Heizungskeller": false for a short word, a number
 * and a word of pairs. */
bool search_make_part(struct bag_word *word);
/* Calls it for a word that is in no message of the owner. `any`: a message has a word that begins with it. */
enum rc search_make_part_of(struct db *db, int64_t owner, struct bag_word *word, bool *any, struct err *e);

/* ---- mistyped words ---- */

/* Finds the intended word: the nearest one in the texts that are examined. */
struct search_typo {
    const struct bag_word *typed;
    unsigned slips;        /* letters that may be wrong; 0: the word is not corrected */
    unsigned nearest;      /* errors in `found`; `slips` + 1: nothing found yet */
    struct bag_word found; /* in the arena */
};

void search_typo_init(struct search_typo *t, const struct bag_word *typed);
void search_typo_look(struct search_typo *t, struct arena *a, struct str text);
bool search_typo_found(const struct search_typo *t);

/* Replaces a word that is in no message of the owner by the most similar word in the owner's messages.
 * `corrected`: there is one. Reads a part of the vocabulary of all users: a few milliseconds. */
enum rc search_correct_word(
    struct db *db, struct arena *a, int64_t owner, struct bag_word *word, bool *corrected, struct err *e);

/* BM25 of a document with some of the words. `usual`: mean length of the documents. */
double search_bm25(
    const struct bag *words, const float *idf, uint32_t holds, const struct bag *document, double usual);

/* The numbers below n with the largest values above 0, best first, at most `most`. The newer of equals is
 * first. */
struct search_ranked {
    size_t i;
    float score;
};
typedef float search_value_fn(const void *of, size_t i);
size_t search_best(search_value_fn *value, const void *of, size_t n, struct search_ranked *out, size_t most);

/* Scores of the summaries for the query (search_topics.c): BM25 divided by the largest. */
#define SEARCH_TOPICS 60 /* summaries that are read: those with the rarest words of the query */
struct search_topic {
    int64_t session;
    double score;
};
enum rc search_topics(struct db *db, int64_t owner, const struct bag *words,
    struct search_topic out[SEARCH_TOPICS], size_t *n, struct err *e);

/* A query's vector from the model in use. */
struct search_vector {
    int64_t model;
    struct vector_set query; /* one vector, in the arena */
    double weight;           /* relative to the words */
};
/* The vector of a query. May wait for a provider, so the caller must not hold a reader: other threads of
 * the process would wait for it. False: there is none now, and the words alone decide; the reason is logged.
 */
bool search_embed(const struct search_where *s, struct arena *a, struct str text, const struct bag *words,
    const float *idf, struct search_vector *out);

static inline size_t search_number(int64_t id)
{
    return (size_t)(id & INT64_C(0xFFFFFFFF));
}

static inline size_t search_limit(int wanted, int usual)
{
    int n = wanted > 0 ? wanted : usual;
    return (size_t)(n < SEARCH_HITS_MAX ? n : SEARCH_HITS_MAX);
}

/* ---- search_own.c: the words and the vector of a session ---- */

/* Least similarity by a model, for which unrelated texts are more similar. */
#define SEARCH_RELATED_MODEL 0.75

/* The words of its title, topic and keywords, then the most frequent ones of its summary. In the arena. */
struct bag search_own_words(struct arena *a, const struct session *s, struct str summary);
/* The mean of the vectors of `summary` (0: none), else of its newest messages. `out->weight` is the least
 * similarity of related sessions. RC_NOT_FOUND: it has neither. */
enum rc search_own_vector(struct db *db, struct arena *a, int64_t owner, const struct session *s,
    int64_t summary, struct search_vector *out, struct err *e);

#endif

/*
 * Scores of the current summaries for a query, by session. Only summaries by a model count: a rule-based
 * summary repeats sentences of the session and adds nothing to its messages (measured: docs/search.md).
 */
#include "app/search/search_private.h"

#include <math.h>

#include "store/search/search.h"

struct words_of {
    const struct bag *words;
    float idf[SEARCH_WORDS_MAX];
    uint32_t *holds; /* by the summary's number */
    size_t room, n;
    uint32_t bit;
};

static void on_summary(void *arg, int64_t id)
{
    struct words_of *s = arg;
    size_t i = search_number(id);
    s->n++;
    if (i < s->room)
        s->holds[i] |= s->bit;
}

static float rough_score(const void *of, size_t i)
{
    const struct words_of *s = of;
    return (float)search_idf_sum(s->idf, s->holds[i]);
}

static enum rc read_best(struct db *db, int64_t owner, const struct words_of *s,
    const struct search_ranked *best, size_t n, struct search_topic *out, size_t *out_n, struct err *e)
{
    AUTO(arena) a = arena_new();
    struct bag bags[SEARCH_TOPICS];
    uint32_t holds[SEARCH_TOPICS];
    double total = 0, most = 0;
    enum rc rc = RC_OK;
    for (size_t k = 0; rc == RC_OK && k < n; k++) {
        struct search_summary summary;
        rc = store_search_summary(db, a, owner, owner << 32 | (int64_t)best[k].i, &summary, e);
        bool gone = rc == RC_NOT_FOUND; /* its session is in the trash */
        rc = gone ? RC_OK : rc;
        if (rc != RC_OK || gone || summary.by_rule)
            continue;
        holds[*out_n] = s->holds[best[k].i];
        bags[*out_n] = bag_of(a, summary.text);
        total += (double)bags[*out_n].total;
        out[(*out_n)++].session = summary.session;
    }
    for (size_t k = 0; k < *out_n; k++) {
        out[k].score = search_bm25(s->words, s->idf, holds[k], &bags[k], total / (double)*out_n);
        most = fmax(most, out[k].score);
    }
    for (size_t k = 0; most > 0 && k < *out_n; k++)
        out[k].score /= most;
    return rc;
}

enum rc search_topics(struct db *db, int64_t owner, const struct bag *words,
    struct search_topic out[SEARCH_TOPICS], size_t *n, struct err *e)
{
    AUTO(arena) a = arena_new();
    int64_t newest;
    *n = 0;
    enum rc rc = store_search_summary_room(db, owner, &newest, e);
    if (rc != RC_OK || newest == 0)
        return rc;
    struct words_of s = {.words = words, .room = (size_t)newest + 1};
    s.holds = ARENA_ARRAY(a, uint32_t, s.room);
    for (size_t w = 0; rc == RC_OK && w < words->n; w++) {
        s.n = 0;
        s.bit = UINT32_C(1) << w;
        rc = store_search_summary_word(db, owner, words->words[w].word, on_summary, &s, e);
        s.idf[w] = term_idf(s.n, s.room);
    }
    if (rc != RC_OK)
        return rc;
    struct search_ranked best[SEARCH_TOPICS];
    size_t found = search_best(rough_score, &s, s.room, best, SEARCH_TOPICS);
    return read_best(db, owner, &s, best, found, out, n, e);
}

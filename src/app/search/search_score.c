#include "app/search/search_private.h"

#include <math.h>
#include <stdlib.h>

#include "app/models/query_vector_cache.h"
#include "base/utf8.h"

static void mark_beginnings(const struct search_query *q, struct bag *words)
{
    for (size_t i = 0; q && i < q->needs_n; i++) {
        struct str text = q->needs[i].text;
        struct term last;
        bool any = false;
        while (q->needs[i].op == QUERY_BEGINNING && !q->needs[i].negated && term_next(&text, &last))
            any = true;
        for (size_t w = 0; any && w < words->n; w++)
            words->words[w].beginning |= strcmp(words->words[w].word, last.word) == 0;
    }
}

struct bag search_bag(struct arena *a, const struct search_request *request)
{
    struct str text = request->text;
    struct str looked = {text.s, utf8_cut_bytes(text, SEARCH_QUERY_BYTES_MAX)};
    struct bag words = bag_of(a, looked);
    if (words.n == 0) /* "who is it" has stop words only, so they are used */
        words = bag_of_all(a, looked);
    if (words.n > SEARCH_WORDS_MAX)
        words.n = SEARCH_WORDS_MAX;
    mark_beginnings(request->query, &words);
    return words;
}

double search_idf_sum(const float *idf, uint32_t holds)
{
    double sum = 0;
    for (uint32_t left = holds; left; left &= left - 1)
        sum += (double)idf[__builtin_ctz(left)];
    return sum;
}

static bool is_said(const struct bag_word *w, const struct term *t)
{
    if (bag_word_is_in(w, t))
        return true;
    /* Most words differ in their first byte. */
    return (w->stem[0] == t->stem[0] && strcmp(w->stem, t->stem) == 0) ||
           ((unsigned char)w->stem[0] >= 0x80 && term_is_in(w->stem, t->stem));
}

uint32_t search_holds(const struct bag *words, struct str text)
{
    struct term t;
    uint32_t holds = 0, all = words->n < SEARCH_WORDS_MAX ? (UINT32_C(1) << words->n) - 1 : UINT32_MAX;
    while (holds != all && term_next(&text, &t))
        for (size_t w = 0; w < words->n; w++)
            if (is_said(&words->words[w], &t))
                holds |= UINT32_C(1) << w;
    return holds;
}

struct bag search_matching(struct arena *a, const struct bag *words, struct str text)
{
    struct bag_word said[SEARCH_WORDS_MAX];
    struct bag out = {0};
    struct term t;
    for (size_t w = 0; w < words->n; w++) {
        said[w] = words->words[w];
        said[w].count = 0;
    }
    if (text.len > BAG_TEXT_MAX)
        text.len = utf8_cut_bytes(text, BAG_TEXT_MAX);
    while (term_next(&text, &t)) {
        if (term_is_stop(t.word))
            continue;
        out.total++;
        for (size_t w = 0; w < words->n; w++)
            said[w].count += is_said(&said[w], &t);
    }
    for (size_t w = 0; w < words->n; w++)
        if (said[w].count)
            said[out.n++] = said[w];
    if (out.n)
        out.words = memcpy(ARENA_ARRAY(a, struct bag_word, out.n), said, out.n * sizeof *said);
    return out;
}

static unsigned count_of(const struct bag *text, const struct bag_word *w)
{
    for (size_t i = 0; i < text->n; i++)
        if (text->words[i].hash == w->hash)
            return text->words[i].count;
    return 1; /* FTS5's stemmer found the word, ours did not */
}

double search_bm25(
    const struct bag *words, const float *idf, uint32_t holds, const struct bag *document, double usual)
{
    double sum = 0, length = 1 - BM25_B + BM25_B * (double)document->total / fmax(1, usual);
    for (uint32_t left = holds; left; left &= left - 1) {
        size_t w = (size_t)__builtin_ctz(left);
        double tf = count_of(document, &words->words[w]);
        sum += (double)idf[w] * tf * (BM25_K1 + 1) / (tf + BM25_K1 * length);
    }
    return sum;
}

static int by_score(const void *a, const void *b)
{
    const struct search_ranked *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->i < y->i ? 1 : x->i > y->i ? -1 : 0; /* the newer of equals is first */
}

/* A heap with the smallest value at the root. */
size_t search_best(search_value_fn *value, const void *of, size_t n, struct search_ranked *heap, size_t most)
{
    size_t have = 0;
    for (size_t i = 0; i < n; i++) {
        struct search_ranked mine = {i, value(of, i)};
        if (!(mine.score > 0) || (have == most && mine.score < heap[0].score))
            continue;
        size_t at = have < most ? have++ : 0;
        if (at == 0 && have == most && most > 1) {
            for (size_t child; (child = 2 * at + 1) < have; at = child) { /* sift down */
                if (child + 1 < have && heap[child + 1].score < heap[child].score)
                    child++;
                if (heap[child].score >= mine.score)
                    break;
                heap[at] = heap[child];
            }
        } else {
            for (; at && heap[(at - 1) / 2].score > mine.score; at = (at - 1) / 2) /* sift up */
                heap[at] = heap[(at - 1) / 2];
        }
        heap[at] = mine;
    }
    qsort(heap, have, sizeof *heap, by_score);
    return have;
}

static enum rc embed(const struct search_where *s, struct arena *a, struct str text, const struct bag *words,
    const float *idf, struct search_vector *out, struct err *e)
{
    struct embedding_model model;
    struct embedder embedder;
    struct db *db = store_read(s->store);
    enum rc rc = store_embedding_model_serving(db, a, &model, e);
    store_read_done(s->store, db);
    if (rc == RC_OK)
        rc = embedder_of_model(s->config, s->providers, &model, &embedder, e);
    if (rc == RC_OK)
        rc = embedder_query(&embedder, a, text, words, idf, &out->query, e);
    if (rc == RC_OK) {
        out->model = model.id;
        out->weight = embedder.weight;
    }
    return rc;
}

/* RC_NOT_FOUND, when no model is in use yet or the provider is not asked now, is neither a failure nor its
 * end. */
bool search_embed(const struct search_where *s, struct arena *a, struct str text, const struct bag *words,
    const float *idf, struct search_vector *out)
{
    struct err why = ERR_INIT;
    enum rc rc = embed(s, a, text, words, idf, out, &why);
    if (rc != RC_NOT_FOUND)
        query_vector_cache_log(s->providers->query_vectors, rc == RC_OK ? NULL : &why);
    return rc == RC_OK;
}

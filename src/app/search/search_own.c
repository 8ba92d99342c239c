/* The words and the vector that represent a session in the search for related sessions. */
#include "app/search/search_private.h"

#include <math.h>
#include <stdlib.h>

#include "store/search/search.h"

#define OF_MIDDLE       50   /* messages whose mean vector represents a session without a summary */
#define RELATED_LEXICAL 0.35 /* least similarity of related sessions with the built-in embedder */
#define RELATED_WORDS \
    (SEARCH_WORDS_MAX / 2) /* limit from title, topic and keywords; the rest from the summary */

static int by_count(const void *x, const void *y)
{
    const struct bag_word *a = x, *b = y;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->hash < b->hash ? -1 : 1;
}

struct bag search_own_words(struct arena *a, const struct session *s, struct str summary)
{
    const char *line = arena_printf(
        a, "%s\n%s\n%s", s->keywords ? s->keywords : "", s->topic ? s->topic : "", s->title ? s->title : "");
    struct bag words = bag_of(a, str_of(line)), more = bag_of(a, summary);
    struct bag all = {.words = ARENA_ARRAY(a, struct bag_word, SEARCH_WORDS_MAX)};
    for (size_t i = 0; i < words.n && all.n < (summary.len ? RELATED_WORDS : SEARCH_WORDS_MAX); i++)
        all.words[all.n++] = words.words[i];
    if (more.n)
        qsort(more.words, more.n, sizeof *more.words, by_count);
    for (size_t i = 0; i < more.n && all.n < SEARCH_WORDS_MAX; i++)
        if (!bag_find(&all, more.words[i].stem))
            all.words[all.n++] = more.words[i];
    return all;
}

/* Mean of vectors of length 1. */
struct middle {
    struct db *db;
    int64_t owner;
    const struct embedding_model *model;
    float *sum; /* [dimension] */
};

static void add_to_middle(struct middle *m, const struct vector_set *set)
{
    for (size_t i = 0; i < set->n * set->dimension; i++)
        m->sum[i % set->dimension] += set->scale / (float)set->n * (float)set->v[i];
}

static void on_newest(void *arg, int64_t id)
{
    struct middle *m = arg;
    AUTO(arena) a = arena_new();
    struct vector_set set;
    const struct vector_scope messages = {VECTOR_MESSAGE, m->model->id, m->owner};
    if (store_vector_get(m->db, a, messages, id, (size_t)m->model->dimension, &set, NULL) == RC_OK)
        add_to_middle(m, &set);
}

enum rc search_own_vector(struct db *db, struct arena *a, int64_t owner, const struct session *s,
    int64_t summary, struct search_vector *out, struct err *e)
{
    struct embedding_model model;
    struct vector_set set;
    enum rc rc = store_embedding_model_serving(db, a, &model, e);
    if (rc != RC_OK)
        return rc;
    size_t dimension = (size_t)model.dimension;
    struct middle m = {db, owner, &model, ARENA_ARRAY(a, float, dimension)};
    out->model = model.id;
    out->weight = strcmp(model.provider, "offline") == 0 ? RELATED_LEXICAL : SEARCH_RELATED_MODEL;
    const struct vector_scope summaries = {VECTOR_SUMMARY, model.id, owner};
    rc = summary ? store_vector_get(db, a, summaries, summary, dimension, &set, e) : RC_NOT_FOUND;
    if (rc == RC_OK)
        add_to_middle(&m, &set);
    else if (rc == RC_NOT_FOUND)
        rc = store_search_newest(db, owner, s->id, OF_MIDDLE, on_newest, &m, e);
    if (rc != RC_OK)
        return rc;
    double length = 0;
    for (size_t i = 0; i < dimension; i++)
        length += (double)m.sum[i] * (double)m.sum[i];
    for (size_t i = 0; length > 0 && i < dimension; i++)
        m.sum[i] /= (float)sqrt(length);
    int8_t *v = arena_alloc(a, dimension);
    out->query = (struct vector_set){.v = v, .n = 1, .dimension = dimension};
    if (!(length > 0) || !vec8_quantise(m.sum, dimension, v, &out->query.scale))
        return err_set(e, RC_NOT_FOUND, "the session has no vectors");
    return RC_OK;
}

/* Search over facts. There are few of them (app/memory/memory.h has the limit), so all are read and
 * compared. */
#include "app/search/search_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"

struct fact {
    const struct memory *memory;
    struct str text; /* with its tags */
    struct bag bag;
    uint32_t holds;
    float alike;
    double bm25;
};

struct run {
    const struct search_where *where;
    const struct search_request *request;
    struct arena *a;
    struct bag words;
    float idf[SEARCH_WORDS_MAX];
    struct fact *facts; /* by rising id */
    size_t n;
    float most_alike;
    double weight, most_bm25;
};

static void count_words(struct run *r, size_t holding[SEARCH_WORDS_MAX])
{
    memset(holding, 0, SEARCH_WORDS_MAX * sizeof *holding);
    for (size_t i = 0; i < r->n; i++) {
        r->facts[i].holds = search_holds(&r->words, r->facts[i].text);
        for (uint32_t left = r->facts[i].holds; left; left &= left - 1)
            holding[__builtin_ctz(left)]++;
    }
}

static bool is_part(const struct run *r, struct bag_word *word)
{
    struct bag alone = {.words = word, .n = 1};
    if (!search_make_part(word))
        return false;
    for (size_t i = 0; i < r->n; i++)
        if (search_holds(&alone, r->facts[i].text))
            return true;
    return word->part = false;
}

/* Words that occur in no fact are parts of longer ones, or are replaced by the nearest ones in facts. */
static bool correct_words(struct run *r, const size_t holding[SEARCH_WORDS_MAX])
{
    bool corrected = false;
    for (size_t w = 0; w < r->words.n; w++) {
        struct search_typo typo;
        if (holding[w])
            continue;
        if (is_part(r, &r->words.words[w])) {
            corrected = true;
            continue;
        }
        search_typo_init(&typo, &r->words.words[w]);
        for (size_t i = 0; i < r->n; i++)
            search_typo_look(&typo, r->a, r->facts[i].text);
        if (search_typo_found(&typo)) {
            r->words.words[w] = typo.found;
            corrected = true;
        }
    }
    return corrected;
}

static void read_words(struct run *r, const struct memory *all)
{
    size_t holding[SEARCH_WORDS_MAX];
    for (size_t i = 0; i < r->n; i++) {
        struct str text = str_of(arena_printf(r->a, "%.*s\n%s", STR_FMT(all[i].text), all[i].tags));
        r->facts[i] = (struct fact){.memory = &all[i], .text = text, .bag = bag_of(r->a, text)};
    }
    count_words(r, holding);
    if (correct_words(r, holding))
        count_words(r, holding);
    for (size_t w = 0; w < r->words.n; w++)
        r->idf[w] = term_idf(holding[w], r->n);
}

static int by_id(const void *x, const void *y)
{
    const int64_t *id = x;
    const struct fact *f = y;
    return (*id > f->memory->id) - (*id < f->memory->id);
}

static void on_vector(void *arg, int64_t id, float score)
{
    struct run *r = arg;
    struct fact *f = bsearch(&id, r->facts, r->n, sizeof *f, by_id);
    if (f)
        f->alike = fmaxf(f->alike, score);
}

static void find_alike(struct run *r)
{
    struct err why = ERR_INIT;
    struct search_vector v;
    if (!search_embed(r->where, r->a, r->request->text, &r->words, r->idf, &v))
        return;
    struct db *db = store_read(r->where->store);
    enum rc rc = store_vector_scan(
        db, (struct vector_scope){VECTOR_MEMORY, v.model, r->request->owner}, &v.query, on_vector, r, &why);
    store_read_done(r->where->store, db);
    if (rc == RC_OK)
        r->weight = v.weight;
    else
        log_warn("searching facts without vectors: %s", why.text);
}

static bool keeps(const struct search_request *w, const struct memory *m, const char *in, const char *not_in)
{
    if (w->query && !search_query_meets(w->query, m->text))
        return false;
    if (in && !(m->source_session && strcmp(m->source_session, in) == 0))
        return false;
    if (not_in && m->source_session && strcmp(m->source_session, not_in) == 0)
        return false;
    return m->created_at >= w->after && (!w->before || m->created_at < w->before);
}

/* The public id of a session; "" when it is not the owner's, which matches no fact. */
static enum rc pub_of(struct run *r, int64_t session, const char **out, struct err *e)
{
    struct session s;
    *out = NULL;
    if (!session)
        return RC_OK;
    struct db *db = store_read(r->where->store);
    enum rc rc = store_session_by_id(db, r->a, r->request->owner, session, &s, e);
    store_read_done(r->where->store, db);
    *out = rc == RC_OK ? s.pub : "";
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static int by_score(const void *x, const void *y)
{
    const struct search_memory *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->memory.id < b->memory.id ? 1 : -1;
}

static enum rc score(struct run *r, struct search_memories *out, struct err *e)
{
    const char *in, *not_in;
    double total = 0;
    enum rc rc = pub_of(r, r->request->session, &in, e);
    if (rc == RC_OK)
        rc = pub_of(r, r->request->not_in, &not_in, e);
    if (rc != RC_OK)
        return rc;
    for (size_t i = 0; i < r->n; i++)
        total += (double)r->facts[i].bag.total;
    for (size_t i = 0; i < r->n; i++) {
        struct fact *f = &r->facts[i];
        f->bm25 = search_bm25(&r->words, r->idf, f->holds, &f->bag, total / (double)r->n);
        r->most_bm25 = fmax(r->most_bm25, f->bm25);
        r->most_alike = fmaxf(r->most_alike, f->alike);
    }
    out->hits = ARENA_ARRAY(r->a, struct search_memory, r->n + 1);
    for (size_t i = 0; i < r->n; i++) {
        const struct fact *f = &r->facts[i];
        if ((!f->holds && f->alike < VECTOR_LEAST) || !keeps(r->request, f->memory, in, not_in))
            continue;
        struct search_memory hit = {.memory = *f->memory, .has_words = f->holds != 0};
        hit.score = (r->most_bm25 > 0 ? f->bm25 / r->most_bm25 : 0) +
                    (r->most_alike > 0 ? r->weight * (double)(f->alike / r->most_alike) : 0);
        out->hits[out->n++] = hit;
    }
    return RC_OK;
}

static enum rc answer(struct run *r, struct search_memories *out, struct err *e)
{
    struct memory *all;
    struct db *db = store_read(r->where->store);
    enum rc rc = store_memory_all(db, r->a, r->request->owner, clock_wall_ms(), &all, &r->n, e);
    store_read_done(r->where->store, db);
    if (rc != RC_OK || r->n == 0)
        return rc;
    r->facts = ARENA_ARRAY(r->a, struct fact, r->n);
    read_words(r, all);
    if (r->request->by != SEARCH_BY_WORDS)
        find_alike(r);
    rc = score(r, out, e);
    if (rc != RC_OK || out->n == 0)
        return rc;
    qsort(out->hits, out->n, sizeof *out->hits, by_score);
    size_t n = out->n, limit = search_limit(r->request->limit, SEARCH_HITS);
    out->n = 0;
    for (size_t i = 0; i < n && out->n < limit; i++)
        if (out->hits[i].has_words || out->hits[i].score >= WORDLESS_LEAST * out->hits[0].score)
            out->hits[out->n++] = out->hits[i];
    return RC_OK;
}

enum rc search_memories(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_memories *out, struct err *e)
{
    struct run r = {.where = s, .request = request, .a = a, .words = search_bag(a, request)};
    *out = (struct search_memories){.words = r.words};
    if (r.words.n == 0 || (request->query && (request->query->about_sessions || request->query->has_role)))
        return RC_OK;
    return answer(&r, out, e);
}

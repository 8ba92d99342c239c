/*
 * The ranking. A user's messages are numbered from 1, so the facts about each are arrays by that number: the
 * words that it contains, and its similarity. The best results of words and of vectors are the candidates.
 * Only candidates are read, and only the neighbours of the best ones are examined. For a candidate only the
 * counts of the query's words are kept: a thousand long texts would not fit in memory.
 */
#include "app/search/search_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/message/draft.h"
#include "store/search/search.h"
#include "store/session/session.h"
#include "store/session/workspace.h"

#define CANDIDATES 400  /* from words, and as many from vectors */
#define READ_MAX   2000 /* messages that are read to find them */
#define SPREAD     150  /* best candidates whose neighbours become candidates */

/* Weights of the parts of a score (docs/search.md, Ranking). */
#define COVERAGE_WEIGHT 0.3
#define SUMMARY_WEIGHT  0.15
#define WINDOW_WEIGHT   1.5 /* of the words in the message and the four turns around it */
#define ADJACENT_WEIGHT 0.5
#define TWO_AWAY_WEIGHT 0.2

static const double around_weights[2 * SEARCH_AROUND] = {
    ADJACENT_WEIGHT, TWO_AWAY_WEIGHT, ADJACENT_WEIGHT, TWO_AWAY_WEIGHT};

struct candidate {
    int64_t id, session;
    struct bag bag; /* the query's words in its text */
    double bm25, base, score;
    int64_t around[2 * SEARCH_AROUND];
    bool has_around;
};

/* The words of the query that a session contains. */
struct session_words {
    int64_t id;
    uint32_t holds;
    double coverage; /* sum of the idf of these words */
};

struct run {
    const struct search_where *where;
    const struct search_request *request;
    struct arena *a;
    struct db *db;
    struct bag words;
    float idf[SEARCH_WORDS_MAX];
    size_t room;     /* message numbers are below it */
    uint32_t *holds; /* bits of the words */
    float *alike;
    bool *allowed; /* NULL: all */
    struct search_among among;
    uint16_t *place; /* index in candidates plus 1 */
    struct candidate *candidates;
    size_t n, candidates_room;
    struct session_words *sessions;
    size_t sessions_n;
    struct search_topic topics[SEARCH_TOPICS];
    size_t topics_n;
    double weight; /* weight of the vectors; 0: no vectors */
    bool has_part; /* a candidate has a word of the query as part of a longer one */
    float most_alike;
    double most_bm25, most_coverage;
    double all_idf; /* sum over the words of the query */
};

static bool is_open(const struct run *r, size_t i)
{
    return i < r->room && (!r->allowed || r->allowed[i]);
}

/* ---- words ---- */

struct word_hits {
    struct run *r;
    uint32_t bit;
    size_t n;
};

static void on_word(void *arg, int64_t id)
{
    struct word_hits *h = arg;
    size_t i = search_number(id);
    h->n++;
    if (is_open(h->r, i))
        h->r->holds[i] |= h->bit;
}

static enum rc find_words(struct run *r, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t w = 0; rc == RC_OK && w < r->words.n; w++) {
        struct word_hits h = {r, UINT32_C(1) << w, 0};
        struct bag_word *word = &r->words.words[w];
        int64_t owner = r->request->owner;
        bool corrected = false, longer = word->beginning;
        rc = store_search_word(
            r->db, owner, word->word, longer ? MATCH_BEGINNING : MATCH_WORD, on_word, &h, e);
        if (rc == RC_OK && h.n == 0 && !longer)
            rc = search_make_part_of(r->db, owner, word, &longer, e);
        if (rc == RC_OK && h.n == 0 && !longer)
            rc = search_correct_word(r->db, r->a, owner, word, &corrected, e);
        if (rc == RC_OK && h.n == 0 && (corrected || longer))
            rc = store_search_word(
                r->db, owner, word->word, corrected ? MATCH_WORD : MATCH_BEGINNING, on_word, &h, e);
        r->idf[w] = term_idf(h.n, r->room);
        r->all_idf += (double)r->idf[w];
    }
    return rc;
}

/* ---- vectors ---- */

/* The best passage of a message counts. */
static void on_vector(void *arg, int64_t id, float score)
{
    struct run *r = arg;
    size_t i = search_number(id);
    if (is_open(r, i) && score > r->alike[i])
        r->alike[i] = score;
}

/* A model that was replaced after the query's vector was made no longer has a table. */
static void find_alike(struct run *r, const struct search_vector *v)
{
    struct err why = ERR_INIT;
    enum rc rc = store_vector_scan(r->db, (struct vector_scope){VECTOR_MESSAGE, v->model, r->request->owner},
        &v->query, on_vector, r, &why);
    if (rc == RC_OK) {
        r->weight = r->request->by == SEARCH_BY_VECTORS ? 1 : v->weight;
        return;
    }
    log_warn("searching without vectors: %s", why.text);
    memset(r->alike, 0, r->room * sizeof *r->alike);
}

/* ---- candidates ---- */

/* Notes the words that are part of longer ones in message i: the index does not find them by their end. */
static void note_parts(struct run *r, size_t i, const struct bag *text)
{
    for (size_t w = 0; w < r->words.n; w++)
        if (r->words.words[w].part && bag_find(text, r->words.words[w].stem)) {
            r->holds[i] |= UINT32_C(1) << w;
            r->has_part = true;
        }
}

/* Adds nothing, with RC_OK, for a message that is deleted or hidden from search. */
static enum rc add_candidate(struct run *r, int64_t id, struct err *e)
{
    size_t i = search_number(id);
    if (!is_open(r, i) || r->place[i] || r->n == r->candidates_room)
        return RC_OK;
    AUTO(arena) scratch = arena_new();
    struct message m;
    enum rc rc = store_message_get(r->db, scratch, r->request->owner, id, &m, e);
    if (rc != RC_OK)
        return rc == RC_NOT_FOUND ? RC_OK : rc;
    const struct search_query *q = r->request->query;
    if (!store_search_covers(&m) || (r->request->not_in && m.session_id == r->request->not_in) ||
        (q && q->has_role && m.role != q->role) || !search_among_has(&r->among, m.session_id) ||
        (q && !search_query_confirms(q, m.text)))
        return RC_OK;
    r->candidates[r->n] = (struct candidate){
        .id = id, .session = m.session_id, .bag = search_matching(r->a, &r->words, m.text)};
    note_parts(r, i, &r->candidates[r->n].bag);
    r->place[i] = (uint16_t)++r->n;
    r->most_alike = fmaxf(r->most_alike, r->alike[i]);
    return RC_OK;
}

static float rough_score(const void *of, size_t i)
{
    const struct run *r = of;
    return (float)search_idf_sum(r->idf, r->holds[i]);
}

static float alike_score(const void *of, size_t i)
{
    return ((const struct run *)of)->alike[i];
}

static enum rc add_best(struct run *r, search_value_fn *value, struct err *e)
{
    AUTO_FREE struct search_ranked *best = xcalloc(READ_MAX, sizeof *best);
    size_t n = search_best(value, r, r->room, best, READ_MAX), before = r->n;
    enum rc rc = RC_OK;
    for (size_t k = 0; rc == RC_OK && k < n && r->n - before < CANDIDATES; k++)
        rc = add_candidate(r, r->request->owner << 32 | (int64_t)best[k].i, e);
    return rc;
}

static void score_words(struct run *r)
{
    double total = 0;
    for (size_t k = 0; k < r->n; k++)
        total += (double)r->candidates[k].bag.total;
    double usual = fmax(1, total / fmax(1, (double)r->n));
    for (size_t k = 0; k < r->n; k++) {
        struct candidate *c = &r->candidates[k];
        c->bm25 = search_bm25(&r->words, r->idf, r->holds[search_number(c->id)], &c->bag, usual);
        r->most_bm25 = fmax(r->most_bm25, c->bm25);
    }
}

static struct session_words *session_words_of(const struct run *r, int64_t session)
{
    for (size_t i = 0; i < r->sessions_n; i++)
        if (r->sessions[i].id == session)
            return &r->sessions[i];
    return NULL;
}

static void score_sessions(struct run *r)
{
    r->sessions = ARENA_ARRAY(r->a, struct session_words, r->n);
    for (size_t k = 0; k < r->n; k++) {
        const struct candidate *c = &r->candidates[k];
        struct session_words *s = session_words_of(r, c->session);
        if (!s) {
            s = &r->sessions[r->sessions_n++];
            s->id = c->session;
        }
        s->holds |= r->holds[search_number(c->id)];
    }
    for (size_t i = 0; i < r->sessions_n; i++) {
        struct session_words *s = &r->sessions[i];
        s->coverage = search_idf_sum(r->idf, s->holds);
        r->most_coverage = fmax(r->most_coverage, s->coverage);
    }
}

static double topic_score(const struct run *r, int64_t session)
{
    for (size_t i = 0; i < r->topics_n; i++)
        if (r->topics[i].session == session)
            return r->topics[i].score;
    return 0;
}

/* ---- scores ---- */

static double word_score(const struct run *r, const struct candidate *c)
{
    const struct session_words *words = session_words_of(r, c->session);
    double s = r->most_bm25 > 0 ? c->bm25 / r->most_bm25 : 0;
    s += SUMMARY_WEIGHT * topic_score(r, c->session);
    return words && r->most_coverage > 0 ? s + COVERAGE_WEIGHT * words->coverage / r->most_coverage : s;
}

/* For any message, candidate or not. */
static double base_score(const struct run *r, int64_t id)
{
    size_t i = search_number(id);
    if (id == 0 || i >= r->room)
        return 0;
    double s = 0;
    if (r->place[i] && r->request->by != SEARCH_BY_VECTORS)
        s = word_score(r, &r->candidates[r->place[i] - 1]);
    if (r->most_alike > 0)
        s += r->weight * (double)(r->alike[i] / r->most_alike);
    return s;
}

/* The share of the query's words, by idf, that occur in a message or its neighbours. */
static double window_score(const struct run *r, const struct candidate *c)
{
    if (r->request->by == SEARCH_BY_VECTORS || !(r->all_idf > 0))
        return 0;
    uint32_t holds = r->holds[search_number(c->id)];
    for (size_t j = 0; j < 2 * SEARCH_AROUND; j++)
        if (c->around[j] && search_number(c->around[j]) < r->room)
            holds |= r->holds[search_number(c->around[j])];
    return search_idf_sum(r->idf, holds) / r->all_idf;
}

static int by_base(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->base != y->base)
        return x->base < y->base ? 1 : -1;
    return x->id < y->id ? 1 : -1;
}

static int by_final(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->id < y->id ? 1 : -1;
}

static void sort_candidates(struct run *r, int (*by)(const void *, const void *))
{
    qsort(r->candidates, r->n, sizeof *r->candidates, by);
    for (size_t k = 0; k < r->n; k++)
        r->place[search_number(r->candidates[k].id)] = (uint16_t)(k + 1);
}

static enum rc look_around(struct run *r, struct candidate *c, struct err *e)
{
    if (c->has_around)
        return RC_OK;
    c->has_around = true;
    return store_search_around(r->db, r->request->owner, c->session, c->id, c->around, e);
}

/* The neighbours of the best candidates become candidates, too. Then each score gets a share of those of the
 * neighbours. */
static enum rc score_all(struct run *r, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t k = 0; k < r->n; k++)
        r->candidates[k].base = base_score(r, r->candidates[k].id);
    sort_candidates(r, by_base);
    size_t spread = r->n < SPREAD ? r->n : SPREAD;
    for (size_t k = 0; rc == RC_OK && k < spread; k++) {
        rc = look_around(r, &r->candidates[k], e);
        for (size_t j = 0; rc == RC_OK && j < 2 * SEARCH_AROUND; j++)
            if (r->candidates[k].around[j])
                rc = add_candidate(r, r->candidates[k].around[j], e);
    }
    for (size_t k = 0; rc == RC_OK && k < r->n; k++) {
        struct candidate *c = &r->candidates[k];
        rc = look_around(r, c, e);
        c->score = base_score(r, c->id) + WINDOW_WEIGHT * window_score(r, c);
        for (size_t j = 0; j < 2 * SEARCH_AROUND; j++)
            c->score += around_weights[j] * base_score(r, c->around[j]);
    }
    sort_candidates(r, by_final);
    return rc;
}

/* ---- results ---- */

static enum rc fill_hit(struct run *r, const struct candidate *c, struct search_hit *hit, struct err *e)
{
    struct session s;
    enum rc rc = store_session_by_id(r->db, r->a, r->request->owner, c->session, &s, e);
    if (rc != RC_OK)
        return rc;
    *hit = (struct search_hit){.session_id = s.pub,
        .session_title = s.title,
        .score = c->score,
        .has_words = r->holds[search_number(c->id)] != 0};
    rc = store_message_get(r->db, r->a, r->request->owner, c->id, &hit->message, e);
    if (rc == RC_OK && c->around[0])
        rc = store_message_get(r->db, r->a, r->request->owner, c->around[0], &hit->before, e);
    if (rc == RC_OK && c->around[SEARCH_AROUND])
        rc = store_message_get(r->db, r->a, r->request->owner, c->around[SEARCH_AROUND], &hit->after, e);
    return rc;
}

static enum rc fill(struct run *r, struct search_hits *out, struct err *e)
{
    size_t limit = search_limit(r->request->limit, SEARCH_HITS);
    out->hits = ARENA_ARRAY(r->a, struct search_hit, limit);
    enum rc rc = RC_OK;
    for (size_t k = 0; rc == RC_OK && k < r->n && out->n < limit; k++) {
        rc = fill_hit(r, &r->candidates[k], &out->hits[out->n], e);
        if (rc == RC_NOT_FOUND)
            rc = RC_OK; /* the message was deleted between two statements */
        else
            out->n++;
    }
    return rc;
}

static void on_allowed(void *arg, int64_t id)
{
    struct run *r = arg;
    size_t i = search_number(id);
    if (i < r->room)
        r->allowed[i] = true;
}

static enum rc keep_to_workspace(struct run *r, struct err *e)
{
    const bool *before = r->allowed;
    r->allowed = ARENA_ARRAY(r->a, bool, r->room);
    enum rc rc = store_workspace_messages(r->db, r->request->owner, r->request->workspace, on_allowed, r, e);
    for (size_t i = 0; before && i < r->room; i++)
        r->allowed[i] = r->allowed[i] && before[i];
    return rc;
}

/* A conversation that is still being imported. */
static void on_hidden(void *arg, int64_t id)
{
    struct run *r = arg;
    if (!r->allowed) {
        r->allowed = ARENA_ARRAY(r->a, bool, r->room);
        memset(r->allowed, true, r->room * sizeof *r->allowed);
    }
    if (search_number(id) < r->room)
        r->allowed[search_number(id)] = false;
}

static enum rc prepare(struct run *r, struct err *e)
{
    const struct search_request *w = r->request;
    int64_t newest;
    enum rc rc = store_search_room(r->db, w->owner, &newest, e);
    if (rc != RC_OK)
        return rc;
    r->room = (size_t)newest + 1;
    r->holds = ARENA_ARRAY(r->a, uint32_t, r->room);
    r->alike = ARENA_ARRAY(r->a, float, r->room);
    r->place = ARENA_ARRAY(r->a, uint16_t, r->room);
    r->candidates_room = 2 * CANDIDATES + 2 * SEARCH_AROUND * SPREAD;
    r->candidates = ARENA_ARRAY(r->a, struct candidate, r->candidates_room);
    if (w->after || w->before || w->session) {
        r->allowed = ARENA_ARRAY(r->a, bool, r->room);
        const struct search_filter wanted = {w->session, w->after, w->before};
        rc = store_search_filter(r->db, w->owner, &wanted, on_allowed, r, e);
    }
    if (rc == RC_OK && w->workspace)
        rc = keep_to_workspace(r, e);
    if (rc == RC_OK)
        rc = search_among_read(r->db, r->a, w->owner, w->query, &r->among, e);
    if (rc == RC_OK)
        rc = search_allow(r->db, r->a, w->owner, w->query, &r->among, r->room, &r->allowed, e);
    return rc == RC_OK ? store_draft_each_hidden(r->db, w->owner, on_hidden, r, e) : rc;
}

/* Runs on one snapshot. `v` NULL: without vectors. */
static enum rc rank(struct run *r, const struct search_vector *v, struct search_hits *out, struct err *e)
{
    bool words = r->request->by != SEARCH_BY_VECTORS;
    if (v)
        find_alike(r, v);
    enum rc rc = words ? add_best(r, rough_score, e) : RC_OK;
    bool any = r->n > 0;
    if (rc == RC_OK)
        rc = add_best(r, alike_score, e);
    if (rc != RC_OK || (!any && !r->has_part && r->most_alike < VECTOR_LEAST))
        return rc;
    score_words(r);
    score_sessions(r);
    if (words)
        rc = search_topics(r->db, r->request->owner, &r->words, r->topics, &r->topics_n, e);
    if (rc == RC_OK)
        rc = score_all(r, e);
    return rc == RC_OK ? fill(r, out, e) : rc;
}

static enum rc look_up(struct run *r, struct err *e)
{
    r->db = store_read(r->where->store);
    enum rc rc = prepare(r, e);
    if (rc == RC_OK)
        rc = find_words(r, e);
    store_read_done(r->where->store, r->db);
    return rc;
}

static enum rc rank_snapshot(
    struct run *r, const struct search_vector *v, struct search_hits *out, struct err *e)
{
    r->db = store_read(r->where->store);
    enum rc rc = store_search_begin(r->db, e);
    if (rc == RC_OK) {
        rc = rank(r, v, out, e);
        store_search_end(r->db);
    }
    store_read_done(r->where->store, r->db);
    return rc;
}

/* The words come first, because their rarity is part of the query's lexical vector. The snapshot begins
 * after the wait for the vector. */
static enum rc answer(struct run *r, struct search_hits *out, struct err *e)
{
    struct search_vector v;
    bool has_vector = false;
    enum rc rc = look_up(r, e);
    if (rc != RC_OK)
        return rc;
    if (r->request->by != SEARCH_BY_WORDS)
        has_vector = search_embed(r->where, r->a, r->request->text, &r->words, r->idf, &v);
    return rank_snapshot(r, has_vector ? &v : NULL, out, e);
}

enum rc search_run(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_hits *out, struct err *e)
{
    struct run r = {.where = s, .request = request, .a = a, .words = search_bag(a, request)};
    *out = (struct search_hits){.words = r.words};
    if (r.words.n == 0)
        return RC_OK;
    return answer(&r, out, e);
}

/*
 * Search over sessions. Title, topic, keywords and the current summary of each are one document. The text
 * index of summaries finds their words. All other texts are read: a user has thousands of sessions, not
 * millions. Only the best ones are then read completely and ranked like messages, BM25 plus similarity.
 *
 * Related sessions are the results of a query made of a session's own words, and those whose summary's vector
 * is near its own. Its own vector is that of its summary or, before there is one, the mean of its newest
 * messages.
 */
#include "app/search/search_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "store/memory/summary.h"
#include "store/search/search.h"

#define READ_MAX      150 /* sessions that are read completely */
#define RELATED_SHARE 0.2 /* least share of the words, by idf, that related sessions have in common */

struct entry {
    int64_t session, summary, active_at;
    uint32_t holds;
    bool in_workspace;
    float alike;
    double score;
};

struct run {
    const struct search_where *where;
    struct search_request request;
    struct arena *a;
    struct db *db;
    struct bag words;
    float idf[SEARCH_WORDS_MAX];
    size_t holding[SEARCH_WORDS_MAX];
    struct search_among among;
    size_t room; /* numbers of summaries are below it */
    uint32_t *holds;
    float *alike;
    struct entry *entries;
    size_t n, entries_room;
    double weight;
    float most_alike;
};

/* ---- words ---- */

struct word_hits {
    struct run *r;
    uint32_t bit;
};

static void on_word(void *arg, int64_t id)
{
    const struct word_hits *h = arg;
    if (search_number(id) < h->r->room)
        h->r->holds[search_number(id)] |= h->bit;
}

static void on_head(void *arg, const struct search_head *head)
{
    struct run *r = arg;
    uint32_t holds = search_holds(&r->words, head->title) | search_holds(&r->words, head->topic) |
                     search_holds(&r->words, head->keywords);
    if (head->summary && search_number(head->summary) < r->room)
        holds |= r->holds[search_number(head->summary)];
    for (uint32_t left = holds; left; left &= left - 1)
        r->holding[__builtin_ctz(left)]++;
    if (r->n == r->entries_room) {
        r->entries_room = r->entries_room ? 2 * r->entries_room : 64;
        r->entries = xrealloc(r->entries, r->entries_room * sizeof *r->entries);
    }
    r->entries[r->n++] = (struct entry){.session = head->session,
        .summary = head->summary,
        .active_at = head->active_at,
        .in_workspace = head->in_workspace,
        .holds = holds};
}

static enum rc count_words(struct run *r, struct err *e)
{
    enum rc rc = RC_OK;
    memset(r->holding, 0, sizeof r->holding);
    memset(r->holds, 0, r->room * sizeof *r->holds);
    r->n = 0;
    for (size_t w = 0; rc == RC_OK && w < r->words.n; w++)
        rc = store_search_summary_word(r->db, r->request.owner, r->words.words[w].word, on_word,
            &(struct word_hits){r, UINT32_C(1) << w}, e);
    if (rc == RC_OK)
        rc = store_search_heads(r->db, r->request.owner, r->request.workspace, on_head, r, e);
    return rc;
}

/* Words that occur in no session and no message are replaced by the nearest ones in messages. */
static enum rc correct_words(struct run *r, bool *corrected, struct err *e)
{
    enum rc rc = RC_OK;
    for (size_t w = 0; rc == RC_OK && w < r->words.n; w++) {
        bool replaced = false, longer, said = r->holding[w] > 0;
        if (!said)
            rc = store_search_has_word(r->db, r->request.owner, r->words.words[w].word, MATCH_WORD, &said, e);
        if (said || rc != RC_OK)
            continue;
        rc = search_make_part_of(r->db, r->request.owner, &r->words.words[w], &longer, e);
        if (rc == RC_OK && !longer)
            rc = search_correct_word(r->db, r->a, r->request.owner, &r->words.words[w], &replaced, e);
        *corrected = *corrected || replaced || r->words.words[w].part;
    }
    return rc;
}

static enum rc read_words(struct run *r, struct err *e)
{
    int64_t newest;
    bool corrected = false;
    enum rc rc = store_search_summary_room(r->db, r->request.owner, &newest, e);
    if (rc != RC_OK)
        return rc;
    r->room = (size_t)newest + 1;
    r->holds = ARENA_ARRAY(r->a, uint32_t, r->room);
    r->alike = ARENA_ARRAY(r->a, float, r->room);
    rc = count_words(r, e);
    if (rc == RC_OK)
        rc = correct_words(r, &corrected, e);
    if (rc == RC_OK && corrected)
        rc = count_words(r, e);
    for (size_t w = 0; w < r->words.n; w++)
        r->idf[w] = term_idf(r->holding[w], r->n);
    return rc;
}

/* ---- similarity ---- */

static void on_vector(void *arg, int64_t id, float score)
{
    struct run *r = arg;
    size_t i = search_number(id);
    if (i < r->room)
        r->alike[i] = fmaxf(r->alike[i], score);
}

static enum rc scan(struct run *r, const struct search_vector *v, struct err *e)
{
    enum rc rc = store_vector_scan(
        r->db, (struct vector_scope){VECTOR_SUMMARY, v->model, r->request.owner}, &v->query, on_vector, r, e);
    r->weight = v->weight;
    return rc;
}

/* Removes the sessions that the query excludes and sets the similarity of the others. */
static void filter_entries(struct run *r)
{
    const struct search_request *w = &r->request;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct entry s = r->entries[i];
        if (!s.in_workspace || !search_among_has(&r->among, s.session) ||
            (w->session && s.session != w->session) || (w->not_in && s.session == w->not_in) ||
            s.active_at < w->after || (w->before && s.active_at >= w->before))
            continue;
        s.alike = s.summary && search_number(s.summary) < r->room ? r->alike[search_number(s.summary)] : 0;
        r->most_alike = fmaxf(r->most_alike, s.alike);
        r->entries[n++] = s;
    }
    r->n = n;
}

/* ---- ranking ---- */

static int by_score(const void *x, const void *y)
{
    const struct entry *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->session < b->session ? 1 : -1;
}

static void sort_entries(struct run *r)
{
    if (r->n) /* else there is no array */
        qsort(r->entries, r->n, sizeof *r->entries, by_score);
}

static double likeness(const struct run *r, const struct entry *s)
{
    return r->most_alike > 0 ? r->weight * (double)(s->alike / r->most_alike) : 0;
}

/* Keeps the `most` best by the values that are known without reading them. */
static void cut(struct run *r, size_t most)
{
    double best = 0;
    for (size_t i = 0; i < r->n; i++)
        best = fmax(best, search_idf_sum(r->idf, r->entries[i].holds));
    for (size_t i = 0; i < r->n; i++) {
        double words = search_idf_sum(r->idf, r->entries[i].holds);
        r->entries[i].score = (best > 0 ? words / best : 0) + likeness(r, &r->entries[i]);
    }
    sort_entries(r);
    r->n = r->n < most ? r->n : most;
}

/* RC_NOT_FOUND: the session was deleted meanwhile. */
static enum rc read_hit(struct run *r, const struct entry *s, struct search_session *out, struct err *e)
{
    struct search_summary summary;
    *out = (struct search_session){.has_words = s->holds != 0, .score = s->score, .summary = STR("")};
    enum rc rc = store_session_by_id(r->db, r->a, r->request.owner, s->session, &out->session, e);
    if (rc != RC_OK || !s->summary)
        return rc;
    rc = store_search_summary(r->db, r->a, r->request.owner, s->summary, &summary, e);
    if (rc == RC_OK) {
        out->summary = summary.text;
        out->summary_id = s->summary;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc; /* the summary was replaced meanwhile */
}

static struct str text_of(struct arena *a, const struct search_session *hit)
{
    const struct session *s = &hit->session;
    return str_of(arena_printf(a, "%s\n%s\n%s\n%.*s", s->title ? s->title : "", s->topic ? s->topic : "",
        s->keywords ? s->keywords : "", STR_FMT(hit->summary)));
}

static bool meets(const struct run *r, const struct search_session *hit)
{
    AUTO(arena) a = arena_new();
    return !r->request.query || !r->request.query->needs_n ||
           search_query_meets(r->request.query, text_of(a, hit));
}

static int by_hit_score(const void *x, const void *y)
{
    const struct search_session *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->session.id < b->session.id ? 1 : -1;
}

/* Scores hits that were read: BM25 and similarity, each divided by its largest value. */
static void score_hits(struct run *r, struct search_session *hits, const struct entry **of, size_t n)
{
    AUTO(arena) scratch = arena_new();
    struct bag *bags = ARENA_ARRAY(scratch, struct bag, n + 1);
    double total = 0, best = 0;
    for (size_t i = 0; i < n; i++) {
        bags[i] = bag_of(scratch, text_of(scratch, &hits[i]));
        total += (double)bags[i].total;
    }
    for (size_t i = 0; i < n; i++) {
        hits[i].score = search_bm25(&r->words, r->idf, of[i]->holds, &bags[i], total / (double)n);
        best = fmax(best, hits[i].score);
    }
    for (size_t i = 0; i < n; i++)
        hits[i].score = (best > 0 ? hits[i].score / best : 0) + likeness(r, of[i]);
    qsort(hits, n, sizeof *hits, by_hit_score);
}

/* The entries as hits. */
static enum rc read_hits(struct run *r, struct search_session **out, size_t *n, struct err *e)
{
    enum rc rc = RC_OK;
    struct search_session *hits = ARENA_ARRAY(r->a, struct search_session, r->n + 1);
    const struct entry **of = ARENA_ARRAY(r->a, const struct entry *, r->n + 1);
    *n = 0;
    for (size_t i = 0; rc == RC_OK && i < r->n; i++) {
        rc = read_hit(r, &r->entries[i], &hits[*n], e);
        if (rc == RC_OK && meets(r, &hits[*n]))
            of[(*n)++] = &r->entries[i];
        else if (rc == RC_NOT_FOUND)
            rc = RC_OK;
    }
    if (rc == RC_OK && *n)
        score_hits(r, hits, of, *n);
    *out = hits;
    return rc;
}

/* ---- a query ---- */

/* `v` NULL: without vectors. */
static enum rc rank(struct run *r, const struct search_vector *v, struct search_sessions *out, struct err *e)
{
    struct err why = ERR_INIT;
    if (v && scan(r, v, &why) != RC_OK)
        log_warn("searching sessions without vectors: %s", why.text);
    filter_entries(r);
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++)
        if (r->entries[i].holds || r->entries[i].alike >= VECTOR_LEAST)
            r->entries[kept++] = r->entries[i];
    r->n = kept;
    cut(r, READ_MAX);
    struct search_session *hits;
    size_t n, limit = search_limit(r->request.limit, SEARCH_HITS);
    enum rc rc = read_hits(r, &hits, &n, e);
    out->hits = hits;
    for (size_t i = 0; rc == RC_OK && i < n && out->n < limit; i++)
        if (hits[i].has_words || hits[i].score >= WORDLESS_LEAST * hits[0].score)
            hits[out->n++] = hits[i];
    return rc;
}

static enum rc answer(struct run *r, struct search_sessions *out, struct err *e)
{
    struct search_vector v;
    bool has_vector = false;
    r->db = store_read(r->where->store);
    enum rc rc = search_among_read(r->db, r->a, r->request.owner, r->request.query, &r->among, e);
    if (rc == RC_OK)
        rc = read_words(r, e);
    store_read_done(r->where->store, r->db);
    if (rc != RC_OK)
        return rc;
    if (r->request.by != SEARCH_BY_WORDS)
        has_vector = search_embed(r->where, r->a, r->request.text, &r->words, r->idf, &v);
    r->db = store_read(r->where->store);
    rc = rank(r, has_vector ? &v : NULL, out, e);
    store_read_done(r->where->store, r->db);
    return rc;
}

enum rc search_summaries(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_sessions *out, struct err *e)
{
    struct run r = {.where = s, .request = *request, .a = a, .words = search_bag(a, request)};
    *out = (struct search_sessions){.words = r.words};
    if (r.words.n == 0 || (request->query && request->query->has_role))
        return RC_OK;
    enum rc rc = answer(&r, out, e);
    free(r.entries);
    return rc;
}

/* ---- related ---- */

/* Both parts are divided by the value that means certainty, so that scores of different sessions are
 * comparable. */
static void score_related(struct run *r, double near)
{
    double all =
        search_idf_sum(r->idf, r->words.n == SEARCH_WORDS_MAX ? UINT32_MAX : (UINT32_C(1) << r->words.n) - 1);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct entry s = r->entries[i];
        double share = all > 0 ? search_idf_sum(r->idf, s.holds) / all : 0, alike = (double)s.alike;
        if (share < RELATED_SHARE && alike < near)
            continue;
        s.score = (share + alike) / 2;
        r->entries[n++] = s;
    }
    r->n = n;
    sort_entries(r);
}

static enum rc relate(struct run *r, int64_t session, struct search_sessions *out, struct err *e)
{
    struct err why = ERR_INIT;
    struct session own;
    struct summary current = {.text = STR("")};
    struct search_vector v = {.weight = SEARCH_RELATED_MODEL};
    enum rc rc = store_session_by_id(r->db, r->a, r->request.owner, session, &own, e);
    if (rc == RC_OK) {
        rc = store_summary_current(r->db, r->a, r->request.owner, session, &current, e);
        rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    }
    if (rc != RC_OK)
        return rc;
    r->words = search_own_words(r->a, &own, current.text);
    rc = read_words(r, e);
    if (rc != RC_OK)
        return rc;
    enum rc found = search_own_vector(r->db, r->a, r->request.owner, &own, current.id, &v, &why);
    if (found == RC_OK)
        found = scan(r, &v, &why);
    if (found != RC_OK && found != RC_NOT_FOUND)
        log_warn("related sessions without vectors: %s", why.text);
    filter_entries(r);
    score_related(r, v.weight);
    size_t limit = search_limit(r->request.limit, SEARCH_RELATED);
    out->hits = ARENA_ARRAY(r->a, struct search_session, limit);
    for (size_t i = 0; rc == RC_OK && i < r->n && out->n < limit; i++) {
        rc = read_hit(r, &r->entries[i], &out->hits[out->n], e);
        if (rc == RC_OK)
            out->n++;
        else if (rc == RC_NOT_FOUND)
            rc = RC_OK;
    }
    return rc;
}

enum rc search_related(const struct search_where *s, int64_t owner, int64_t session, int limit,
    struct arena *a, struct search_sessions *out, struct err *e)
{
    struct run r = {.where = s,
        .request = {.owner = owner, .not_in = session, .limit = limit},
        .a = a,
        .among = {.all = true}};
    *out = (struct search_sessions){0};
    r.db = store_read(s->store);
    enum rc rc = relate(&r, session, out, e);
    store_read_done(s->store, r.db);
    free(r.entries);
    return rc;
}

/* Search over the files of workspaces: their names and texts. A user has few of them and they have no index,
 * so all are read. */
#include "app/search/search_private.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "store/search/search.h"

#define READ_MAX    (INT64_C(32) * 1024 * 1024) /* bytes that one search reads, the newest files first */
#define LEAST       .5                          /* share of the best score */
#define PART_BEFORE 400                         /* bytes of the part before the first word, and after it */
#define PART_AFTER  2000

struct candidate {
    struct workspace_file file; /* without its text */
    uint32_t in_name, in_text;
    double score;
};

struct run {
    struct db *db;
    const struct search_request *request;
    const char *workspace;
    struct arena *a;
    struct bag words;
    float idf[SEARCH_WORDS_MAX];
    struct candidate *found;
    size_t n, read_n;
};

/* A file belongs to a workspace, and has neither a role nor what else a session has. */
static bool reads_query(struct run *r)
{
    const struct search_query *q = r->request->query;
    r->workspace = r->request->workspace;
    if (!q)
        return true;
    for (size_t i = 0; i < q->parts.n; i++) {
        const struct query_part *part = &q->parts.part[i];
        bool is_date = part->op == QUERY_BEFORE || part->op == QUERY_AFTER;
        if (!q->used[i] || part->op <= QUERY_BEGINNING || is_date)
            continue;
        if (part->op != QUERY_WORKSPACE || part->negated)
            return false;
        r->workspace = query_value(r->a, part);
    }
    return true;
}

static bool is_in_time(const struct search_request *w, const struct workspace_file *f)
{
    return f->changed_at >= w->after && (!w->before || f->changed_at < w->before);
}

struct look {
    const struct run *run;
    struct candidate *c;
    bool meets;
};

static void look_at_text(void *arg, struct str text)
{
    struct look *l = arg;
    const struct search_query *q = l->run->request->query;
    l->c->in_text = search_holds(&l->run->words, text);
    if (!(l->c->in_name | l->c->in_text))
        return;
    AUTO(arena) scratch = arena_new();
    l->meets =
        !q || !q->needs_n ||
        search_query_meets(q, str_of(arena_printf(scratch, "%s\n%.*s", l->c->file.name, STR_FMT(text))));
}

static enum rc look_at(struct run *r, const struct workspace_file *file, struct err *e)
{
    struct candidate *c = &r->found[r->n];
    struct look l = {.run = r, .c = c};
    *c = (struct candidate){.file = *file, .in_name = search_holds(&r->words, str_of(file->name))};
    enum rc rc = store_workspace_file_text(r->db, r->request->owner, file->id, look_at_text, &l, e);
    r->n += rc == RC_OK && l.meets;
    return rc;
}

static enum rc look_at_all(struct run *r, struct err *e)
{
    struct workspace_file *all;
    size_t n;
    int64_t left = READ_MAX;
    enum rc rc = store_workspace_files(r->db, r->a, r->request->owner, r->workspace, &all, &n, e);
    if (rc != RC_OK)
        return rc;
    r->found = ARENA_ARRAY(r->a, struct candidate, n + 1);
    for (size_t i = 0; rc == RC_OK && i < n && left >= all[i].bytes; i++) {
        left -= all[i].bytes;
        r->read_n++;
        if (is_in_time(r->request, &all[i]))
            rc = look_at(r, &all[i], e);
    }
    return rc;
}

static void weigh(struct run *r)
{
    for (size_t w = 0; w < r->words.n; w++) {
        size_t holding = 0;
        for (size_t i = 0; i < r->n; i++)
            holding += ((r->found[i].in_name | r->found[i].in_text) >> w) & 1;
        r->idf[w] = term_idf(holding, r->read_n);
    }
    for (size_t i = 0; i < r->n; i++) {
        struct candidate *c = &r->found[i];
        c->score = search_idf_sum(r->idf, c->in_name | c->in_text) + search_idf_sum(r->idf, c->in_name);
    }
}

static int by_score(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? 1 : -1;
    return a->file.id < b->file.id ? 1 : -1;
}

/* The bit of the rarest word of a set; 0: the set is empty. */
static uint32_t rarest(const struct run *r, uint32_t holds)
{
    uint32_t best = 0;
    for (size_t w = 0; w < r->words.n; w++)
        if (holds >> w & 1 && (!best || r->idf[w] > r->idf[__builtin_ctz(best)]))
            best = UINT32_C(1) << w;
    return best;
}

/* The text around the first place of the rarest word, whole lines where these are short. */
static struct str part_of(const struct run *r, struct str text, uint32_t holds)
{
    uint32_t word = rarest(r, holds);
    const struct bag one = {.words = word ? &r->words.words[__builtin_ctz(word)] : NULL, .n = word != 0};
    struct term t;
    size_t at = 0, from, to;
    for (struct str rest = text; word && term_next(&rest, &t);)
        if (search_holds(&one, t.source)) {
            at = (size_t)(t.source.s - text.s);
            break;
        }
    from = at > PART_BEFORE ? utf8_cut_bytes(text, at - PART_BEFORE) : 0;
    to = utf8_cut_bytes(text, at + PART_AFTER < text.len ? at + PART_AFTER : text.len);
    return (struct str){text.s + from, to - from};
}

struct adding {
    const struct run *run;
    const struct candidate *c;
    struct search_file *hit;
};

static void add_part(void *arg, struct str text)
{
    struct adding *x = arg;
    x->hit->file.text = arena_str(x->run->a, part_of(x->run, text, x->c->in_text));
}

static enum rc add(struct run *r, const struct candidate *c, struct search_files *out, struct err *e)
{
    struct search_file *hit = &out->hits[out->n++];
    *hit = (struct search_file){.file = c->file, .score = c->score};
    return store_workspace_file_text(
        r->db, r->request->owner, c->file.id, add_part, &(struct adding){r, c, hit}, e);
}

static enum rc find(struct run *r, struct search_files *out, struct err *e)
{
    enum rc rc = look_at_all(r, e);
    size_t limit = search_limit(r->request->limit, SEARCH_HITS);
    if (rc != RC_OK || !r->n)
        return rc;
    weigh(r);
    qsort(r->found, r->n, sizeof *r->found, by_score);
    out->hits = ARENA_ARRAY(r->a, struct search_file, limit);
    for (size_t i = 0; rc == RC_OK && i < r->n && out->n < limit; i++)
        if (r->found[i].score >= LEAST * r->found[0].score)
            rc = add(r, &r->found[i], out, e);
    return rc;
}

enum rc search_files(const struct search_where *s, const struct search_request *request, struct arena *a,
    struct search_files *out, struct err *e)
{
    struct run r = {.request = request, .a = a, .words = search_bag(a, request)};
    *out = (struct search_files){.words = r.words};
    if (!r.words.n || request->session || !reads_query(&r))
        return RC_OK;
    r.db = store_read(s->store);
    enum rc rc = store_search_begin(r.db, e); /* one snapshot: a file that is listed can be read */
    if (rc == RC_OK) {
        rc = find(&r, out, e);
        store_search_end(r.db);
    }
    store_read_done(s->store, r.db);
    return rc;
}

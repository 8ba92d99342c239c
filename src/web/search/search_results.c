#include "web/search/search_results.h"

#include "codec/words/snippet.h"
#include "web/http/web.h"
#include "web/search/search_resource.h"

#define FACTS_AMONG    3 /* results of each kind, when all kinds are shown */
#define SESSIONS_AMONG 5
#define FILES_AMONG    3
#define MARK_BYTES     140 /* bytes of a message that must contain a searched word */

/* A result is shown when its score is at least this share of the best one's: next to a message with all
 * five words one with a single word only confuses. A message without a word of the query needs a higher
 * score. It also needs a marked word, unless the best result has none either: the ranking rewards messages
 * beside a hit, which helps a model but not a user who searched for a word. */
#define LEAST          .3
#define WORDLESS_LEAST .6

static enum rc read_day(const struct req *r, enum field f, int64_t *out, struct err *e)
{
    if (req_str(r, f).len == 0 || search_date(req_str(r, f), r->zone, out))
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "form.day", arg_text("field", field_name(f)));
}

struct query_key {
    const struct req *r;
    struct search_where where;
    struct search_request request;
};

/* All requested results for a single kind, else at most `among`. */
static struct search_request want_of(const struct query_key *q, int among, bool alone)
{
    struct search_request request = q->request;
    if (!alone && request.limit > among)
        request.limit = among;
    return request;
}

static enum rc find_memories(const struct query_key *q, bool alone, struct search_results *out, struct err *e)
{
    struct search_request request = want_of(q, FACTS_AMONG, alone);
    struct search_memories *found = &out->memories;
    enum rc rc = search_memories(&q->where, &request, q->r->arena, found, e);
    out->any = out->any || found->n > 0;
    while (rc == RC_OK && found->n && found->hits[found->n - 1].score < LEAST * found->hits[0].score)
        found->n--;
    return rc;
}

static enum rc find_sessions(const struct query_key *q, bool alone, struct search_results *out, struct err *e)
{
    struct search_request request = want_of(q, SESSIONS_AMONG, alone);
    struct search_sessions *found = &out->sessions;
    enum rc rc = search_summaries(&q->where, &request, q->r->arena, found, e);
    out->any = out->any || found->n > 0;
    while (rc == RC_OK && found->n && found->hits[found->n - 1].score < LEAST * found->hits[0].score)
        found->n--;
    return rc;
}

static enum rc find_files(const struct query_key *q, bool alone, struct search_results *out, struct err *e)
{
    struct search_request request = want_of(q, FILES_AMONG, alone);
    enum rc rc = search_files(&q->where, &request, q->r->arena, &out->files, e);
    out->any = out->any || out->files.n > 0;
    return rc;
}

static bool has_mark(struct arena *a, struct str text, const struct bag *words)
{
    struct snippet s = snippet_of(a, text, words, MARK_BYTES);
    for (size_t i = 0; i < s.n; i++)
        if (s.pieces[i].hit)
            return true;
    return false;
}

/* Keeps the messages that are worth showing, in their order. */
static void keep_good(struct arena *a, struct search_hits *f)
{
    if (f->n == 0)
        return;
    struct search_hit best = f->hits[0];
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct search_hit *h = &f->hits[i];
        if (h->has_words ? h->score >= LEAST * best.score
                         : h->score >= WORDLESS_LEAST * best.score &&
                               (!best.has_words || has_mark(a, message_words(a, &h->message), &f->words)))
            f->hits[n++] = *h;
    }
    f->n = n;
}

static enum rc find_messages(const struct query_key *q, struct search_results *out, struct err *e)
{
    enum rc rc = search_run(&q->where, &q->request, q->r->arena, &out->messages, e);
    if (rc == RC_OK)
        keep_good(q->r->arena, &out->messages);
    out->any = out->any || out->messages.n > 0;
    return rc;
}

static const char *const shows[] = {
    [SEARCH_SHOW_ALL] = "all",
    [SEARCH_SHOW_MESSAGES] = "messages",
    [SEARCH_SHOW_SESSIONS] = "sessions",
    [SEARCH_SHOW_FACTS] = "facts",
    [SEARCH_SHOW_FILES] = "files",
};

const char *search_show_name(enum search_show show)
{
    return shows[show];
}

enum rc search_show_of(const struct req *r, enum search_show *out, struct err *e)
{
    *out = SEARCH_SHOW_ALL;
    for (size_t i = 0; i < ARRAY_LEN(shows); i++)
        if (str_is(req_str(r, F_SHOW), shows[i]))
            *out = (enum search_show)i;
    if (req_str(r, F_SHOW).len && !str_is(req_str(r, F_SHOW), shows[*out]))
        return err_say(e, RC_BAD_INPUT, "form.show_results");
    return RC_OK;
}

/* Applies the dates of the query in addition to those of the fields. */
static void narrow(struct search_request *w, const struct search_query *q)
{
    w->after = q->after > w->after ? q->after : w->after;
    w->before = q->before && (!w->before || q->before < w->before) ? q->before : w->before;
}

static enum rc list_sessions(
    const struct query_key *q, struct db *db, struct search_results *out, struct err *e)
{
    struct session_filter f = search_query_filter(q->r->arena, &out->query);
    f.after = q->request.after;
    f.before = q->request.before;
    f.id = q->request.session;
    if (q->request.workspace && !f.workspace.is)
        f.workspace.is = q->request.workspace;
    struct session *rows;
    size_t n, most = (size_t)q->request.limit;
    enum rc rc = store_session_list(db, q->r->arena, q->request.owner, &f,
        &(struct session_page){.limit = q->request.limit + 1}, &rows, &n, e);
    out->more = n > most;
    out->sessions.hits = ARENA_ARRAY(q->r->arena, struct search_session, n + 1);
    for (size_t i = 0; i < n && i < most; i++)
        out->sessions.hits[out->sessions.n++] =
            (struct search_session){.session = rows[i], .summary = STR("")};
    out->any = out->sessions.n > 0;
    return rc;
}

/* The operators, and the sessions when there are no words. */
static enum rc read_query(struct query_key *q, struct search_results *out, struct err *e)
{
    const struct req *r = q->r;
    struct db *db = store_read(r->web->store);
    const struct search_input typed = {r->who.user_id, r->now, r->zone, req_str(r, F_Q)};
    enum rc rc = search_query_read(db, r->arena, &typed, &out->query, e);
    narrow(&q->request, &out->query);
    q->request.text = out->query.words;
    q->request.query = &out->query;
    out->lists = search_query_lists(&out->query);
    if (rc == RC_OK && out->lists)
        rc = list_sessions(q, db, out, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc read_session(struct query_key *q, struct search_results *out, struct err *e)
{
    const struct req *r = q->r;
    struct session s = {0};
    if (!req_str(r, F_SESSION).len)
        return RC_OK;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), &s, e);
    store_read_done(r->web->store, db);
    q->request.session = s.id;
    if (!req_has(r, F_LIMIT))
        q->request.limit = SEARCH_HITS_MAX;
    out->session_title = s.title;
    return rc;
}

enum rc search_results_read(const struct req *r, struct search_results *out, struct err *e)
{
    struct query_key q = {.r = r,
        .where = {r->web->store, r->web->config, r->web->providers},
        .request = {.owner = r->who.user_id,
            .workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL,
            .limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SEARCH_LIMIT}};
    enum search_show show;
    *out = (struct search_results){0};
    enum rc rc = search_show_of(r, &show, e);
    if (rc == RC_OK)
        rc = read_session(&q, out, e);
    if (rc == RC_OK)
        rc = read_day(r, F_AFTER, &q.request.after, e);
    if (rc == RC_OK)
        rc = read_day(r, F_BEFORE, &q.request.before, e);
    if (rc == RC_OK)
        rc = read_query(&q, out, e);
    if (rc != RC_OK || out->lists || out->query.trashed)
        return rc;
    if (q.request.session)
        return find_messages(&q, out, e);
    bool all = show == SEARCH_SHOW_ALL;
    if (rc == RC_OK && (all || show == SEARCH_SHOW_FACTS))
        rc = find_memories(&q, !all, out, e);
    if (rc == RC_OK && (all || show == SEARCH_SHOW_SESSIONS))
        rc = find_sessions(&q, !all, out, e);
    if (rc == RC_OK && (all || show == SEARCH_SHOW_FILES))
        rc = find_files(&q, !all, out, e);
    if (rc == RC_OK && (all || show == SEARCH_SHOW_MESSAGES))
        rc = find_messages(&q, out, e);
    return rc;
}

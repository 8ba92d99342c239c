#include "web/search/search_results.h"

#include "codec/snippet.h"
#include "web/search/search_resource.h"
#include "web/chat/message_view.h"
#include "web/http/web.h"

#define BESIDE_BYTES   140
#define FACTS_AMONG    3 /* when all kinds are shown, the best of these */
#define SESSIONS_AMONG 5

/* What is shown is this much as good as the best: of one among five words under what has all five a person
 * asks why. A message without a word of the question has to be better, and to have something that is near to
 * one unless that is all there is: the ranking gives much for standing beside a hit, which helps a model, but
 * puzzles a person who searched for a word. */
#define LEAST          .3
#define WORDLESS_LEAST .6

/* A neighbour's beginning; null when there is none. */
static void view_beside(
    struct arena *a, struct view *v, const char *key, const struct message *m, const struct bag *none)
{
    if (m->id == 0) {
        view_null(v, key);
        return;
    }
    struct snippet s = snippet_of(a, m->text, none, BESIDE_BYTES);
    view_text(v, key, arena_printf(a, "%.*s%s", STR_FMT(s.whole), s.cut_end ? "…" : ""));
}

static void view_hit(const struct req *r, struct view *v, const struct search_hit *h, const struct bag *words)
{
    struct arena *a = r->arena;
    long long id = (long long)h->message.id;
    view_text(v, "id", arena_printf(a, "%lld", id));
    view_text(v, "url", arena_printf(a, "/s/%s?at=%lld#m-%lld", h->session_id, id, id));
    view_text(v, "session", h->session_id);
    view_text(v, "title", h->session_title ? h->session_title : "New chat");
    view_text(v, "role", message_role_name(h->message.role));
    view_bool(v, "is_user", h->message.role == ROLE_USER);
    view_created(a, v, h->message.created_at, r->now);
    view_snippet(a, v, h->message.text, words);
    view_beside(a, v, "before", &h->before, &(struct bag){0});
    view_beside(a, v, "after", &h->after, &(struct bag){0});
}

static enum rc read_day(const struct req *r, enum field f, int64_t *out, struct err *e)
{
    if (req_str(r, f).len == 0 || search_date(req_str(r, f), out))
        return RC_OK;
    return err_say(e, RC_BAD_INPUT, "\"%s\" must be a day such as 2026-11-20.", field_name(f));
}

/* ---- the kinds ---- */

struct asked {
    const struct req *r;
    struct search_where where;
    struct search_want want;
    bool by_session; /* messages */
};

static int at_most(int limit, int among, bool alone)
{
    return !alone && limit > among ? among : limit;
}

static enum rc find_memories(const struct asked *q, struct view *list, bool alone, bool *any, struct err *e)
{
    struct search_memories found = {0};
    struct search_want want = q->want;
    want.limit = at_most(want.limit, FACTS_AMONG, alone);
    enum rc rc = search_memories(&q->where, &want, q->r->arena, &found, e);
    for (size_t i = 0; rc == RC_OK && i < found.n && found.hits[i].score >= LEAST * found.hits[0].score; i++)
        view_found_memory(q->r, view_item(list), &found.hits[i], &found.words);
    *any = *any || found.n > 0;
    return rc;
}

static enum rc find_sessions(const struct asked *q, struct view *list, bool alone, bool *any, struct err *e)
{
    struct search_sessions found = {0};
    struct search_want want = q->want;
    want.limit = at_most(want.limit, SESSIONS_AMONG, alone);
    enum rc rc = search_summaries(&q->where, &want, q->r->arena, &found, e);
    for (size_t i = 0; rc == RC_OK && i < found.n && found.hits[i].score >= LEAST * found.hits[0].score; i++)
        view_found_session(q->r, view_item(list), &found.hits[i], &found.words);
    *any = *any || found.n > 0;
    return rc;
}

static bool has_mark(struct arena *a, struct str text, const struct bag *words)
{
    struct snippet s = snippet_of(a, text, words, BESIDE_BYTES);
    for (size_t i = 0; i < s.n; i++)
        if (s.pieces[i].hit)
            return true;
    return false;
}

/* What is worth showing, in its order. */
static void keep_good(struct arena *a, struct search_found *f)
{
    if (f->n == 0)
        return;
    struct search_hit best = f->hits[0];
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct search_hit *h = &f->hits[i];
        if (h->has_words ? h->score >= LEAST * best.score
                         : h->score >= WORDLESS_LEAST * best.score &&
                               (!best.has_words || has_mark(a, h->message.text, &f->words)))
            f->hits[n++] = *h;
    }
    f->n = n;
}

/* The sessions in the order of their best hits, and in each all of its hits. */
static void view_by_session(const struct req *r, struct view *list, const struct search_found *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const char *session = f->hits[i].session_id;
        size_t before = 0;
        while (strcmp(f->hits[before].session_id, session) != 0)
            before++;
        if (before < i)
            continue;
        struct view *talk = view_item(list);
        view_text(talk, "url", arena_printf(r->arena, "/s/%s", session));
        view_text(talk, "title", f->hits[i].session_title ? f->hits[i].session_title : "New chat");
        struct view *hits = view_list(talk, "hits");
        for (size_t k = i; k < f->n; k++)
            if (strcmp(f->hits[k].session_id, session) == 0)
                view_hit(r, view_item(hits), &f->hits[k], &f->words);
    }
}

static enum rc find_messages(const struct asked *q, struct view *list, bool *any, struct err *e)
{
    struct search_found found = {0};
    enum rc rc = search_run(&q->where, &q->want, q->r->arena, &found, e);
    if (rc != RC_OK)
        return rc;
    keep_good(q->r->arena, &found);
    *any = *any || found.n > 0;
    if (q->by_session)
        view_by_session(q->r, list, &found);
    for (size_t i = 0; !q->by_session && i < found.n; i++)
        view_hit(q->r, view_item(list), &found.hits[i], &found.words);
    return RC_OK;
}

static const char *const shows[] = {
    [SEARCH_SHOW_ALL] = "all",
    [SEARCH_SHOW_MESSAGES] = "messages",
    [SEARCH_SHOW_SESSIONS] = "sessions",
    [SEARCH_SHOW_FACTS] = "facts",
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
        return err_say(e, RC_BAD_INPUT, "\"show\" must be all, messages, sessions or facts.");
    return RC_OK;
}

enum rc search_view(const struct req *r, struct view *v, bool by_session, struct err *e)
{
    struct asked q = {.r = r,
        .by_session = by_session,
        .where = {r->web->store, r->web->config, r->web->providers},
        .want = {.owner = r->who.user_id,
            .text = req_str(r, F_Q),
            .workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL,
            .limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SEARCH_LIMIT}};
    enum search_show show;
    bool any = false;
    struct view *memories = view_list(v, "memories"), *sessions = view_list(v, "sessions");
    struct view *hits = view_list(v, by_session ? "talks" : "hits");
    enum rc rc = search_show_of(r, &show, e);
    if (rc == RC_OK)
        rc = read_day(r, F_AFTER, &q.want.after, e);
    if (rc == RC_OK)
        rc = read_day(r, F_BEFORE, &q.want.before, e);
    bool all = show == SEARCH_SHOW_ALL;
    if (rc == RC_OK && (all || show == SEARCH_SHOW_FACTS))
        rc = find_memories(&q, memories, !all, &any, e);
    if (rc == RC_OK && (all || show == SEARCH_SHOW_SESSIONS))
        rc = find_sessions(&q, sessions, !all, &any, e);
    if (rc == RC_OK && (all || show == SEARCH_SHOW_MESSAGES))
        rc = find_messages(&q, hits, &any, e);
    if (rc == RC_OK)
        view_bool(v, "any", any);
    return rc;
}

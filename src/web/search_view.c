#include "web/search_view.h"

#include "app/search.h"
#include "codec/snippet.h"
#include "web/views.h"
#include "web/web.h"

#define SNIPPET_BYTES 280
#define BESIDE_BYTES  140

/* A message without a word of the question is shown only when it is this much as good as the best: the
 * ranking gives half a score for standing beside a hit, which helps a model, but puzzles a person who
 * searched for a word. */
#define WORDLESS_LEAST .6

static void view_snippet(struct arena *a, struct view *v, struct str text, const struct bag *words)
{
    struct snippet s = snippet_of(a, text, words, SNIPPET_BYTES);
    struct view *pieces = view_list(v, "pieces");
    for (size_t i = 0; i < s.n; i++) {
        struct view *p = view_item(pieces);
        view_str(p, "text", s.pieces[i].text);
        view_bool(p, "hit", s.pieces[i].hit);
    }
    view_bool(v, "cut_head", s.cut_head);
    view_bool(v, "cut_end", s.cut_end);
}

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

enum rc search_view(const struct req *r, struct view *v, struct err *e)
{
    struct search_where where = {r->web->store, r->web->config, r->web->providers};
    struct search_want want = {.owner = r->who.user_id,
        .text = req_str(r, F_Q),
        .workspace = req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL,
        .limit = req_has(r, F_LIMIT) ? (int)req_int(r, F_LIMIT) : SEARCH_LIMIT};
    struct search_found found;
    enum rc rc = read_day(r, F_AFTER, &want.after, e);
    if (rc == RC_OK)
        rc = read_day(r, F_BEFORE, &want.before, e);
    if (rc == RC_OK)
        rc = search_run(&where, &want, r->arena, &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *hits = view_list(v, "hits");
    bool any = false;
    for (size_t i = 0; i < found.n; i++) {
        const struct search_hit *h = &found.hits[i];
        if (!h->has_words && h->score < WORDLESS_LEAST * found.hits[0].score)
            continue;
        view_hit(r, view_item(hits), h, &found.words);
        any = true;
    }
    view_bool(v, "any", any);
    return RC_OK;
}

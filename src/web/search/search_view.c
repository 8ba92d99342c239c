#include "web/search/search_view.h"

#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/views.h"
#include "web/search/search_resource.h"
#include "web/session/session_view.h"

static void view_found_memory(
    const struct req *r, struct view *v, const struct search_memory *h, const struct bag *words)
{
    const struct locale l = req_locale(r);
    found_memory_resource(r->arena, v, h, words);
    view_bool(v, "has_tags", *h->memory.tags != '\0');
    view_created_words(r->arena, v, &l, h->memory.created_at);
}

static void view_found_session(
    const struct req *r, struct view *v, const struct search_session *h, const struct bag *words)
{
    const struct locale l = req_locale(r);
    session_view(r->arena, v, &l, &h->session);
    summary_snippet(r->arena, v, h, words);
}

static void view_hit(const struct req *r, struct view *v, const struct search_hit *h, const struct bag *words)
{
    const struct locale l = req_locale(r);
    hit_resource(r->arena, v, h, words);
    view_bool(v, "is_user", h->message.role == ROLE_USER);
    view_created_words(r->arena, v, &l, h->message.created_at);
}

static void view_found_file(
    const struct req *r, struct view *v, const struct search_file *h, const struct bag *words)
{
    const struct locale l = req_locale(r);
    found_file_resource(r->arena, v, h, words);
    view_time(r->arena, v, &l, "changed_at", "changed_words", "changed_exact", h->file.changed_at);
}

/* Groups the hits by session, in the order of the sessions' best hits. */
static void view_by_session(const struct req *r, struct view *list, const struct search_hits *f)
{
    for (size_t i = 0; i < f->n; i++) {
        const char *session = f->hits[i].session_id;
        size_t before = 0;
        while (strcmp(f->hits[before].session_id, session) != 0)
            before++;
        if (before < i)
            continue;
        struct view *talk = view_item(list);
        view_text(talk, "url", session_url(r->arena, session));
        view_text(talk, "title", session_title(r->lang, f->hits[i].session_title));
        struct view *hits = view_list(talk, "hits");
        for (size_t k = i; k < f->n; k++)
            if (strcmp(f->hits[k].session_id, session) == 0)
                view_hit(r, view_item(hits), &f->hits[k], &f->words);
    }
}

static void view_sessions(const struct req *r, struct view *list, const struct search_sessions *s)
{
    for (size_t i = 0; i < s->n; i++)
        view_found_session(r, view_item(list), &s->hits[i], &s->words);
}

void search_results_view(const struct req *r, struct view *v, const struct search_results *s)
{
    struct view *list = view_list(v, "memories");
    for (size_t i = 0; i < s->memories.n; i++)
        view_found_memory(r, view_item(list), &s->memories.hits[i], &s->memories.words);
    view_sessions(r, view_list(v, "sessions"), &s->sessions);
    list = view_list(v, "files");
    for (size_t i = 0; i < s->files.n; i++)
        view_found_file(r, view_item(list), &s->files.hits[i], &s->files.words);
    view_by_session(r, view_list(v, "talks"), &s->messages);
    view_bool(v, "any", s->any);
    view_bool(v, "any_memories", s->memories.n > 0);
    view_bool(v, "any_sessions", s->sessions.n > 0);
    view_bool(v, "any_files", s->files.n > 0);
    view_bool(v, "any_hits", s->messages.n > 0);
}

enum rc related_read(
    const struct req *r, int64_t session, int limit, struct search_sessions *out, struct err *e)
{
    struct search_where where = {r->web->store, r->web->config, r->web->providers};
    return search_related(&where, r->who.user_id, session, limit, r->arena, out, e);
}

enum rc related_view(const struct req *r, struct view *v, int64_t session, int limit, struct err *e)
{
    struct search_sessions found;
    enum rc rc = related_read(r, session, limit, &found, e);
    if (rc == RC_OK)
        view_sessions(r, view_list(v, "related"), &found);
    return rc;
}

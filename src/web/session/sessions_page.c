#include "web/session/sessions_page.h"

#include "codec/url.h"
#include "web/http/resource.h"
#include "web/page/pages.h"
#include "web/session/query_view.h"
#include "web/session/session_list.h"
#include "web/session/session_resource.h"
#include "web/session/session_view.h"

/* The list with the filters of this request and another query, from the place `key` on. */
static const char *list_url(const struct req *r, struct str q, enum field place, struct str key)
{
    return URL_WITH(r->arena, "/sessions", {field_name(F_Q), q}, {field_name(F_SHOW), req_str(r, F_SHOW)},
        {field_name(F_SORT), req_str(r, F_SORT)}, {field_name(F_WORKSPACE), req_str(r, F_WORKSPACE)},
        {field_name(place), key});
}

static const char *query_url(const struct req *r, struct str q)
{
    return list_url(r, q, F_AFTER, STR(""));
}

/* The address of the page to return to after a change. */
static const char *here_url(const struct req *r)
{
    enum field place = req_str(r, F_NEWER).len ? F_NEWER : F_AFTER;
    const char *url = list_url(r, req_str(r, F_Q), place, req_str(r, place));
    return strlen(url) <= PAGE_PATH_MAX ? url : "/sessions";
}

static const char *url_within(struct arena *a, const char *path, const char *workspace)
{
    return URL_WITH(a, path, {field_name(F_WORKSPACE), str_of(workspace)});
}

/* The query without its parts of an operator. */
static struct str query_without_op(const struct req *r, const struct search_query *q, enum query_op op)
{
    const char *kept = "";
    for (size_t i = 0; i < q->parts.n; i++) {
        const struct query_part *p = &q->parts.part[i];
        if (p->op != op)
            kept = arena_printf(r->arena, "%s%s%.*s", kept, *kept ? " " : "", STR_FMT(p->source));
    }
    return str_of(kept);
}

/* The tabs: the same query among other sessions. */
static void view_tabs(const struct req *r, const struct session_list *l, struct view *v)
{
    /* "is:archived" is the choice of a tab. */
    bool chosen = l->query.parts.n && l->query.sessions.show != SESSIONS_ALL;
    struct str q = chosen ? query_without_op(r, &l->query, QUERY_IS) : l->query.text;
    struct str workspace = req_str(r, F_WORKSPACE);
    view_text(v, "listed_url",
        URL_WITH(r->arena, "/sessions", {field_name(F_Q), q}, {field_name(F_WORKSPACE), workspace}));
    view_text(v, "hidden_url",
        URL_WITH(
            r->arena, "/sessions?show=hidden", {field_name(F_Q), q}, {field_name(F_WORKSPACE), workspace}));
    view_text(v, "trash_url", query_view_trash_url(r, &l->query));
    view_bool(v, "listed", l->filter.show == SESSIONS_LISTED || l->filter.show == SESSIONS_ALL);
    view_bool(
        v, "hidden", l->filter.show == SESSIONS_ARCHIVED_BY_USER || l->filter.show == SESSIONS_ARCHIVED);
}

/* The workspaces as a choice, which takes the place of one in the query. */
static void view_workspaces(const struct req *r, const struct session_list *l, struct view *v)
{
    struct arena *a = r->arena;
    const char *path = l->filter.show == SESSIONS_ARCHIVED_BY_USER ? "/sessions?show=hidden" : "/sessions";
    const struct url_part q = {field_name(F_Q), query_without_op(r, &l->query, QUERY_WORKSPACE)};
    const struct session_text *of = &l->filter.workspace;
    view_text(v, "all_url", URL_WITH(a, path, q));
    view_bool(v, "of_all", !of->is);
    view_bool(v, "any_workspaces", l->workspaces_n > 0);
    struct view *list = view_list(v, "workspaces");
    for (size_t i = 0; i < l->workspaces_n; i++) {
        struct str name = str_of(l->workspaces[i]);
        struct view *item = view_item(list);
        view_str(item, "name", name);
        view_text(item, "filter_url", URL_WITH(a, path, q, {field_name(F_WORKSPACE), name}));
        view_bool(item, "current", of->is && !of->negated && str_is(name, of->is));
    }
}

static void view_filters(const struct req *r, const struct session_list *l, struct view *v)
{
    struct arena *a = r->arena;
    view_text(v, "workspace", l->workspace);
    view_text(v, "new_url", url_within(a, "/", l->workspace));
    view_text(v, "instructions_url", l->workspace ? workspace_page_url(a, str_of(l->workspace)) : NULL);
    view_text(v, "search_url", url_within(a, "/search", l->workspace));
    view_text(v, "show", req_str(r, F_SHOW).len ? req_text(r, F_SHOW) : NULL);
    view_bool(v, "by_creation", l->filter.sort == SESSIONS_BY_CREATION);
    view_text(v, "sort", l->filter.sort == SESSIONS_BY_CREATION ? "created" : NULL);
    view_tabs(r, l, v);
    view_workspaces(r, l, v);
}

static void view_names(struct view *v, const char *key, const char *any, const char **names, size_t n)
{
    struct view *list = view_list(v, key);
    for (size_t i = 0; i < n; i++)
        view_item_text(list, names[i]);
    view_bool(v, any, n > 0);
}

/* The choices of the filter's menus. */
static void view_choices(const struct req *r, const struct session_list *l, struct view *v)
{
    view_names(v, "models", "any_models", l->models, l->models_n);
    view_names(v, "channels", "any_channels", l->channels, l->channels_n);
    struct view *list = view_list(v, "all_tags"), *ids = view_list(v, "tag_choices");
    for (size_t i = 0; i < l->tags_n; i++) {
        view_item_text(list, l->tags[i].name);
        struct view *tag = view_item(ids);
        view_id(r->arena, tag, "id", l->tags[i].id);
        view_text(tag, "name", l->tags[i].name);
    }
    view_bool(v, "any_all_tags", l->tags_n > 0);
}

/* The filter's form sends fields; the address of a list has them in its query, unless that is too long. */
static bool has_form(const struct req *r)
{
    return req_str(r, F_TAGS).len || req_str(r, F_MODEL).len || req_str(r, F_CHANNEL).len ||
           req_str(r, F_IS).len;
}

enum rc page_sessions(struct req *r, struct resp *out, struct err *e)
{
    struct session_list l;
    struct view *v;
    const char *whole = query_url(r, session_list_query(r));
    if (has_form(r) && strlen(whole) <= PAGE_PATH_MAX) {
        resp_redirect(out, "%s", whole);
        return RC_OK;
    }
    enum rc rc = session_list_read(r, SESSION_LIST_PAGE, &l, e);
    if (rc == RC_OK && l.query.trashed) {
        resp_redirect(out, "%s", query_view_trash_url(r, &l.query));
        return RC_OK;
    }
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "script_later.sessions"), AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "any", l.n > 0);
    view_text(v, "q", req_str(r, F_Q).len ? req_text(r, F_Q) : NULL);
    view_filters(r, &l, v);
    query_view_chips(r, v, &l.query, query_url);
    struct view *notes = view_list(v, "notes");
    for (size_t i = 0; i < l.notes_n; i++)
        view_item_text(notes, l.notes[i]);
    view_choices(r, &l, v);
    const char *here = here_url(r);
    view_text(v, "back", here);
    view_text(v, "edit", arena_printf(r->arena, "%s%cedit=", here, strchr(here, '?') ? '&' : '?'));
    view_text(v, "next_url", l.next ? list_url(r, l.q, F_AFTER, str_of(l.next)) : NULL);
    view_text(v, "newer_url", l.newer ? list_url(r, l.q, F_NEWER, str_of(l.newer)) : NULL);
    view_str(v, "select_q", l.q);
    view_text(v, "select_show", session_list_show(&l));
    view_bool(v, "more_match", l.next || l.newer);
    const struct locale locale = req_locale(r);
    struct view *list = view_list(v, "sessions");
    for (size_t i = 0; i < l.n; i++) {
        struct view *row = view_item(list);
        session_view(r->arena, row, &locale, &l.rows[i]);
        view_bool(row, "edited", str_is(req_str(r, F_EDIT), l.rows[i].pub));
    }
    return resp_page(r, out, 200, "sessions", v, e);
}

enum rc page_sessions_edit(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct session s;
    struct view *v;
    enum rc rc = session_of_path(r, &s, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "script_later.sessions"), AT_SESSIONS, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    const struct session_list none = {.filter = {.show = SESSIONS_LISTED}};
    view_filters(r, &none, v);
    view_choices(r, &none, v);
    view_bool(v, "any", true);
    view_text(v, "back", page_local_path(r, F_BACK, "/sessions"));
    const struct locale locale = req_locale(r);
    struct view *row = view_item(view_list(v, "sessions"));
    session_view(r->arena, row, &locale, &s);
    view_bool(row, "edited", true);
    return page_problem(r, out, "sessions", v, why, e);
}

#include "web/search/search_routes.h"

#include "codec/url.h"
#include "store/session/workspace.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"
#include "web/search/index_progress.h"
#include "web/search/search_resource.h"
#include "web/search/search_view.h"
#include "web/session/query_view.h"
#include "web/session/session_resource.h"

static const char *const labels[] = {
    [SEARCH_SHOW_ALL] = "search.all",
    [SEARCH_SHOW_MESSAGES] = "search.messages",
    [SEARCH_SHOW_SESSIONS] = "search.sessions",
    [SEARCH_SHOW_FACTS] = "search.facts",
    [SEARCH_SHOW_FILES] = "search.files",
};

/* The same search with another kind of results, or another query. */
static const char *search_url(const struct req *r, struct str show, struct str q)
{
    return URL_WITH(r->arena, "/search", {field_name(F_SHOW), show}, {field_name(F_Q), q},
        {field_name(F_AFTER), req_str(r, F_AFTER)}, {field_name(F_BEFORE), req_str(r, F_BEFORE)},
        {field_name(F_WORKSPACE), req_str(r, F_WORKSPACE)}, {field_name(F_SESSION), req_str(r, F_SESSION)});
}

static const char *query_url(const struct req *r, struct str q)
{
    return search_url(r, req_str(r, F_SHOW), q);
}

static void view_shows(const struct req *r, struct view *v)
{
    enum search_show now;
    struct view *list = view_list(v, "shows");
    if (search_show_of(r, &now, NULL) != RC_OK)
        now = SEARCH_SHOW_ALL; /* the page reports the invalid word */
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        struct view *item = view_item(list);
        view_text(item, "label", lang_text(r->lang, labels[i]));
        view_text(
            item, "show_url", search_url(r, str_of(search_show_name((enum search_show)i)), req_str(r, F_Q)));
        view_bool(item, "current", i == (size_t)now);
    }
    view_text(v, "show", now == SEARCH_SHOW_ALL ? NULL : search_show_name(now));
    view_bool(v, "all_kinds", now == SEARCH_SHOW_ALL);
    view_bool(v, "only_sessions", now == SEARCH_SHOW_SESSIONS);
}

static enum rc page_search(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    struct search_results found;
    struct err why = ERR_INIT;
    enum rc rc = page_view(r, lang_text(r->lang, "search.title"), AT_SEARCH, 0, &v, e);
    if (rc == RC_OK)
        rc = index_progress_text(r, v, r->who.user_id, e);
    if (rc != RC_OK)
        return rc;
    bool asked = req_str(r, F_Q).len > 0;
    view_text(v, "progress_url", "/page/search/progress");
    view_text(v, "q", asked ? req_text(r, F_Q) : NULL);
    view_text(v, "after", req_text(r, F_AFTER));
    view_text(v, "before", req_text(r, F_BEFORE));
    view_bool(v, "dated", req_str(r, F_AFTER).len || req_str(r, F_BEFORE).len);
    view_text(v, "workspace", req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL);
    view_bool(v, "asked", asked);
    view_shows(r, v);
    rc = search_results_read(r, &found, &why);
    if (rc != RC_OK && page_can_say(rc))
        return page_problem(r, out, "search", v, &why, e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    if (found.query.trashed) {
        resp_redirect(out, "%s", query_view_trash_url(r, &found.query));
        return RC_OK;
    }
    if (req_str(r, F_SESSION).len) {
        view_text(v, "session", req_text(r, F_SESSION));
        view_text(v, "session_title", session_title(r->lang, found.session_title));
    }
    query_view_chips(r, v, &found.query, query_url);
    query_view_notes(r, v, &found.query);
    if (found.more)
        view_text(v, "more_url",
            URL_WITH(r->arena, "/sessions", {field_name(F_Q), req_str(r, F_Q)},
                {field_name(F_WORKSPACE), req_str(r, F_WORKSPACE)}));
    search_results_view(r, v, &found);
    return resp_page(r, out, 200, "search", v, e);
}

static enum rc script_progress(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = index_progress_text(r, v, r->who.user_id, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc api_search(struct req *r, struct resp *out, struct err *e)
{
    struct search_results found;
    enum rc rc = search_results_read(r, &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    search_results_resource(r->arena, r->lang, v, &found);
    return resp_json(out, 200, v, e);
}

static enum rc api_related(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct search_sessions found;
    enum rc rc = session_of_path(r, &s, e);
    if (rc == RC_OK)
        rc = related_read(r, s.id, (int)req_int(r, F_LIMIT), &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    related_resource(r->arena, r->lang, v, &found);
    return resp_json(out, 200, v, e);
}

static enum rc api_search_progress(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    enum rc rc = index_progress_resource(r, v, r->who.user_id, e);
    return rc == RC_OK ? resp_json(out, 200, v, e) : rc;
}

static enum rc script_typed(struct req *r, struct resp *out, struct err *e)
{
    struct search_typed found;
    enum rc rc = search_typed(r->web->store,
        &(struct search_input){r->who.user_id, r->now, r->zone, req_str(r, F_Q)}, r->arena, &found, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    search_typed_resource(r->arena, v, &found);
    return resp_json(out, 200, v, e);
}

/* FIELD_LINES, because a blank at the end means that the word is complete. */
static const struct field_rule typed_fields[] = {
    {.field = F_Q, .type = FIELD_LINES, .max = SEARCH_Q_MAX},
    {.field = F_NONE},
};

static const struct field_rule page_search_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_Q, .type = FIELD_LINE, .max = SEARCH_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_AFTER, .type = FIELD_LINE},
    {.field = F_BEFORE, .type = FIELD_LINE},
    {.field = F_NONE},
};

static const struct field_rule api_search_fields[] = {
    {.field = F_Q, .type = FIELD_LINE, .max = SEARCH_Q_MAX},
    {.field = F_SHOW, .type = FIELD_LINE},
    {.field = F_AFTER, .type = FIELD_LINE},
    {.field = F_BEFORE, .type = FIELD_LINE},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = SEARCH_HITS_MAX},
    {.field = F_WORKSPACE, .type = FIELD_LINE, .max = WORKSPACE_CHARS_MAX},
    {.field = F_SESSION, .type = FIELD_ID_SESSION},
    {.field = F_NONE},
};

static const struct field_rule related_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_LIMIT, .type = FIELD_INT, .min = 1, .max = RELATED_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET, "/search",                         page_search,         PAGE_READ(ACCESS_MEMBER),   page_search_fields},

    {HTTP_GET, "/api/search",                     api_search,          API_READ(ACCESS_MEMBER, SCOPE_READ),    api_search_fields},
    {HTTP_GET, "/api/search/progress",            api_search_progress, API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_GET, "/api/sessions/{session}/related", api_related,         API_READ(ACCESS_MEMBER, SCOPE_READ),    related_fields},

    {HTTP_GET, "/page/search/progress",           script_progress,     SCRIPT_READ(ACCESS_MEMBER), no_fields},
    {HTTP_GET, "/page/search/typed",              script_typed,        SCRIPT_READ(ACCESS_MEMBER), typed_fields},
};
/* clang-format on */

const struct route_table search_routes = {routes, ARRAY_LEN(routes)};

/* The page that searches all that was said, what sessions were about, and the facts. */
#include "codec/url.h"
#include "web/page/pages.h"
#include "web/search/index_progress.h"
#include "web/http/respond.h"
#include "web/search/search_results.h"

#define URL_MAX 4096

static const char *const labels[] = {
    [SEARCH_SHOW_ALL] = "All",
    [SEARCH_SHOW_MESSAGES] = "Messages",
    [SEARCH_SHOW_SESSIONS] = "Sessions",
    [SEARCH_SHOW_FACTS] = "Facts",
};

static void add_param(const struct req *r, struct strbuf *url, enum field f)
{
    if (req_str(r, f).len == 0)
        return;
    strbuf_addf(url, "&%s=", field_name(f));
    url_encode(url, req_str(r, f));
}

/* The same search for another kind. */
static const char *show_url(const struct req *r, enum search_show show)
{
    static const enum field kept[] = {F_AFTER, F_BEFORE, F_WORKSPACE};
    AUTO_STRBUF url;
    strbuf_init(&url, URL_MAX);
    strbuf_addf(&url, "/search?show=%s", search_show_name(show));
    add_param(r, &url, F_Q);
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        add_param(r, &url, kept[i]);
    return arena_strndup(r->arena, url.s, url.len);
}

static void view_shows(const struct req *r, struct view *v)
{
    enum search_show now;
    struct view *list = view_list(v, "shows");
    if (search_show_of(r, &now, NULL) != RC_OK)
        now = SEARCH_SHOW_ALL; /* the page says what was wrong */
    for (size_t i = 0; i < ARRAY_LEN(labels); i++) {
        struct view *item = view_item(list);
        view_text(item, "label", labels[i]);
        view_text(item, "show_url", show_url(r, (enum search_show)i));
        view_bool(item, "current", i == (size_t)now);
    }
    view_text(v, "show", now == SEARCH_SHOW_ALL ? NULL : search_show_name(now));
    view_bool(v, "all_kinds", now == SEARCH_SHOW_ALL);
    view_bool(v, "only_sessions", now == SEARCH_SHOW_SESSIONS);
}

static bool has_any(const struct view *v, const char *list)
{
    return view_first(view_get(v, str_of(list))) != NULL;
}

enum rc page_search(struct req *r, struct resp *out, struct err *e)
{
    struct view *v;
    struct err why = ERR_INIT;
    enum rc rc = page_view(r, "Search", AT_SEARCH, 0, &v, e);
    if (rc == RC_OK)
        rc = progress_view(r, v, r->who.user_id, e);
    if (rc != RC_OK)
        return rc;
    bool asked = req_str(r, F_Q).len > 0;
    view_text(v, "progress_api", "/api/search/progress");
    view_text(v, "q", asked ? req_text(r, F_Q) : NULL);
    view_text(v, "after", req_text(r, F_AFTER));
    view_text(v, "before", req_text(r, F_BEFORE));
    view_bool(v, "dated", req_str(r, F_AFTER).len || req_str(r, F_BEFORE).len);
    view_text(v, "workspace", req_str(r, F_WORKSPACE).len ? req_text(r, F_WORKSPACE) : NULL);
    view_bool(v, "asked", asked);
    view_shows(r, v);
    rc = search_view(r, v, true, &why);
    if (rc != RC_OK && page_can_say(rc))
        return page_problem(r, out, "search", v, &why, e);
    if (rc != RC_OK) {
        *e = why;
        return rc;
    }
    view_bool(v, "any_memories", has_any(v, "memories"));
    view_bool(v, "any_sessions", has_any(v, "sessions"));
    view_bool(v, "any_hits", has_any(v, "talks"));
    return resp_page(r, out, 200, "search", v, e);
}

/* The page of one session, and the routes of its figures. */
#include "app/tools/tools.h"
#include "base/humanize.h"
#include "codec/markdown/markdown.h"
#include "codec/url.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"
#include "web/session/session_details.h"
#include "web/usage/usage_view.h"

static const char *number(const struct req *r, int64_t n)
{
    return humanize_number(r->arena, r->lang, n);
}

static const char *joined_channels(const struct req *r, const struct session_stats *s)
{
    const char *all = "";
    for (size_t i = 0; i < s->channels_n; i++)
        all = arena_printf(r->arena, "%s%s%s", all, i ? ", " : "", channel_label(r, s->channels[i]));
    return all;
}

static void view_models(const struct req *r, struct view *v, const struct session_details *d)
{
    struct view *list = view_list(v, "models");
    for (size_t i = 0; i < d->stats.models_n; i++) {
        const struct model_stats *m = &d->stats.models[i];
        struct view *row = view_item(list);
        view_text(row, "name", *m->model ? m->model : m->provider);
        view_text(row, "provider", *m->model && *m->provider ? m->provider : NULL);
        view_text(row, "answers", number(r, m->answers));
        view_text(row, "input", number(r, m->tokens_in));
        view_text(row, "cached", number(r, m->tokens_cached));
        view_text(row, "output", number(r, m->tokens_out));
        view_bool(row, "priced", d->cost >= 0);
        view_text(row, "cost", d->costs[i] < 0 ? "–" : cost_words(r, d->costs[i]));
    }
}

static void view_tools(struct req *r, struct view *v, const struct session_stats *s)
{
    struct view *list = view_list(v, "tools");
    for (size_t i = 0; i < s->tools_n; i++) {
        struct view *row = view_item(list);
        view_text(row, "name", tool_label(r->arena, r->lang, s->tools[i].tool, ""));
        view_text(row, "calls", number(r, s->tools[i].calls));
    }
}

/* The first words of the last message. */
static const char *branch_words(struct arena *a, struct str text)
{
    AUTO_STRBUF plain;
    strbuf_init(&plain, 2 * (text.len + 1));
    bool read = markdown_plain(text, &plain);
    return arena_strndup(a, read ? plain.s : text.s, read ? plain.len : text.len);
}

static void view_branches(struct req *r, struct view *v, const struct session_details *d)
{
    const struct locale l = req_locale(r);
    struct view *list = view_list(v, "branches");
    for (size_t i = 0; i < d->stats.branches_shown; i++) {
        const struct branch_end *b = &d->stats.branches[i];
        struct view *row = view_item(list);
        view_text(row, "url", message_url(r->arena, d->session.pub, b->id));
        view_text(row, "words", branch_words(r->arena, b->text));
        view_bool(row, "current", b->id == d->session.head_id);
        view_created(r->arena, row, &l, b->created_at);
    }
}

static void view_details(struct req *r, struct view *v, const struct session_details *d)
{
    struct arena *a = r->arena;
    const struct session_stats *s = &d->stats;
    const struct locale l = req_locale(r);
    view_text(v, "session_title", session_title(r->lang, d->session.title));
    if (!d->session.ends_at) /* the index does not have the messages of temporary chats */
        view_text(v, "search_url", URL_WITH(a, "/search", {field_name(F_SESSION), str_of(d->session.pub)}));
    view_text(v, "session_url", session_url(a, d->session.pub));
    view_text(v, "created", humanize_exact(a, &l, d->session.created_at));
    view_text(v, "active", humanize_exact(a, &l, d->session.active_at));
    view_text(v, "questions", number(r, s->asked));
    view_text(v, "answers", number(r, s->answered));
    view_text(v, "calls", s->tool_results ? number(r, s->tool_results) : NULL);
    view_text(v, "compactions", s->compactions ? number(r, s->compactions) : NULL);
    view_text(v, "summaries", s->summaries ? number(r, s->summaries) : NULL);
    view_text(v, "workspace", d->session.workspace);
    view_text(v, "workspace_url",
        d->session.workspace ? workspace_page_url(a, str_of(d->session.workspace)) : NULL);
    view_text(v, "channels", joined_channels(r, s));
    view_text(v, "size", humanize_bytes(r->arena, r->lang, d->bytes, LANG_ROUND_UP));
    view_text(v, "cost", d->cost < 0 ? NULL : cost_words(r, d->cost));
    struct view *tags = view_list(v, "tags");
    for (size_t i = 0; i < d->tags_n; i++) {
        struct view *tag = view_item(tags);
        view_text(tag, "name", d->tags[i].name);
        view_int(tag, "colour", d->tags[i].colour);
    }
    view_bool(v, "any_models", s->models_n > 0);
    view_bool(v, "any_tools", s->tools_n > 0);
    view_bool(v, "any_branches", s->branches_n > 1);
    view_text(v, "branch_count",
        s->branches_n > (int64_t)s->branches_shown
            ? lang_count(a, r->lang, "details.branches_more", s->branches_n, NULL)
            : NULL);
    view_models(r, v, d);
    view_tools(r, v, s);
    view_branches(r, v, d);
}

static enum rc page_details(struct req *r, struct resp *out, struct err *e)
{
    struct session_details d;
    struct view *v;
    enum rc rc = session_details_read(r, &d, e);
    if (rc == RC_OK)
        rc = page_about(r, "details.title_of", &d.session, &v, e);
    if (rc != RC_OK)
        return rc;
    view_details(r, v, &d);
    return resp_page(r, out, 200, "details", v, e);
}

static enum rc api_details(struct req *r, struct resp *out, struct err *e)
{
    struct session_details d;
    enum rc rc = session_details_read(r, &d, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    session_details_resource(r, v, &d);
    return resp_json(out, 200, v, e);
}

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET, "/sessions/{session}/details",     page_details, PAGE_READ(ACCESS_MEMBER),            session_fields},

    {HTTP_GET, "/api/sessions/{session}/details", api_details,  API_READ(ACCESS_MEMBER, SCOPE_READ), session_fields},
};
/* clang-format on */

const struct route_table session_details_routes = {routes, ARRAY_LEN(routes)};

/* Shared links for their owners: the list, the links of a session, making, renewing and ending one. */
#include "web/share/share_routes.h"

#include "app/share/share.h"
#include "base/humanize.h"
#include "store/session/session.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

static bool has_ended(const struct req *r, const struct share *h)
{
    return h->expires_at && h->expires_at <= r->now;
}

static void share_resource(const struct req *r, struct view *v, const struct share *h, const char *title)
{
    view_id(r->arena, v, "id", h->id);
    view_text(v, "url", arena_printf(r->arena, "%s/share/%s", r->web->config->server.public_url, h->token));
    view_text(v, "session", h->session);
    view_text(v, "title", title);
    view_text(v, "name", h->name);
    view_bool(v, "password", h->password != NULL);
    view_bool(v, "tools", h->tools);
    view_bool(v, "ended", has_ended(r, h));
    view_int(v, "messages", h->messages);
    view_int(v, "pictures", h->pictures);
    view_at(v, "created_at", h->created_at);
    view_at(v, "copied_at", h->copied_at);
    view_at(v, "expires_at", h->expires_at);
}

/* A link ends at the end of its last day, which is midnight of the next one. */
static const char *last_day(struct arena *a, const struct locale *l, int64_t expires_at)
{
    struct tm day = time_zone_local(l->zone, expires_at - 1);
    return humanize_date(a, l->lang, &day, WITH_YEAR);
}

static void view_share(const struct req *r, struct view *v, const struct share *h)
{
    const struct locale l = req_locale(r);
    share_resource(r, v, h, session_title(r->lang, h->title));
    view_text(v, "session_url", session_url(r->arena, h->session));
    view_text(v, "count_words", lang_count(r->arena, r->lang, "count.messages", h->messages, NULL));
    view_text(v, "pictures_words",
        h->pictures ? lang_count(r->arena, r->lang, "count.pictures", h->pictures, NULL) : NULL);
    view_time_words(r->arena, v, &l, "copied_words", "copied_exact", h->copied_at);
    view_text(v, "last_day", h->expires_at ? last_day(r->arena, &l, h->expires_at) : NULL);
}

/* Of the session of the address, or all. */
static enum rc read_shares(struct req *r, struct session *s, struct share **list, size_t *n, struct err *e)
{
    enum rc rc = RC_OK;
    *s = (struct session){0};
    struct db *db = store_read(r->web->store);
    if (req_has(r, F_SESSION))
        rc = store_session_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), s, e);
    if (rc == RC_OK)
        rc = store_share_list(db, r->arena, r->who.user_id, s->id, list, n, e);
    store_read_done(r->web->store, db);
    return rc;
}

/* ---- pages ---- */

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct session s;
    struct share *list = NULL;
    size_t n = 0;
    struct view *v;
    bool one = req_has(r, F_SESSION);
    const char *title = lang_text(r->lang, one ? "share.title" : "share.list");
    enum rc rc = read_shares(r, &s, &list, &n, e);
    if (rc == RC_OK)
        rc = page_view(r, title, one ? AT_NONE : AT_SHARES, s.id, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "heading", title);
    if (one) {
        struct view *session = view_obj(v, "session");
        view_text(session, "id", s.pub);
        view_text(session, "url", session_url(r->arena, s.pub));
        view_text(session, "title", session_title(r->lang, s.title));
    }
    view_bool(v, "allowed", share_allowed(r->web->config, r->who.role));
    view_bool(v, "any", n > 0);
    struct view *shares = view_list(v, "shares");
    for (size_t i = 0; i < n; i++) {
        struct view *item = view_item(shares);
        view_share(r, item, &list[i]);
        view_bool(item, "of_one", one);
    }
    return why ? page_problem(r, out, "shares", v, why, e) : resp_page(r, out, 200, "shares", v, e);
}

static enum rc page_shares(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc add(struct req *r, int64_t *id, struct err *e)
{
    struct auth_client from = req_client(r);
    struct share_input in = {.session = req_text(r, F_SESSION),
        .name = req_text(r, F_NAME),
        .password = req_text(r, F_PASSWORD),
        .until = req_text(r, F_UNTIL),
        .tools = req_int(r, F_TOOLS) != 0,
        .zone = r->zone};
    return share_add(r->web->store, r->web->config, &r->who, &in, &from, id, e);
}

static enum rc page_share_add(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    int64_t id;
    enum rc rc = add(r, &id, &why);
    return rc == RC_OK ? page_done(out, arena_printf(r->arena, "/sessions/%s/share", req_text(r, F_SESSION)),
                             "shared")
                       : page_again(r, out, show, &why, e);
}

static enum rc page_share_renew(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    enum rc rc = share_renew(r->web->store, r->web->config, &r->who, req_int(r, F_SHARE), &from, &why);
    return rc == RC_OK ? page_done(out, page_local_path(r, F_BACK, "/shares"), "share_renewed")
                       : page_again(r, out, show, &why, e);
}

static enum rc page_share_end(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = share_end(r->web->store, &r->who, req_int(r, F_SHARE), &from, e);
    return rc == RC_OK ? page_done(out, page_local_path(r, F_BACK, "/shares"), "share_ended") : rc;
}

/* ---- the API ---- */

static enum rc answer(struct req *r, struct resp *out, int status, int64_t id, struct err *e)
{
    struct share h;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_share_get(db, r->arena, r->who.user_id, id, &h, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    share_resource(r, view_obj(v, "share"), &h, h.title);
    return resp_json(out, status, v, e);
}

static enum rc api_shares(struct req *r, struct resp *out, struct err *e)
{
    struct session s;
    struct share *list = NULL;
    size_t n = 0;
    enum rc rc = read_shares(r, &s, &list, &n, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena), *shares = view_list(v, "shares");
    for (size_t i = 0; i < n; i++)
        share_resource(r, view_item(shares), &list[i], list[i].title);
    return resp_json(out, 200, v, e);
}

/* Everybody can read the copy of a link, so a program that may not read may not make one. */
#define SCOPES_TO_SHARE (SCOPE_READ | SCOPE_WRITE)

static enum rc api_share_add(struct req *r, struct resp *out, struct err *e)
{
    int64_t id;
    enum rc rc = req_need_scopes(r, SCOPES_TO_SHARE, e);
    if (rc == RC_OK)
        rc = add(r, &id, e);
    return rc == RC_OK ? answer(r, out, 201, id, e) : rc;
}

static enum rc api_share_renew(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = req_need_scopes(r, SCOPES_TO_SHARE, e);
    if (rc == RC_OK)
        rc = share_renew(r->web->store, r->web->config, &r->who, req_int(r, F_SHARE), &from, e);
    return rc == RC_OK ? answer(r, out, 200, req_int(r, F_SHARE), e) : rc;
}

static enum rc api_share_end(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = share_end(r->web->store, &r->who, req_int(r, F_SHARE), &from, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- routes ---- */

static const struct field_rule list_fields[] = {
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};
static const struct field_rule session_list_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NONE},
};
static const struct field_rule add_fields[] = {
    {.field = F_SESSION, .type = FIELD_ID_SESSION, .required = true},
    {.field = F_NAME, .type = FIELD_LINE, .max = SHARE_NAME_CHARS_MAX},
    {.field = F_PASSWORD, .type = FIELD_SECRET},
    {.field = F_UNTIL, .type = FIELD_LINE},
    {.field = F_TOOLS, .type = FIELD_BOOL},
    {.field = F_NONE},
};
static const struct field_rule share_fields[] = {
    {.field = F_SHARE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_NONE},
};
static const struct field_rule page_share_fields[] = {
    {.field = F_SHARE, .type = FIELD_ID_ROW, .required = true},
    {.field = F_BACK, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,    "/shares",                        page_shares,      PAGE_READ(ACCESS_MEMBER),   list_fields},
    {HTTP_GET,    "/sessions/{session}/share",      page_shares,      PAGE_READ(ACCESS_MEMBER),   session_list_fields},
    {HTTP_POST,   "/sessions/{session}/share",      page_share_add,   PAGE_CHANGE(ACCESS_MEMBER), add_fields},
    {HTTP_POST,   "/shares/{share}/renew",          page_share_renew, PAGE_CHANGE(ACCESS_MEMBER), page_share_fields},
    {HTTP_POST,   "/shares/{share}/end",            page_share_end,   PAGE_CHANGE(ACCESS_MEMBER), page_share_fields},

    {HTTP_GET,    "/api/shares",                    api_shares,       API_READ(ACCESS_MEMBER, SCOPE_READ),    no_fields},
    {HTTP_GET,    "/api/sessions/{session}/shares", api_shares,       API_READ(ACCESS_MEMBER, SCOPE_READ),    session_fields},
    {HTTP_POST,   "/api/sessions/{session}/shares", api_share_add,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  add_fields},
    {HTTP_POST,   "/api/shares/{share}/renew",      api_share_renew,  API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  share_fields},
    {HTTP_DELETE, "/api/shares/{share}",            api_share_end,    API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  share_fields},
};
/* clang-format on */

const struct route_table share_routes = {routes, ARRAY_LEN(routes)};

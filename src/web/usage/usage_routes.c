#include "web/usage/usage_routes.h"

#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/usage/usage_resource.h"
#include "web/usage/usage_view.h"

#define DAYS_STANDARD 30

static const int ranges[] = {7, DAYS_STANDARD, 90, 365};

static int days_of(const struct req *r)
{
    return req_has(r, F_DAYS) ? (int)req_int(r, F_DAYS) : DAYS_STANDARD;
}

/* Owner 0: all users, who have no common budget. */
static enum rc read_usage(struct req *r, int64_t owner, struct usage *u, struct budget *b, struct err *e)
{
    const struct config *c = r->web->config;
    struct db *db = store_read(r->web->store);
    *b = (struct budget){0};
    enum rc rc = usage_read(db, r->arena, c, owner, days_of(r), r->zone, r->now, u, e);
    if (rc == RC_OK && owner)
        rc = budget_read(db, c, owner, r->zone, r->now, b, e);
    store_read_done(r->web->store, db);
    return rc;
}

static void view_ranges(const struct req *r, struct view *v, const char *path)
{
    struct view *list = view_list(v, "ranges");
    for (size_t i = 0; i < ARRAY_LEN(ranges); i++) {
        struct view *item = view_item(list);
        view_text(item, "label", lang_count(r->arena, r->lang, "usage.range", ranges[i], NULL));
        view_text(item, "url", arena_printf(r->arena, "%s?days=%d", path, ranges[i]));
        view_bool(item, "current", ranges[i] == days_of(r));
    }
}

static enum rc show(struct req *r, struct resp *out, int64_t owner, const char *path, struct err *e)
{
    struct usage u;
    struct budget b;
    struct view *v;
    const char *title = lang_text(r->lang, owner ? "usage.title" : "usage.title_all");
    enum rc rc = read_usage(r, owner, &u, &b, e);
    if (rc == RC_OK)
        rc = page_view(r, title, AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "heading", title);
    view_text(v, "all_url", owner && r->who.role == USER_ADMIN ? "/admin/usage" : NULL);
    view_text(v, "own_url", owner ? NULL : "/usage");
    view_ranges(r, v, path);
    usage_view(r, v, &u);
    view_text(v, "budget", budget_words(r->arena, r->lang, r->web->config, &b));
    return resp_page(r, out, 200, "usage", v, e);
}

static enum rc page_usage(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, r->who.user_id, "/usage", e);
}

static enum rc page_usage_all(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, 0, "/admin/usage", e);
}

static enum rc answer(struct req *r, struct resp *out, int64_t owner, struct err *e)
{
    struct usage u;
    struct budget b;
    enum rc rc = read_usage(r, owner, &u, &b, e);
    if (rc != RC_OK)
        return rc;
    struct view *v = view_new(r->arena);
    usage_days_resource(r, v, &u, &b);
    return resp_json(out, 200, v, e);
}

static enum rc api_usage(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, r->who.user_id, e);
}

static enum rc api_usage_all(struct req *r, struct resp *out, struct err *e)
{
    return answer(r, out, 0, e);
}

static const struct field_rule usage_fields[] = {
    {.field = F_DAYS, .type = FIELD_INT, .min = 1, .max = USAGE_DAYS_MAX},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET, "/usage",         page_usage,     PAGE_READ(ACCESS_MEMBER), usage_fields},
    {HTTP_GET, "/admin/usage",   page_usage_all, PAGE_READ(ACCESS_ADMIN),  usage_fields},

    {HTTP_GET, "/api/usage",     api_usage,      API_READ(ACCESS_MEMBER, SCOPE_READ), usage_fields},
    {HTTP_GET, "/api/usage/all", api_usage_all,  API_READ(ACCESS_ADMIN, SCOPE_READ),  usage_fields},
};
/* clang-format on */

const struct route_table usage_routes = {routes, ARRAY_LEN(routes)};

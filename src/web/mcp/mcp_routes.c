#include "web/mcp/mcp_routes.h"

#include "app/mcp/connected.h"
#include "base/humanize.h"
#include "base/said.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

#define DESCRIPTION_SHOWN 300 /* bytes */

static const char *const why_keys[] = {[CONNECTED_OFFERED] = NULL,
    [CONNECTED_FAULT] = "connected.fault",
    [CONNECTED_CHANGES] = "connected.left_out",
    [CONNECTED_NOT_NAMED] = "connected.left_out"};

static const char *effect_of(const struct config_mcp *m, const struct mcp_tool *t)
{
    if (t->reads)
        return "connected.reads";
    return m->ask == CONFIG_MCP_ASK_CHANGES ? "connected.changes_asked" : "connected.changes";
}

/* Members see the tools that are offered, admins all of them with the reason. */
static void view_tools(struct req *r, struct view *v, const struct config_mcp *m, const char *stored)
{
    struct view *list = view_list(v, "tools");
    struct mcp_tools tools = mcp_list_tools(r->arena, stored);
    bool admin = r->who.role == USER_ADMIN;
    size_t shown = 0;
    for (size_t i = 0; i < tools.n; i++) {
        const struct mcp_tool *t = &tools.list[i];
        enum connected_why why = connected_why(m, t);
        if (why != CONNECTED_OFFERED && !admin)
            continue;
        struct view *row = view_item(list);
        view_text(row, "title", t->title);
        view_str(row, "description", humanize_line(r->arena, str_of(t->description), DESCRIPTION_SHOWN));
        view_text(row, "effect", lang_text(r->lang, effect_of(m, t)));
        view_text(row, "why", why_keys[why] ? lang_text(r->lang, why_keys[why]) : NULL);
        shown++;
    }
    view_bool(v, "no_tools", shown == 0);
}

static void view_server(
    struct req *r, struct view *v, const struct config_mcp *m, const struct mcp_server_row *row)
{
    struct locale l = req_locale(r);
    bool admin = r->who.role == USER_ADMIN;
    view_text(v, "label", mcp_server_label(m));
    view_text(v, "key", m->name);
    view_text(
        v, "failure", admin && row && row->failure ? said_words(r->arena, r->lang, row->failure) : NULL);
    bool listed = row && row->listed_at;
    view_bool(v, "listed", listed);
    if (listed)
        view_time(r->arena, v, &l, "listed_at", "listed_words", "listed_exact", row->listed_at);
    view_tools(r, v, m, row ? row->tools : "");
}

static enum rc page_connected(struct req *r, struct resp *out, struct err *e)
{
    const struct config *c = r->web->config;
    struct mcp_server_row *rows = NULL;
    struct view *v;
    size_t n = 0;
    enum rc rc = page_view(r, lang_text(r->lang, "connected.title"), AT_SETTINGS, 0, &v, e);
    if (rc == RC_OK && c->mcp_n) {
        struct db *db = store_read(r->web->store);
        rc = store_mcp_read(db, r->arena, &rows, &n, e);
        store_read_done(r->web->store, db);
    }
    if (rc != RC_OK)
        return rc;
    struct view *list = view_list(v, "servers");
    bool any = false;
    for (size_t i = 0; i < c->mcp_n; i++) {
        if (!mcp_server_serves(&c->mcp[i], r->who.name))
            continue;
        view_server(r, view_item(list), &c->mcp[i], mcp_row_of(rows, n, &c->mcp[i]));
        any = true;
    }
    view_bool(v, "none", !any);
    return resp_page(r, out, 200, "connected", v, e);
}

static const struct route routes[] = {
    {HTTP_GET, "/connected-tools", page_connected, PAGE_READ(ACCESS_MEMBER), no_fields},
};

const struct route_table mcp_routes = {routes, ARRAY_LEN(routes)};

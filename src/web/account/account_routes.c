/* The account of a user: password, second step, signed-in devices, API tokens. */
#include "web/account/account_routes.h"

#include "app/account/api_token.h"
#include "app/jobs/helper_notify.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "web/account/account_page.h"
#include "web/account/account_resource.h"
#include "web/account/token_view.h"
#include "web/http/gate.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

static enum rc view_logins(struct req *r, struct view *v, struct err *e)
{
    struct login *logins;
    size_t n;
    int64_t idle_since = r->now - r->web->config->login.idle_days * MS_PER_DAY;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_login_list(db, r->arena, r->who.user_id, r->now, idle_since, &logins, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    const struct locale l = req_locale(r);
    struct view *list = view_list(v, "logins");
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(list);
        view_text(row, "id", logins[i].pub);
        view_text(row, "agent_words", humanize_agent(r->arena, r->lang, logins[i].agent));
        view_text(row, "address", logins[i].address);
        view_at(row, "created_at", logins[i].created_at);
        view_created_words(r->arena, row, &l, logins[i].created_at);
        view_at(row, "used_at", logins[i].used_at);
        view_time_words(r->arena, row, &l, "used_words", "used_exact", logins[i].used_at);
        view_bool(row, "current", logins[i].id == r->who.login_id);
    }
    return RC_OK;
}

enum rc account_show(
    struct req *r, struct resp *out, const struct account_fresh *fresh, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "account.title"), AT_ACCOUNT, 0, &v, e);
    if (rc == RC_OK)
        rc = view_logins(r, v, e);
    if (rc == RC_OK)
        rc = second_step_view(r, v, e);
    if (rc == RC_OK)
        rc = linked_view(r, v, fresh ? fresh->link_code : NULL, e);
    if (rc == RC_OK)
        rc = tokens_view(r, v, fresh ? fresh->token : NULL, e);
    if (rc != RC_OK)
        return rc;
    return why ? page_problem(r, out, "account", v, why, e) : resp_page(r, out, 200, "account", v, e);
}

static enum rc show(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return account_show(r, out, NULL, why, e);
}

static enum rc page_account(struct req *r, struct resp *out, struct err *e)
{
    return show(r, out, NULL, e);
}

static enum rc page_password(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    enum rc rc = auth_change_password(r->web->store, r->web->config, &r->who, req_text(r, F_CURRENT),
        req_text(r, F_PASSWORD), &from, &in, &why);
    if (rc != RC_OK)
        return page_again(r, out, show, &why, e);
    gate_signed_in(r, out, &in);
    return page_done(out, "/account", "password");
}

static enum rc page_revoke(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_revoke(r->web->store, &r->who, req_text(r, F_LOGIN), &from, e);
    return rc == RC_OK ? page_done(out, "/account", "revoked") : rc;
}

static enum rc page_revoke_others(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_revoke_others(r->web->store, &r->who, &from, e);
    return rc == RC_OK ? page_done(out, "/account", "revoked_others") : rc;
}

/* Wakes the helper, which erases the rest. */
static enum rc page_leave(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct err why = ERR_INIT;
    enum rc rc = auth_leave(
        r->web->store, r->web->config, &r->who, req_text(r, F_NAME), req_text(r, F_CURRENT), &from, &why);
    if (rc != RC_OK)
        return page_again(r, out, show, &why, e);
    helper_notify(r->web->config->server.data_dir);
    gate_signed_out(out);
    return page_done(out, "/signin", "account_deleted");
}

static enum rc api_me(struct req *r, struct resp *out, struct err *e)
{
    struct view *v = view_new(r->arena);
    const char *scopes = r->bearer ? api_scopes_text(r->arena, r->who.token.scopes) : NULL;
    me_resource(r->web, v, &r->who, r->csrf, scopes);
    return resp_json(out, 200, v, e);
}

static enum rc api_me_change(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = auth_set_time_zone(r->web->store, r->who.user_id, req_text(r, F_TIME_ZONE), e);
    if (rc != RC_OK)
        return rc;
    struct str name = req_str(r, F_TIME_ZONE);
    if (!r->who.settings.value[SETTING_TIME_ZONE][0])
        memcpy(r->who.time_zone, name.s, name.len + 1); /* a valid name fits */
    return api_me(r, out, e);
}

/* ---- routes ---- */

static const struct field_rule password_fields[] = {
    {.field = F_CURRENT, .type = FIELD_SECRET, .required = true},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule leave_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_CURRENT, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule me_fields[] = {
    {.field = F_TIME_ZONE, .type = FIELD_LINE, .required = true, .max = TIME_ZONE_NAME_MAX},
    {.field = F_NONE},
};

static const struct field_rule login_fields[] = {
    {.field = F_LOGIN, .type = FIELD_ID_LOGIN, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,   "/account",                       page_account,       PAGE_READ(ACCESS_MEMBER),   notice_fields},
    {HTTP_POST,  "/account/password",              page_password,      PAGE_CHANGE(ACCESS_MEMBER), password_fields},
    {HTTP_POST,  "/account/delete",                page_leave,         PAGE_CHANGE(ACCESS_MEMBER), leave_fields},
    {HTTP_POST,  "/account/logins/{login}/revoke", page_revoke,        PAGE_CHANGE(ACCESS_MEMBER), login_fields},
    {HTTP_POST,  "/account/logins/revoke-others",  page_revoke_others, PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_GET,   "/api/me",                        api_me,             API_READ(ACCESS_MEMBER, SCOPE_ANY),    no_fields},
    {HTTP_PATCH, "/api/me",                       api_me_change,      API_CHANGE(ACCESS_MEMBER, SCOPE_WRITE),  me_fields},
};
/* clang-format on */

const struct route_table account_routes = {routes, ARRAY_LEN(routes)};

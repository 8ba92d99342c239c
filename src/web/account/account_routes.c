/* A person's own account: password, and where they are signed in. */
#include "base/clock.h"
#include "web/http/gate.h"
#include "web/page/pages.h"
#include "web/chat/message_view.h"
#include "web/page/humanize.h"

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
    struct view *list = view_list(v, "logins");
    for (size_t i = 0; i < n; i++) {
        struct view *row = view_item(list);
        view_text(row, "id", logins[i].pub);
        view_text(row, "agent_words", words_agent(r->arena, logins[i].agent));
        view_text(row, "address", logins[i].address);
        view_created(r->arena, row, logins[i].created_at, r->now);
        view_used(r->arena, row, logins[i].used_at, r->now);
        view_bool(row, "current", logins[i].id == r->who.login_id);
    }
    return RC_OK;
}

static enum rc account(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, "Account", AT_ACCOUNT, 0, &v, e);
    if (rc == RC_OK)
        rc = view_logins(r, v, e);
    if (rc != RC_OK)
        return rc;
    return why ? page_problem(r, out, "account", v, why, e) : resp_page(r, out, 200, "account", v, e);
}

enum rc page_account(struct req *r, struct resp *out, struct err *e)
{
    return account(r, out, NULL, e);
}

enum rc page_password(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    enum rc rc = auth_change_password(r->web->store, r->web->config, &r->who, req_text(r, F_CURRENT),
        req_text(r, F_PASSWORD), &from, &in, &why);
    if (rc == RC_OK) {
        gate_set_cookie(out, r->web->config, in.token);
        page_done(out, "/account", "password");
    } else if (page_can_say(rc)) {
        return account(r, out, &why, e);
    } else {
        *e = why;
    }
    return rc;
}

enum rc page_revoke(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_revoke(r->web->store, &r->who, req_text(r, F_LOGIN), &from, e);
    if (rc == RC_OK)
        page_done(out, "/account", "revoked");
    return rc;
}

enum rc page_revoke_others(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_revoke_others(r->web->store, &r->who, &from, e);
    if (rc == RC_OK)
        page_done(out, "/account", "revoked_others");
    return rc;
}

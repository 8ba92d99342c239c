/* The doors: signing in and out, and the page behind a one-time link. */
#include "web/http/gate.h"
#include "web/page/pages.h"
#include "web/http/respond.h"

/* An empty value would open the template's section of that name. */
static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

static enum rc signin_form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, "Sign in", AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "next", page_local_path(r, F_NEXT, "/"));
    view_text(v, "name", or_null(req_text(r, F_NAME)));
    return why ? page_problem(r, out, "signin", v, why, e) : resp_page(r, out, 200, "signin", v, e);
}

enum rc page_signin(struct req *r, struct resp *out, struct err *e)
{
    if (!r->signed_in)
        return signin_form(r, out, NULL, e);
    resp_redirect(out, "%s", page_local_path(r, F_NEXT, "/"));
    return RC_OK;
}

enum rc page_signin_post(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    enum rc rc = auth_signin(
        r->web->store, r->web->config, req_text(r, F_NAME), req_text(r, F_PASSWORD), &from, &in, &why);
    if (rc == RC_OK) {
        gate_set_cookie(out, r->web->config, in.token);
        resp_redirect(out, "%s", page_local_path(r, F_NEXT, "/"));
    } else if (page_can_say(rc)) {
        return signin_form(r, out, &why, e);
    } else {
        *e = why;
    }
    return rc;
}

enum rc page_signout(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_signout(r->web->store, &r->who, &from, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND) /* not found: another tab was faster */
        return rc;
    gate_set_cookie(out, r->web->config, NULL);
    resp_redirect(out, "/signin");
    return RC_OK;
}

static enum rc welcome_form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    int64_t users;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_user_count(db, &users, e);
    store_read_done(r->web->store, db);
    if (rc == RC_OK)
        rc = page_view(r, "Welcome", AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "first", users == 0);
    view_text(v, "code", or_null(req_text(r, F_CODE)));
    view_text(v, "name", or_null(req_text(r, F_NAME)));
    return why ? page_problem(r, out, "welcome", v, why, e) : resp_page(r, out, 200, "welcome", v, e);
}

enum rc page_welcome(struct req *r, struct resp *out, struct err *e)
{
    return welcome_form(r, out, NULL, e);
}

enum rc page_welcome_post(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    enum rc rc = auth_welcome(r->web->store, r->web->config, req_text(r, F_CODE), req_text(r, F_NAME),
        req_text(r, F_PASSWORD), &from, &in, &why);
    if (rc == RC_OK) {
        gate_set_cookie(out, r->web->config, in.token);
        resp_redirect(out, "/");
    } else if (page_can_say(rc)) {
        return welcome_form(r, out, &why, e);
    } else {
        *e = why;
    }
    return rc;
}

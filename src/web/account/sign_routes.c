/* Signing in and out, the page for the code of the second step, and the page of a one-time link. */
#include "web/account/sign_routes.h"

#include "app/account/settings.h"
#include "base/log.h"
#include "codec/url.h"
#include "web/account/account_resource.h"
#include "web/http/gate.h"
#include "web/http/web.h"
#include "web/page/pages.h"

#define CODE_PAGE      "/signin/code"
#define CODE_CHARS_MAX 128 /* characters of a one-time link; longer than any valid one */

/* An empty value would open the template's section with this name. */
static const char *or_null(const char *s)
{
    return s && *s ? s : NULL;
}

static enum rc count_users(const struct req *r, int64_t *users, struct err *e)
{
    struct db *db = store_read(r->web->store);
    enum rc rc = store_user_count(db, users, e);
    store_read_done(r->web->store, db);
    return rc;
}

static enum rc signin_form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    int64_t users;
    enum rc rc = count_users(r, &users, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "signin.submit"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "nobody", users == 0);
    view_text(v, "next", page_local_path(r, F_NEXT, "/"));
    view_text(v, "name", or_null(req_text(r, F_NAME)));
    return why ? page_problem(r, out, "signin", v, why, e) : resp_page(r, out, 200, "signin", v, e);
}

static enum rc page_signin(struct req *r, struct resp *out, struct err *e)
{
    if (!r->signed_in)
        return signin_form(r, out, NULL, e);
    resp_redirect(out, "%s", page_local_path(r, F_NEXT, "/"));
    return RC_OK;
}

/* Stores the time zone and the language of the browser, so that the first page after the sign-in shows dates
 * in this zone. A script fills the field of the form. */
static void note_browser(struct req *r, int64_t user_id)
{
    struct err e = ERR_INIT;
    if (req_str(r, F_TIME_ZONE).len &&
        auth_set_time_zone(r->web->store, user_id, req_text(r, F_TIME_ZONE), &e) != RC_OK)
        log_warn("the time zone of user %lld could not be stored: %s", (long long)user_id, e.text);
    e = ERR_INIT;
    if (settings_note_lang(r->web->store, user_id, r->lang, &e) != RC_OK)
        log_warn("the language of user %lld could not be stored: %s", (long long)user_id, e.text);
}

/* The browser goes on to the page for the code, or to where it wanted to go. */
static enum rc signed_in(struct req *r, struct resp *out, const struct auth_signin *in)
{
    const char *next = page_local_path(r, F_NEXT, "/");
    if (*in->begun) {
        gate_signin_begun(out, in);
        next = URL_WITH(r->arena, CODE_PAGE, {field_name(F_NEXT), str_of(next)});
    } else {
        note_browser(r, in->user_id);
        gate_signed_in(r, out, in);
    }
    resp_redirect(out, "%s", next);
    return RC_OK;
}

static enum rc page_signin_post(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    enum rc rc = auth_signin(
        r->web->store, r->web->config, req_text(r, F_NAME), req_text(r, F_PASSWORD), NULL, &from, &in, &why);
    return rc == RC_OK ? signed_in(r, out, &in) : page_again(r, out, signin_form, &why, e);
}

/* ---- the code of the second step ---- */

static enum rc code_form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    enum rc rc = page_view(r, lang_text(r->lang, "second.title"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_text(v, "next", page_local_path(r, F_NEXT, "/"));
    return why ? page_problem(r, out, "signin-code", v, why, e) : resp_page(r, out, 200, "signin-code", v, e);
}

/* The sign-in has not begun, or too long ago: from the start. */
static enum rc sign_in_again(struct req *r, struct resp *out)
{
    resp_redirect(out, "%s",
        URL_WITH(r->arena, "/signin", {field_name(F_DONE), STR("signin_again")},
            {field_name(F_NEXT), str_of(page_local_path(r, F_NEXT, "/"))}));
    return RC_OK;
}

static enum rc page_code(struct req *r, struct resp *out, struct err *e)
{
    const char *begun = gate_begun(r);
    if (r->signed_in) {
        resp_redirect(out, "%s", page_local_path(r, F_NEXT, "/"));
        return RC_OK;
    }
    enum rc rc = begun ? auth_signin_is_begun(r->web->store, begun, r->now, e) : RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND)
        return sign_in_again(r, out);
    return rc == RC_OK ? code_form(r, out, NULL, e) : rc;
}

static enum rc page_code_post(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    const char *begun = gate_begun(r);
    enum rc rc =
        begun ? auth_signin_code(r->web->store, r->web->config, begun, req_text(r, F_CODE), &from, &in, &why)
              : RC_NOT_FOUND;
    if (rc == RC_NOT_FOUND)
        return sign_in_again(r, out);
    return rc == RC_OK ? signed_in(r, out, &in) : page_again(r, out, code_form, &why, e);
}

/* RC_NOT_FOUND: another tab has signed out already. */
static enum rc sign_out(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    enum rc rc = auth_signout(r->web->store, &r->who, &from, e);
    if (rc != RC_OK && rc != RC_NOT_FOUND)
        return rc;
    gate_signed_out(out);
    return RC_OK;
}

static enum rc page_signout(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = sign_out(r, out, e);
    if (rc == RC_OK)
        resp_redirect(out, "/signin");
    return rc;
}

/* ---- programs ---- */

/* The answer is that of GET /api/me, with the CSRF token of the new login. There is one request for both
 * steps. */
static enum rc api_signin(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct auth_signin in;
    struct identity who;
    char csrf[CSRF_SIZE];
    enum rc rc = auth_signin(r->web->store, r->web->config, req_text(r, F_NAME), req_text(r, F_PASSWORD),
        req_has(r, F_CODE) ? req_text(r, F_CODE) : "", &from, &in, e);
    if (rc == RC_OK)
        rc = auth_identify(r->web->store, r->web->config, in.token, r->now, &who, e);
    if (rc != RC_OK)
        return rc;
    gate_signed_in(r, out, &in);
    auth_csrf(in.token, csrf);
    struct view *v = view_new(r->arena);
    me_resource(r->web, v, &who, csrf, NULL);
    return resp_json(out, 200, v, e);
}

static enum rc api_signout(struct req *r, struct resp *out, struct err *e)
{
    enum rc rc = sign_out(r, out, e);
    return rc == RC_OK ? resp_json(out, 200, view_new(r->arena), e) : rc;
}

/* ---- the page of a one-time link ---- */

/* The name of the user whom the link invites. NULL: unknown, also when too many codes were tried. */
static const char *invited_name(const struct req *r, const struct err *why, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    char *name = arena_alloc(r->arena, USER_NAME_MAX + 1);
    bool bad_code = why && (why->rc == RC_UNAUTHENTICATED || why->rc == RC_RATE_LIMITED);
    if (!or_null(req_text(r, F_CODE)) || bad_code)
        return NULL;
    enum rc rc = auth_code_name(r->web->store, r->web->config, req_text(r, F_CODE), &from, name, e);
    return rc == RC_OK ? or_null(name) : NULL;
}

static enum rc welcome_view(
    struct req *r, struct resp *out, const char *invited, const struct err *why, struct err *e)
{
    struct view *v;
    int64_t users;
    enum rc rc = count_users(r, &users, e);
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "welcome.title"), AT_NONE, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_bool(v, "first", users == 0);
    view_text(v, "code", or_null(req_text(r, F_CODE)));
    view_text(v, "invited", invited);
    return why ? page_problem(r, out, "welcome", v, why, e) : resp_page(r, out, 200, "welcome", v, e);
}

static enum rc welcome_form(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return welcome_view(r, out, invited_name(r, why, NULL), why, e);
}

static enum rc page_welcome(struct req *r, struct resp *out, struct err *e)
{
    return welcome_view(r, out, NULL, NULL, e);
}

/* The form without a password asks for the name only. The code comes in a body, because an address is stored
 * in logs and in the history. */
static enum rc show_name(struct req *r, struct resp *out, struct err *e)
{
    struct err why = ERR_INIT;
    const char *name = invited_name(r, NULL, &why);
    if (why.rc != RC_OK)
        return page_again(r, out, welcome_form, &why, e);
    return welcome_view(r, out, name, NULL, e);
}

static enum rc page_welcome_post(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct auth_signin in;
    struct err why = ERR_INIT;
    const struct setting_change shown = {SETTING_DISPLAY_NAME, req_str(r, F_DISPLAY_NAME)};
    if (!req_str(r, F_PASSWORD).len && !req_has(r, F_NAME))
        return show_name(r, out, e);
    enum rc rc = setting_check(&shown, &why);
    if (rc == RC_OK)
        rc = auth_welcome(r->web->store, r->web->config, req_text(r, F_CODE), req_text(r, F_NAME),
            req_text(r, F_PASSWORD), &from, &in, &why);
    if (rc != RC_OK)
        return page_again(r, out, welcome_form, &why, e);
    if (str_trim(shown.value).len && settings_save(r->web->store, in.user_id, &shown, 1, &why) != RC_OK)
        log_warn("the display name of user %lld could not be stored: %s", (long long)in.user_id, why.text);
    return signed_in(r, out, &in);
}

/* ---- routes ---- */

static const struct field_rule signin_get_fields[] = {
    {.field = F_DONE, .type = FIELD_LINE},
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule signin_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_TIME_ZONE, .type = FIELD_LINE, .max = TIME_ZONE_NAME_MAX},
    {.field = F_NONE},
};

static const struct field_rule code_get_fields[] = {
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_NONE},
};

static const struct field_rule code_fields[] = {
    {.field = F_CODE, .type = FIELD_SECRET, .required = true},
    {.field = F_NEXT, .type = FIELD_LINE, .max = PAGE_PATH_MAX},
    {.field = F_TIME_ZONE, .type = FIELD_LINE, .max = TIME_ZONE_NAME_MAX},
    {.field = F_NONE},
};

static const struct field_rule welcome_fields[] = {
    {.field = F_CODE, .type = FIELD_LINE, .required = true, .max = CODE_CHARS_MAX},
    {.field = F_DISPLAY_NAME, .type = FIELD_LINE},
    {.field = F_NAME, .type = FIELD_LINE},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_TIME_ZONE, .type = FIELD_LINE, .max = TIME_ZONE_NAME_MAX},
    {.field = F_NONE},
};

static const struct field_rule api_signin_fields[] = {
    {.field = F_NAME, .type = FIELD_LINE, .required = true},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_CODE, .type = FIELD_SECRET},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  "/signin",                        page_signin,        PAGE_READ(ACCESS_PUBLIC),   signin_get_fields},
    {HTTP_POST, "/signin",                        page_signin_post,   PAGE_BEFORE_SIGNIN(ACCESS_PUBLIC), signin_fields},
    {HTTP_GET,  CODE_PAGE,                        page_code,          PAGE_READ(ACCESS_PUBLIC),   code_get_fields},
    {HTTP_POST, CODE_PAGE,                        page_code_post,     PAGE_BEFORE_SIGNIN(ACCESS_PUBLIC), code_fields},
    {HTTP_POST, "/signout",                       page_signout,       PAGE_CHANGE(ACCESS_MEMBER), no_fields},
    {HTTP_GET,  "/welcome",                       page_welcome,       PAGE_READ(ACCESS_PUBLIC),   no_fields},
    {HTTP_POST, "/welcome",                       page_welcome_post,  PAGE_BEFORE_SIGNIN(ACCESS_PUBLIC), welcome_fields},

    {HTTP_POST, "/api/signin",                     api_signin,         API_BEFORE_SIGNIN(ACCESS_PUBLIC),    api_signin_fields},
    {HTTP_POST, "/api/signout",                    api_signout,        API_CHANGE(ACCESS_MEMBER, SCOPE_LOGIN),  no_fields},
};
/* clang-format on */

const struct route_table sign_routes = {routes, ARRAY_LEN(routes)};

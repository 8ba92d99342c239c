#include "web/account/second_step_routes.h"

#include <sodium.h>

#include "app/account/second_step.h"
#include "app/account/totp.h"
#include "app/config/hosts.h"
#include "base/log.h"
#include "codec/qr_code.h"
#include "codec/url.h"
#include "web/account/account_page.h"
#include "web/http/gate.h"
#include "web/http/resource.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/views.h"

#define PAGE      "/account/second-step"
#define GROUP     4 /* characters of the secret, as apps show it */
#define LINES_MAX 1024

enum rc second_step_view(struct req *r, struct view *v, struct err *e)
{
    struct second_step have;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_second_step_get(db, r->who.user_id, &have, e);
    store_read_done(r->web->store, db);
    sodium_memzero(have.secret, sizeof have.secret);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && !have.active_at))
        return RC_OK;
    if (rc != RC_OK)
        return rc;
    const struct locale l = req_locale(r);
    struct view *o = view_obj(v, "second");
    view_at(o, "created_at", have.active_at);
    view_created_words(r->arena, o, &l, have.active_at);
    view_text(o, "left_words", lang_count(r->arena, r->lang, "second.left", have.recovery, NULL));
    return RC_OK;
}

/* ---- setting it up ---- */

/* "ABCD EFGH ..." */
static const char *in_groups(struct arena *a, const char *text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, LINES_MAX);
    for (size_t i = 0; text[i]; i++) {
        if (i && i % GROUP == 0)
            strbuf_addc(&out, ' ');
        strbuf_addc(&out, text[i]);
    }
    return arena_strndup(a, out.s, out.len);
}

static void view_secret(struct req *r, struct view *v, const unsigned char secret[SECOND_STEP_SECRET])
{
    struct markup svg;
    struct err e = ERR_INIT;
    struct view *o = view_obj(v, "setup");
    struct str host = host_of_url(str_of(r->web->config->server.public_url));
    const char *account = arena_printf(r->arena, "%s@%.*s", r->who.name, STR_FMT(host));
    const char *url = totp_url(r->arena, secret, account);
    view_text(o, "secret", in_groups(r->arena, totp_secret_text(r->arena, secret)));
    view_text(o, "url", url);
    if (qr_code_svg(r->arena, url, &svg, &e) == RC_OK)
        view_html(o, "qr_html", svg);
    else
        log_warn("no QR code: %s", e.text);
}

static enum rc show_setup(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v;
    unsigned char secret[SECOND_STEP_SECRET];
    enum rc rc = second_step_begun(r->web->store, &r->who, r->now, secret, e);
    if (rc == RC_NOT_FOUND) {
        resp_redirect(out, "/account#second-step");
        return RC_OK;
    }
    if (rc == RC_OK)
        rc = page_view(r, lang_text(r->lang, "second.title"), AT_ACCOUNT, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    view_secret(r, v, secret);
    sodium_memzero(secret, sizeof secret);
    return why ? page_problem(r, out, "second-step", v, why, e) : resp_page(r, out, 200, "second-step", v, e);
}

static enum rc page_setup(struct req *r, struct resp *out, struct err *e)
{
    return show_setup(r, out, NULL, e);
}

static enum rc account_again(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    return account_show(r, out, NULL, why, e);
}

static enum rc page_begin(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct err why = ERR_INIT;
    enum rc rc =
        second_step_begin(r->web->store, r->web->config, &r->who, req_text(r, F_CURRENT), &from, &why);
    if (rc != RC_OK)
        return page_again(r, out, account_again, &why, e);
    resp_redirect(out, PAGE);
    return RC_OK;
}

/* ---- recovery codes ---- */

/* The only page that has them. A link without a script saves them as a file. */
static enum rc show_codes(
    struct req *r, struct resp *out, char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE], struct err *e)
{
    struct view *v;
    AUTO_STRBUF lines, url;
    strbuf_init(&lines, LINES_MAX);
    strbuf_init(&url, 4 * LINES_MAX);
    for (size_t i = 0; i < RECOVERY_CODES; i++)
        strbuf_addf(&lines, "%s%s", codes[i], i + 1 < RECOVERY_CODES ? "\n" : "");
    strbuf_adds(&url, "data:text/plain;charset=utf-8,");
    url_encode(&url, str_of(lang_text(r->lang, "second.file_head")));
    url_encode(&url, STR("\n\n"));
    url_encode(&url, strbuf_str(&lines));
    url_encode(&url, STR("\n"));
    enum rc rc = page_view(r, lang_text(r->lang, "second.recovery"), AT_ACCOUNT, 0, &v, e);
    if (rc != RC_OK)
        return rc;
    struct view *o = view_obj(v, "recovery");
    view_str(o, "lines", strbuf_str(&lines));
    view_int(o, "rows", RECOVERY_CODES);
    view_str(o, "file_url", strbuf_str(&url));
    out->secret = true;
    return resp_page(r, out, 200, "second-step", v, e);
}

static enum rc page_confirm(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = req_client(r);
    struct err why = ERR_INIT;
    char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE];
    enum rc rc = second_step_confirm(r->web->store, &r->who, req_text(r, F_CODE), &from, codes, &why);
    if (rc == RC_NOT_FOUND) {
        resp_redirect(out, "/account#second-step");
        return RC_OK;
    }
    return rc == RC_OK ? show_codes(r, out, codes, e) : page_again(r, out, show_setup, &why, e);
}

/* The answer to a change of one that another tab has turned off. */
static enum rc after_change(struct req *r, struct resp *out, enum rc rc, const struct err *why, struct err *e)
{
    if (rc == RC_NOT_FOUND || rc == RC_OK)
        return page_done(out, "/account", "second_off");
    return page_again(r, out, account_again, why, e);
}

static enum rc page_new_codes(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct err why = ERR_INIT;
    char codes[RECOVERY_CODES][RECOVERY_CODE_SIZE];
    enum rc rc = second_step_new_codes(r->web->store, r->web->config, &r->who, req_text(r, F_CURRENT),
        req_text(r, F_CODE), &from, codes, &why);
    return rc == RC_OK ? show_codes(r, out, codes, e) : after_change(r, out, rc, &why, e);
}

static enum rc page_off(struct req *r, struct resp *out, struct err *e)
{
    struct auth_client from = gate_signin_client(r);
    struct err why = ERR_INIT;
    enum rc rc = second_step_off(
        r->web->store, r->web->config, &r->who, req_text(r, F_CURRENT), req_text(r, F_CODE), &from, &why);
    return after_change(r, out, rc, &why, e);
}

/* ---- routes ---- */

static const struct field_rule begin_fields[] = {
    {.field = F_CURRENT, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule confirm_fields[] = {
    {.field = F_CODE, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct field_rule change_fields[] = {
    {.field = F_CURRENT, .type = FIELD_SECRET, .required = true},
    {.field = F_CODE, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

/* clang-format off */
static const struct route routes[] = {
    {HTTP_GET,  PAGE,            page_setup,     PAGE_READ(ACCESS_MEMBER),   no_fields},
    {HTTP_POST, PAGE,            page_begin,     PAGE_CHANGE(ACCESS_MEMBER), begin_fields},
    {HTTP_POST, PAGE "/confirm", page_confirm,   PAGE_CHANGE(ACCESS_MEMBER), confirm_fields},
    {HTTP_POST, PAGE "/codes",   page_new_codes, PAGE_CHANGE(ACCESS_MEMBER), change_fields},
    {HTTP_POST, PAGE "/off",     page_off,       PAGE_CHANGE(ACCESS_MEMBER), change_fields},
};
/* clang-format on */

const struct route_table second_step_routes = {routes, ARRAY_LEN(routes)};

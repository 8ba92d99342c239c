#include "web/page/error_page.h"

#include "app/account/api_token.h"
#include "base/clock.h"
#include "base/log.h"
#include "codec/url.h"
#include "store/session/session.h"
#include "store/trash/trash.h"
#include "web/http/gate.h"
#include "web/http/respond.h"
#include "web/http/web.h"
#include "web/page/pages.h"
#include "web/page/typed_view.h"
#include "web/page/views.h"

#define SHARE_PATH    "/share/"
#define CALENDAR_PATH "/calendar/"
#define NEXT_MAX      800 /* bytes of an address that is kept during a sign-in */

/* A deleted session and a foreign one get the same text, and so do a shared link that has ended and one that
 * never was. */
static const char *error_text(const struct req *r, const struct err *e)
{
    struct str rest = r->path, begin = STR("/s/");
    if (e->rc == RC_NOT_FOUND && str_starts(r->path, STR(SHARE_PATH)))
        return lang_text(r->lang, "error.no_share");
    if (e->rc != RC_NOT_FOUND || strcmp(e->said, SESSION_ENDED) == 0 || !str_starts(rest, begin) ||
        memchr(rest.s + begin.len, '/', rest.len - begin.len))
        return public_text(r, e);
    return lang_text(r->lang, "error.no_session");
}

/* True when the session or message of the address is in the user's trash. The error page then says so and
 * offers to restore it. */
static bool find_in_trash(const struct req *r, struct trash_entry *out)
{
    if (!r->signed_in || !req_has(r, F_SESSION))
        return false;
    struct db *db = store_read(r->web->store);
    enum rc rc = store_trash_get(db, r->arena, r->who.user_id, req_text(r, F_SESSION), out, NULL);
    if (rc == RC_NOT_FOUND && req_has(r, F_MESSAGE))
        rc = store_trash_of_message(db, r->arena, r->who.user_id, req_int(r, F_MESSAGE), out, NULL);
    if (rc == RC_NOT_FOUND && req_has(r, F_AT))
        rc = store_trash_of_message(db, r->arena, r->who.user_id, req_int(r, F_AT), out, NULL);
    store_read_done(r->web->store, db);
    return rc == RC_OK;
}

/* The page with the form that was sent, without the notice of an earlier change. s = NULL: unknown, or no
 * form was sent. */
static struct str page_of_form(const struct req *r)
{
    const char *referer = req_param(r, "HTTP_REFERER"), *host = referer ? strstr(referer, "://") : NULL;
    const char *path = host ? strchr(host + strlen("://"), '/') : NULL;
    bool notice = path && (strstr(path, "?done=") || strstr(path, "&done="));
    struct str page = path ? (struct str){path, strcspn(path, notice ? "?#" : "#")} : STR("");
    return r->method != HTTP_GET && path_is_local(page) ? page : (struct str){0};
}

static const char *signin_path(const struct req *r)
{
    struct str page = page_of_form(r);
    return page.s ? URL_WITH(r->arena, "/signin", {field_name(F_NEXT), page}) : "/";
}

/* The form is from another sign-in, or from one that has ended. */
static bool sign_in_changed(const struct req *r, const struct err *e)
{
    return r->signed_in ? e->rc == RC_FORBIDDEN && strcmp(e->said, ERROR_OLD_PAGE) == 0
                        : e->rc == RC_UNAUTHENTICATED;
}

static enum rc error_page(
    struct req *r, struct resp *out, const struct trash_entry *in_trash, const struct err *e)
{
    struct view *v = view_new(r->arena);
    page_common_view(r, v, error_title(r->lang, e->rc));
    view_int(v, "status", http_status(e->rc));
    view_text(v, "title", error_title(r->lang, e->rc));
    view_text(v, "text", error_text(r, e));
    if (in_trash)
        view_text(v, "restore", in_trash->pub);
    sent_file_view(r, v);
    bool other = sign_in_changed(r, e),
         gone = r->signed_in && r->route && (e->rc == RC_NOT_FOUND || in_trash);
    bool typed = (other || gone) && typed_view(r, v),
         reload = typed && other && r->signed_in && page_of_form(r).s;
    view_bool(v, "returns", other);
    const char *to = r->signed_in ? "/" : signin_path(r);
    if (reload)
        to = arena_str(r->arena, page_of_form(r)).s;
    view_text(v, "action_url", e->rc == RC_MISDIRECTED ? r->web->config->server.public_url : to);
    view_text(v, "action_label",
        lang_text(r->lang, reload         ? "script_later.reload"
                           : r->signed_in ? "error.back"
                                          : "error.sign_in"));
    return resp_page(r, out, http_status(e->rc), "error", v, NULL);
}

/* Passes the requested path on as the next page. The sign-in checks that it is local. */
static void redirect_to_signin(const struct req *r, struct resp *out)
{
    AUTO_STRBUF next;
    strbuf_init(&next, NEXT_MAX);
    url_encode(&next, r->path);
    if (*r->query) {
        strbuf_adds(&next, "%3F");
        url_encode(&next, str_of(r->query));
    }
    bool useful = !next.failed && !str_is(r->path, "/");
    resp_redirect(out, "/signin%s%s", useful ? "?next=" : "", useful ? next.s : "");
}

/* The addresses of shared links and of calendars are secrets. */
static struct str logged_path(const struct req *r)
{
    static const char *const secret[] = {SHARE_PATH, CALENDAR_PATH};
    for (size_t i = 0; i < ARRAY_LEN(secret); i++)
        if (str_starts(r->path, str_of(secret[i])))
            return str_of(secret[i]);
    return r->path;
}

/* RFC 9110, 15.5.6: a 405 lists the allowed methods. */
static void add_allow(struct resp *out, unsigned methods)
{
    AUTO_STRBUF list;
    strbuf_init(&list, 128);
    for (int m = HTTP_GET; m < HTTP_OTHER; m++)
        if (methods & 1u << m)
            strbuf_addf(&list, "%s%s", list.len ? ", " : "", http_method_name((enum http_method)m));
    resp_header(out, "Allow", "%s", list.s);
}

/* RFC 6750, 3: why the API token is refused, or that one is missing. */
static void add_challenge(const struct req *r, struct resp *out, enum rc rc)
{
    if (rc == RC_UNAUTHENTICATED)
        resp_header(out, "WWW-Authenticate", "Bearer realm=\"Alfred\"%s",
            r->bearer ? ", error=\"invalid_token\"" : "");
    else if (rc == RC_FORBIDDEN && r->bearer && r->route &&
             (r->needed_scopes || !(r->route->scopes & (r->who.token.scopes | SCOPE_LOGIN))))
        resp_header(out, "WWW-Authenticate",
            "Bearer realm=\"Alfred\", error=\"insufficient_scope\", scope=\"%s\"",
            api_scopes_text(r->arena, r->needed_scopes ? r->needed_scopes : r->route->scopes));
}

/* RateLimit and RateLimit-Policy are of draft-ietf-httpapi-ratelimit-headers: so many failures in a window,
 * and nothing remains for so many seconds. They are for failed sign-ins and wrong tokens. `stream` has
 * another limit, that of running turns, which has no window. */
static void add_limit(const struct req *r, struct resp *out, const struct err *e)
{
    const struct config *c = r->web->config;
    resp_header(out, "Retry-After", "%d", error_retry_after(e));
    bool of_turns = r->who.user_id && strcmp(r->web->program, "stream") == 0;
    if (e->rc != RC_RATE_LIMITED || of_turns)
        return;
    resp_header(out, "RateLimit-Policy", "\"failures\";q=%lld;w=%lld", (long long)c->login.failures,
        (long long)(c->login.failure_minutes * MS_PER_MIN / MS_PER_S));
    resp_header(out, "RateLimit", "\"failures\";r=0;t=%d", error_retry_after(e));
}

static void respond(struct req *r, struct resp *out, const struct trash_entry *in_trash, const struct err *e)
{
    strbuf_clear(&out->head);
    strbuf_clear(&out->body);
    out->file_size = 0;
    out->policy = out->referrer = out->cache = NULL;
    int status = http_status(e->rc);
    if (status >= 500) /* many, while a disk is full */
        log_repeat_cause(&r->web->failures[e->rc], LOG_ERROR, e->text, "%s %.*s: %s: %s",
            http_method_name(r->method), STR_FMT(logged_path(r)), rc_name(e->rc), e->text);
    else /* the client is told; security events have an audit row */
        log_debug(
            "%s %.*s: %s: %s", http_method_name(r->method), STR_FMT(logged_path(r)), rc_name(e->rc), e->text);
    if (e->rc == RC_METHOD)
        add_allow(out, r->other_methods);
    if (r->bearer || r->surface == SURFACE_API || r->surface == SURFACE_V1)
        add_challenge(r, out, e->rc);
    if (error_retry_after(e))
        add_limit(r, out, e);

    if (r->surface != SURFACE_PAGE) {
        resp_json(out, status, error_view(r, e), NULL);
        out->type = error_type(r);
    } else if (e->rc == RC_UNAUTHENTICATED && r->method == HTTP_GET && !r->bearer) {
        redirect_to_signin(r, out);
    } else if (error_page(r, out, in_trash, e) != RC_OK) {
        out->status = status;
        out->type = "text/plain; charset=utf-8";
        strbuf_clear(&out->body);
        strbuf_addf(&out->body, "%s\n", public_text(r, e));
    }
}

void respond_error(struct req *r, struct resp *out, const struct err *e)
{
    struct trash_entry t;
    if (e->rc != RC_NOT_FOUND || !find_in_trash(r, &t)) {
        respond(r, out, NULL, e);
        return;
    }
    struct err why = ERR_INIT;
    err_say(&why, RC_GONE, t.message_id ? "trash.message_in" : "trash.session_in");
    respond(r, out, &t, &why);
}

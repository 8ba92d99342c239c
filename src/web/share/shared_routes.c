/*
 * The page that a shared link leads to. It is the same for everybody: it has no sidebar, no script and
 * nothing of its owner but the chosen name. A link with a password asks for it; the browser then keeps a key
 * in a cookie of that link.
 */
#include "web/share/shared_routes.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "app/account/token.h"
#include "app/share/share.h"
#include "base/clock.h"
#include "base/humanize.h"
#include "codec/cookie.h"
#include "web/http/conditional.h"
#include "web/http/respond.h"
#include "web/http/web.h"
#include "web/page/reading_view.h"
#include "web/page/views.h"
#include "web/picture/picture_resource.h"

#define AT_ONCE         200 /* messages of a page */
#define AT_ONCE_BYTES   (INT64_C(256) * 1024)
#define SHOWN_AT_ONCE   2 /* pages that a program renders: strangers cannot take the threads of the users */
#define BUSY_RETRY_S    2
#define COPY_PLACES     (INT64_C(1) << 20) /* ids of a copy in the cache of HTML */
#define COOKIE_BEGIN    "__Host-alfred-share-"
#define COOKIE_HASH_HEX 12 /* characters of the link's hash in the cookie's name */
#define KEY_SECONDS     (12 * 60 * 60)
#define LINK_CHARS_MAX  64
#define MIN_PER_H       60
#define PLACE_MAX       1000000
#define COOKIE_LINE_MAX 512
#define POLICY                                                                                    \
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; " \
    "frame-ancestors 'none'"

static const char *cookie_name(struct req *r, const struct share *h)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char hash[TOKEN_HASH_SIZE];
    char hex[COOKIE_HASH_HEX + 1] = "";
    token_hash(h->token, hash);
    for (int i = 0; i < COOKIE_HASH_HEX; i++)
        hex[i] = digits[i % 2 ? hash[i / 2] & 15 : hash[i / 2] >> 4];
    return arena_printf(r->arena, COOKIE_BEGIN "%s", hex);
}

static bool is_open(struct req *r, const struct share *h)
{
    struct str value;
    const char *cookies = h->password ? req_param(r, "HTTP_COOKIE") : NULL;
    bool kept = cookies && cookie_get(str_of(cookies), cookie_name(r, h), &value, NULL) == RC_OK;
    return share_is_open(h, kept ? arena_strndup(r->arena, value.s, value.len) : NULL);
}

/* For robots, the next site and caches. */
static void add_heads(struct resp *out)
{
    out->policy = POLICY;
    out->referrer = "no-referrer";
    out->cache = "private, no-cache";
    resp_header(out, "X-Robots-Tag", "noindex, nofollow, noarchive");
}

static struct view *page(struct req *r, const char *title)
{
    struct view *v = view_new(r->arena);
    view_text(v, "lang", lang_code(r->lang));
    view_text(v, "title_text", humanize_isolated(r->arena, title));
    view_text(v, "url", arena_printf(r->arena, "/share/%s", req_text(r, F_LINK)));
    return v;
}

/* ---- the password ---- */

static enum rc ask(struct req *r, struct resp *out, const struct err *why, struct err *e)
{
    struct view *v = page(r, lang_text(r->lang, "share.locked"));
    add_heads(out);
    out->cache = NULL;
    if (why && why->retry_after_s)
        resp_header(out, "Retry-After", "%d", why->retry_after_s);
    view_text(v, "problem", why ? public_text(r, why) : NULL);
    return resp_page(r, out, why ? http_status(why->rc) : 200, "shared-locked", v, e);
}

/* ---- the conversation ---- */

/* The same messages in the same language and zone have the same tag. It is known without reading them. */
static bool is_kept(struct req *r, struct resp *out, const struct share *h)
{
    const char *tag = arena_printf(r->arena, "W/\"%lld-%lld-%lld-%s-%s\"", (long long)h->id,
        (long long)h->copied_at, (long long)req_int(r, F_AFTER), lang_code(r->lang), r->who.time_zone);
    resp_header(out, "ETag", "%s", tag);
    return conditional_is_known(r, tag);
}

static void view_messages(
    struct req *r, struct view *v, const struct share *h, const struct message *m, size_t n)
{
    const struct locale l = req_locale(r);
    struct reading reading = {.locale = &l,
        .you = lang_text(r->lang, "share.question"),
        .name = h->name,
        .pictures = arena_printf(r->arena, "/share/%s/pictures/", h->token),
        .html = r->web->copy_html,
        .html_id = h->id * COPY_PLACES};
    struct view *list = view_list(v, "messages");
    for (size_t i = 0; i < n; i++)
        reading_view(r->arena, view_item(list), &reading, &m[i], (size_t)m[i].id);
}

/* "UTC", "UTC+1", "UTC-3:30" */
static const char *zone_words(struct arena *a, const struct locale *l, int64_t at)
{
    long minutes = time_zone_local(l->zone, at).tm_gmtoff / S_PER_MIN, size = labs(minutes);
    if (!minutes)
        return "UTC";
    const char *rest = size % MIN_PER_H ? arena_printf(a, ":%02ld", size % MIN_PER_H) : "";
    return arena_printf(a, "UTC%c%ld%s", minutes < 0 ? '-' : '+', size / MIN_PER_H, rest);
}

static enum rc render(struct req *r, struct resp *out, const struct share *h, struct err *e)
{
    struct message *m = NULL;
    size_t n = 0;
    char at[CLOCK_RFC3339_SIZE];
    const struct locale l = req_locale(r);
    struct db *db = store_read(r->web->store);
    enum rc rc =
        store_share_messages(db, r->arena, h->id, req_int(r, F_AFTER), AT_ONCE, AT_ONCE_BYTES, &m, &n, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    const char *title = session_title(r->lang, h->title);
    struct view *v = page(r, title);
    clock_rfc3339(h->copied_at, at);
    view_text(v, "title", title);
    view_text(v, "name", h->name);
    view_text(v, "copied_at", at);
    view_text(v, "copied_exact", humanize_exact(r->arena, &l, h->copied_at));
    view_text(v, "zone", zone_words(r->arena, &l, h->copied_at));
    int64_t after = req_int(r, F_AFTER), last = n ? m[n - 1].id : after;
    view_text(v, "next_url",
        n && last < h->messages ? arena_printf(r->arena, "/share/%s?after=%lld", h->token, (long long)last)
                                : NULL);
    view_text(v, "first_url", after ? arena_printf(r->arena, "/share/%s", h->token) : NULL);
    view_messages(r, v, h, m, n);
    return resp_page(r, out, 200, "shared", v, e);
}

static enum rc show(struct req *r, struct resp *out, const struct share *h, struct err *e)
{
    _Atomic int *showing = &r->web->showing_copies;
    enum rc rc;
    add_heads(out);
    if (is_kept(r, out, h)) {
        out->status = HTTP_NOT_MODIFIED;
        return RC_OK;
    }
    if (r->head_only) {
        out->type = "text/html; charset=utf-8";
        return RC_OK;
    }
    if (atomic_fetch_add(showing, 1) < SHOWN_AT_ONCE) {
        rc = render(r, out, h, e);
    } else {
        e->retry_after_s = BUSY_RETRY_S;
        rc = err_say(e, RC_UNAVAILABLE, "share.busy");
    }
    atomic_fetch_sub(showing, 1);
    return rc;
}

static enum rc find(struct req *r, struct share *h, struct err *e)
{
    struct auth_client from = req_client(r);
    return share_find(r->web->store, r->web->config, r->arena, req_text(r, F_LINK), &from, h, e);
}

static enum rc page_shared(struct req *r, struct resp *out, struct err *e)
{
    struct share h;
    enum rc rc = find(r, &h, e);
    if (rc != RC_OK)
        return rc;
    return is_open(r, &h) ? show(r, out, &h, e) : ask(r, out, NULL, e);
}

/* One of a locked link is not found: the page asks for the password. */
static enum rc shared_picture(struct req *r, struct resp *out, struct err *e)
{
    struct share h;
    struct share_picture p;
    const char *id = req_text(r, F_PICTURE);
    enum rc rc = find(r, &h, e);
    if (rc != RC_OK)
        return rc;
    if (!is_open(r, &h))
        return err_set(e, RC_NOT_FOUND, "a picture of a locked link");
    struct db *db = store_read(r->web->store);
    rc = store_share_picture(db, r->arena, h.id, id, &p, e);
    store_read_done(r->web->store, db);
    if (rc != RC_OK)
        return rc;
    add_heads(out);
    picture_answer(out, id, p.media_type, picture_is_kept(r, id) ? NULL : &p.data);
    return RC_OK;
}

static enum rc page_unlock(struct req *r, struct resp *out, struct err *e)
{
    struct share h;
    struct err why = ERR_INIT;
    struct auth_client from = req_client(r);
    char key[SHARE_KEY_SIZE];
    enum rc rc = find(r, &h, e);
    if (rc != RC_OK)
        return rc;
    if (h.password) {
        rc = share_unlock(r->web->store, r->web->config, &h, req_text(r, F_PASSWORD), &from, &why);
        if (rc == RC_UNAUTHENTICATED || rc == RC_RATE_LIMITED || rc == RC_UNAVAILABLE)
            return ask(r, out, &why, e);
        if (rc != RC_OK) {
            *e = why;
            return rc;
        }
        AUTO_STRBUF line;
        strbuf_init(&line, COOKIE_LINE_MAX);
        share_key(&h, key);
        rc = cookie_set_host(&line, cookie_name(r, &h), str_of(key), KEY_SECONDS, e);
        if (rc != RC_OK)
            return rc;
        resp_header(out, "Set-Cookie", "%s", line.s);
    }
    resp_redirect(out, "/share/%s", h.token);
    out->referrer = "no-referrer";
    return RC_OK;
}

/* ---- routes ---- */

static const struct field_rule shared_fields[] = {
    {.field = F_LINK, .type = FIELD_LINE, .required = true, .max = LINK_CHARS_MAX},
    {.field = F_AFTER, .type = FIELD_INT, .min = 0, .max = PLACE_MAX},
    {.field = F_NONE},
};
static const struct field_rule picture_fields[] = {
    {.field = F_LINK, .type = FIELD_LINE, .required = true, .max = LINK_CHARS_MAX},
    {.field = F_PICTURE, .type = FIELD_ID_PICTURE, .required = true},
    {.field = F_NONE},
};
static const struct field_rule unlock_fields[] = {
    {.field = F_LINK, .type = FIELD_LINE, .required = true, .max = LINK_CHARS_MAX},
    {.field = F_PASSWORD, .type = FIELD_SECRET, .required = true},
    {.field = F_NONE},
};

static const struct route routes[] = {
    {HTTP_GET, "/share/{link}", page_shared, PAGE_READ(ACCESS_PUBLIC), shared_fields},
    {HTTP_GET, "/share/{link}/pictures/{picture}", shared_picture, PAGE_READ(ACCESS_PUBLIC), picture_fields},
    {HTTP_POST, "/share/{link}", page_unlock, PAGE_BEFORE_SIGNIN(ACCESS_PUBLIC), unlock_fields},
};

const struct route_table shared_routes = {routes, ARRAY_LEN(routes)};

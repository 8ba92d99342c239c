#include "app/web_fetch/web_fetch.h"

#include <stdlib.h>
#include <strings.h>

#include "app/config/hosts.h"
#include "base/clock.h"
#include "base/version.h"
#include "codec/web_address.h"
#include "net/address_policy.h"
#include "net/http.h"

#define USER_AGENT "Alfred/" ALFRED_VERSION
#define ACCEPT     "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.8,*/*;q=0.5"

struct web_client {
    struct awaited_client awaits;
    struct config_list lists[2]; /* by enum web_kind: servers that may be private */
    const char *ca_file;         /* NULL: none */
    struct arena *arena;         /* of the lists */
    struct http_client *http[2];
};

/* ---- the fetch as a value ---- */

static void set_text(char **at, const char *text)
{
    char *copy = xstrdup(text);
    free(*at);
    *at = copy;
}

void web_fetch_page(struct web_fetch *f, const char *url)
{
    f->awaited.wanted = true;
    f->kind = WEB_PAGE;
    set_text(&f->url, url);
}

void web_fetch_query(struct web_fetch *f, const char *url, const char *form)
{
    f->awaited.wanted = true;
    f->kind = WEB_QUERY;
    set_text(&f->url, url);
    set_text(&f->form, form);
}

void web_fetch_release(struct web_fetch *f)
{
    free(f->url);
    free(f->form);
    free(f->type);
    free(f->redirect);
    awaited_release(&f->awaited);
    strbuf_release(&f->body);
}

bool web_type_is_text(const char *type)
{
    static const char *const texts[] = {"text/", "application/xhtml+xml", "application/json",
        "application/xml", "application/ld+json", "application/rss+xml", "application/atom+xml"};
    return !*type || STR_STARTS_IN(str_of(type), texts);
}

static void fail(struct web_fetch *f, enum rc rc, const char *why)
{
    awaited_fail(&f->awaited, rc, why);
}

static void cancel(struct awaited *w)
{
    struct web_fetch *f = (struct web_fetch *)w;
    http_cancel(f->call);
    fail(f, RC_CANCELLED, AWAITED_STOPPED);
}

/* ---- one request ---- */

static void begin(struct web_fetch *f);

static void on_type(void *arg, const char *type)
{
    struct web_fetch *f = arg;
    set_text(&f->type, type);
}

static void on_status(void *arg, int status, int retry_after_s)
{
    struct web_fetch *f = arg;
    (void)retry_after_s;
    f->status = status;
    bool redirects = status >= 300 && status < 400;
    f->without_body = f->kind == WEB_PAGE && !redirects && (status >= 400 || !web_type_is_text(f->type));
}

static bool on_data(void *arg, struct str piece)
{
    struct web_fetch *f = arg;
    if (!f->without_body)
        strbuf_addstr(&f->body, piece);
    return !f->without_body;
}

static void on_redirect(void *arg, const char *url)
{
    struct web_fetch *f = arg;
    if (strlen(url) <= WEB_ADDRESS_MAX)
        set_text(&f->redirect, url);
}

static void on_done(void *arg, enum rc rc, const struct err *e)
{
    struct web_fetch *f = arg;
    f->call = NULL;
    if (rc == RC_CANCELLED && f->without_body)
        rc = RC_OK;
    if (rc == RC_TOO_BIG)
        fail(f, rc, "It has more than 2 MB.");
    else if (rc == RC_TIMEOUT)
        fail(f, rc, "The server did not answer in time.");
    else if (rc == RC_FORBIDDEN)
        fail(f, rc, "The server has a private address. The owner of Alfred can allow it with [web] hosts.");
    else if (rc != RC_OK) {
        *err_kept(&f->awaited.err) = *e;
        awaited_end(&f->awaited, rc);
    } else if (f->kind == WEB_PAGE && f->redirect) {
        strbuf_clear(&f->body);
        f->redirects++;
        free(f->url);
        f->url = f->redirect;
        f->redirect = NULL;
        begin(f);
    } else
        awaited_end(&f->awaited, RC_OK);
}

enum rc web_fetch_check(
    char **url, const struct config_list *list, bool redirected, bool *listed, struct err *e)
{
    struct address_target to;
    struct err plain = ERR_INIT;
    bool was_listed = *listed;
    enum rc rc = address_policy_check(*url, list->v, list->n, &to, &plain);
    if (rc != RC_OK && strncasecmp(*url, "http://", 7) == 0) {
        AUTO_FREE char *rest = *url;
        *url = xmalloc(strlen(rest) + 2);
        stpcpy(stpcpy(*url, "https://"), rest + 7);
        rc = address_policy_check(*url, list->v, list->n, &to, e);
    } else if (rc != RC_OK && e) {
        *e = plain;
    }
    *listed = to.listed;
    if (rc == RC_OK && redirected && to.listed && !was_listed)
        return err_tell(e, RC_FORBIDDEN, "The page redirects to a private server.");
    return rc;
}

static void begin(struct web_fetch *f)
{
    static const struct http_callbacks cb = {.on_type = on_type,
        .on_status = on_status,
        .on_redirect = on_redirect,
        .on_data = on_data,
        .on_done = on_done};
    static const struct http_header headers[2][2] = {
        [WEB_PAGE] = {{"User-Agent", USER_AGENT}, {"Accept", ACCEPT}},
        [WEB_QUERY] = {{"User-Agent", USER_AGENT}, {"Content-Type", "application/x-www-form-urlencoded"}}};
    struct web_client *c = (struct web_client *)f->awaited.client;
    int64_t left_ms = f->until_ms - clock_mono_ms();
    struct err e = ERR_INIT;
    if (f->redirects > WEB_REDIRECTS_MAX) {
        fail(f, RC_UPSTREAM, "The server redirects too often.");
        return;
    }
    if (left_ms <= 0) {
        fail(f, RC_TIMEOUT, "The server did not answer in time.");
        return;
    }
    enum rc rc = web_fetch_check(&f->url, &c->lists[f->kind], f->redirects > 0, &f->listed, &e);
    struct http_request r = {.method = f->form ? "POST" : "GET",
        .server = f->kind == WEB_QUERY ? "SearXNG" : NULL, /* users need not know its address */
        .url = f->url,
        .body = f->form ? str_of(f->form) : (struct str){0},
        .headers = headers[f->kind],
        .headers_n = ARRAY_LEN(headers[f->kind]),
        .limits = {.connect_ms = WEB_CONNECT_MS,
            .silence_ms = WEB_TOTAL_MS,
            .total_ms = (int)left_ms,
            .body_max = WEB_BODY_MAX},
        .ca_file = c->ca_file,
        .system_too = true};
    if (rc == RC_OK)
        rc = http_start(c->http[f->kind], &r, &cb, f, &f->call, &e);
    if (rc == RC_OK)
        return;
    *err_kept(&f->awaited.err) = e;
    awaited_end(&f->awaited, rc);
}

static void start(struct awaited *w)
{
    struct web_fetch *f = (struct web_fetch *)w;
    f->until_ms = clock_mono_ms() + WEB_TOTAL_MS;
    strbuf_init(&f->body, WEB_BODY_MAX);
    begin(f);
}

/* ---- the client ---- */

static void free_client(struct awaited_client *a)
{
    struct web_client *c = (struct web_client *)a;
    for (int i = 0; i < 2; i++)
        http_client_free(c->http[i]);
    arena_free(c->arena);
    free(c);
}

struct awaited_client *web_client_new(struct loop *l, const struct config *c)
{
    struct web_client *w = xcalloc(1, sizeof *w);
    w->awaits = (struct awaited_client){.loop = l,
        .running = {.max = WEB_FETCHES_MAX, .max_per_user = WEB_FETCHES_PER_USER},
        .busy = "Too many pages are being read at the moment. Try again later.",
        .start = start,
        .cancel = cancel,
        .free = free_client};
    w->arena = arena_new();
    w->ca_file = *c->web.ca_file ? c->web.ca_file : NULL;
    w->lists[WEB_PAGE] = c->web.hosts;
    if (*c->web.search_url) {
        const char **server = ARENA_ARRAY(w->arena, const char *, 1);
        *server = server_of_url(w->arena, c->web.search_url);
        w->lists[WEB_QUERY] = (struct config_list){server, 1};
    }
    for (int i = 0; i < 2; i++)
        w->http[i] = http_client_new(l, w->lists[i].v, w->lists[i].n);
    return &w->awaits;
}

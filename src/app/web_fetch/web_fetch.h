/*
 * Requests to the web for tools of models: a page that the user has named, or a query of the search server.
 *
 * A tool says what it wants with web_fetch_page() or web_fetch_query() (net/awaited.h).
 *
 * Safety: only [web] hosts may be private for a page, and only the server of [web] search_url for a query.
 * The allow lists of providers do not count. A page is followed through at most WEB_REDIRECTS_MAX redirects.
 * Each address of them is checked, and a server that is not listed cannot redirect to a listed one. No
 * cookie is kept, and no Referer is sent.
 */
#ifndef ALFRED_APP_WEB_FETCH_WEB_FETCH_H
#define ALFRED_APP_WEB_FETCH_WEB_FETCH_H

#include "app/config/config.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "net/awaited.h"

#define WEB_BODY_MAX      ((size_t)2 * 1024 * 1024)
#define WEB_TOTAL_MS      20000 /* with all redirects */
#define WEB_CONNECT_MS    5000
#define WEB_REDIRECTS_MAX 5
/* Fetches at the same time. One more is refused with a sentence for the model. */
#define WEB_FETCHES_MAX      32
#define WEB_FETCHES_PER_USER 8

enum web_kind {
    WEB_PAGE, /* with redirects; the body only of a text, with a status below 400 */
    WEB_QUERY /* of the search server: without redirects, any type */
};

struct http_call;

/* The fetch of one call of a tool. The turn engine owns it. Other members than those for the tool belong to
 * web_fetch.c. */
struct web_fetch {
    struct awaited awaited;

    /* the request, set by web_fetch_page() and web_fetch_query() */
    enum web_kind kind;
    char *url;
    char *form; /* of a WEB_QUERY, which is a POST; NULL: GET */

    /* the end, for the tool: `url` is then that of the last redirect */
    int status;
    char *type; /* Content-Type; "": none */
    struct strbuf body;

    struct http_call *call;
    char *redirect; /* the address that the answer names; NULL: none */
    int64_t until_ms;
    int redirects;
    bool listed, without_body;
};

/* Any thread. The texts are copied; `form` is encoded. */
void web_fetch_page(struct web_fetch *f, const char *url);
void web_fetch_query(struct web_fetch *f, const char *url, const char *form);
/* Checks the address that is fetched next, of a server of `list` or a public one; it becomes https unless the
 * server is listed. `redirected`: another server named it. `*listed`: that server is in the list; afterwards,
 * whether this one is. RC_FORBIDDEN, with a sentence: a server that is not listed redirects to a listed one;
 * else as address_policy_check(). */
enum rc web_fetch_check(
    char **url, const struct config_list *list, bool redirected, bool *listed, struct err *e);
/* It must not run. A zeroed one is fine. */
void web_fetch_release(struct web_fetch *f);
/* True for the media types that have text: text/..., HTML, JSON, XML. "" counts as text. */
bool web_type_is_text(const char *type);

/* The settings must outlive the client. */
struct awaited_client *web_client_new(struct loop *l, const struct config *c);

#endif

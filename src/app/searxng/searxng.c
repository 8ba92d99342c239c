#include "app/searxng/searxng.h"

#include "base/log.h"
#include "base/strbuf.h"
#include "codec/url.h"
#include "net/http.h"

#define STATUS_OK        200
#define STATUS_FORBIDDEN 403
#define STATUS_TOO_OFTEN 429
#define FORM_EXTRA       64 /* bytes of a form besides the query */

static enum rc refusal(int status, struct err *e)
{
    switch (status) {
    case STATUS_FORBIDDEN:
        /* Documented for a format that is not enabled: https://docs.searxng.org/dev/search_api.html */
        log_warn("the SearXNG server answered with status 403: "
                 "add json to search.formats in its settings.yml");
        return err_say(e, RC_FORBIDDEN, "searxng.no_json");
    case STATUS_TOO_OFTEN:
        log_warn("the SearXNG server answered with status 429: its limiter refuses requests of programs, "
                 "unless their address is in pass_ip of its limiter.toml");
        return err_say(e, RC_RATE_LIMITED, "searxng.too_often");
    default:
        log_warn("the SearXNG server answered with status %d", status);
        return err_say(e, RC_UPSTREAM, "searxng.status", arg_int("status", status));
    }
}

static enum rc post(const struct searxng_server *s, struct arena *a, struct str form, struct strbuf *answer,
    int *status, struct err *e)
{
    static const struct http_header headers[] = {
        {"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
    const struct http_request r = {.method = "POST",
        .server = "SearXNG",
        .url = arena_printf(a, "%s/search", s->url),
        .headers = headers,
        .headers_n = ARRAY_LEN(headers),
        .body = form,
        .limits = {.connect_ms = SEARXNG_CONNECT_MS,
            .silence_ms = SEARXNG_TOTAL_MS,
            .total_ms = SEARXNG_TOTAL_MS,
            .body_max = SEARXNG_BODY_MAX}};
    enum rc rc = http_fetch(&r, s->allowed, s->allowed_n, status, answer, e);
    if (rc != RC_OK && e && rc != RC_CANCELLED)
        log_warn("a search at the SearXNG server failed: %s", e->text);
    return rc;
}

enum rc searxng_search(const struct searxng_server *s, struct arena *a, struct str query, int page,
    struct searxng_found *out, struct err *e)
{
    AUTO_STRBUF form, answer;
    int status = 0;
    strbuf_init(&form, 3 * query.len + FORM_EXTRA);
    strbuf_init(&answer, SEARXNG_BODY_MAX);
    strbuf_adds(&form, "q=");
    url_encode(&form, query);
    strbuf_addf(&form, "&format=json&pageno=%d", page);
    enum rc rc = post(s, a, strbuf_str(&form), &answer, &status, e);
    if (rc == RC_OK && status != STATUS_OK)
        rc = refusal(status, e);
    if (rc != RC_OK)
        return rc;
    if ((rc = searxng_read(a, strbuf_str(&answer), out, e)) != RC_OK) {
        log_warn("the SearXNG server did not answer with the JSON of a search: check [web] search_url");
        return rc;
    }
    if (!out->results_n && !out->answers_n && out->engines_failed) {
        log_warn("none of the search engines of the SearXNG server answered");
        return err_say(e, RC_UPSTREAM, "searxng.no_engine");
    }
    return RC_OK;
}

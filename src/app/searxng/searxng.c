#include "app/searxng/searxng.h"

#include "base/log.h"
#include "base/strbuf.h"
#include "codec/url.h"

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

/* SearXNG separates words at the white space of Unicode, too. */
static bool parts_words(unsigned char c)
{
    return c <= ' ' || c >= 0x80;
}

struct str searxng_query(struct arena *a, struct str query)
{
    AUTO_STRBUF out;
    strbuf_init(&out, query.len);
    for (size_t i = 0; i < query.len;) {
        size_t n = 0;
        while (i + n < query.len && query.s[i + n] == '!')
            n++;
        bool begins = i == 0 || parts_words((unsigned char)query.s[i - 1]);
        bool ends = i + n == query.len || parts_words((unsigned char)query.s[i + n]);
        bool redirects = begins && (ends ? n == 2 : n >= 2); /* "!!!" is a band */
        size_t len = n ? n : 1;
        if (!redirects)
            strbuf_addstr(&out, (struct str){query.s + i, len});
        i += len;
    }
    return arena_str(a, strbuf_str(&out));
}

void searxng_ask(struct web_fetch *f, struct arena *a, const char *url, struct str query, int page)
{
    AUTO_STRBUF form;
    strbuf_init(&form, 3 * query.len + FORM_EXTRA);
    strbuf_adds(&form, "q=");
    url_encode(&form, query);
    strbuf_addf(&form, "&format=json&pageno=%d", page);
    web_fetch_query(f, arena_printf(a, "%s/search", url), form.s);
}

enum rc searxng_answer(const struct web_fetch *f, struct arena *a, struct searxng_found *out, struct err *e)
{
    enum rc failed = f->awaited.rc;
    if (failed != RC_OK) {
        if (failed != RC_CANCELLED && failed != RC_RATE_LIMITED) /* these two are Alfred's own */
            log_warn("a search at the SearXNG server failed: %s", f->awaited.err->text);
        return awaited_failed(&f->awaited, e);
    }
    if (f->status != STATUS_OK)
        return refusal(f->status, e);
    enum rc rc = searxng_read(a, strbuf_str(&f->body), out, e);
    if (rc != RC_OK)
        log_warn("the SearXNG server did not answer with the JSON of a search: check [web] search_url");
    else if (!out->results_n && !out->answers_n && out->engines_failed) {
        log_warn("none of the search engines of the SearXNG server answered");
        rc = err_say(e, RC_UPSTREAM, "searxng.no_engine");
    }
    return rc;
}

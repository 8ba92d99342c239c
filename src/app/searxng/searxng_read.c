/* Reads the answers of SearXNG. Members of other types count as absent, because versions differ: an answer
 * is a text or an object, and any member can be null. */
#include "app/searxng/searxng.h"

#include <string.h>

#include "base/humanize.h"
#include "base/strbuf.h"
#include "codec/json/json.h"
#include "codec/json/json_repair.h"
#include "codec/url.h"

#define REPAIRED_TIMES 3     /* json_repair() */
#define VALUES_MAX     50000 /* each costs up to 150 bytes; an answer with 50 results has about 2,000 */
#define DAY_LEN        10    /* of "2026-03-01" */

static struct str member(struct arena *a, const json_t *obj, const char *key, size_t max)
{
    struct str text = {0};
    return json_get_str(obj, key, &text) ? humanize_line(a, text, max) : STR("");
}

/* The address of a page that another text may link to; empty: there is none. */
static struct str address(struct arena *a, const json_t *obj)
{
    struct str url = {0};
    bool links =
        json_get_str(obj, "url", &url) && str_starts_nocase(url, STR("https://")) && url_link_allowed(url);
    return links ? arena_str(a, url) : STR("");
}

/* "2026-03-01" of "2026-03-01T12:00:00". */
static struct str day(struct arena *a, const json_t *obj)
{
    struct str at = {0};
    if (!json_get_str(obj, "publishedDate", &at) || at.len < DAY_LEN)
        return STR("");
    for (size_t i = 0; i < DAY_LEN; i++)
        if (i == 4 || i == 7 ? at.s[i] != '-' : at.s[i] < '0' || at.s[i] > '9')
            return STR("");
    return arena_str(a, (struct str){at.s, DAY_LEN});
}

static bool is_known(const struct searxng_found *out, struct str url)
{
    for (size_t i = 0; i < out->results_n; i++)
        if (str_eq(out->results[i].url, url))
            return true;
    return false;
}

static void read_result(struct arena *a, const json_t *from, struct searxng_found *out)
{
    struct str url = address(a, from);
    if (out->results_n == SEARXNG_RESULTS_MAX || !url.len || is_known(out, url))
        return;
    out->results[out->results_n++] =
        (struct searxng_entry){.title = member(a, from, "title", SEARXNG_TITLE_MAX),
            .text = member(a, from, "content", SEARXNG_TEXT_MAX),
            .url = url,
            .published = day(a, from)};
}

static void add_answer(struct searxng_found *out, struct str title, struct str text, struct str url)
{
    if (out->answers_n < SEARXNG_ANSWERS_MAX && text.len)
        out->answers[out->answers_n++] =
            (struct searxng_entry){.title = title, .text = text, .url = url, .published = STR("")};
}

/* {"answer": "...", "url": "..."}; in old versions a text. */
static void read_answer(struct arena *a, const json_t *from, struct searxng_found *out)
{
    struct str text = {json_string_value(from), json_string_length(from)};
    text = text.s ? humanize_line(a, text, SEARXNG_TEXT_MAX) : member(a, from, "answer", SEARXNG_TEXT_MAX);
    add_answer(out, STR(""), text, address(a, from));
}

/* {"infobox": "the name", "content": "...", "urls": [{"title": "...", "url": "..."}]} */
static void read_box(struct arena *a, const json_t *from, struct searxng_found *out)
{
    const json_t *link = json_array_get(json_object_get(from, "urls"), 0);
    add_answer(out, member(a, from, "infobox", SEARXNG_TITLE_MAX),
        member(a, from, "content", SEARXNG_TEXT_MAX), address(a, link));
}

static enum rc parse(struct str body, json_t **out, struct err *e)
{
    AUTO_STRBUF text;
    strbuf_init(&text, REPAIRED_TIMES * WEB_BODY_MAX);
    json_repair(&text, body);
    bool fits = body.len <= WEB_BODY_MAX && json_values(strbuf_str(&text)) <= VALUES_MAX;
    if (!fits || json_parse(strbuf_str(&text), text.cap, out, NULL) != RC_OK)
        return err_say(e, RC_UPSTREAM, "searxng.no_search");
    return RC_OK;
}

enum rc searxng_read(struct arena *a, struct str body, struct searxng_found *out, struct err *e)
{
    AUTO(json_t) json = NULL;
    *out = (struct searxng_found){0};
    enum rc rc = parse(body, &json, e);
    const json_t *results = json_object_get(json, "results"), *one;
    if (rc == RC_OK && !json_is_array(results))
        rc = err_say(e, RC_UPSTREAM, "searxng.no_search");
    if (rc != RC_OK)
        return rc;
    size_t i;
    json_array_foreach(results, i, one)
    {
        read_result(a, one, out);
    }
    const json_t *answers = json_object_get(json, "answers");
    json_array_foreach(answers, i, one)
    {
        read_answer(a, one, out);
    }
    const json_t *boxes = json_object_get(json, "infoboxes");
    json_array_foreach(boxes, i, one)
    {
        read_box(a, one, out);
    }
    out->engines_failed = json_array_size(json_object_get(json, "unresponsive_engines")) > 0;
    return RC_OK;
}

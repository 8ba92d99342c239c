#include "web/page/markdown_view.h"

#include <string.h>

#include "base/log.h"
#include "codec/markdown/markdown.h"
#include "codec/markdown/markdown_typed.h"
#include "codec/markdown/tex_text.h"

#define BODY_HTML_MAX ((size_t)8 * 1024 * 1024)

#define TOO_LARGE_HTML MARKDOWN_PLAIN_HTML "</div>"

/* The HTML without words of ours, so that it can be cached for every language. */
static struct str render(struct arena *a, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, BODY_HTML_MAX);
    struct err e = ERR_INIT;
    if (markdown_html(text, &html, &e) != RC_OK) {
        log_error("a text of %zu bytes cannot be shown: %s", text.len, e.text);
        return STR(TOO_LARGE_HTML);
    }
    return arena_str(a, strbuf_str(&html));
}

/* A text that is not formatted says why. */
static void show(struct arena *a, struct view *v, const struct lang *l, struct str html)
{
    struct str plain = STR(MARKDOWN_PLAIN_HTML);
    if (str_starts(html, plain)) {
        bool none = str_is(html, TOO_LARGE_HTML);
        const char *note = lang_text(l, none ? "message.too_large" : "message.unformatted");
        struct str rest = {html.s + plain.len, html.len - plain.len};
        html = str_of(
            arena_printf(a, MARKDOWN_PLAIN_HTML "<p class=\"quiet\">%s</p>\n%.*s", note, STR_FMT(rest)));
    }
    view_html(v, "body_html", (struct markup){html});
}

void view_markdown(struct arena *a, struct view *v, const struct lang *l, struct str text)
{
    show(a, v, l, render(a, text));
}

/* Every tag that begins like this is markdown_html()'s link to a page of Alfred. Links have no links in them.
 */
static struct str without_inside_links(struct arena *a, struct str html)
{
    static const char begin[] = "<a href=\"/", end[] = "</a>";
    const char *rest = html.s, *at = strstr(rest, begin);
    if (!at)
        return html;
    AUTO_STRBUF out;
    strbuf_init(&out, html.len + 1);
    for (; at; at = strstr(rest, begin)) {
        const char *words = strchr(at, '>'), *close = words ? strstr(words, end) : NULL;
        if (!close)
            break;
        strbuf_addstr(&out, (struct str){rest, (size_t)(at - rest)});
        strbuf_addstr(&out, (struct str){words + 1, (size_t)(close - words - 1)});
        rest = close + strlen(end);
    }
    strbuf_adds(&out, rest);
    return arena_str(a, strbuf_str(&out));
}

static struct str with_readable_formulas(struct arena *a, struct str text)
{
    AUTO_STRBUF out;
    strbuf_init(&out, TEX_TEXT_FACTOR * (text.len + 1));
    if (!memchr(text.s ? text.s : "", '$', text.len) && !memchr(text.s ? text.s : "", '\\', text.len))
        return text;
    tex_text_markdown(text, &out);
    if (out.failed)
        return text;
    return arena_str(a, strbuf_str(&out));
}

void view_markdown_copy(struct html_cache *cache, int64_t id, struct arena *a, struct view *v,
    const struct lang *l, struct str text)
{
    struct str html;
    if (!cache || !html_cache_get(cache, id, text, a, &html)) {
        html = without_inside_links(a, render(a, with_readable_formulas(a, text)));
        if (cache)
            html_cache_put(cache, id, text, html);
    }
    show(a, v, l, html);
}

void view_typed(struct view *v, const char *key, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, BODY_HTML_MAX);
    markdown_typed(text, &html);
    view_html(v, key, (struct markup){strbuf_str(&html)});
}

void view_markdown_kept(struct html_cache *cache, int64_t message_id, struct arena *a, struct view *v,
    const struct lang *l, struct str text)
{
    struct str html;
    if (!html_cache_get(cache, message_id, text, a, &html)) {
        html = render(a, text);
        html_cache_put(cache, message_id, text, html);
    }
    show(a, v, l, html);
}

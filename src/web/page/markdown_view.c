#include "web/page/markdown_view.h"

#include "base/log.h"
#include "codec/html.h"
#include "codec/markdown/markdown.h"

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
    return (struct str){arena_strndup(a, html.s, html.len), html.len};
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

static void typed_html(struct str text, struct strbuf *out)
{
    bool open = false, first_line = true;
    for (struct str rest = text; rest.s;) {
        struct str line = str_cut(&rest, '\n');
        if (str_trim(line).len == 0) {
            if (open)
                strbuf_adds(out, "</p>");
            open = false;
            continue;
        }
        if (!open) {
            strbuf_adds(out, "<p dir=\"auto\">");
            open = first_line = true;
        }
        if (!first_line)
            strbuf_adds(out, "<br>");
        html_escape(out, line);
        first_line = false;
    }
    if (open)
        strbuf_adds(out, "</p>");
}

void view_typed(struct arena *a, struct view *v, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, BODY_HTML_MAX);
    typed_html(text, &html);
    view_html(v, "body_html", (struct markup){str_of(arena_strndup(a, html.s, html.len))});
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

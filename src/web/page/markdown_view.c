#include "web/page/markdown_view.h"

#include "base/log.h"
#include "codec/markdown/markdown.h"

#define BODY_HTML_MAX ((size_t)8 * 1024 * 1024)

static struct str render(struct arena *a, struct str text)
{
    AUTO_STRBUF html;
    strbuf_init(&html, BODY_HTML_MAX);
    struct err e = ERR_INIT;
    if (markdown_html(text, &html, &e) != RC_OK) {
        log_error("a text of %zu bytes cannot be shown: %s", text.len, e.text);
        strbuf_clear(&html);
        strbuf_adds(&html, "<p class=\"quiet\">This text is too large to be shown.</p>");
    }
    return (struct str){arena_strndup(a, html.s, html.len), html.len};
}

void view_markdown(struct arena *a, struct view *v, struct str text)
{
    view_html(v, "body_html", (struct markup){render(a, text)});
}

void view_markdown_kept(
    struct html_cache *cache, int64_t message_id, struct arena *a, struct view *v, struct str text)
{
    struct str html;
    if (!html_cache_get(cache, message_id, text, a, &html)) {
        html = render(a, text);
        html_cache_put(cache, message_id, text, html);
    }
    view_html(v, "body_html", (struct markup){html});
}

/* A text of a model as HTML, under "body_html". */
#ifndef ALFRED_WEB_PAGE_MARKDOWN_VIEW_H
#define ALFRED_WEB_PAGE_MARKDOWN_VIEW_H

#include "codec/view.h"
#include "web/page/html_cache.h"

/* `text` is Markdown. */
void view_markdown(struct arena *a, struct view *v, struct str text);

/* The text of a finished message: the HTML is taken from the cache or put into it. */
void view_markdown_kept(
    struct html_cache *cache, int64_t message_id, struct arena *a, struct view *v, struct str text);

#endif

/* Texts of models and users as HTML, under "body_html". */
#ifndef ALFRED_WEB_PAGE_MARKDOWN_VIEW_H
#define ALFRED_WEB_PAGE_MARKDOWN_VIEW_H

#include "base/lang.h"
#include "codec/view.h"
#include "web/page/html_cache.h"

/* `text` is Markdown. `l` is the language of the sentence above a text that cannot be formatted. */
void view_markdown(struct arena *a, struct view *v, const struct lang *l, struct str text);

/* For readers without an account: of a link to a page of Alfred only its words are shown, as its address has
 * the id of another session. Formulas are text, as these pages have no script that draws them. With a cache
 * the HTML comes from it or is added to it; `id` is that of no message. NULL: nothing is cached. */
void view_markdown_copy(struct html_cache *cache, int64_t id, struct arena *a, struct view *v,
    const struct lang *l, struct str text);

/* A user's text as typed (codec/markdown/markdown_typed.h), as `key`. */
void view_typed(struct view *v, const char *key, struct str text);

/* The text of a finished message. The HTML comes from the cache or is added to it. */
void view_markdown_kept(struct html_cache *cache, int64_t message_id, struct arena *a, struct view *v,
    const struct lang *l, struct str text);

#endif

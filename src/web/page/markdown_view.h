/* Texts of models and users as HTML, under "body_html". */
#ifndef ALFRED_WEB_PAGE_MARKDOWN_VIEW_H
#define ALFRED_WEB_PAGE_MARKDOWN_VIEW_H

#include "base/lang.h"
#include "codec/view.h"
#include "web/page/html_cache.h"

/* `text` is Markdown. `l` is the language of the sentence above a text that cannot be formatted. */
void view_markdown(struct arena *a, struct view *v, const struct lang *l, struct str text);

/* For readers without an account: of a link to a page of Alfred only its words are shown, as its address has
 * the id of another session. */
void view_markdown_copy(struct arena *a, struct view *v, const struct lang *l, struct str text);

/* A user's text as typed (codec/markdown/markdown_typed.h). */
void view_typed(struct arena *a, struct view *v, struct str text);

/* The text of a finished message. The HTML comes from the cache or is added to it. */
void view_markdown_kept(struct html_cache *cache, int64_t message_id, struct arena *a, struct view *v,
    const struct lang *l, struct str text);

#endif

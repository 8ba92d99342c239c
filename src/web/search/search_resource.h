/* Search results in the API. */
#ifndef ALFRED_WEB_SEARCH_SEARCH_RESOURCE_H
#define ALFRED_WEB_SEARCH_SEARCH_RESOURCE_H

#include "web/search/search_results.h"

/* The lists memories, sessions, files and hits (messages). */
void search_results_resource(
    struct arena *a, const struct lang *l, struct view *v, const struct search_results *s);
/* The list related: sessions as in search_results_resource(). */
void related_resource(struct arena *a, const struct lang *l, struct view *v, const struct search_sessions *s);

/* ---- for the page, which adds labels ---- */

/* A message's text as its reader sees it, an answer without its Markdown. */
struct str message_words(struct arena *a, const struct message *m);

/* id, url, session, title (null: none yet), role, created_at, the snippet, and the beginnings of the messages
 * before and after. */
void hit_resource(struct arena *a, struct view *v, const struct search_hit *h, const struct bag *words);
/* id, url, text, tags, created_at, source_message, source_url, the snippet. */
void found_memory_resource(
    struct arena *a, struct view *v, const struct search_memory *h, const struct bag *words);
/* id, url, workspace, name, changed_at, and the snippet of its text. */
void found_file_resource(
    struct arena *a, struct view *v, const struct search_file *h, const struct bag *words);
/* summary_url (null: there is no summary) and the snippet of the summary. */
void summary_snippet(
    struct arena *a, struct view *v, const struct search_session *h, const struct bag *words);

/* For the search box: sessions (id, title, url, active_at), hits (url, title, created_at, the snippet) and
 * memories (url, the snippet). */
void search_typed_resource(struct arena *a, struct view *v, const struct search_typed *s);

#endif

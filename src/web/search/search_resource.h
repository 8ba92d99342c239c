/* What a search finds beside messages, as pages and API show it: sessions by what they were about, facts; and
 * the sessions that are related to one. */
#ifndef ALFRED_WEB_FOUND_H
#define ALFRED_WEB_FOUND_H

#include "app/search/search.h"
#include "web/http/request.h"

/* pieces (text, hit), cut_head, cut_end: the part of a text that shows why it was found. */
void view_snippet(struct arena *a, struct view *v, struct str text, const struct bag *words);

/* A session as view_session() has it, with the snippet of its summary (has_summary) and summary_url. */
void view_found_session(
    const struct req *r, struct view *v, const struct search_session *h, const struct bag *words);
/* A fact: id, url, tags, snippet, source_url, times. */
void view_found_memory(
    const struct req *r, struct view *v, const struct search_memory *h, const struct bag *words);

#define RELATED_MAX 20

/* Into `v` under "related": at most `limit` sessions beside the one whose id is given. */
enum rc related_view(const struct req *r, struct view *v, int64_t session, int limit, struct err *e);

/* The summary's words on one line, without its Markdown. In the arena. */
struct str summary_plain(struct arena *a, struct str summary);

#endif

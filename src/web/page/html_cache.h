/*
 * The HTML of finished messages and of sidebars, kept for a while in the memory of one program: about half of
 * the work for the page of a session is Markdown. A table in the database was rejected: reading a page would
 * write, and the file would nearly double.
 *
 * An entry belongs to an id and to the text it was made from, so that changed text is never shown as it was.
 * The cache never decides what is shown: callers ask for a message that they have read from the store. The
 * list of sessions beside every page is kept in the same way (web/page/views.c): under a negative id, and for
 * text it has the number of changes that the store counts. Deleted messages and sessions leave with all
 * others: no entry lives longer than `life_ms`, and a thread of the cache removes it then, whether the
 * program is in use or not. What is removed is overwritten.
 *
 * Any thread.
 */
#ifndef ALFRED_WEB_PAGE_HTML_CACHE_H
#define ALFRED_WEB_PAGE_HTML_CACHE_H

#include "base/mem.h"
#include "base/str.h"
#include "base/err.h"

struct html_cache;

#define HTML_CACHE_BYTES   ((size_t)8 * 1024 * 1024)
#define HTML_CACHE_LIFE_MS (INT64_C(10) * 60 * 1000)

/* At most `bytes_max` of HTML and bookkeeping. RC_UNAVAILABLE: the thread does not start. */
enum rc html_cache_new(size_t bytes_max, int64_t life_ms, struct html_cache **out, struct err *e);
void html_cache_free(struct html_cache *c); /* NULL is fine */
DEFINE_AUTO(html_cache);

/* The HTML of the text, copied into the arena; false when none is kept. */
bool html_cache_get(struct html_cache *c, int64_t id, struct str text, struct arena *a, struct str *html);
/* Keeps a copy, and drops the entries that were used least recently. What exceeds half of the cap is not
 * kept. */
void html_cache_put(struct html_cache *c, int64_t id, struct str text, struct str html);

size_t html_cache_bytes(struct html_cache *c);

#endif

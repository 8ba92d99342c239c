/*
 * The HTML of finished messages and of sidebars, cached in the memory of one program. Markdown is about half
 * of the work for a session's page. A table in the database was rejected: reading a page would write, and the
 * file would nearly double.
 *
 * An entry is found by an id and the text that it was made from, so that changed text never shows old HTML.
 * The cache grants no access: callers have read the message from the store. Sidebars are cached the same way
 * (web/page/sidebar.c): with a negative id, and the number of changes in the store as text. Answers of
 * shared copies (web/share/shared_routes.c) have a cache of their own, so that people without an account who
 * read a large copy do not replace the entries of users. No entry lives longer than `life_ms`, so
 * deleted messages and sessions disappear, too. A thread of the cache removes expired entries, whether the
 * program is in use or not. Removed entries are overwritten.
 *
 * Any thread.
 */
#ifndef ALFRED_WEB_PAGE_HTML_CACHE_H
#define ALFRED_WEB_PAGE_HTML_CACHE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct html_cache;

#define HTML_CACHE_BYTES      ((size_t)8 * 1024 * 1024)
#define HTML_CACHE_COPY_BYTES ((size_t)2 * 1024 * 1024)
#define HTML_CACHE_LIFE_MS    (10 * MS_PER_MIN)

/* `bytes_max`: cap of HTML and bookkeeping. RC_UNAVAILABLE: the thread cannot be started. */
enum rc html_cache_new(size_t bytes_max, int64_t life_ms, struct html_cache **out, struct err *e);
void html_cache_free(struct html_cache *c); /* NULL is fine */
DEFINE_AUTO(html_cache);

/* Copies the HTML of the text into the arena. False: not cached. */
bool html_cache_get(struct html_cache *c, int64_t id, struct str text, struct arena *a, struct str *html);
/* Caches a copy and drops the least recently used entries. HTML above half of the cap is not cached. */
void html_cache_put(struct html_cache *c, int64_t id, struct str text, struct str html);

size_t html_cache_bytes(struct html_cache *c);

#endif

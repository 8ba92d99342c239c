/*
 * The compiled page templates, one set per language. A set is made when a request first needs its language,
 * so that a language that nobody reads costs no memory. Any thread.
 */
#ifndef ALFRED_WEB_HTTP_TEMPLATES_H
#define ALFRED_WEB_HTTP_TEMPLATES_H

#include "base/lang.h"
#include "codec/mustache/mustache.h"

struct templates;

/* `dir` must outlive them. */
struct templates *templates_new(const char *dir);
void templates_free(struct templates *t); /* NULL is fine */

/* Makes the English set and checks it: names in raw tags, partials and texts exist. */
enum rc templates_check(struct templates *t, struct err *e);

/* mustache_render() with the set of the language. */
enum rc templates_render(struct templates *t, const struct lang *l, const char *name, const struct view *v,
    struct strbuf *out, struct err *e);

#endif

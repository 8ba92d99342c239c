/*
 * Mustache: the official specification's core and inheritance modules (github.com/mustache/spec 1.4),
 * compiled once.
 *
 *     {{name}} {{a.b}}             text, escaped
 *     {{{body_html}}} {{&x_html}}  markup, raw
 *     {{#x}}...{{/x}}  {{^x}}...{{/x}}  sections
 *     {{>partials/row}}            partial
 *     {{<layout}}{{$main}}...{{/main}}{{/layout}}  inheritance
 *     {{! comment }}  {{=<% %>=}}
 *
 * Escaping depends on the value's type. A raw tag prints only markup (VIEW_HTML) unescaped and escapes
 * everything else. A plain tag also escapes markup. Numbers are printed in decimal, booleans as true and
 * false; null, objects and lists print nothing. A section is entered unless its value is null, false, absent
 * or an empty list; 0 and "" enter it.
 *
 * One thread fills a set at start. Then it is read-only, and any number of threads may render from it. It
 * copies its input.
 */
#ifndef ALFRED_CODEC_MUSTACHE_MUSTACHE_H
#define ALFRED_CODEC_MUSTACHE_MUSTACHE_H

#include "base/err.h"
#include "codec/view.h"

#define MUSTACHE_SOURCE_MAX (256 * 1024) /* bytes of one template */
#define MUSTACHE_OPEN_MAX   64           /* tags open at once in one template */
#define MUSTACHE_DEPTH_MAX  100          /* sections, partials, parents and blocks inside each other */
#define MUSTACHE_STEPS_MAX  1000000      /* nodes visited in one rendering */

struct mustache_set;
struct mustache_set *mustache_set_new(void);
void mustache_set_free(struct mustache_set *set); /* NULL is fine */
DEFINE_AUTO(mustache_set);

/* A value that is the same in every rendering. The plain tag {{name}}, written exactly so, is replaced by
 * its escaped text when a template is compiled. At most one; call it before the first template. */
void mustache_set_constant(struct mustache_set *set, const char *name, const char *value);

/* Returns the text of a key such as "tasks.add"; NULL: there is none. */
typedef const char *mustache_text(const void *arg, struct str key);
/* From then on {{t.tasks.add}} is replaced by its text when a template is compiled (mustache_texts.c). */
void mustache_set_texts(struct mustache_set *set, mustache_text *text, const void *arg);

/* RC_BAD_INPUT: the template is malformed, with its name and line. RC_TOO_BIG. RC_CONFLICT: the name
 * exists. */
enum rc mustache_set_add(struct mustache_set *set, const char *name, struct str source, struct err *e);

/* Adds every *.mustache file of a folder and the folders in it: "dir/partials/row.mustache" becomes
 * "partials/row". */
enum rc mustache_set_load(struct mustache_set *set, const char *dir, struct err *e);

/* For the start of programs and for tests. RC_BAD_INPUT: a raw tag's name does not end in "_html". */
enum rc mustache_check_raw(const struct mustache_set *set, struct err *e);
/* RC_BAD_INPUT: a partial or parent is not in the set (rendering would silently omit it). */
enum rc mustache_check_names(const struct mustache_set *set, struct err *e);

/*
 * Appends the rendered template. RC_NOT_FOUND: no such template. RC_TOO_BIG: the output's cap, the depth or
 * the steps are exceeded; the output is then incomplete.
 */
enum rc mustache_render(const struct mustache_set *set, const char *name, const struct view *root,
    struct strbuf *out, struct err *e);

#endif

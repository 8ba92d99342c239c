/*
 * A view: the result of a handler, as a small tree in the request's arena. It becomes HTML through a template
 * (mustache.h) or JSON (view_json()), so a page and the API have the same facts.
 *
 * Text and trusted markup are different types. Text is always escaped. Only our own renderers make markup
 * (struct markup). Its key must end in "_html", and only {{{that_html}}} prints it raw. A {{{name}}} with a
 * text is escaped, too. JSON has both as strings.
 *
 * Keys are constants that outlive the view (they are not copied). Values are copied into the arena. Setting a
 * key twice is a bug and aborts in debug builds. The builders cannot fail.
 */
#ifndef ALFRED_CODEC_VIEW_H
#define ALFRED_CODEC_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/strbuf.h"

struct view;

/* Trusted HTML. Only renderers (markdown, the icon sprite) make it; it must never contain unescaped input. */
struct markup {
    struct str html;
};

struct view *view_new(struct arena *a); /* an empty object */

void view_text(struct view *obj, const char *key, const char *s); /* NULL becomes null */
void view_str(struct view *obj, const char *key, struct str s);   /* .s NULL becomes null */
void view_html(struct view *obj, const char *key, struct markup m);
void view_int(struct view *obj, const char *key, int64_t n);
void view_bool(struct view *obj, const char *key, bool b);
void view_null(struct view *obj, const char *key);

struct view *view_obj(struct view *obj, const char *key);  /* a new object under key */
struct view *view_list(struct view *obj, const char *key); /* a new list under key */
struct view *view_item(struct view *list);                 /* a new object at the list's end */
void view_item_text(struct view *list, const char *s);     /* a string at the list's end */
/* For all kinds of JSON; the tests of the mustache specification need them. */
void view_item_html(struct view *list, struct markup m);
void view_item_int(struct view *list, int64_t n);
struct view *view_item_list(struct view *list); /* a new list at the list's end */

/* Reading, for renderers and tests. */
enum view_kind { VIEW_NULL, VIEW_BOOL, VIEW_INT, VIEW_TEXT, VIEW_HTML, VIEW_OBJ, VIEW_LIST };
enum view_kind view_kind(const struct view *v);
const struct view *view_get(const struct view *obj, struct str key); /* NULL: absent, or not an object */
const struct view *view_first(const struct view *list_or_obj);       /* NULL at the end */
const struct view *view_next(const struct view *v);
struct str view_as_str(const struct view *v); /* TEXT or HTML, else empty */
int64_t view_as_int(const struct view *v);    /* INT or BOOL, else 0 */
bool view_truthy(const struct view *v);       /* as in mustache sections: not null, false, or an empty list */

/* Appends the tree as compact JSON (RFC 8259), with <, >, & and U+2028/9 escaped, so that it is safe in a
 * page. */
void view_json(const struct view *v, struct strbuf *out);

/* Appends `s` as a JSON string with its quotes, escaped as above. */
void json_add_string(struct strbuf *out, struct str s);

/* The same without escapes for <, > and &: shorter, for JSON that never stands in a page (events, requests).
 */
void view_json_short(const struct view *v, struct strbuf *out);
void json_add_short(struct strbuf *out, struct str s);

#endif

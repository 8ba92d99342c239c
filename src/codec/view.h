/*
 * A view: the result of a handler, as a small tree in the request's arena. It becomes HTML through a template
 * (mustache.h) or JSON (view_json()), so a page and the API have the same facts.
 *
 * Text and trusted markup are different types. Text is always escaped. Only our own renderers make markup
 * (struct markup). Its key must end in "_html", and only {{{that_html}}} prints it raw. A {{{name}}} with a
 * text is escaped, too. JSON has both as strings.
 *
 * Keys are constants that outlive the view (they are not copied). Values are copied into the arena, except by
 * view_lasting(). Setting a key twice is a bug and aborts in debug builds. The builders cannot fail.
 */
#ifndef ALFRED_CODEC_VIEW_H
#define ALFRED_CODEC_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/strbuf.h"

enum view_kind { VIEW_NULL, VIEW_BOOL, VIEW_INT, VIEW_TEXT, VIEW_HTML, VIEW_OBJ, VIEW_LIST };

/* Trusted HTML. Only renderers (markdown, the icon sprite) make it; it must never contain unescaped input. */
struct markup {
    struct str html;
};

/* The name of a member. Its mark has the length and differs for nearly all names of an object, so that a
 * look-up compares few of them. The compiler computes the mark of a constant. */
struct view_key {
    const char *s;
    uint64_t mark;
};

static inline struct view_key view_key(struct str s)
{
    uint64_t mark = (uint64_t)s.len << 24;
    if (s.len)
        mark |= (uint64_t)(unsigned char)s.s[0] << 16 | (uint64_t)(unsigned char)s.s[s.len / 2] << 8 |
                (unsigned char)s.s[s.len - 1];
    return (struct view_key){s.s, mark};
}

static inline struct str view_key_name(struct view_key key)
{
    return (struct str){key.s, key.mark >> 24};
}

/* Only the functions of this header use the members of the next two. They are here so that a renderer, which
 * looks up a thousand names for a page, has those functions inline. */
struct view {
    struct view_key key; /* .s NULL in lists and at the root */
    struct view *next;
    struct view *same_slot; /* the member before it in its slot */
    enum view_kind kind;
    union {
        int64_t n;
        struct str s;
        struct view *first;
    };
};

#define VIEW_SLOT_BITS 4
#define VIEW_SLOTS     (1 << VIEW_SLOT_BITS)

/* An object or a list. */
struct view_group {
    struct view v;
    struct view *last;
    struct arena *arena;
    struct view *slots[VIEW_SLOTS]; /* OBJ: its members by the hash of their names */
};

/* Fibonacci hashing, Knuth 6.4 */
static inline unsigned view_slot(struct view_key key)
{
    return (uint32_t)((uint32_t)key.mark * UINT32_C(0x9E3779B1)) >> (32 - VIEW_SLOT_BITS);
}

#define VIEW_KEY(name) view_key((struct str){(name), strlen(name)})

struct view *view_new(struct arena *a); /* an empty object */

void view_add_str(struct view *obj, struct view_key key, struct str s);
void view_add_html(struct view *obj, struct view_key key, struct markup m);
void view_add_int(struct view *obj, struct view_key key, enum view_kind kind, int64_t n);
struct view *view_add_group(struct view *obj, struct view_key key, enum view_kind kind);

static inline void view_str(struct view *obj, const char *key, struct str s) /* .s NULL becomes null */
{
    view_add_str(obj, VIEW_KEY(key), s);
}

static inline void view_text(struct view *obj, const char *key, const char *s) /* NULL becomes null */
{
    view_add_str(obj, VIEW_KEY(key), str_of(s));
}

static inline void view_html(struct view *obj, const char *key, struct markup m)
{
    view_add_html(obj, VIEW_KEY(key), m);
}

static inline void view_int(struct view *obj, const char *key, int64_t n)
{
    view_add_int(obj, VIEW_KEY(key), VIEW_INT, n);
}

static inline void view_bool(struct view *obj, const char *key, bool b)
{
    view_add_int(obj, VIEW_KEY(key), VIEW_BOOL, b);
}

static inline void view_null(struct view *obj, const char *key)
{
    view_add_int(obj, VIEW_KEY(key), VIEW_NULL, 0);
}

/* A text that is not copied: a constant, or one that lives as long as the view's arena. NULL becomes null. */
void view_add_lasting(struct view *obj, struct view_key key, const char *s);
static inline void view_lasting(struct view *obj, const char *key, const char *s)
{
    view_add_lasting(obj, VIEW_KEY(key), s);
}

static inline struct view *view_obj(struct view *obj, const char *key) /* a new object under key */
{
    return view_add_group(obj, VIEW_KEY(key), VIEW_OBJ);
}

static inline struct view *view_list(struct view *obj, const char *key) /* a new list under key */
{
    return view_add_group(obj, VIEW_KEY(key), VIEW_LIST);
}

struct view *view_item(struct view *list);             /* a new object at the list's end */
void view_item_add(struct view *list, struct view *v); /* one of view_new(), with the list's arena */
void view_item_text(struct view *list, const char *s); /* a string at the list's end */
/* For all kinds of JSON; the tests of the mustache specification need them. */
void view_item_html(struct view *list, struct markup m);
void view_item_int(struct view *list, int64_t n);
struct view *view_item_list(struct view *list); /* a new list at the list's end */

/* Reading, for renderers and tests. */
static inline enum view_kind view_kind(const struct view *v)
{
    return v->kind;
}

/* NULL: absent, or not an object. */
static inline const struct view *view_find(const struct view *obj, struct view_key key)
{
    if (obj->kind != VIEW_OBJ)
        return NULL;
    const struct view *v = ((const struct view_group *)obj)->slots[view_slot(key)];
    while (v && (v->key.mark != key.mark || memcmp(v->key.s, key.s, view_key_name(key).len) != 0))
        v = v->same_slot;
    return v;
}

static inline const struct view *view_get(const struct view *obj, struct str key)
{
    return view_find(obj, view_key(key));
}

/* The first of a list or object; NULL: none. */
static inline const struct view *view_first(const struct view *v)
{
    return v->kind == VIEW_OBJ || v->kind == VIEW_LIST ? v->first : NULL;
}

static inline const struct view *view_next(const struct view *v) /* NULL at the end */
{
    return v->next;
}

static inline struct str view_as_str(const struct view *v) /* TEXT or HTML, else empty */
{
    return v->kind == VIEW_TEXT || v->kind == VIEW_HTML ? v->s : STR("");
}

static inline int64_t view_as_int(const struct view *v) /* INT or BOOL, else 0 */
{
    return v->kind == VIEW_INT || v->kind == VIEW_BOOL ? v->n : 0;
}

static inline bool view_truthy(
    const struct view *v) /* as in mustache sections: not null, false, or an empty list */
{
    if (v->kind == VIEW_BOOL)
        return v->n != 0;
    return v->kind == VIEW_LIST ? v->first != NULL : v->kind != VIEW_NULL;
}

/* Appends the tree as compact JSON (RFC 8259), with <, >, & and U+2028/9 escaped, so that it is safe in a
 * page. */
void view_json(const struct view *v, struct strbuf *out);

/* Appends `s` as a JSON string with its quotes, escaped as above. */
void json_add_string(struct strbuf *out, struct str s);
size_t json_string_size(struct str s); /* bytes that it appends, with the quotes */
/* The number of bytes of `text` that fit into `room` bytes as such a string, cut between characters. */
size_t json_string_fit(struct str text, size_t room);

/* These two do not escape <, > and &. The JSON is shorter, but must never be put into a page: it is for
 * events and requests. */
void view_json_short(const struct view *v, struct strbuf *out);
void json_add_short(struct strbuf *out, struct str s);

#endif

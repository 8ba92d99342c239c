/* Nodes are linked in the order of their addition. An object has a small hash table of its members. A
 * template looks for each of its names in the innermost object, which often lacks it, and then in the outer
 * ones. */
#include "codec/view.h"

#include <endian.h>
#include <stdlib.h>

#include "base/utf8.h"

static struct view *group_new(struct arena *a, enum view_kind kind)
{
    struct view_group *g = ARENA_NEW(a, struct view_group);
    g->v.kind = kind;
    g->arena = a;
    return &g->v;
}

static struct arena *arena_of(struct view *parent)
{
    return ((struct view_group *)parent)->arena;
}

static struct view *append(struct view *parent, struct view *child)
{
    struct view_group *g = (struct view_group *)parent;
    if (child->key.s) {
        struct view **slot = &g->slots[view_slot(child->key)];
        child->same_slot = *slot;
        *slot = child;
    }
    if (g->last)
        g->last->next = child;
    else
        parent->first = child;
    return g->last = child;
}

/* Only sanitized builds check this; in production a bug in a page must not end the process. */
static void check_new_key(const struct view *obj, struct view_key key)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    if (obj->kind != VIEW_OBJ || view_find(obj, key))
        abort();
#else
    (void)obj;
    (void)key;
#endif
}

static struct view *add(struct view *parent, struct view_key key, enum view_kind kind)
{
    struct view *v = ARENA_NEW(arena_of(parent), struct view);
    v->key = key;
    v->kind = kind;
    return append(parent, v);
}

static struct view *member(struct view *obj, struct view_key key, enum view_kind kind)
{
    check_new_key(obj, key);
    return add(obj, key, kind);
}

static struct view *item(struct view *list, enum view_kind kind)
{
    return add(list, (struct view_key){0}, kind);
}

static struct str copy(struct view *parent, struct str s)
{
    return arena_str(arena_of(parent), s);
}

struct view *view_new(struct arena *a)
{
    return group_new(a, VIEW_OBJ);
}

void view_add_str(struct view *obj, struct view_key key, struct str s)
{
    struct view *v = member(obj, key, s.s ? VIEW_TEXT : VIEW_NULL);
    if (s.s)
        v->s = copy(obj, s);
}

void view_add_lasting(struct view *obj, struct view_key key, const char *s)
{
    member(obj, key, s ? VIEW_TEXT : VIEW_NULL)->s = str_of(s);
}

void view_add_html(struct view *obj, struct view_key key, struct markup m)
{
    member(obj, key, VIEW_HTML)->s = copy(obj, m.html);
}

void view_add_int(struct view *obj, struct view_key key, enum view_kind kind, int64_t n)
{
    member(obj, key, kind)->n = n;
}

struct view *view_add_group(struct view *obj, struct view_key key, enum view_kind kind)
{
    check_new_key(obj, key);
    struct view *v = group_new(arena_of(obj), kind);
    v->key = key;
    return append(obj, v);
}

struct view *view_item(struct view *list)
{
    return append(list, group_new(arena_of(list), VIEW_OBJ));
}

void view_item_add(struct view *list, struct view *v)
{
    append(list, v);
}

void view_item_text(struct view *list, const char *s)
{
    struct view *v = item(list, s ? VIEW_TEXT : VIEW_NULL);
    if (s)
        v->s = copy(list, str_of(s));
}

void view_item_html(struct view *list, struct markup m)
{
    item(list, VIEW_HTML)->s = copy(list, m.html);
}

void view_item_int(struct view *list, int64_t n)
{
    item(list, VIEW_INT)->n = n;
}

struct view *view_item_list(struct view *list)
{
    return append(list, group_new(arena_of(list), VIEW_LIST));
}

enum { IN_JSON = 1, IN_HTML = 2 }; /* the output format for which a text is escaped */

static void add_string(struct strbuf *out, struct str s, unsigned char in);
static void add_json(const struct view *v, struct strbuf *out, unsigned char in);

static void add_members(const struct view *v, struct strbuf *out, unsigned char in)
{
    strbuf_addc(out, v->kind == VIEW_OBJ ? '{' : '[');
    for (const struct view *m = v->first; m; m = m->next) {
        if (m != v->first)
            strbuf_addc(out, ',');
        if (v->kind == VIEW_OBJ) {
            add_string(out, view_key_name(m->key), in);
            strbuf_addc(out, ':');
        }
        add_json(m, out, in);
    }
    strbuf_addc(out, v->kind == VIEW_OBJ ? '}' : ']');
}

static void add_json(const struct view *v, struct strbuf *out, unsigned char in)
{
    switch (v->kind) {
    case VIEW_NULL: strbuf_adds(out, "null"); break;
    case VIEW_BOOL: strbuf_adds(out, v->n ? "true" : "false"); break;
    case VIEW_INT: strbuf_addint(out, v->n); break;
    case VIEW_TEXT:
    case VIEW_HTML: add_string(out, v->s, in); break;
    case VIEW_OBJ:
    case VIEW_LIST: add_members(v, out, in); break;
    }
}

void view_json(const struct view *v, struct strbuf *out)
{
    add_json(v, out, IN_JSON | IN_HTML);
}

void view_json_short(const struct view *v, struct strbuf *out)
{
    add_json(v, out, IN_JSON);
}

/* The outputs in which a byte needs an escape or, above ASCII, a check. */
static const unsigned char special[256] = {
    [0x00 ... 0x1F] = IN_JSON | IN_HTML,
    ['"'] = IN_JSON | IN_HTML,
    ['\\'] = IN_JSON | IN_HTML,
    ['<'] = IN_HTML,
    ['>'] = IN_HTML,
    ['&'] = IN_HTML,
    [0x7F ... 0xFF] = IN_JSON | IN_HTML,
};

#define BLOCK      16
#define ESCAPE_MAX 6
#define PIECE      512 /* bytes that are collected, because to append a part costs more than its bytes */

/* The number of bytes before the first special one of BLOCK bytes. The compiler makes vector instructions of
 * it, where there are some. */
static inline size_t plain_of_block(const char *p, unsigned char in)
{
    typedef unsigned char block __attribute__((vector_size(BLOCK)));
    block b, found; /* found: 0xFF for each special byte */
    uint64_t half[2];
    memcpy(&b, p, sizeof b);
    found = (block)((b < 0x20) | (b >= 0x7F) | (b == '"') | (b == '\\'));
    if (in & IN_HTML)
        found |= (block)((b == '<') | (b == '>') | (b == '&'));
    memcpy(half, &found, sizeof half);
    if (half[0])
        return (size_t)__builtin_ctzll(le64toh(half[0])) / 8;
    return half[1] ? BLOCK / 2 + (size_t)__builtin_ctzll(le64toh(half[1])) / 8 : BLOCK;
}

static size_t plain_of_rest(struct str s, unsigned char in)
{
    size_t n = 0;
    while (n < s.len && !(special[(unsigned char)s.s[n]] & in))
        n++;
    return n;
}

static char *put_escape(char *to, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char letters[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't', ['"'] = '"', ['\\'] = '\\'};
    *to++ = '\\';
    if (c < sizeof letters && letters[c]) {
        *to++ = letters[c];
        return to;
    }
    memcpy(to, (char[]){'u', '0', '0', hex[c >> 4], hex[c & 15]}, 5);
    return to + 5;
}

/* A character above ASCII. */
static char *put_character(char *to, struct str *s)
{
    const char *from = s->s;
    bool bad = false;
    uint32_t cp = utf8_next(s, &bad);
    if (bad)
        return stpcpy(to, "\\ufffd");
    if (cp == 0x2028 || cp == 0x2029)
        return stpcpy(to, cp == 0x2028 ? "\\u2028" : "\\u2029");
    return mempcpy(to, from, (size_t)(s->s - from));
}

static void add_string(struct strbuf *out, struct str s, unsigned char in)
{
    char piece[PIECE], *to = piece;
    *to++ = '"';
    while (s.len) {
        if (piece + PIECE - to <= BLOCK + ESCAPE_MAX) { /* the closing quote needs a byte, too */
            strbuf_add(out, piece, (size_t)(to - piece));
            to = piece;
        }
        size_t n;
        if (s.len >= BLOCK) {
            n = plain_of_block(s.s, in);
            memcpy(to, s.s, BLOCK); /* the bytes from n on are overwritten */
        } else {
            n = plain_of_rest(s, in);
            memcpy(to, s.s, n);
        }
        to += n;
        s = str_from(s, n);
        if (!s.len || n == BLOCK)
            continue;
        if ((unsigned char)s.s[0] >= 0x80) {
            to = put_character(to, &s);
        } else {
            to = put_escape(to, (unsigned char)s.s[0]);
            s = str_from(s, 1);
        }
    }
    *to++ = '"';
    strbuf_add(out, piece, (size_t)(to - piece));
}

void json_add_string(struct strbuf *out, struct str s)
{
    add_string(out, s, IN_JSON | IN_HTML);
}

size_t json_string_size(struct str s)
{
    AUTO_STRBUF json;
    strbuf_init(&json, 6 * s.len + 2);
    json_add_string(&json, s);
    return json.len;
}

size_t json_string_fit(struct str text, size_t room)
{
    size_t low = 0, high = text.len < room ? text.len : room;
    while (low < high) { /* binary search for the longest beginning that fits */
        size_t mid = low + (high - low + 1) / 2;
        if (json_string_size((struct str){text.s, mid}) <= room)
            low = mid;
        else
            high = mid - 1;
    }
    return utf8_cut_bytes(text, low);
}

void json_add_short(struct strbuf *out, struct str s)
{
    add_string(out, s, IN_JSON);
}

/*
 * The string that may differ is found when the second text comes: where the first text differs from it. Three
 * rules make certain that this place of the text and that string of the tree belong together: the text has no
 * escapes, the string with its quotes occurs once in it, and one string of the tree has this value.
 *
 * A new string with escapes is parsed alone, with its quotes. If it is one JSON string, the text around it
 * has the same meaning as before.
 */
#include "codec/json/json_series.h"

#include "base/utf8.h"

void json_series_init(struct json_series *s, size_t text_max)
{
    *s = (struct json_series){0};
    strbuf_init(&s->text, text_max);
}

static void forget(struct json_series *s)
{
    json_decref(s->tree);
    s->tree = NULL;
    s->len = s->path_n = 0;
    strbuf_clear(&s->text);
}

void json_series_release(struct json_series *s)
{
    forget(s);
    strbuf_release(&s->text);
}

/* Code points that begin with these bytes are the marks of codec/utf8_stitch.h. */
#define FIRST_MARK 0xF4

/* The inside of a string that needs no decoding. */
static bool is_literal(struct str s)
{
    bool ascii = true;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.s[i];
        if (c < ' ' || c == '"' || c == '\\' || c >= FIRST_MARK)
            return false;
        ascii = ascii && c < 0x80;
    }
    return ascii || utf8_valid_text(s);
}

/* Sets at and len to the string of the old text in which the two texts differ. */
static bool find_place(struct json_series *s, struct str now)
{
    struct str old = strbuf_str(&s->text);
    size_t most = old.len < now.len ? old.len : now.len, from = 0, end = old.len;
    while (from < most && old.s[from] == now.s[from])
        from++;
    while (from && old.s[from - 1] != '"')
        from--;
    for (size_t n = now.len; end > from && n > from && old.s[end - 1] == now.s[n - 1]; n--)
        end--;
    while (end < old.len && old.s[end] != '"')
        end++;
    struct str inside = {old.s + from, end - from}, quoted = {old.s + from - 1, end - from + 2};
    if (!from || end >= old.len || !inside.len || !is_literal(inside) || memchr(old.s, '\\', old.len))
        return false;
    const char *first = memmem(old.s, old.len, quoted.s, quoted.len);
    if (first != quoted.s || memmem(first + 1, old.len - (size_t)(first + 1 - old.s), quoted.s, quoted.len))
        return false;
    s->at = from;
    s->len = inside.len;
    return true;
}

struct search {
    struct json_series *s;
    struct str value;
    json_t *path[JSON_SERIES_DEPTH];
    size_t found;
};

static void search_tree(struct search *f, json_t *v, size_t depth)
{
    const char *key;
    json_t *part;
    size_t i;
    if (depth == JSON_SERIES_DEPTH)
        return;
    f->path[depth++] = v;
    if (json_is_string(v) && str_eq(f->value, (struct str){json_string_value(v), json_string_length(v)})) {
        f->found++;
        memcpy(f->s->path, f->path, sizeof f->path);
        f->s->path_n = depth;
    }
    json_object_foreach(v, key, part)
    {
        search_tree(f, part, depth);
    }
    json_array_foreach(v, i, part)
    {
        search_tree(f, part, depth);
    }
}

static bool find_string(struct json_series *s, struct str now)
{
    if (s->len)
        return true;
    if (!s->tree || !find_place(s, now))
        return false;
    struct search f = {.s = s, .value = {s->text.s + s->at, s->len}};
    search_tree(&f, s->tree, 0);
    if (f.found != 1)
        s->len = 0;
    return f.found == 1;
}

static bool is_shared(const struct json_series *s)
{
    for (size_t i = 0; i < s->path_n; i++)
        if (s->path[i]->refcount != 1)
            return true;
    return false;
}

/* The quotes are around `inside`. */
static bool set_decoded(json_t *string, struct str inside)
{
    AUTO(json_t) v = json_loadb(inside.s - 1, inside.len + 2, JSON_DECODE_ANY, NULL);
    if (!json_is_string(v))
        return false;
    const char *value = json_string_value(v);
    size_t n = json_string_length(v);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)value[i] >= FIRST_MARK)
            return false;
    return json_string_setn_nocheck(string, value, n) == 0;
}

const json_t *json_series_next(struct json_series *s, struct str text)
{
    if (!find_string(s, text))
        return NULL;
    struct str old = strbuf_str(&s->text);
    size_t rest = old.len - s->at - s->len;
    if (text.len < s->at + rest || memcmp(text.s, old.s, s->at) != 0 ||
        memcmp(text.s + text.len - rest, old.s + s->at + s->len, rest) != 0)
        return NULL;
    struct str inside = {text.s + s->at, text.len - s->at - rest};
    json_t *string = s->path[s->path_n - 1];
    if (is_shared(s) || !(is_literal(inside) ? json_string_setn_nocheck(string, inside.s, inside.len) == 0
                                             : set_decoded(string, inside)))
        return NULL;
    return s->tree;
}

const json_t *json_series_string(const struct json_series *s)
{
    return s->len ? s->path[s->path_n - 1] : NULL;
}

void json_series_keep_string(struct json_series *s)
{
    if (!s->len || s->path_n == 1)
        return;
    json_t *string = json_incref(s->path[s->path_n - 1]);
    json_decref(s->tree);
    s->tree = s->path[0] = string;
    s->path_n = 1;
}

const json_t *json_series_begin(struct json_series *s, struct str text)
{
    forget(s);
    if (json_parse(text, text.len, &s->tree, NULL) != RC_OK)
        return NULL;
    strbuf_addstr(&s->text, text);
    if (s->text.failed)
        strbuf_clear(&s->text);
    return s->tree;
}

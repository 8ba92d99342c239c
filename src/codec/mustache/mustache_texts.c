/*
 * Texts of a language in the source of a template, replaced before it is compiled:
 *
 *     {{t.tasks.add}}
 *         The text, escaped. {name} in the text becomes {{name}}.
 *     {{#t.data.more}}<a href="{{url}}"></a>{{/t.data.more}}
 *         The text with elements. <1>words</1> in the text stands for the first element around these words.
 *     {{#t.memory.used}}<time>…</time>{{/t.memory.used}}
 *         <1/> in the text stands for the first element as it is.
 *
 * Elements are separated by "|".
 */
#include "codec/mustache/mustache_node.h"

#include "base/lang_piece.h"
#include "codec/html.h"

#define TEXT_PREFIX "t."

struct elements {
    struct str of[LANG_ELEMENTS_MAX + 1]; /* from 1 */
    int n, used;
};

struct text_tag {
    struct str key;
    struct elements elements;
    const char *after;
};

static enum rc fail(const char *name, const char *what, struct str key, struct err *e)
{
    return err_set(e, RC_BAD_INPUT, "template %s: %s %.*s", name, what, STR_FMT(key));
}

static void split_elements(struct str body, struct elements *out)
{
    while (body.s && out->n < LANG_ELEMENTS_MAX)
        out->of[++out->n] = str_trim(str_cut(&body, '|'));
}

/* Reads the tag at `at`, which begins with "{{t." or "{{#t.". */
static enum rc read_tag(const char *name, struct str source, struct text_tag *tag, struct err *e)
{
    bool section = source.s[2] == '#';
    const char *key = source.s + 2 + section + strlen(TEXT_PREFIX);
    size_t left = source.len - (size_t)(key - source.s);
    const char *end = memmem(key, left, "}}", 2);
    if (!end)
        return fail(name, "a tag is not closed", STR(""), e);
    tag->key = (struct str){key, (size_t)(end - key)};
    tag->after = end + 2;
    if (!section)
        return RC_OK;
    AUTO_STRBUF closing;
    strbuf_init(&closing, MUSTACHE_SOURCE_MAX);
    strbuf_addf(&closing, "{{/" TEXT_PREFIX "%.*s}}", STR_FMT(tag->key));
    left = source.len - (size_t)(tag->after - source.s);
    const char *close = memmem(tag->after, left, closing.s, closing.len);
    if (!close)
        return fail(name, "never closed: " TEXT_PREFIX, tag->key, e);
    split_elements((struct str){tag->after, (size_t)(close - tag->after)}, &tag->elements);
    tag->after = close + closing.len;
    return RC_OK;
}

/* Its start or end tag. */
static struct str half(struct str element, bool first)
{
    const char *hole = element.len ? memmem(element.s, element.len, "></", 3) : NULL;
    if (!hole)
        return (struct str){0};
    size_t n = (size_t)(hole - element.s) + 1;
    return first ? (struct str){element.s, n} : str_from(element, n);
}

static enum rc add_piece(
    const char *name, struct text_tag *tag, struct lang_piece p, struct strbuf *out, struct err *e)
{
    if (p.kind == LANG_LITERAL) {
        html_escape(out, p.text);
        return RC_OK;
    }
    if (p.kind == LANG_PLACE) {
        strbuf_addf(out, "{{%.*s}}", STR_FMT(p.text));
        return RC_OK;
    }
    if (p.element > tag->elements.n)
        return fail(name, "an element is missing for", tag->key, e);
    struct str element = tag->elements.of[p.element];
    struct str text = p.kind == LANG_WHOLE ? element : half(element, p.kind == LANG_OPEN);
    if (!text.s)
        return fail(name, "an element has no place for words:", tag->key, e);
    strbuf_addstr(out, text);
    tag->elements.used |= 1 << p.element;
    return RC_OK;
}

static enum rc add_text(
    struct mustache_set *set, const char *name, struct text_tag *tag, struct strbuf *out, struct err *e)
{
    struct str rest = str_of(set->text(set->text_arg, tag->key));
    if (!rest.s)
        return fail(name, "the catalogue has no", tag->key, e);
    enum rc rc = RC_OK;
    for (struct lang_piece p; rc == RC_OK && (p = lang_piece_next(&rest)).kind != LANG_END;)
        rc = add_piece(name, tag, p, out, e);
    if (rc == RC_OK && tag->elements.used != (2 << tag->elements.n) - 2)
        return fail(name, "elements are left of", tag->key, e);
    return rc;
}

static const char *next_tag(struct str source)
{
    while (source.len) {
        const char *at = memmem(source.s, source.len, "{{", 2);
        if (!at)
            return NULL;
        struct str rest = {at + 2, source.len - (size_t)(at + 2 - source.s)};
        if (str_starts(rest, STR(TEXT_PREFIX)) || str_starts(rest, STR("#" TEXT_PREFIX)))
            return at;
        source = rest;
    }
    return NULL;
}

/* Replaces the tags, except those inside of elements. */
static enum rc expand(
    struct mustache_set *set, const char *name, struct str source, struct strbuf *out, struct err *e)
{
    for (const char *at; (at = next_tag(source));) {
        strbuf_add(out, source.s, (size_t)(at - source.s));
        struct str from = {at, source.len - (size_t)(at - source.s)};
        struct text_tag tag = {.after = at};
        enum rc rc = read_tag(name, from, &tag, e);
        if (rc == RC_OK)
            rc = add_text(set, name, &tag, out, e);
        if (rc != RC_OK)
            return rc;
        source = (struct str){tag.after, from.len - (size_t)(tag.after - from.s)};
    }
    strbuf_addstr(out, source);
    return RC_OK;
}

enum rc mustache_texts(
    struct mustache_set *set, const char *name, struct str source, struct strbuf *out, struct err *e)
{
    AUTO_STRBUF once;
    strbuf_init(&once, out->cap);
    enum rc rc = expand(set, name, source, &once, e);
    if (rc == RC_OK) /* tags inside of elements */
        rc = expand(set, name, strbuf_str(&once), out, e);
    return rc;
}

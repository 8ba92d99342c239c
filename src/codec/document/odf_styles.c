#include "codec/document/odf_styles.h"

#include <stdlib.h>

#define STYLES_MAX 100000
#define LISTS_MAX  5000
#define BASED_MAX  16 /* styles that are based on each other */

enum { STYLE = 1, SHEET, LIST, NUMBER, BULLET };

static struct str kept(const struct odf_styles *s, const char *value)
{
    return arena_str(s->d->arena, str_of(value ? value : ""));
}

static enum numeral form_of(const char *format)
{
    switch (format ? *format : '1') {
    case 'a': return NUMERAL_LETTER;
    case 'A': return NUMERAL_CAPITAL;
    case 'i': return NUMERAL_ROMAN;
    case 'I': return NUMERAL_ROMAN_CAPITAL;
    default: return NUMERAL_DECIMAL;
    }
}

static void on_number(struct odf_styles *s, xml_attributes at)
{
    int64_t level = xml_number(xml_attribute(at, "level"), 1, ODF_LEVELS, 1);
    const char *format = xml_attribute(at, "num-format");
    if (!s->lists.n || !format || !*format)
        return;
    s->lists.list[s->lists.n - 1].levels[level - 1] = (struct odf_level){.numbered = true,
        .form = form_of(format),
        .start = (int)xml_number(xml_attribute(at, "start-value"), 0, 1000000, 1),
        .shown = (int)xml_number(xml_attribute(at, "display-levels"), 1, ODF_LEVELS, 1),
        .before = kept(s, xml_attribute(at, "num-prefix")),
        .after = kept(s, xml_attribute(at, "num-suffix"))};
}

static void on_start(void *arg, int tag, xml_attributes at)
{
    struct odf_styles *s = arg;
    s->d->limits.full = s->d->limits.full || s->styles.n == STYLES_MAX || s->lists.n == LISTS_MAX;
    if (tag == STYLE)
        *DOCUMENT_GROW(&s->styles) = (struct odf_style){.name = kept(s, xml_attribute(at, "name")),
            .parent = kept(s, xml_attribute(at, "parent-style-name"))};
    else if (tag == LIST)
        DOCUMENT_GROW(&s->lists)->name = kept(s, xml_attribute(at, "name"));
    else if (tag == NUMBER)
        on_number(s, at);
    else if (s->styles.n) {
        const char *shown = xml_attribute(at, "display");
        s->styles.list[s->styles.n - 1].hidden = shown && strcmp(shown, "false") == 0;
    }
}

static int by_name(const void *x, const void *y)
{
    return document_compare(((const struct odf_style *)x)->name, ((const struct odf_style *)y)->name);
}

static int by_list_name(const void *x, const void *y)
{
    return document_compare(
        ((const struct odf_list_style *)x)->name, ((const struct odf_list_style *)y)->name);
}

enum rc odf_styles_read(struct document *d, struct odf_styles *out, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_STYLE, "style", STYLE}, {NS_STYLE, "table-properties", SHEET},
        {NS_TEXT, "list-style", LIST}, {NS_TEXT, "list-level-style-number", NUMBER},
        {NS_OFFICE, "body", XML_SKIP}, {NS_OFFICE, "master-styles", XML_SKIP}, {0}};
    static const struct xml_ops ops = {.start = on_start};
    *out = (struct odf_styles){.d = d};
    enum rc rc = document_part(d, STR("styles.xml"), tags, &ops, out, e);
    if (rc == RC_OK)
        rc = document_part(d, STR("content.xml"), tags, &ops, out, e);
    if (out->styles.n)
        qsort(out->styles.list, out->styles.n, sizeof *out->styles.list, by_name);
    if (out->lists.n)
        qsort(out->lists.list, out->lists.n, sizeof *out->lists.list, by_list_name);
    return rc;
}

void odf_styles_release(struct odf_styles *s)
{
    free(s->styles.list);
    free(s->lists.list);
}

static const struct odf_style *find(const struct odf_styles *s, struct str name)
{
    struct odf_style key = {.name = name};
    return s->styles.n ? bsearch(&key, s->styles.list, s->styles.n, sizeof key, by_name) : NULL;
}

bool odf_styles_is_title(const struct odf_styles *s, const char *style)
{
    struct str name = str_of(style ? style : "");
    for (int i = 0; i < BASED_MAX && name.len; i++) {
        if (str_is(name, "Title"))
            return true;
        const struct odf_style *x = find(s, name);
        name = x ? x->parent : (struct str){0};
    }
    return false;
}

bool odf_styles_hides(const struct odf_styles *s, const char *style)
{
    const struct odf_style *x = style ? find(s, str_of(style)) : NULL;
    return x && x->hidden;
}

const struct odf_list_style *odf_styles_list(const struct odf_styles *s, struct str name)
{
    struct odf_list_style key = {.name = name};
    return s->lists.n && name.len ? bsearch(&key, s->lists.list, s->lists.n, sizeof key, by_list_name) : NULL;
}

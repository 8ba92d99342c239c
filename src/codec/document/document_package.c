/* Names of parts, and relationships between the parts of Office Open XML (ISO 29500-2). */
#include <stdlib.h>

#include "codec/document/document_private.h"
#include "codec/url.h"

#define RELATIONS_MAX 100000 /* of a part */

void *document_grow(void **items, size_t *n, size_t *room, size_t size)
{
    if (*n == *room) {
        *room = *room ? 2 * *room : 16;
        *items = xrealloc(*items, *room * size);
    }
    return memset((char *)*items + (*n)++ * size, 0, size);
}

enum rc document_part(struct document *d, struct str name, const struct xml_tag *tags,
    const struct xml_ops *ops, void *arg, struct err *e)
{
    const struct document_zip_entry *entry = document_zip_find(&d->zip, name);
    return entry ? xml_read(&d->zip, entry, &d->limits, tags, ops, arg, e) : RC_OK;
}

static size_t folder_len(struct str part)
{
    const char *slash = part.len ? memrchr(part.s, '/', part.len) : NULL;
    return slash ? (size_t)(slash - part.s) + 1 : 0;
}

struct str document_path(struct arena *a, struct str from, struct str target)
{
    AUTO_STRBUF path;
    strbuf_init(&path, from.len + target.len + 1);
    if (!str_starts(target, STR("/")))
        strbuf_add(&path, from.s, folder_len(from));
    for (struct str rest = target; rest.s;) {
        struct str part = str_cut(&rest, '/');
        if (str_is(part, "..") && path.len) {
            strbuf_truncate(&path, path.len - 1);
            strbuf_truncate(&path, folder_len(strbuf_str(&path)));
        } else if (part.len && !str_is(part, ".") && !str_is(part, "..")) {
            strbuf_addstr(&path, part);
            if (rest.s)
                strbuf_addc(&path, '/');
        }
    }
    return arena_str(a, strbuf_str(&path));
}

bool document_is_address(struct str url)
{
    static const char *const schemes[] = {"https://", "http://", "mailto:"};
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
        if (str_starts_nocase(url, str_of(schemes[i])))
            return true;
    return false;
}

int document_compare(struct str a, struct str b)
{
    size_t n = a.len < b.len ? a.len : b.len;
    int c = n ? memcmp(a.s, b.s, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

/* ---- relationships ---- */

enum { RELATION = 1 };

struct reading {
    struct arena *arena;
    struct xml_limits *limits;
    struct str part;
    struct relations *out;
};

static void on_start(void *arg, int tag, xml_attributes at)
{
    struct reading *r = arg;
    const char *id = xml_attribute(at, "Id"), *type = xml_attribute(at, "Type"),
               *target = xml_attribute(at, "Target"), *mode = xml_attribute(at, "TargetMode");
    (void)tag;
    if (!id || !type || !target)
        return;
    r->limits->full = r->limits->full || r->out->n == RELATIONS_MAX;
    bool external = mode && strcmp(mode, "External") == 0;
    *DOCUMENT_GROW(r->out) = (struct relation){.id = arena_str(r->arena, str_of(id)),
        .type = arena_str(r->arena, str_of(type)),
        .target =
            external ? arena_str(r->arena, str_of(target)) : document_path(r->arena, r->part, str_of(target)),
        .external = external};
}

static int by_id(const void *x, const void *y)
{
    return document_compare(((const struct relation *)x)->id, ((const struct relation *)y)->id);
}

enum rc relations_read(struct document *d, struct str part, struct relations *out, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_RELS, "Relationship", RELATION}, {0}};
    static const struct xml_ops ops = {.start = on_start};
    struct reading r = {d->arena, &d->limits, part, out};
    size_t folder = folder_len(part);
    struct str name = str_of(
        arena_printf(d->arena, "%.*s_rels/%.*s.rels", (int)folder, part.s, STR_FMT(str_from(part, folder))));
    enum rc rc = document_part(d, name, tags, &ops, &r, e);
    if (out->n)
        qsort(out->list, out->n, sizeof *out->list, by_id);
    return rc;
}

void relations_release(struct relations *r)
{
    free(r->list);
    *r = (struct relations){0};
}

const struct relation *relations_find(const struct relations *r, const char *id)
{
    struct relation key = {.id = str_of(id ? id : "")};
    return r->n ? bsearch(&key, r->list, r->n, sizeof *r->list, by_id) : NULL;
}

const struct relation *relations_of_type(const struct relations *r, struct str end)
{
    for (size_t i = 0; i < r->n; i++) {
        struct str type = r->list[i].type;
        if (type.len > end.len && str_eq(str_from(type, type.len - end.len), end))
            return &r->list[i];
    }
    return NULL;
}

/* ---- numbers of lists ---- */

#define LETTERS     26
#define LETTERS_MAX 4 /* of one number */
#define ROMAN_MAX   3999

static void add_letters(struct strbuf *out, char first, int64_t n)
{
    int64_t times = (n - 1) / LETTERS + 1;
    if (times > LETTERS_MAX) {
        strbuf_addint(out, n);
        return;
    }
    for (int64_t i = 0; i < times; i++)
        strbuf_addc(out, (char)(first + (n - 1) % LETTERS));
}

static void add_roman(struct strbuf *out, bool capital, int64_t n)
{
    static const struct {
        int value;
        const char *small, *capital;
    } parts[] = {{1000, "m", "M"}, {900, "cm", "CM"}, {500, "d", "D"}, {400, "cd", "CD"}, {100, "c", "C"},
        {90, "xc", "XC"}, {50, "l", "L"}, {40, "xl", "XL"}, {10, "x", "X"}, {9, "ix", "IX"}, {5, "v", "V"},
        {4, "iv", "IV"}, {1, "i", "I"}};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++)
        for (; n >= parts[i].value; n -= parts[i].value)
            strbuf_adds(out, capital ? parts[i].capital : parts[i].small);
}

void numeral_add(struct strbuf *out, enum numeral form, int64_t n)
{
    bool roman = form == NUMERAL_ROMAN || form == NUMERAL_ROMAN_CAPITAL;
    if (form == NUMERAL_DECIMAL || n < 1 || (roman && n > ROMAN_MAX))
        strbuf_addint(out, n);
    else if (roman)
        add_roman(out, form == NUMERAL_ROMAN_CAPITAL, n);
    else
        add_letters(out, form == NUMERAL_CAPITAL ? 'A' : 'a', n);
}

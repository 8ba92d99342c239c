/*
 * Excel (ISO 29500-1, 18). A formula without a stored value, as programs write that do not calculate, is
 * shown as formula.
 */
#include <stdlib.h>

#include "codec/document/document_private.h"
#include "codec/document/number_format.h"

#define ROWS_MAX      1048576
#define COLUMNS_MAX   16384
#define SHEETS_MAX    10000
#define STYLES_MAX    65536 /* Excel has at most 65,490 */
#define FORMATS_MAX   5000
#define STRINGS_MAX   4000000
#define STRINGS_BYTES ((size_t)24 << 20)

enum { SHEET = 1, PROPERTIES, FORMAT, FORMATS, STYLE, STRING, TEXT, ROW, CELL, VALUE, FORMULA };

struct sheet {
    struct str name, part;
};

struct format {
    int64_t id;
    struct number_format f;
};

struct xlsx {
    struct document *d;
    struct relations relations;
    bool since_1904;
    struct {
        struct sheet *list; /* the visible ones */
        size_t n, room;
    } sheets;
    struct {
        struct format *list; /* by id */
        size_t n, room;
    } formats;
    struct {
        struct number_format *list;
        size_t n, room;
    } styles;
    bool in_styles; /* of cells */
    struct {
        struct str *list;
        size_t n, room, bytes;
    } strings;
    struct sheet *sheet; /* that is read */
    bool begun;          /* it has text */
    int64_t row, column; /* of the cell, from 0 on */
    int64_t style;
    char type; /* the letters that differ: see on_cell() */
    struct strbuf value, formula, words;
};

/* ---- workbook.xml ---- */

static void on_workbook(void *arg, int tag, xml_attributes at)
{
    struct xlsx *x = arg;
    if (tag == PROPERTIES) {
        const char *since = xml_attribute(at, "date1904");
        x->since_1904 = since && (strcmp(since, "1") == 0 || strcmp(since, "true") == 0);
        return;
    }
    const char *name = xml_attribute(at, "name"), *state = xml_attribute(at, "state");
    const struct relation *r = relations_find(&x->relations, xml_reference(at, "id"));
    if (!r || r->external || (state && strcmp(state, "visible") != 0) || strstr(r->type.s, "/chartsheet"))
        return;
    x->d->limits.full = x->d->limits.full || x->sheets.n == SHEETS_MAX;
    *DOCUMENT_GROW(&x->sheets) = (struct sheet){arena_str(x->d->arena, str_of(name ? name : "")), r->target};
}

/* ---- styles.xml ---- */

static const struct number_format *format_of(const struct xlsx *x, int64_t id)
{
    for (size_t i = 0; i < x->formats.n; i++)
        if (x->formats.list[i].id == id)
            return &x->formats.list[i].f;
    return NULL;
}

static void on_style(void *arg, int tag, xml_attributes at)
{
    struct xlsx *x = arg;
    int64_t id = xml_number(xml_attribute(at, "numFmtId"), 0, INT32_MAX, 0);
    x->d->limits.full = x->d->limits.full || x->styles.n == STYLES_MAX || x->formats.n == FORMATS_MAX;
    if (tag == FORMAT) {
        const char *code = xml_attribute(at, "formatCode");
        struct format *f = DOCUMENT_GROW(&x->formats);
        f->id = id;
        number_format_parse(&f->f, code ? code : "");
    } else if (tag == FORMATS)
        x->in_styles = true;
    else if (tag == STYLE && x->in_styles) {
        const struct number_format *own = format_of(x, id);
        struct number_format *f = DOCUMENT_GROW(&x->styles);
        if (own)
            *f = *own;
        else
            number_format_parse(f, number_format_built_in(id));
    }
}

static void on_style_end(void *arg, int tag)
{
    struct xlsx *x = arg;
    x->in_styles = x->in_styles && tag != FORMATS;
}

/* ---- sharedStrings.xml ---- */

static void on_string(void *arg, int tag, xml_attributes at)
{
    struct xlsx *x = arg;
    (void)at;
    if (tag == STRING)
        strbuf_clear(&x->value);
}

static void on_string_end(void *arg, int tag)
{
    struct xlsx *x = arg;
    if (tag != STRING)
        return;
    x->strings.bytes += x->value.len + 1;
    if (x->strings.bytes > STRINGS_BYTES || x->strings.n == STRINGS_MAX || x->value.failed)
        x->d->limits.full = true;
    else
        *DOCUMENT_GROW(&x->strings) = arena_str(x->d->arena, strbuf_str(&x->value));
}

static void on_string_text(void *arg, int tag, struct str text)
{
    struct xlsx *x = arg;
    if (tag == TEXT)
        strbuf_addstr(&x->value, text);
}

/* ---- sheets ---- */

/* "AB12"; what it lacks stays as it is. */
static void read_place(struct xlsx *x, const char *place)
{
    int64_t column = 0;
    for (; (*place | 0x20) >= 'a' && (*place | 0x20) <= 'z' && column < COLUMNS_MAX; place++)
        column = column * 26 + (*place | 0x20) - 'a' + 1;
    if (column > 0)
        x->column = column - 1;
    x->row = xml_number(place, 1, ROWS_MAX, x->row + 1) - 1;
}

static void on_cell(struct xlsx *x, xml_attributes at)
{
    const char *place = xml_attribute(at, "r"), *type = xml_attribute(at, "t");
    static const struct {
        const char *name;
        char type;
    } types[] = {{"s", 's'}, {"b", 'b'}, {"str", 't'}, {"inlineStr", 't'}, {"e", 't'}, {"d", 't'}};
    x->column++;
    if (place)
        read_place(x, place);
    x->style = xml_number(xml_attribute(at, "s"), 0, INT32_MAX, 0);
    x->type = 'n';
    for (size_t i = 0; type && i < ARRAY_LEN(types); i++)
        if (strcmp(type, types[i].name) == 0)
            x->type = types[i].type;
    strbuf_clear(&x->value);
    strbuf_clear(&x->formula);
}

static void on_sheet(void *arg, int tag, xml_attributes at)
{
    struct xlsx *x = arg;
    if (tag == ROW) {
        x->row = xml_number(xml_attribute(at, "r"), 1, ROWS_MAX, x->row + 2) - 1;
        x->column = -1;
    } else if (tag == CELL)
        on_cell(x, at);
}

static struct str number_words(struct xlsx *x)
{
    static const struct number_format general;
    char *end;
    double value = strtod(x->value.s, &end);
    if (end == x->value.s || *end)
        return strbuf_str(&x->value);
    strbuf_clear(&x->words);
    number_format_write((uint64_t)x->style < x->styles.n ? &x->styles.list[x->style] : &general, value,
        x->since_1904, &x->words);
    return strbuf_str(&x->words);
}

static struct str cell_words(struct xlsx *x)
{
    struct str value = strbuf_str(&x->value);
    if (!value.len && x->formula.len) {
        strbuf_clear(&x->words);
        strbuf_addc(&x->words, '=');
        strbuf_addstr(&x->words, strbuf_str(&x->formula));
        return strbuf_str(&x->words);
    }
    int64_t n;
    if (x->type == 's')
        return str_to_int(str_trim(value), 0, INT64_MAX, &n) && (uint64_t)n < x->strings.n
                   ? x->strings.list[n]
                   : (struct str){0};
    if (x->type == 'b')
        return str_is(str_trim(value), "1") ? STR("TRUE") : STR("FALSE");
    return x->type == 'n' && value.len ? number_words(x) : value;
}

static void on_sheet_end(void *arg, int tag)
{
    struct xlsx *x = arg;
    if (tag != CELL)
        return;
    struct str words = str_trim(cell_words(x));
    if (!words.len || x->row < 0 || x->column < 0 || x->column >= COLUMNS_MAX)
        return;
    if (!x->begun) {
        document_heading(&x->d->out, 2, x->sheet->name);
        document_table_begin(&x->d->out, true);
    }
    x->begun = true;
    document_table_put(&x->d->out, (unsigned)x->row, (unsigned)x->column, words);
}

static void on_sheet_text(void *arg, int tag, struct str text)
{
    struct xlsx *x = arg;
    if (tag == VALUE || tag == TEXT)
        strbuf_addstr(&x->value, text);
    else if (tag == FORMULA)
        strbuf_addstr(&x->formula, text);
    x->d->limits.full = x->d->limits.full || x->value.failed || x->formula.failed;
}

static enum rc read_sheet(struct xlsx *x, struct sheet *sheet, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_S, "c", CELL}, {NS_S, "v", VALUE}, {NS_S, "f", FORMULA},
        {NS_S, "row", ROW}, {NS_S, "t", TEXT}, {NS_S, "rPh", XML_SKIP}, {NS_S, "extLst", XML_SKIP},
        {NS_S, "oddHeader", XML_SKIP}, {0}};
    static const struct xml_ops ops = {on_sheet, on_sheet_end, on_sheet_text};
    x->sheet = sheet;
    x->begun = false;
    x->row = x->column = -1;
    enum rc rc = document_part(x->d, sheet->part, tags, &ops, x, e);
    if (x->begun)
        document_table_end(&x->d->out);
    return rc;
}

/* ---- the workbook ---- */

static enum rc read_of_type(
    struct xlsx *x, struct str type, const struct xml_tag *tags, const struct xml_ops *ops, struct err *e)
{
    const struct relation *r = relations_of_type(&x->relations, type);
    return r ? document_part(x->d, r->target, tags, ops, x, e) : RC_OK;
}

static enum rc read_workbook(struct xlsx *x, struct str main, struct err *e)
{
    static const struct xml_tag tags[] = {{NS_S, "sheet", SHEET}, {NS_S, "workbookPr", PROPERTIES}, {0}},
                                style_tags[] = {{NS_S, "numFmt", FORMAT}, {NS_S, "cellXfs", FORMATS},
                                    {NS_S, "xf", STYLE}, {NS_S, "dxfs", XML_SKIP}, {0}},
                                string_tags[] = {
                                    {NS_S, "si", STRING}, {NS_S, "t", TEXT}, {NS_S, "rPh", XML_SKIP}, {0}};
    static const struct xml_ops ops = {.start = on_workbook},
                                style_ops = {.start = on_style, .end = on_style_end},
                                string_ops = {on_string, on_string_end, on_string_text};
    enum rc rc = relations_read(x->d, main, &x->relations, e);
    if (rc == RC_OK)
        rc = document_part(x->d, main, tags, &ops, x, e);
    if (rc == RC_OK)
        rc = read_of_type(x, STR("/styles"), style_tags, &style_ops, e);
    if (rc == RC_OK)
        rc = read_of_type(x, STR("/sharedStrings"), string_tags, &string_ops, e);
    for (size_t i = 0; rc == RC_OK && i < x->sheets.n; i++)
        rc = read_sheet(x, &x->sheets.list[i], e);
    return rc;
}

enum rc xlsx_read(struct document *d, struct str main, struct err *e)
{
    struct xlsx x = {.d = d};
    strbuf_init(&x.value, d->out.text.cap);
    strbuf_init(&x.formula, d->out.text.cap);
    strbuf_init(&x.words, d->out.text.cap);
    enum rc rc = read_workbook(&x, main, e);
    strbuf_release(&x.value);
    strbuf_release(&x.formula);
    strbuf_release(&x.words);
    free(x.sheets.list);
    free(x.formats.list);
    free(x.styles.list);
    free(x.strings.list);
    relations_release(&x.relations);
    return rc;
}

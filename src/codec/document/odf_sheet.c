/*
 * A cell has its value in attributes and as the text that the program showed, in its language: "1.234,50 €".
 * The value is used, because the text of a number can be read in two ways.
 */
#include "codec/document/odf_sheet.h"

#include <stdlib.h>

#include "codec/document/number_format.h"

#define ROWS_MAX    1048576
#define COLUMNS_MAX 16384

void odf_sheet_init(struct odf_sheet *s, size_t max)
{
    *s = (struct odf_sheet){0};
    strbuf_init(&s->text, max);
    strbuf_init(&s->value, max);
}

void odf_sheet_release(struct odf_sheet *s)
{
    strbuf_release(&s->text);
    strbuf_release(&s->value);
}

void odf_sheet_begin(struct odf_sheet *s, struct str name, bool hidden)
{
    s->name = name;
    s->hidden = hidden;
    s->open = true;
    s->begun = s->in_cell = false;
    s->row = s->rows = 0;
}

void odf_sheet_end(struct odf_sheet *s, struct document_out *o)
{
    if (s->begun)
        document_table_end(o);
    s->open = s->begun = false;
}

void odf_sheet_row(struct odf_sheet *s, xml_attributes at)
{
    s->row += s->rows;
    s->row = s->row < ROWS_MAX ? s->row : ROWS_MAX;
    s->rows = (unsigned)xml_number(xml_attribute(at, "number-rows-repeated"), 1, ROWS_MAX, 1);
    s->column = s->columns = 0;
}

/* "2024-01-31T18:00:00" */
static void add_date(struct strbuf *out, const char *date)
{
    struct str rest = str_of(date), day = str_cut(&rest, 'T');
    strbuf_addstr(out, day);
    if (rest.len < 5 || str_is(rest, "00:00:00"))
        return;
    strbuf_addc(out, ' ');
    strbuf_add(out, rest.s, str_starts(str_from(rest, 5), STR(":00")) || rest.len < 8 ? 5 : 8);
}

/* "PT18H30M00S" */
static void add_time(struct strbuf *out, const char *time)
{
    int64_t parts[3] = {0};
    const char *const marks = "HMS";
    if (strncmp(time, "PT", 2) != 0) {
        strbuf_adds(out, time);
        return;
    }
    for (const char *p = time + 2; *p;) {
        char *end;
        long long n = strtoll(p, &end, 10);
        const char *mark = strchr(marks, *end);
        if (end == p || !*end)
            break;
        if (mark)
            parts[mark - marks] = n < 0 || n > INT32_MAX ? 0 : n;
        p = end + 1;
    }
    strbuf_addf(out, "%02lld:%02lld", (long long)parts[0], (long long)parts[1]);
    if (parts[2])
        strbuf_addf(out, ":%02lld", (long long)parts[2]);
}

static void add_number(struct strbuf *out, xml_attributes at, const char *value, bool percent)
{
    char *end;
    double number = strtod(value, &end);
    const char *currency = xml_attribute(at, "currency");
    if (end == value || *end) {
        strbuf_adds(out, value);
        return;
    }
    number_format_plain(percent ? number * 100 : number, out);
    if (percent)
        strbuf_addc(out, '%');
    else if (currency)
        strbuf_addf(out, " %s", currency);
}

void odf_sheet_cell(struct odf_sheet *s, xml_attributes at)
{
    const char *type = xml_attribute(at, "value-type"), *value = xml_attribute(at, "value"),
               *date = xml_attribute(at, "date-value"), *time = xml_attribute(at, "time-value"),
               *truth = xml_attribute(at, "boolean-value");
    s->column += s->columns;
    s->column = s->column < COLUMNS_MAX ? s->column : COLUMNS_MAX;
    s->columns = (unsigned)xml_number(xml_attribute(at, "number-columns-repeated"), 1, COLUMNS_MAX, 1);
    s->in_cell = true;
    strbuf_clear(&s->text);
    strbuf_clear(&s->value);
    if (date)
        add_date(&s->value, date);
    else if (time)
        add_time(&s->value, time);
    else if (truth)
        strbuf_adds(&s->value, strcmp(truth, "true") == 0 ? "TRUE" : "FALSE");
    else if (value && type && strcmp(type, "string") != 0)
        add_number(&s->value, at, value, strcmp(type, "percentage") == 0);
}

/* Repeated cells with text are as many cells; the limit of the text bounds them. */
void odf_sheet_cell_end(struct odf_sheet *s, struct document_out *o)
{
    struct str words = str_trim(strbuf_str(s->value.len ? &s->value : &s->text));
    s->in_cell = false;
    *o->full = *o->full || s->text.failed || s->value.failed;
    if (!words.len || s->hidden)
        return;
    if (!s->begun) {
        document_heading(o, 2, s->name);
        document_table_begin(o, true);
    }
    s->begun = true;
    for (unsigned row = 0; row < s->rows && !*o->full; row++)
        for (unsigned column = 0; column < s->columns && !*o->full; column++)
            if (s->column + column < COLUMNS_MAX)
                document_table_put(o, s->row + row, s->column + column, words);
}

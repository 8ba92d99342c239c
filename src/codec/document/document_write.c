#include "codec/document/document_write.h"

#include <stdlib.h>

#define LEVEL_MAX   8 /* of items; deeper ones are not indented further */
#define HEADING_MAX 6
#define CELL_EXTRA  3 /* bytes of a cell besides its text */
#define ROOM_FIRST  64

struct cell {
    unsigned row, column;
    struct str text;
};

struct document_table {
    struct document_table *outer;
    struct cell *cells;
    size_t n, room, bytes;       /* bytes of their text */
    unsigned row, column, rows;  /* of the current cell; rows: begun so far */
    unsigned span;               /* further columns of the current cell */
    bool in_cell, dropped, data; /* dropped: the row */
    struct strbuf text;          /* of the current cell */
};

void document_out_init(struct document_out *o, struct arena *a, size_t max, bool *full)
{
    *o = (struct document_out){.arena = a, .full = full};
    strbuf_init(&o->text, max);
}

static void table_free(struct document_table *t)
{
    strbuf_release(&t->text);
    free(t->cells);
    free(t);
}

void document_out_release(struct document_out *o)
{
    while (o->table) {
        struct document_table *t = o->table;
        o->table = t->outer;
        table_free(t);
    }
    strbuf_release(&o->text);
}

static void look_for_limit(struct document_out *o)
{
    *o->full = *o->full || o->text.failed;
}

/* ---- blocks ---- */

static void write_block(struct document_out *o, const char *marks, struct str text, bool item)
{
    text = str_trim(text);
    if (!text.len)
        return;
    struct strbuf *out = o->table ? &o->table->text : &o->text;
    if (out->len)
        strbuf_adds(out, o->table || (item && o->after_item) ? "\n" : "\n\n");
    strbuf_adds(out, marks);
    strbuf_addstr(out, text);
    if (!o->table)
        o->after_item = item;
    *o->full = *o->full || out->failed;
}

void document_block(struct document_out *o, const char *marks, struct str text)
{
    write_block(o, marks, text, false);
}

void document_heading(struct document_out *o, unsigned level, struct str text)
{
    static const char marks[] = "###### ";
    unsigned n = level < 1 ? 1 : level > HEADING_MAX ? HEADING_MAX : level;
    write_block(o, o->table ? "" : marks + HEADING_MAX - n, text, false);
}

void document_item(struct document_out *o, unsigned level, const char *label, struct str text)
{
    AUTO_STRBUF marks;
    strbuf_init(&marks, 256);
    for (unsigned i = 0; i < level && i < LEVEL_MAX; i++)
        strbuf_adds(&marks, "   ");
    strbuf_adds(&marks, label);
    strbuf_addc(&marks, ' ');
    write_block(o, marks.s, text, true);
}

/* ---- tables ---- */

void document_table_begin(struct document_out *o, bool data)
{
    struct document_table *t = xcalloc(1, sizeof *t);
    t->outer = o->table;
    t->data = data;
    strbuf_init(&t->text, o->text.cap);
    o->table = t;
}

static void add_cell(struct document_out *o, unsigned row, unsigned column, struct str text)
{
    struct document_table *t = o->table;
    text = str_trim(text);
    if (!text.len || *o->full || t->dropped)
        return;
    t->bytes += text.len + CELL_EXTRA;
    if (t->bytes > o->text.cap) {
        *o->full = true;
        return;
    }
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : ROOM_FIRST;
        t->cells = xrealloc(t->cells, t->room * sizeof *t->cells);
    }
    t->cells[t->n++] = (struct cell){row, column, arena_str(o->arena, text)};
}

static void end_cell(struct document_out *o)
{
    struct document_table *t = o->table;
    if (!t->in_cell)
        return;
    add_cell(o, t->row, t->column, strbuf_str(&t->text));
    strbuf_clear(&t->text);
    t->column += 1 + t->span;
    t->span = 0;
    t->in_cell = false;
}

void document_table_row(struct document_out *o)
{
    struct document_table *t = o->table;
    if (!t)
        return;
    end_cell(o);
    t->row = t->rows++;
    t->column = 0;
    t->dropped = false;
}

void document_table_cell(struct document_out *o)
{
    if (!o->table)
        return;
    end_cell(o);
    o->table->in_cell = true;
}

void document_table_skip(struct document_out *o, unsigned columns)
{
    if (!o->table)
        return;
    end_cell(o);
    o->table->column += columns;
}

void document_table_span(struct document_out *o, unsigned columns)
{
    if (o->table && columns > 1)
        o->table->span = columns - 1;
}

void document_table_drop_row(struct document_out *o)
{
    if (o->table)
        o->table->dropped = true;
}

void document_table_put(struct document_out *o, unsigned row, unsigned column, struct str text)
{
    add_cell(o, row, column, text);
}

static int by_place(const void *x, const void *y)
{
    const struct cell *i = x, *j = y;
    if (i->row != j->row)
        return i->row < j->row ? -1 : 1;
    return (i->column > j->column) - (i->column < j->column);
}

static int by_number(const void *x, const void *y)
{
    unsigned i = *(const unsigned *)x, j = *(const unsigned *)y;
    return (i > j) - (i < j);
}

/* Numbers the columns that have text. Returns how many there are. */
static unsigned number_columns(struct document_table *t)
{
    AUTO_FREE unsigned *used = xcalloc(t->n + 1, sizeof *used);
    size_t n = 0;
    for (size_t i = 0; i < t->n; i++)
        used[i] = t->cells[i].column;
    qsort(used, t->n, sizeof *used, by_number);
    for (size_t i = 0; i < t->n; i++)
        if (!n || used[n - 1] != used[i])
            used[n++] = used[i];
    for (size_t i = 0; i < t->n; i++) {
        unsigned *at = bsearch(&t->cells[i].column, used, n, sizeof *used, by_number);
        t->cells[i].column = (unsigned)(at - used);
    }
    return (unsigned)n;
}

/* In one line. */
static void add_escaped(struct strbuf *out, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.s[i] == '|')
            strbuf_addc(out, '\\');
        if (text.s[i] == '\n')
            strbuf_adds(out, "<br>");
        else
            strbuf_addc(out, text.s[i] == '\r' || text.s[i] == '\t' ? ' ' : text.s[i]);
    }
}

static void write_row(struct strbuf *out, const struct cell *cells, size_t n, unsigned columns)
{
    size_t i = 0;
    strbuf_addc(out, '|');
    for (unsigned column = 0; column < columns && !out->failed; column++) {
        if (i < n && cells[i].column == column) {
            strbuf_addc(out, ' ');
            add_escaped(out, cells[i++].text);
        }
        strbuf_adds(out, " |");
        while (i < n && cells[i].column == column)
            i++; /* a damaged file can have a place twice */
    }
}

static void write_rows(struct strbuf *out, const struct document_table *t, unsigned columns)
{
    for (size_t i = 0, next; i < t->n && !out->failed; i = next) {
        for (next = i + 1; next < t->n && t->cells[next].row == t->cells[i].row;)
            next++;
        if (i > 0)
            strbuf_addc(out, '\n');
        write_row(out, &t->cells[i], next - i, columns);
        if (i > 0)
            continue;
        strbuf_adds(out, "\n|");
        for (unsigned column = 0; column < columns; column++)
            strbuf_adds(out, "---|");
    }
}

/* A table within a cell: a line per row. */
static void write_inner(struct document_out *o, const struct document_table *t)
{
    struct strbuf *out = &o->table->text;
    for (size_t i = 0; i < t->n; i++) {
        bool same = i > 0 && t->cells[i].row == t->cells[i - 1].row;
        strbuf_adds(out, same ? " / " : out->len ? "\n" : "");
        strbuf_addstr(out, t->cells[i].text);
    }
    *o->full = *o->full || out->failed;
}

void document_table_end(struct document_out *o)
{
    struct document_table *t = o->table;
    if (!t)
        return;
    end_cell(o);
    o->table = t->outer;
    if (t->n)
        qsort(t->cells, t->n, sizeof *t->cells, by_place);
    unsigned columns = number_columns(t);
    if (o->table)
        write_inner(o, t);
    else if (columns == 1 && !t->data)
        for (size_t i = 0; i < t->n; i++)
            document_block(o, "", t->cells[i].text);
    else if (columns) {
        strbuf_adds(&o->text, o->text.len ? "\n\n" : "");
        write_rows(&o->text, t, columns);
        o->after_item = false;
    }
    look_for_limit(o);
    table_free(t);
}

/* ---- links ---- */

void document_link(struct strbuf *text, size_t start, struct str url)
{
    AUTO_STRBUF label;
    strbuf_init(&label, text->cap);
    if (start > text->len)
        return;
    strbuf_add(&label, text->s + start, text->len - start);
    struct str shown = str_trim(strbuf_str(&label));
    if (!shown.len || !url.len || str_eq(shown, url))
        return;
    strbuf_truncate(text, start);
    strbuf_addc(text, '[');
    strbuf_addstr(text, shown);
    strbuf_adds(text, "](");
    strbuf_addstr(text, url);
    strbuf_addc(text, ')');
}

#include "codec/page/page_table.h"

#include "base/mem.h"

#define ROWS_MAX 1000 /* of one cell; by the HTML standard it is 65534 */
#define ROW_MAX  (PAGE_TABLE_COLUMNS_MAX * 4096)

struct look {
    struct page_visitor v;
    const GumboNode *table;
    unsigned rows, columns, most;
    size_t cell;
    bool arranges;
};

static bool look_enter(struct page_visitor *v, const GumboNode *element)
{
    struct look *k = (struct look *)v;
    switch (page_tag(element)) {
    case GUMBO_TAG_TABLE: k->arranges = element != k->table; break;
    case GUMBO_TAG_TR:
        k->rows++;
        k->columns = 0;
        break;
    case GUMBO_TAG_TD:
    case GUMBO_TAG_TH:
        k->columns++;
        k->most = k->columns > k->most ? k->columns : k->most;
        k->cell = 0;
        break;
    case GUMBO_TAG_H1:
    case GUMBO_TAG_H2:
    case GUMBO_TAG_H3:
    case GUMBO_TAG_H4:
    case GUMBO_TAG_H5:
    case GUMBO_TAG_H6:
    case GUMBO_TAG_PRE:
    case GUMBO_TAG_BLOCKQUOTE: k->arranges = true; break;
    default: break;
    }
    v->stop = k->arranges;
    return true;
}

static void look_leave(struct page_visitor *v, const GumboNode *element)
{
    (void)v;
    (void)element;
}

static void look_text(struct page_visitor *v, struct str text)
{
    struct look *k = (struct look *)v;
    k->cell += str_trim(text).len;
    v->stop = k->arranges = k->cell > PAGE_TABLE_CELL_MAX;
}

bool page_table_has_data(const GumboNode *table)
{
    if (page_has_role(table, "presentation") || page_has_role(table, "none"))
        return false;
    struct look k = {.v = {look_enter, look_leave, look_text, false}, .table = table};
    page_walk(table, &k.v);
    return !k.arranges && k.rows > 1 && k.most > 1;
}

void page_table_init(struct page_table *t)
{
    *t = (struct page_table){0};
    strbuf_init(&t->row, ROW_MAX);
}

void page_table_release(struct page_table *t)
{
    strbuf_release(&t->row);
}

void page_table_row(struct page_table *t)
{
    strbuf_clear(&t->row);
    strbuf_addc(&t->row, '|');
    t->columns = 0;
    t->filled = false;
}

static void add(struct page_table *t, struct str text, unsigned below)
{
    if (t->columns == PAGE_TABLE_COLUMNS_MAX)
        return;
    t->below[t->columns++] = below;
    strbuf_addc(&t->row, ' ');
    for (size_t i = 0; i < text.len; i++) {
        if (text.s[i] == '|')
            strbuf_addc(&t->row, '\\');
        strbuf_addc(&t->row, text.s[i]);
    }
    strbuf_adds(&t->row, text.len ? " |" : "|");
    t->filled |= text.len > 0;
}

/* Columns that cells of rows above take. */
static void skip_taken(struct page_table *t)
{
    while (t->columns < PAGE_TABLE_COLUMNS_MAX && t->below[t->columns])
        add(t, (struct str){0}, t->below[t->columns] - 1);
}

void page_table_cell(struct page_table *t, const GumboNode *cell, struct str text)
{
    unsigned below = (unsigned)page_number(cell, "rowspan", ROWS_MAX, 1);
    long width = page_number(cell, "colspan", PAGE_TABLE_COLUMNS_MAX, 1);
    skip_taken(t);
    below = below ? below - 1 : 0;
    add(t, text, below);
    for (long i = 1; i < width; i++)
        add(t, (struct str){0}, below);
}

void page_table_row_end(struct page_table *t, struct page_lines *l)
{
    skip_taken(t);
    if (!t->filled)
        return;
    page_lines_break(l, 1);
    page_lines_add(l, strbuf_str(&t->row));
    if (t->head)
        return;
    t->head = true;
    page_lines_break(l, 1);
    page_lines_add(l, STR("|"));
    for (size_t i = 0; i < t->columns; i++)
        page_lines_add(l, STR("---|"));
}

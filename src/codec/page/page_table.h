/* Tables as Markdown: one line per row, the first row as the head. */
#ifndef ALFRED_CODEC_PAGE_PAGE_TABLE_H
#define ALFRED_CODEC_PAGE_PAGE_TABLE_H

#include "codec/page/page_lines.h"
#include "codec/page/page_walk.h"

#define PAGE_TABLE_COLUMNS_MAX 64  /* further ones are left out */
#define PAGE_TABLE_CELL_MAX    600 /* visible bytes; a longer text is no cell of data */

/* False for tables that arrange a page: those with fewer than two rows or columns, with long cells, or with
 * headings, quotes, code or tables in cells. Their cells are read like other blocks. */
bool page_table_has_data(const GumboNode *table);

struct page_table {
    struct strbuf row;
    size_t columns;                         /* of the row so far */
    unsigned below[PAGE_TABLE_COLUMNS_MAX]; /* further rows that a cell above takes */
    bool filled, head;                      /* the row has text; the head is written */
};

void page_table_init(struct page_table *t);
void page_table_release(struct page_table *t); /* zeroed memory is fine */
void page_table_row(struct page_table *t);     /* begins a row */
void page_table_cell(struct page_table *t, const GumboNode *cell, struct str text);
/* Rows without text are left out. */
void page_table_row_end(struct page_table *t, struct page_lines *l);

#endif

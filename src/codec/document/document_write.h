/*
 * The text of a document: blocks with an empty line between them, and tables. A block within a table becomes
 * part of the current cell, which is one line: its blocks and lines are joined by "<br>".
 */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_WRITE_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_WRITE_H

#include "base/mem.h"
#include "base/strbuf.h"

struct document_table;

struct document_out {
    struct arena *arena;
    struct strbuf text;
    bool *full;                   /* set when the text exceeds its limit */
    bool after_item;              /* the last block is an item of a list */
    struct document_table *table; /* the innermost open one */
};

void document_out_init(struct document_out *o, struct arena *a, size_t max, bool *full);
void document_out_release(struct document_out *o);

/* `text` is trimmed; without text nothing is written. `marks`: before it, such as "## ". */
void document_block(struct document_out *o, const char *marks, struct str text);
void document_heading(struct document_out *o, unsigned level, struct str text); /* from 1 on; at most 6 */
/* An item of a list, indented by its level, from 0 on. Items follow each other without an empty line. */
void document_item(struct document_out *o, unsigned level, const char *label, struct str text);

/* Tables may be inside each other: an inner one becomes text of the cell. */
/* `data`: a table of one column stays one. Of a document it arranges text and becomes blocks. */
void document_table_begin(struct document_out *o, bool data);
void document_table_row(struct document_out *o);
void document_table_cell(struct document_out *o);                   /* begins the next cell of the row */
void document_table_span(struct document_out *o, unsigned columns); /* of the current cell */
void document_table_skip(struct document_out *o, unsigned columns);
void document_table_drop_row(struct document_out *o); /* leaves out the further cells of the row */
/* Rows and columns without text are left out. */
void document_table_end(struct document_out *o);
/* A cell as a whole; numbers from 0 on, in any order of columns, rows in their order. */
void document_table_put(struct document_out *o, unsigned row, unsigned column, struct str text);

/* Replaces the text from `start` on, the label of a link, by "[label](url)". */
void document_link(struct strbuf *text, size_t start, struct str url);

#endif

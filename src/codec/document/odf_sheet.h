/* Sheets of OpenDocument: a place in the table, and the value of a cell. */
#ifndef ALFRED_CODEC_DOCUMENT_ODF_SHEET_H
#define ALFRED_CODEC_DOCUMENT_ODF_SHEET_H

#include "codec/document/document_private.h"

struct odf_sheet {
    struct str name;
    bool open, begun, hidden; /* begun: it has text */
    unsigned row, rows;       /* the first row of the element, and how often it is repeated */
    unsigned column, columns; /* the same of the cell */
    bool in_cell;
    struct strbuf text;  /* of the paragraphs in the cell */
    struct strbuf value; /* of its attributes, such as the date; empty: the text counts */
};

void odf_sheet_init(struct odf_sheet *s, size_t max);
void odf_sheet_release(struct odf_sheet *s);
void odf_sheet_begin(struct odf_sheet *s, struct str name, bool hidden);
void odf_sheet_end(struct odf_sheet *s, struct document_out *o);
void odf_sheet_row(struct odf_sheet *s, xml_attributes at);
void odf_sheet_cell(struct odf_sheet *s, xml_attributes at);
void odf_sheet_cell_end(struct odf_sheet *s, struct document_out *o);

#endif

/*
 * Tables as md4c 0.4.8 knows them. GitHub's parsers, for which models write, accept more:
 * - One hyphen per column is enough below a head (GFM 0.29, 4.10). md4c needs three characters.
 * - A table may follow a paragraph without an empty line.
 * - A heading or a block of code ends a table.
 * - A bar ends a bare address in a cell.
 * And a head with more cells than the line below it has keeps them; md4c would not show them.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_TABLE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_TABLE_H

#include "base/strbuf.h"

/* False: markdown_add_tables() does not change the text. */
bool markdown_may_have_tables(struct str text);

/* Appends the text, changed for md4c. A text that has been changed stays as it is. */
#define MARKDOWN_TABLES_FACTOR 5 /* bytes that one of the text may become */
void markdown_add_tables(struct strbuf *out, struct str text);

#endif

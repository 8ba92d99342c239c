/*
 * The line below the head of a table. GitHub's rule needs one hyphen per column (GFM 0.29, 4.10), md4c 0.4.8
 * three characters, and models write both.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_TABLE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_TABLE_H

#include "base/strbuf.h"

/* The bytes that markdown_add_tables() adds to `text`. */
size_t markdown_tables_more(struct str text);

/* Appends the text, with hyphens added to such lines. */
void markdown_add_tables(struct strbuf *out, struct str text);

#endif

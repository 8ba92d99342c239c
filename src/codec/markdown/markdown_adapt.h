/*
 * Adapts a text to md4c 0.4.8. GitHub's parsers, for which models write, accept more tables:
 * - One hyphen per column is enough below a head (GFM 0.29, 4.10). md4c needs three characters.
 * - A table may follow a paragraph without an empty line.
 * - A heading or a block of code ends a table.
 * - A bar ends a bare address in a cell.
 * And a head with more cells than the line below it has keeps them; md4c would not show them.
 *
 * Bold text beside punctuation of scripts without spaces is bold (markdown_cjk.h).
 *
 * Footnotes are text here. Without a change, md4c takes one of a single word for the definition of a link.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_ADAPT_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_ADAPT_H

#include "base/strbuf.h"

/* False: markdown_adapt() does not change the text. */
bool markdown_may_need_adapting(struct str text);

/* Appends the text, changed for md4c. The result is not changed again. */
#define MARKDOWN_ADAPT_FACTOR 6 /* bytes that one of the text may become */
void markdown_adapt(struct strbuf *out, struct str text);

#endif

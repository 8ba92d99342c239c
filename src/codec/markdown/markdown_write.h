/* Writes pieces of Markdown around texts of others, so that a reader gets the texts as they are. */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_WRITE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_WRITE_H

#include "base/strbuf.h"

/* "[words](url)" on one line. Signs that would end the words or the address are escaped. */
void markdown_write_link(struct strbuf *b, struct str words, struct str url);
/* The number of backticks around a text: one more than it has in a row. A fence has at least 3. */
size_t markdown_write_ticks(struct str text);
/* A code span. */
void markdown_write_code(struct strbuf *b, struct str code);
/* A fenced block, without a line end behind the closing fence. The caller begins a line. `language`: a word
 * without backticks, or empty. */
void markdown_write_fenced(struct strbuf *b, struct str language, struct str code);

#endif

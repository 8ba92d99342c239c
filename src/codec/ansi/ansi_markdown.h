/*
 * Markdown for a terminal: wrapped lines with styles for headings, lists, code, quotations, tables and links.
 * The text may be malicious: the output has no control character but LF, and no escape sequence but those of
 * styles (CSI ... m), which each line ends itself. Formulas become text (tex_text.h).
 */
#ifndef ALFRED_CODEC_ANSI_ANSI_MARKDOWN_H
#define ALFRED_CODEC_ANSI_ANSI_MARKDOWN_H

#include "codec/ansi/ansi_wrap.h"

/* Appends lines, each with its LF. A text that is too costly to parse is wrapped as it is. Output beyond the
 * cap of `out` is lost (`out->failed`). */
void ansi_markdown(struct str text, struct ansi_look look, struct strbuf *out);

#endif

/*
 * TeX formulas as readable text, where formulas cannot be drawn: "\frac{a}{b^2}" becomes "a/b²", "\alpha \leq
 * 1" becomes "α ≤ 1". Covers what models write in answers; an unknown command stays as it is. The text has no
 * delimiters ($, \[).
 */
#ifndef ALFRED_CODEC_MARKDOWN_TEX_TEXT_H
#define ALFRED_CODEC_MARKDOWN_TEX_TEXT_H

#include "base/strbuf.h"

/* Appends the text. Rows ("\\") become lines. Control characters other than white space stay as they are. */
void tex_text(struct str tex, struct strbuf *out);

/* Appends a text without TeX above or below the line: "2" becomes ², "2nd" becomes ²ⁿᵈ, and a text with a
 * character that has no such form ^(2q) or _(2q). */
enum tex_line { TEX_RAISED, TEX_LOWERED };
#define TEX_SCRIPT_FACTOR 4 /* bytes that one of the text may become */
void tex_script(enum tex_line line, struct str text, struct strbuf *out);

/* Appends Markdown in which every formula of `text` (valid UTF-8) is text. A formula that stands alone keeps
 * its rows. */
#define TEX_TEXT_FACTOR 8 /* bytes that one of the text may become, and TEX_TEXT_FACTOR more */
void tex_text_markdown(struct str text, struct strbuf *out);

#endif

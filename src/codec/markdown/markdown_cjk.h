/*
 * Bold text in Chinese, Japanese, Korean, Thai and other text without spaces between words.
 *
 * CommonMark opens or closes emphasis beside punctuation only if a space or punctuation is on the other side:
 * `**"a"** b` is bold, `**「重要」**です` is not. Models write the latter. This adapts a text by the rule of
 * markdown-cjk-friendly: the condition is dropped when a character of such a script is next to the delimiter.
 * MARKDOWN_CJK_MARK between the punctuation and the delimiter makes md4c apply that rule.
 *
 * Only `**` is adapted: italics are rare in these scripts, and a single star is the multiplication of
 * formulas.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_CJK_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_CJK_H

#include "base/strbuf.h"

/* U+FDD0, a noncharacter, which is neither a space nor punctuation. It is not shown, also if the text has it.
 */
#define MARKDOWN_CJK_MARK "\xEF\xB7\x90"

/* False: markdown_cjk_adapt() does not change the text. */
bool markdown_cjk_may_need(struct str text);

/* Appends the text with marks. The result is not changed again. It has at most twice the bytes of the text.
 */
void markdown_cjk_adapt(struct strbuf *out, struct str text);

/* Cuts `*rest` after its first mark. `*before` is the text before it. False: there is none, and nothing is
 * changed. */
bool markdown_cjk_cut_mark(struct str *rest, struct str *before);

/* Removes all marks from `from` on. */
void markdown_cjk_drop_marks(struct strbuf *b, size_t from);

#endif

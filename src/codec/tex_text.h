/*
 * Formulas in TeX as readable text, for places that cannot draw them: x^2 stays, \frac{a}{b} is (a)/(b),
 * \alpha is α, \le is ≤. What is not known stays as it is written, so nothing is lost.
 */
#ifndef ALFRED_CODEC_TEX_TEXT_H
#define ALFRED_CODEC_TEX_TEXT_H

#include "base/strbuf.h"

/* Bytes that the text of a formula of n bytes may have. */
#define TEX_TEXT_MAX(n) (4 * (n) + 16)

/* Appends the text of `tex`, which has no delimiters. `out` needs room for TEX_TEXT_MAX(tex.len) bytes. */
void tex_text(struct strbuf *out, struct str tex);

#endif

/* Superscripts and subscripts as "2^n" and "x_(i+1)". Others stay as they are: "note[1]", "1st", "Alfred®".
 */
#ifndef ALFRED_CODEC_PAGE_PAGE_SCRIPT_H
#define ALFRED_CODEC_PAGE_PAGE_SCRIPT_H

#include "codec/page/page_walk.h"

/* The mark before the text of a <sup> or <sub>: "^", "_", and with a bracket that the caller closes "^(",
 * "_(". NULL: none. */
const char *page_script_mark(const GumboNode *element);
/* True when such a mark can follow this text: it ends in a letter, a digit or ")". */
bool page_script_fits(struct str before);

#endif

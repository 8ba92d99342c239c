/*
 * Joins the new text of a continued answer to the old text. A model may repeat the last words, because it was
 * asked to, or the whole answer. Readers must not see the repetition, and no blank may be lost or doubled. So
 * the new text is held back until its place is known.
 */
#ifndef ALFRED_APP_TURN_SEAM_H
#define ALFRED_APP_TURN_SEAM_H

#include "base/strbuf.h"

#define SEAM_WORDS_BYTES 60 /* most bytes of the last words that a model repeats */

/* The last words of a text, on one line. They begin at a word where the text has blanks. */
struct str seam_last_words(struct str old);

/* The place at which the new text continues the old one. */
struct seam {
    bool known;       /* false: the place can only be found when more text has come */
    size_t skip;      /* bytes of the new text that the old one has already */
    bool needs_blank; /* a blank is missing between them */
};

/* `repeats`: the model was asked to repeat the last words. `over`: no more text comes. */
struct seam seam_find(struct str old, struct str fresh, bool repeats, bool over);

#endif

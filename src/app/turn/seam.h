/*
 * The seam of an answer that goes on: the end of its old text and the beginning of the new. A model that was
 * asked to repeat the last words, or that repeats the whole answer, must not be shown to do so, and no blank
 * may be lost or doubled. The new text is therefore held back until it is clear where it belongs.
 */
#ifndef ALFRED_APP_TURN_SEAM_H
#define ALFRED_APP_TURN_SEAM_H

#include "base/strbuf.h"

#define SEAM_WORDS_BYTES 60 /* most bytes of the last words that a model repeats */

/* The last words of a text, on one line. They begin at a word where the text has blanks. */
struct str seam_last_words(struct str old);

/* Where the new text goes on with the old. */
struct seam {
    bool known;       /* false: more text must come before it can be told */
    size_t skip;      /* bytes of the new text that the old one has already */
    bool needs_blank; /* a blank is missing between them */
};

/* `repeats`: the model was asked to repeat the last words. `over`: no more text comes. */
struct seam seam_find(struct str old, struct str fresh, bool repeats, bool over);

#endif

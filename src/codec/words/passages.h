/*
 * Cuts a long text into overlapping passages, so that each fits an embedding model and its vector describes a
 * few sentences instead of the average of the whole text.
 *
 * Passages are spread evenly from the beginning of the text to its end and have at most `size` bytes. They
 * begin and end between words if a word ends nearby, and never inside a UTF-8 sequence. Neighbours share an
 * eighth of `size`. If `most` passages are too few for the text, there are gaps between them instead.
 */
#ifndef ALFRED_CODEC_WORDS_PASSAGES_H
#define ALFRED_CODEC_WORDS_PASSAGES_H

#include "base/str.h"

#define PASSAGE_SIZE_MIN ((size_t)64)

/* Fills `out`, which has room for `most`, with slices of `text` and returns their number. White space at
 * both ends of the text is left out, so a blank text has 0. `size`: at least PASSAGE_SIZE_MIN. */
size_t passages_of(struct str text, size_t size, size_t most, struct str *out);

#endif

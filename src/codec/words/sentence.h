/*
 * Finds the ends of sentences and quotations, in English and German. A full stop after "Dr" or after the
 * number of a day ("am 3. Mai") does not end a sentence. An apostrophe within a word is not a quotation mark.
 */
#ifndef ALFRED_CODEC_WORDS_SENTENCE_H
#define ALFRED_CODEC_WORDS_SENTENCE_H

#include "base/str.h"

/* Tracks whether a text is inside a quotation. Zeroed at its beginning. */
struct quotation {
    bool open;
    bool single; /* opened by a single mark */
};

/* Reads the next character `c`. `after_blank`: the text begins here, or a blank or an opening bracket
 * precedes. `next`: the text after it. True: it is a quotation mark. A double mark that is used for both
 * sides of a pair opens and closes. */
bool quotation_step(struct quotation *q, uint32_t c, bool after_blank, struct str next);

/* True when `c`, followed by `next`, ends the sentence `before`: ".", "!" or "?" at the end of a word,
 * unless it marks an abbreviation. */
bool sentence_ends(struct str before, uint32_t c, struct str next);

/* The length of the first sentence with the sign at its end, which has at least `least` bytes before it.
 * s.len when no other sentence follows. */
size_t sentence_first(struct str s, size_t least);

#endif

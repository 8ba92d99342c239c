/*
 * Finds the ends of sentences and quotations, in English and German. A full stop after "Dr" or after the
 * number of a day ("am 3. Mai") does not end a sentence. An apostrophe within a word is not a quotation mark.
 */
#ifndef ALFRED_CODEC_SENTENCE_H
#define ALFRED_CODEC_SENTENCE_H

#include "base/str.h"

/* Whether a text is inside a quotation. Zeroed at its beginning. */
struct quotation {
    bool open;
    bool single; /* since a single mark */
};

/* Takes the next character `c`; `after_blank`: nothing, a blank or an opening bracket stands before it;
 * `next` is the text behind it. True when it is a quotation mark. A double mark that stands for both sides of
 * a pair opens and closes. */
bool quotation_step(struct quotation *q, uint32_t c, bool after_blank, struct str next);

/* Whether `c`, with `next` behind it, ends the sentence that `before` holds: ".", "!" or "?" at the end of a
 * word, unless it shortens that word. */
bool sentence_ends(struct str before, uint32_t c, struct str next);

#endif

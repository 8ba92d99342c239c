/*
 * The excerpt of a text for a search result: the window with the most different searched words, cut between
 * words, as pieces of text, some of them marked. Pieces are text, never markup: the caller escapes them.
 */
#ifndef ALFRED_CODEC_WORDS_SNIPPET_H
#define ALFRED_CODEC_WORDS_SNIPPET_H

#include "codec/words/tokenizer.h"

struct snippet_piece {
    struct str text; /* in the text itself */
    bool hit;
};

struct snippet {
    struct snippet_piece *pieces;
    size_t n;
    struct str whole;       /* all pieces together */
    bool cut_head, cut_end; /* text precedes, text follows */
};

/* About `bytes` of `text` (valid UTF-8), which must outlive the snippet. Words are compared by their
 * stems. In a text with none of them, words that contain one (compounds) or differ in a letter count. Of a
 * script without blanks, a part of what was typed is marked only in a text without the whole. */
struct snippet snippet_of(struct arena *a, struct str text, const struct bag *words, size_t bytes);

#endif

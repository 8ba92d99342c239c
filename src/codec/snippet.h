/*
 * The excerpt of a text for a search result: the window with the most different searched words, cut at words,
 * as pieces of text of which some are to be marked. Pieces are text, never markup: the caller escapes them.
 */
#ifndef ALFRED_CODEC_SNIPPET_H
#define ALFRED_CODEC_SNIPPET_H

#include "codec/tokenizer.h"

struct snippet_piece {
    struct str text; /* in the text itself */
    bool hit;
};

struct snippet {
    struct snippet_piece *pieces;
    size_t n;
    struct str whole;       /* all pieces together */
    bool cut_head, cut_end; /* something stands before, behind */
};

/* About `bytes` of `text` (valid UTF-8), which must outlive the snippet; words count as the same when their
 * stems are. In a text that has none of them, those count that hold one (compounds) or differ in a letter. */
struct snippet snippet_of(struct arena *a, struct str text, const struct bag *words, size_t bytes);

#endif

/* An open code block of a growing text: its lines are escaped and appended without the parser, until the
 * closing fence. For markdown_stream.c. */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_FENCE_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_FENCE_H

#include "base/strbuf.h"

/* The readers have `fixed16` units that stay, then `rest`. */
struct markdown_fence {
    bool on;
    char mark;
    size_t width; /* width of the opening fence */
    size_t at;    /* start of the text that is not fixed */
    bool in_line; /* the line at `at` is not a closing fence, and its beginning is fixed */
    size_t fixed16;
    struct strbuf rest;
};

/* Reads the new text, which `text` has from position `from` on: appends the final part to `sure` and the rest
 * to `rest`. True: the block is closed and the text continues at f->at. */
bool markdown_fence_take(
    struct markdown_fence *f, struct str text, size_t from, struct strbuf *sure, struct strbuf *rest);

#endif

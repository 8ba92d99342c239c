/*
 * Plain text at the end of an open paragraph, list item or heading is escaped and appended to its HTML. The
 * block is not parsed again. Most tokens of an answer are of this kind.
 *
 * A run begins after a rendering, where nothing before it can get another meaning from more letters:
 * - markdown_unfinished() says that the text ends in plain text, with no open delimiter in the block;
 * - the last line has a letter, so that its block cannot become another one;
 * - its last word has only characters that are not part of markup or of a bare address.
 * Text with such characters alone continues the run. Line ends after it change nothing that is shown.
 * Everything else ends it, and the block is rendered.
 */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_APPEND_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_APPEND_H

#include "base/strbuf.h"

struct markdown_run {
    bool on;
    char last;     /* the last character of the text */
    size_t spaces; /* at the end of the text: not in the HTML until a letter follows */
    size_t lines;  /* line ends after them; text after a line end ends the run */
    size_t foot;   /* bytes of closing tags at the end of the HTML */
    size_t body16; /* UTF-16 code units of the last block before them */
};

/* After a rendering of `text` whose last block is `html`. */
void markdown_run_begin(struct markdown_run *r, struct str text, struct str html);

/* True when `piece` continues the run. `fresh` gets what follows the block's first `*keep16` units: the text
 * and the closing tags (`r->foot` bytes at the end of `html`). It stays empty when nothing changes. */
bool markdown_run_take(
    struct markdown_run *r, struct str piece, struct str html, size_t *keep16, struct strbuf *fresh);

/* True when `html` is one paragraph of the run, an empty line has ended it, and `next` begins another block:
 * then the paragraph stays as it is, whatever follows. */
bool markdown_run_has_ended(const struct markdown_run *r, struct str html, char next);

#endif

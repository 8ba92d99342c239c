/*
 * Links by reference in a growing text: "[the tides][1]" or "[the tides][]" becomes a link when its
 * definition, "[1]: https://...", has arrived, which is mostly at the end of an answer. Until then it shows
 * its text only. "[the tides]" keeps its brackets, because it mostly has no definition.
 *
 * Without a definition such brackets are text, so a rule tells links from indices and citations: the first
 * pair has two letters or more, no word or bracket is directly before it, and the label has no markup. So
 * "a[i][j]", "[1][2]" and "[^1][^2]" stay.
 */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_REFERENCES_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_REFERENCES_H

#include "base/strbuf.h"

/* A link to an address that is not allowed: the renderer keeps only its text. */
#define MARKDOWN_NO_ADDRESS "(.)"

/* True when the text between the brackets at `open` and `close` can be that of a link by reference. */
bool markdown_may_be_reference(struct str text, size_t open, size_t close);

/* Writes the text to render instead of `text` (valid UTF-8) to `out`, which is zero: links without a
 * definition lead nowhere. False: render `text` itself. */
bool markdown_without_references(struct str text, struct strbuf *out);

#endif

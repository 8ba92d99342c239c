/*
 * Text from providers, made whole. Servers cut their answers into events between tokens, which need not be
 * the ends of characters: a code point's bytes, or the two halves of a \ud83d\ude00 escape, may come in two
 * events, and neither event alone is JSON that a strict parser takes.
 *
 * mend_json() makes such an event parsable by spelling every stray byte as a code point of its own, U+10FF00
 * plus the byte; mend_text() turns the parsed strings of one stream back into bytes, joins what was split,
 * and replaces what stays broken by U+FFFD. NUL, which our texts may not hold, is replaced as well.
 */
#ifndef ALFRED_LLM_MEND_H
#define ALFRED_LLM_MEND_H

#include "base/strbuf.h"

/* What the end of one piece left open. Zeroed memory is the start of a stream. */
struct mend {
    char open[8];
    size_t n;
};

/* Returns `json` itself when nothing had to be done, else a slice of `room` (which is cleared first). */
struct str mend_json(struct str json, struct strbuf *room);

/* Appends the next piece to `out`, without what is still open at its end. */
void mend_text(struct mend *m, struct str piece, struct strbuf *out);

/* The stream is over: what is still open becomes U+FFFD. */
void mend_end(struct mend *m, struct strbuf *out);

#endif

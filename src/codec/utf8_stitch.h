/*
 * Joins characters that a provider split between two events. Servers split their answers between tokens, and
 * a token may end inside a character: the bytes of one code point, or the two halves of a \ud83d\ude00
 * escape, can arrive in two events. Neither event alone is JSON that a strict parser accepts.
 *
 * utf8_stitch_json() makes such an event parsable: it replaces every incomplete byte by one code point,
 * U+10FF00 plus the byte. utf8_stitch_text() converts the parsed strings of one stream back into bytes, joins
 * the split characters, and replaces invalid rests by U+FFFD. It also replaces NUL, which our texts must not
 * contain.
 */
#ifndef ALFRED_CODEC_UTF8_STITCH_H
#define ALFRED_CODEC_UTF8_STITCH_H

#include "base/strbuf.h"

/* The incomplete character at the end of the last piece. Zeroed: start of a stream. */
struct utf8_stitch {
    char open[8];
    size_t n;
};

/* Returns `json` itself when it needs no change, else a slice of `room`, which is cleared first. */
struct str utf8_stitch_json(struct str json, struct strbuf *room);

/* Appends the next piece to `out`, except an incomplete character at its end. */
void utf8_stitch_text(struct utf8_stitch *m, struct str piece, struct strbuf *out);

/* Ends the stream: an incomplete character becomes U+FFFD. */
void utf8_stitch_end(struct utf8_stitch *m, struct strbuf *out);

#endif

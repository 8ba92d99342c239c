/*
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF. Stored text is valid UTF-8
 * without NUL; every input is checked with utf8_valid_text().
 */
#ifndef ALFRED_BASE_UTF8_H
#define ALFRED_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define UTF8_REPLACEMENT 0xFFFDu
#define UTF8_BYTES_MAX   4 /* of a code point */

/* Returns the next code point of `*rest` and moves on; U+FFFD and one byte further for an invalid
 * sequence. `*rest` must not be empty. */
uint32_t utf8_next(struct str *rest, bool *bad);

/* The code point at a place; 0 at the end. */
static inline uint32_t utf8_at(struct str s, size_t at)
{
    struct str rest = str_from(s, at);
    return rest.len ? utf8_next(&rest, NULL) : 0;
}

bool utf8_valid_text(struct str s); /* valid and without NUL */

/* True for invisible characters that change how the text around them is shown: control characters, line
 * and paragraph separators, and directional marks (UAX #9, table of section 2). They can make a line look
 * like another one. False for U+200D and similar characters, which emoji and scripts need. */
bool utf8_is_control(uint32_t c);

/* Removes the embeddings, overrides and isolates of UAX #9 (U+202A to U+202E, U+2066 to U+2069) from a
 * label, in place. Inside an element or isolate of the page they could end it and reverse the text after
 * it. The harmless marks U+200E, U+200F and U+061C stay. `s` is NUL-terminated; returns the new length. */
size_t utf8_drop_directional(char *s, size_t len);

size_t utf8_count(struct str s); /* code points */

/* The length of the longest prefix of at most `max` bytes that ends between code points. */
size_t utf8_cut_bytes(struct str s, size_t max);
/* That prefix. */
static inline struct str utf8_head(struct str s, size_t max)
{
    return (struct str){s.s, utf8_cut_bytes(s, max)};
}
/* The byte length of the first `max` code points. */
size_t utf8_cut_chars(struct str s, size_t max);

/* Length of `s` (valid UTF-8) in UTF-16 code units, as JavaScript counts. */
size_t utf8_utf16_len(struct str s);

/* Encodes one code point. Returns 1 to 4, or 0 when it is not a code point. */
size_t utf8_put(uint32_t cp, char out[4]);

/* The number of bytes at the end of `s` that begin an incomplete code point (0 to 3). */
size_t utf8_incomplete_tail(struct str s);

/* The length of the common beginning, not cut inside a code point. */
size_t utf8_common_len(struct str a, struct str b);

#endif

/*
 * Text by other authors for a terminal: without control characters, which could move the cursor, change the
 * title or answer for the user, and with its width in columns.
 *
 * The widths are those of the C library's wcwidth(), so the caller sets a locale with UTF-8 first.
 */
#ifndef ALFRED_CODEC_ANSI_TERMINAL_TEXT_H
#define ALFRED_CODEC_ANSI_TERMINAL_TEXT_H

#include "base/strbuf.h"

/* Appends `text` without the characters of utf8_is_control(), other than line ends and tabs. Invalid UTF-8
 * becomes U+FFFD. CRLF and CR become LF. */
void terminal_text_add(struct strbuf *out, struct str text);

/* The same with a blank for each line end and tab. */
void terminal_text_add_flat(struct strbuf *out, struct str text);

/* A character by its name or number in HTML ("&amp;", "&#38;"), on one line; an unknown name stays as it is.
 */
void terminal_entity_add(struct strbuf *out, struct str s);

/* terminal_text_add() on one line: white space of any kind becomes single blanks, and the text ends with "…"
 * when it is wider than `columns`. */
void terminal_text_add_line(struct strbuf *out, struct str text, size_t columns);

/* The columns of a character; 0 for a combining one. */
size_t terminal_width_of(uint32_t c);
/* The columns of clean text. */
size_t terminal_width(struct str text);
/* The bytes of the longest prefix that fits. */
size_t terminal_cut(struct str text, size_t columns);

#endif

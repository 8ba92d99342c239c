/*
 * Styled text in lines of a terminal. Each line ends the style that it begins, so that it can be written
 * again by itself.
 *
 * A rich text is clean text (terminal_text.h) with marks for styles: ansi_mark() appends one. LF breaks a
 * line.
 */
#ifndef ALFRED_CODEC_ANSI_ANSI_WRAP_H
#define ALFRED_CODEC_ANSI_ANSI_WRAP_H

#include "base/strbuf.h"

enum ansi_style { /* a set of these */
    ANSI_BOLD = 1,
    ANSI_ITALIC = 2,
    ANSI_STRIKE = 4,
    ANSI_CODE = 8,
    ANSI_UNDERLINE = 16,
    ANSI_DIM = 32
};

struct ansi_look {
    size_t columns; /* of the longest line */
    bool styled;    /* false: no escape sequences at all */
};

#define ANSI_MARK_SIZE 2
void ansi_mark(struct strbuf *rich, unsigned styles); /* those of the text that follows */
size_t ansi_rich_width(struct str rich);              /* columns of its longest line, without wrapping */

/* Before each line, such as the bar of a quotation: written as it is. */
struct ansi_prefix {
    struct str first, rest; /* of the first line, and of the others */
    size_t columns;         /* of either */
};

/* Appends the lines. Words are kept whole when they fit into a line. */
void ansi_wrap(struct str rich, const struct ansi_prefix *p, struct ansi_look look, struct strbuf *out);
/* Appends lines with their spaces: for code. Longer ones are cut into several. */
void ansi_verbatim(struct str clean, unsigned styles, const struct ansi_prefix *p, struct ansi_look look,
    struct strbuf *out);

/* Appends a text by another author without control characters and otherwise unchanged. */
void ansi_as_it_is(struct str text, struct ansi_look look, struct strbuf *out);

/* The columns of a line of ours, whose escape sequences have none. */
size_t ansi_line_width(struct str line);

#endif

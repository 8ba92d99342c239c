/*
 * Finds the formulas of a Markdown text and rewrites them so that md4c passes them through untouched;
 * internal to markdown.c.
 *
 * md4c has spans for $ $, but takes "$5 and $10" for one, does not know \( \) and \[ \], and lets a line "=
 * b" inside
 * $$ $$ make a heading. So a formula inside a paragraph becomes a code span and one on lines of its own
 * becomes a fenced code block, both remembered by position; the renderer turns exactly those back into
 * formulas and checks that it met them all.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MATH_H
#define ALFRED_CODEC_MARKDOWN_MATH_H

#include "base/strbuf.h"

/* Zeros behind a text for md4c, see markdown.c; they do not count as text. */
#define MARKDOWN_GUARD 8
static inline void markdown_guard(struct strbuf *text)
{
    char *end = strbuf_reserve(text, MARKDOWN_GUARD);
    if (end)
        memset(end, 0, MARKDOWN_GUARD);
}

struct math_span {
    size_t at, end; /* in the rewritten text: the TeX of a code span; the info word up to the closing fence of
                       a block */
    bool display, block;
};

struct math {
    struct strbuf text; /* the rewritten text, guarded */
    struct math_span *spans;
    size_t n, room;
};

/* `text` is guarded. False when there is nothing to rewrite (`m` holds nothing then). `blocks`: also those on
 * lines of their own. */
bool math_rewrite(struct str text, unsigned md_flags, bool blocks, struct math *m);
void math_release(struct math *m);

#endif

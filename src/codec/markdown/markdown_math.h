/*
 * Finds the formulas of a Markdown text and rewrites them so that md4c passes them through untouched;
 * internal to markdown.c.
 *
 * md4c has spans for $ $, but takes "$5 and $10" for one, does not know \( \) and \[ \], and lets a line "=
 * b" inside
 * $$ $$ make a heading. So a formula inside a paragraph becomes a code span and one on lines of its own
 * becomes a fenced code block, both remembered by position; the renderer turns exactly those back into
 * formulas and checks that it met them all. Those it
 * did not meet it reports, and the text is rewritten without them.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_H

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
    size_t source;  /* where its opening delimiter was in the text as it came */
    bool display, block;
    bool met, broken; /* the renderer's notes: it came back; it swallowed what follows it */
};

/* Formulas that did not come back in an earlier try, by `source`: noted once, a block becomes a span in its
 * paragraph; noted again, it stays text. */
#define MATH_LOST_MAX 32
struct math_lost {
    size_t at[MATH_LOST_MAX];
    size_t n;
};

struct math {
    struct strbuf text; /* the rewritten text, guarded */
    struct math_span *spans;
    size_t n, room;
};

/* `text` is guarded. False when there is nothing to rewrite (`m` holds nothing then). */
bool math_rewrite(struct str text, unsigned md_flags, const struct math_lost *lost, struct math *m);
/* Notes what has not come back; false when nothing was lost or there is no more room. */
bool math_note_lost(const struct math *m, struct math_lost *lost);
void math_release(struct math *m);

/* Where the formulas of a text are, in order, and where one begins whose end may still come. */
struct math_ranges {
    struct math_range {
        size_t at, end;
    } * ranges; /* the caller frees it */
    size_t n, room;
    size_t open; /* SIZE_MAX: none */
};

/* `text` is guarded and ends with a line's end. */
void math_find(struct str text, unsigned md_flags, struct math_ranges *out);

#endif

/*
 * Finds the formulas of a Markdown text and rewrites them so that md4c passes them on unchanged. Internal to
 * markdown.c.
 *
 * md4c has spans for $ $, but takes "$5 and $10" for one. It does not know \( \) and \[ \], and makes a
 * heading of a line "= b" between $$ and $$. So a formula inside a paragraph becomes a code span, and one on
 * separate lines becomes a fenced code block. Both are recorded by position. The renderer turns exactly these
 * back into formulas and checks that all have come back. The text is rewritten without those that have not.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_H

#include "base/strbuf.h"

/* Zeros after a text for md4c, see markdown.c; not part of the text. */
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
    size_t source;  /* offset of its opening delimiter in the original text */
    bool display, block;
    bool met, broken; /* results of rendering: it came back; it took in the text after it */
};

/* Formulas that did not come back in an earlier attempt, by `source`. Recorded once, a block becomes a
 * span in its paragraph; recorded twice, it stays text. */
#define MATH_LOST_MAX 32
struct math_lost {
    size_t at[MATH_LOST_MAX];
    size_t n;
};

struct math {
    struct strbuf text; /* rewritten and guarded */
    struct math_span *spans;
    size_t n, room;
};

/* `text` is guarded. False: there is nothing to rewrite, and `m` is empty. */
bool math_rewrite(struct str text, unsigned md_flags, const struct math_lost *lost, struct math *m);
/* Records the lost formulas. False: none is lost, or there is no more room. */
bool math_note_lost(const struct math *m, struct math_lost *lost);
void math_release(struct math *m);

/* The formulas of a text in order, and the start of one that is still open. */
struct math_ranges {
    struct math_range {
        size_t at, end;
        size_t delimiter; /* bytes of each of its two; 0: it has none, as an environment */
        bool display;
    } * ranges; /* owned by the caller */
    size_t n, room;
    size_t open; /* SIZE_MAX: none */
};

/* `text` is guarded and ends with a line end. */
void math_find(struct str text, unsigned md_flags, struct math_ranges *out);

#endif

/* Shared by markdown_math_find.c, which finds formulas, and markdown_math.c, which rewrites them. */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_PRIVATE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_MATH_PRIVATE_H

#include <md4c.h>

#include "base/mem.h"
#include "codec/markdown/markdown_math.h"

enum math_kind {
    MATH_DOLLAR,
    MATH_DOLLARS,
    MATH_ROUND_OPEN,
    MATH_ROUND_CLOSE,
    MATH_SQUARE_OPEN,
    MATH_SQUARE_CLOSE,
    MATH_BEGIN, /* the place before \begin{align}: it belongs to the formula */
    MATH_END    /* the place behind \end{align} */
};

struct math_delim {
    size_t at; /* position of its first byte */
    enum math_kind kind;
    unsigned leaf; /* number of the block that contains it */
    bool paragraph;
};

/* A search for the line that closes a block. All openers between its start and `end` have the same result. */
struct math_search {
    size_t end;    /* the line where it ended */
    size_t closer; /* 0: none */
};

struct math_finder {
    struct str text;
    struct math_search searches[2]; /* the last ones for $$ and for \[ */
    size_t tick;                    /* the first backtick after the last formula's start */
    bool ticks_known;
    struct math_delim *delims;
    size_t n, room;
    unsigned leaf, links;
    unsigned last_leaf; /* the last one with text, or that began after it */
    MD_BLOCKTYPE block;
};

static inline size_t math_delim_len(const struct math_delim *d)
{
    return d->kind >= MATH_BEGIN ? 0 : d->kind == MATH_DOLLAR ? 1 : 2;
}

static inline bool math_is_display(const struct math_delim *d)
{
    return d->kind != MATH_DOLLAR && d->kind != MATH_ROUND_OPEN;
}

static inline void *math_grow(void *p, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return p;
    *room = *room ? *room * 2 : 16;
    return xrealloc(p, *room * size);
}

static inline struct str math_between(struct str t, size_t from, size_t to)
{
    return (struct str){t.s + from, to - from};
}

/* markdown_math_find.c. All of a text's delimiters. False: the parser has failed. */
bool math_find_delims(struct math_finder *f, unsigned md_flags);
/* The index of the delimiter that closes the one at `i`; 0: none. */
size_t math_closer(const struct math_finder *f, size_t i);
/* For \[ or $$ alone on its line: the offset of its closing delimiter, alone on its line; 0: none. */
size_t math_block_closer(struct math_finder *f, const struct math_delim *open);
/* True for a formula that is not empty and contains no backtick. Calls have ascending `from`, so each byte
 * is searched once. */
bool math_usable(struct math_finder *f, size_t from, size_t to);

#endif

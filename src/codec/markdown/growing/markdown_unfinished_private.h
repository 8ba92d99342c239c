/* Shared by markdown_unfinished.c, which finds the open blocks and spans of a text, and
 * markdown_unfinished_close.c, which closes them. */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_UNFINISHED_PRIVATE_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_UNFINISHED_PRIVATE_H

#include <md4c.h>

#include "base/strbuf.h"
#include "codec/markdown/markdown_html.h"

#define UNFINISHED_OPEN_MAX 16

struct unfinished_mark {
    size_t at, len; /* a run of the same character */
};

struct unfinished {
    struct str text;
    struct str source; /* with the end of its last line */
    struct str whole;  /* with the part after it that is held back */
    bool is_cut;       /* there is such a part */
    struct markdown_budget budget;
    unsigned spans, quotes, containers; /* open ones */
    /* About the last block with text: */
    MD_BLOCKTYPE leaf;
    char fence;     /* the fence of a fenced code block; 0: none */
    size_t leaf_at; /* offset of its first text; SIZE_MAX: none */
    unsigned leaf_depth;
    bool cell_waits; /* a table's cell without text so far */
    bool in_quote;
    size_t text_end; /* end of its last text; 0: of another kind than plain text, or inside of a span */
    struct unfinished_mark *marks;
    size_t n, room;
};

struct unfinished_open {
    size_t at;         /* position of the delimiter */
    size_t len;        /* length of the delimiter */
    const char *close; /* NULL: the delimiter again */
};

struct unfinished_closing {
    struct unfinished_open open[UNFINISHED_OPEN_MAX];
    size_t n, end;
};

bool unfinished_is_autolink(struct str s); /* the beginning of <https://, <http:// or <mailto: */
/* A paragraph has ended at an empty line, another block with its line. */
bool unfinished_has_ended(const struct unfinished *f);
/* The open delimiters of the last block, and closing of them at the end of `out`. */
struct unfinished_closing unfinished_find(const struct unfinished *f);
void unfinished_close(const struct unfinished_closing *c, struct strbuf *out);

#endif

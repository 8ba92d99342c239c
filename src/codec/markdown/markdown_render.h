/*
 * The renderer's state and its two helpers: markdown_links.c (references, addresses, links, images) and
 * markdown_code.c (code and formulas). Only markdown_html.c, which has md4c's callbacks, and these see it.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_RENDER_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_RENDER_H

#include <md4c.h>

#include "codec/markdown/markdown_html.h"

#define MARKDOWN_DEPTH_MAX 64

struct renderer {
    struct strbuf *out;
    size_t start; /* where our part of out begins */
    struct str source;
    struct ends *ends; /* NULL: nobody wants them */
    struct markdown_budget *budget;

    struct math *math; /* NULL: none */
    size_t math_next;  /* the first of its spans that the parser has not passed */
    size_t math_met;   /* how many came back */
    bool math_broken;  /* one swallowed what follows it */

    unsigned block_depth;
    MD_SPANTYPE spans[MARKDOWN_DEPTH_MAX]; /* open ones; images and code are kept apart */
    unsigned span_depth, spans_beyond;
    unsigned inner_links; /* md4c finds bare addresses in the text of links, too; they get no tag */
    bool in_table;
    bool in_code;           /* in a code block */
    bool in_formula;        /* in a code block or code span that is a formula */
    bool code_span_pending; /* entered, nothing written yet */
    const char *task_box;   /* of an item whose text has not begun; NULL: none */
    size_t code_indent;     /* columns of white space before the next text of a code block */

    bool link_open;          /* an <a> is written and must be closed */
    bool link_pending;       /* http://www...: an address without a scheme in the text, or a link we drop */
    struct strbuf link;      /* href of the link or image, decoded */
    struct strbuf title;     /* HTML */
    unsigned images;         /* images are open, one in the other's alt text */
    bool image_link;         /* the outermost is written as a link */
    size_t image_text_start; /* where its alt text begins */
};

static inline void markdown_add(struct renderer *r, const char *s)
{
    strbuf_adds(r->out, s);
}

/* ---- markdown_links.c ---- */

/* A character reference of the text as HTML. */
void markdown_add_reference(struct strbuf *out, struct str ref);
void markdown_enter_link(struct renderer *r, const MD_SPAN_A_DETAIL *d);
/* Before anything is written into a link that waits: its first text says whether it is one. */
void markdown_settle_link(struct renderer *r, bool is_text, struct str text);
void markdown_leave_link(struct renderer *r);
void markdown_enter_image(struct renderer *r, const MD_SPAN_IMG_DETAIL *d);
void markdown_leave_image(struct renderer *r);

/* ---- markdown_code.c ---- */

/* The offset of `s` in the source; SIZE_MAX for text that md4c made itself. */
size_t markdown_source_offset(const struct renderer *r, const char *s);
/* Before anything is written into a code span: the place of its first text says whether it is a formula. */
void markdown_settle_code_span(struct renderer *r, size_t at);
void markdown_leave_code_span(struct renderer *r);
void markdown_add_code_text(struct renderer *r, struct str text); /* of a span */
void markdown_enter_code(struct renderer *r, const MD_BLOCK_CODE_DETAIL *d);
void markdown_leave_code(struct renderer *r);
void markdown_code_text(struct renderer *r, struct str text); /* of a block */

#endif

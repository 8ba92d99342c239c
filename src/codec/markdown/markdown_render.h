/*
 * The renderer's state and its two helpers: markdown_links.c (references, addresses, links, images) and
 * markdown_code.c (code and formulas). Only these and markdown_html.c, which has md4c's callbacks, include
 * it.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_RENDER_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_RENDER_H

#include <md4c.h>

#include "codec/markdown/markdown_html.h"

#define MARKDOWN_DEPTH_MAX 64

struct renderer {
    struct strbuf *out;
    size_t start; /* start of our part of out */
    struct str source;
    struct ends *ends; /* NULL: not wanted */
    struct markdown_budget *budget;

    struct math *math; /* NULL: none */
    size_t math_next;  /* its first span that the parser has not passed */
    size_t math_met;   /* number of formulas that came back */
    bool math_broken;  /* a formula took in the text after it */

    unsigned block_depth;
    MD_SPANTYPE spans[MARKDOWN_DEPTH_MAX]; /* open ones; images and code are tracked separately */
    unsigned span_depth, spans_beyond;
    unsigned inner_links; /* md4c also finds bare addresses in the text of links; they get no tag */
    bool in_table, in_head_cell;
    size_t table_name_at;     /* the place in out where the name of the table goes */
    struct strbuf table_name; /* the text of its head so far, as HTML */
    bool in_code;             /* in a code block */
    bool in_formula;          /* in a code block or code span that is a formula */
    bool code_span_pending;   /* entered, nothing written yet */
    const char *task_box;     /* the box of an item whose text has not begun; NULL: none */
    bool in_task_label;
    size_t code_indent; /* columns of white space before the next text of a code block */

    bool link_open;          /* an <a> is written and must be closed */
    bool link_pending;       /* http://www...: an address without a scheme in the text, or a link to drop */
    struct strbuf link;      /* href of the link or image, decoded */
    struct strbuf title;     /* HTML */
    unsigned images;         /* depth of open images; inner ones are part of the alt text */
    bool image_link;         /* the outermost one is written as a link */
    size_t image_text_start; /* start of its alt text */
};

static inline void markdown_add(struct renderer *r, const char *s)
{
    strbuf_adds(r->out, s);
}

/* ---- markdown_links.c ---- */

/* Appends a character reference of the text as HTML. */
void markdown_add_reference(struct strbuf *out, struct str ref);
void markdown_enter_link(struct renderer *r, const MD_SPAN_A_DETAIL *d);
/* Call it before anything is written into a pending link: its first text decides whether it is a link. */
void markdown_decide_link(struct renderer *r, bool is_text, struct str text);
void markdown_leave_link(struct renderer *r);
void markdown_enter_image(struct renderer *r, const MD_SPAN_IMG_DETAIL *d);
void markdown_leave_image(struct renderer *r);

/* ---- markdown_code.c ---- */

/* The offset of `s` in the source; SIZE_MAX: text that md4c generated. */
size_t markdown_source_offset(const struct renderer *r, const char *s);
/* Call it before anything is written into a code span: the place of its first text decides whether it is a
 * formula. */
void markdown_decide_code_span(struct renderer *r, size_t at);
void markdown_leave_code_span(struct renderer *r);
void markdown_add_code_text(struct renderer *r, struct str text); /* text of a code span */
void markdown_enter_code(struct renderer *r, const MD_BLOCK_CODE_DETAIL *d);
void markdown_leave_code(struct renderer *r);
void markdown_code_text(struct renderer *r, struct str text); /* text of a code block */

#endif

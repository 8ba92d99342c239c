/*
 * Writes Markdown line by line: white space is collapsed as browsers show it, and each line begins with the
 * marks of the quotes and lists around it.
 *
 * Marks and line ends are written before the next visible text, so that elements without text leave nothing.
 */
#ifndef ALFRED_CODEC_PAGE_PAGE_LINES_H
#define ALFRED_CODEC_PAGE_PAGE_LINES_H

#include "base/strbuf.h"

#define PAGE_LINES_DEPTH_MAX 16 /* quotes and lists inside each other; deeper ones are not marked */
#define PAGE_LINES_MARK_MAX  16

struct page_lines_mark {
    char first[PAGE_LINES_MARK_MAX]; /* before the first line */
    char later[PAGE_LINES_MARK_MAX]; /* before the others */
    bool written;
};

struct page_lines {
    struct strbuf out;
    size_t max;
    bool full;          /* `out` has `max` bytes; nothing is written any more */
    unsigned breaks;    /* line ends before the next text; 0: it goes on in this line */
    bool space;         /* before the next text in this line */
    const char *script; /* page_script_mark() for the next text; NULL: none */
    bool *bracket;      /* with `script`: set when a bracket was opened */
    enum { CODE_NONE, CODE_DUE, CODE_OPEN } code; /* of a line: its first mark is due, or written */
    unsigned flat;                                /* > 0: all in one line, such as a heading */
    bool aside;                                   /* text goes to `apart` */
    bool exact;                                   /* white space is kept there */
    struct strbuf apart;
    struct page_lines_mark marks[PAGE_LINES_DEPTH_MAX];
    size_t depth;
};

void page_lines_init(struct page_lines *l, size_t max);
void page_lines_release(struct page_lines *l);

/* At least `n` line ends (1 or 2) before the next text. */
void page_lines_break(struct page_lines *l, unsigned n);
/* One more line end; two of them leave an empty line. */
void page_lines_br(struct page_lines *l);
void page_lines_text(struct page_lines *l, struct str text);
/* Written as it is, in the line. */
void page_lines_add(struct page_lines *l, struct str mark);

/* Each line until page_lines_pop() begins with the mark. */
void page_lines_push(struct page_lines *l, const char *first, const char *later);
void page_lines_pop(struct page_lines *l);

/* Text until page_lines_joined() goes to `apart` instead: on one line, or, with `exact`, as it is. It is
 * valid until the next call. */
void page_lines_apart(struct page_lines *l, bool exact);
struct str page_lines_joined(struct page_lines *l);

/* Code within a line. */
void page_lines_code_begin(struct page_lines *l);
void page_lines_code_end(struct page_lines *l);
/* A fence with the lines of `code`. */
void page_lines_fence(struct page_lines *l, struct str code, struct str language);

#endif

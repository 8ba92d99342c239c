/* The text of a paragraph, heading or cell as rich text (ansi_wrap.h), from the spans and texts of md4c. */
#ifndef ALFRED_CODEC_ANSI_ANSI_INLINE_H
#define ALFRED_CODEC_ANSI_ANSI_INLINE_H

#include <md4c.h>

#include "base/mem.h"
#include "base/strbuf.h"

struct ansi_inline {
    struct strbuf rich;
    struct arena *arena;
    bool styled;      /* false: code has its backquotes */
    bool in_table;    /* code may have escaped bars */
    unsigned styles;  /* at the end of `rich` */
    size_t link_from; /* of the open link's text */
    struct str link_to;
};

void ansi_inline_enter(struct ansi_inline *l, MD_SPANTYPE type, void *detail);
void ansi_inline_leave(struct ansi_inline *l, MD_SPANTYPE type);
void ansi_inline_add(struct ansi_inline *l, MD_TEXTTYPE type, struct str text);
void ansi_inline_style(struct ansi_inline *l, unsigned styles); /* for what is added next */

/* The value of an attribute without control characters, at most so many columns. */
struct str ansi_inline_attribute(struct arena *a, const MD_ATTRIBUTE *value, size_t columns);

#endif

/* A table for a terminal: columns as wide as their text, narrower ones when the terminal is, and one line for
 * each cell when even that does not fit. */
#ifndef ALFRED_CODEC_ANSI_ANSI_TABLE_H
#define ALFRED_CODEC_ANSI_ANSI_TABLE_H

#include "base/mem.h"
#include "codec/ansi/ansi_wrap.h"

enum ansi_align { ANSI_LEFT, ANSI_CENTER, ANSI_RIGHT };

struct ansi_table {
    size_t columns, rows;   /* the first row is the head */
    struct str *cells;      /* [rows * columns], rich texts */
    enum ansi_align *align; /* [columns] */
    size_t n, room;         /* cells so far, and the place for them */
};

/* Adds a copy of the text as the next cell, in the arena. */
void ansi_table_add(struct ansi_table *t, struct arena *a, enum ansi_align align, struct str rich);

/* Appends the table as aligned columns that fit the width of `look`. */
void ansi_table(const struct ansi_table *t, const struct ansi_prefix *p, struct ansi_look look,
    struct arena *a, struct strbuf *out);

#endif

/*
 * A text with its styles. telegram_walk.c makes it from Markdown, and telegram_pieces.c cuts it into
 * messages.
 *
 * The text is flat UTF-8 as people read it. A run is a part of it with one style. Styles are compared by
 * value: `link`, `code` and `quote` tell two neighbours of the same kind apart.
 */
#ifndef ALFRED_CHANNEL_TELEGRAM_TELEGRAM_DOC_H
#define ALFRED_CHANNEL_TELEGRAM_TELEGRAM_DOC_H

#include "base/strbuf.h"
#include "channel/channel.h"

enum {
    STYLE_BOLD = 1,
    STYLE_ITALIC = 2,
    STYLE_STRIKE = 4,
    STYLE_CODE = 8, /* inside of a line */
};

struct tg_style {
    unsigned bits;
    unsigned link;  /* index in `words` plus 1; 0: none */
    unsigned pre;   /* index in `words` plus 1, of the language of a code block; 0: no code block */
    unsigned quote; /* number of the quotation; 0: none */
};

struct tg_run {
    size_t at; /* up to the next run's */
    struct tg_style style;
};

struct tg_doc {
    struct strbuf text;
    struct tg_run *runs;
    size_t runs_n, runs_room;
    struct str *words; /* addresses and languages; in the arena */
    size_t words_n, words_room;
    struct arena *a;
};

void tg_doc_init(struct tg_doc *d, struct arena *a, size_t cap);
void tg_doc_release(struct tg_doc *d);
/* Appends text in this style. Beyond the cap d->text.failed is set, and later calls do nothing. */
void tg_doc_add(struct tg_doc *d, struct str text, struct tg_style style);
/* Index plus 1 of a new word. */
unsigned tg_doc_word(struct tg_doc *d, struct str word);
/* Appends another document, with `bits` and `quote` added to its styles. */
void tg_doc_append(struct tg_doc *d, const struct tg_doc *other, struct tg_style more);
void tg_doc_trim_end(struct tg_doc *d); /* removes white space at the end */

/* telegram_walk.c. Appends the text that a page would show for this Markdown. */
void tg_walk(struct tg_doc *d, struct str markdown);

/* telegram_table.c */
struct tg_table {
    struct tg_doc *cells; /* row by row, the first row is the head */
    bool *right;          /* by column: aligned to the right */
    size_t columns, rows;
};
/* True when a phone shows the table as text in equal columns without breaking lines. Then the caller uses
 * tg_table_text(), otherwise tg_table_lines(). */
bool tg_table_fits(const struct tg_table *t);
void tg_table_text(const struct tg_table *t, struct strbuf *out);
/* Appends lines of "name: value" for each row. */
void tg_table_lines(const struct tg_table *t, struct tg_doc *out);

/* telegram_pieces.c. True for white space and invisible characters. The server refuses a message that has
 * nothing else. */
bool tg_is_blank(uint32_t c);

#endif

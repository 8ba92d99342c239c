/* The readable text of elements as Markdown. */
#ifndef ALFRED_CODEC_PAGE_PAGE_WRITE_H
#define ALFRED_CODEC_PAGE_PAGE_WRITE_H

#include "codec/page/page_lines.h"
#include "codec/page/page_walk.h"

/* Appends the text of `from`; `articles`: only that of the <article> elements in it. */
void page_write(const GumboNode *from, bool articles, struct page_lines *l);
/* Its text on one line, without marks. Valid until the next use of `l`. */
struct str page_write_line(const GumboNode *from, struct page_lines *l);

#endif

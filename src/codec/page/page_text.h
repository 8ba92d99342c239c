/*
 * What a person reads of a web page: HTML of any server becomes a title and a text in Markdown for models.
 *
 * Left out are scripts, styles, controls of forms, navigation, header and footer of the page, dialogs,
 * cookie banners, asides, and what is hidden. Read is the <main> element if it has enough text, else the
 * <article> elements if they have most of the text, else the whole <body>.
 *
 * A link is its text only: the tool of models opens no address but those that the user wrote, and addresses
 * would be a third of the words of many pages. A picture is its alternative text in brackets, an exponent is
 * "2^n", an index "x_i". Characters with a meaning in Markdown are not escaped: models read them as they
 * stand.
 */
#ifndef ALFRED_CODEC_PAGE_PAGE_TEXT_H
#define ALFRED_CODEC_PAGE_PAGE_TEXT_H

#include "base/err.h"
#include "base/mem.h"

#define PAGE_HTML_MAX  (4 << 20) /* bytes of a document */
#define PAGE_TITLE_MAX 512       /* bytes */

/* In the arena; UTF-8 without control characters except line ends and tabs; never NULL, may be empty. */
struct page_text {
    struct str title, text;
};

/* `html`: the bytes of the document. `charset`: of its Content-Type; may be empty or unknown. The text is cut
 * to `max` bytes, the title to PAGE_TITLE_MAX. Damaged HTML and bytes outside of the charset are read as
 * browsers do.
 * RC_TOO_BIG: more than PAGE_HTML_MAX bytes, or a document that takes too much memory or time, such as one
 * with more than 640 elements inside each other. RC_UNAVAILABLE: the parser's library is missing. */
enum rc page_text_read(
    struct arena *a, struct str html, struct str charset, size_t max, struct page_text *out, struct err *e);

#endif

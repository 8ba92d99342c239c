/*
 * A user's text as HTML, as typed: paragraphs at empty lines, breaks at other line ends, no markup. Only what
 * people paste or quote is more than text: an address that begins with https:// is a link, lines between two
 * fences are a code block, with the markup of markdown.h, and lines that begin with ">" are a quotation. A
 * fence without its end is text. In a quotation another ">" is text.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_TYPED_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_TYPED_H

#include "base/strbuf.h"

void markdown_typed(struct str text, struct strbuf *out);

/* The offset behind the last code block of the text. 0: it has none. */
size_t markdown_typed_code_end(struct str text);

/* A file that the message box has added (static/js/composer/whole.js): a paragraph of one line, its name, and
 * right below it a code block without a language. A name without an ending follows "./", because a word above
 * a block may be a heading. */
struct typed_file {
    struct str name, block; /* the name without "./" */
    struct str content;     /* of the block, without its fences */
};

/* The files at the end of a text, from the byte `from` on. Returns their number and the text before them.
 * With more than `max`, the first ones stay in that text. */
size_t markdown_typed_files(
    struct str text, size_t from, struct typed_file *out, size_t max, struct str *before);

/* Writes such a file, without a line end behind its block. The caller begins a paragraph. `name`: one line,
 * not empty, at most MARKDOWN_FILE_NAME_MAX bytes. */
void markdown_typed_file_write(struct strbuf *out, struct str name, struct str content);
#define MARKDOWN_FILE_NAME_MAX 255

#endif

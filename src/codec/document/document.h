/*
 * The text of office documents as Markdown: Word (.docx) and Excel (.xlsx). The kind is told by the content,
 * never by the file's name.
 *
 * - Word, .odt: headings, paragraphs, numbered and other lists, tables, links with their address, footnotes,
 *   text boxes, alternative texts of pictures. Of tracked changes the new state. Left out are headers and
 *   footers of pages, comments, hidden text.
 * - Excel, .ods: each visible sheet as a heading and a table, without empty rows and columns. Values are
 * those that the file stores for its formulas. Dates are ISO dates, numbers have the decimals, percent signs
 * and units of their format, but no thousands separators. A table and not CSV, because a table in a text
 * document is one, too, and both are one line per row.
 * - PowerPoint, .odp: each visible slide as a heading with its title, its texts and tables, the speaker
 * notes.
 * - EPUB: its chapters in their order, by codec/page.
 *
 * Characters with a meaning in Markdown are not escaped, except "|" in tables: models read them as they
 * stand.
 *
 * A document is hostile input. Its limits: bytes after unpacking, in total and in relation to the packed
 * ones, elements, their depth, memory of the XML parser. Its time is bounded by these. No entity is expanded,
 * nothing outside of the file is read, and names in it are only compared.
 *
 * zlib is linked; libexpat is loaded at the first document (base/shared_library.h). libzip reads a whole
 * directory without a limit, and libxml2 is ten times as large and expands entities.
 */
#ifndef ALFRED_CODEC_DOCUMENT_DOCUMENT_H
#define ALFRED_CODEC_DOCUMENT_DOCUMENT_H

#include "base/err.h"
#include "base/mem.h"

/* The first bytes decide: a zip, or a compound file of Microsoft (old formats, and new ones with a password).
 * document_read() may still find that it is no document. */
#define DOCUMENT_START 8
bool document_is(struct str bytes);

/* `name`: of the file, for the sentence of a failure only. `*text`: in the arena, valid UTF-8 without NUL,
 * without white space at both ends, and not empty. At most `max` bytes.
 * All failures but RC_UNAVAILABLE have a sentence. RC_UNSUPPORTED: no office document, or an old format.
 * RC_BAD_INPUT: damaged, protected by a password, or without text. RC_TOO_BIG: its text is longer than `max`,
 * or another limit is exceeded. RC_UNAVAILABLE: a library is missing. */
enum rc document_read(
    struct arena *a, const char *name, struct str bytes, size_t max, struct str *text, struct err *e);

#endif

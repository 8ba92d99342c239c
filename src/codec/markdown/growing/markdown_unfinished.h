/*
 * The displayed form of a Markdown text that is still growing. Incomplete markup is closed or held back:
 * - Open emphasis, strikethrough and code are closed. An open link shows its text, an open image its
 *   alternative text. "[text]" stays, because models send the "](" of a link in one piece.
 * - Delimiters at the very end are held back until the next letter. So is a line that has only markers
 *   ("-", "2.", "##", "```js"), because another letter can change its meaning.
 * - The first line of a table is held back until the line below it is complete, and a formula until its end.
 *
 * Each part is held back for a limited number of bytes (markdown_unfinished.c) and within its paragraph. Then
 * it is shown as text: it was not markup.
 */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_UNFINISHED_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_UNFINISHED_H

#include "base/strbuf.h"
#include "codec/markdown/markdown_adapt.h"

/* Bytes that a text of `len` bytes may become: it is adapted (markdown_adapt.h), and delimiters are
 * added. */
#define MARKDOWN_UNFINISHED_ROOM(len) (MARKDOWN_ADAPT_FACTOR * (len) + 256)

/*
 * Writes the text to render instead of `text` (valid UTF-8) to `out`, which is emptied first and needs room
 * for MARKDOWN_UNFINISHED_ROOM(text.len) bytes. The result is deterministic. False: render `text` itself.
 *
 * `*in_text` (may be NULL): `text` ends in plain text of a paragraph, list item or heading, or in spaces
 * after it, and no delimiter in that block is open. markdown_append.h says what can follow.
 */
bool markdown_unfinished(struct str text, struct strbuf *out, bool *in_text);

#endif

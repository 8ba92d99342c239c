/*
 * What a reader sees of a Markdown text while more of it comes. Markup that has begun and is not complete is
 * shown as if it were, or waits:
 * - open emphasis, strikethrough and code are closed; an open link shows its text, an open image its
 * alternative text;
 * - delimiters at the very end wait for the next letter, and so does a line of which only markers are there
 * ("-", "2.",
 *   "##", "```js"), because another letter can make something else of it;
 * - the first line of a table waits for the whole line under it, and a formula for its end.
 *
 * Each wait ends after a number of bytes (markdown_unfinished.c) and with its paragraph, and then the text is
 * shown as it is: it was no markup.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_UNFINISHED_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_UNFINISHED_H

#include "base/strbuf.h"

#define MARKDOWN_UNFINISHED_MORE 256 /* bytes that may be added to close what is open */

/*
 * The text to render instead of `text` (valid UTF-8) goes to `out`, which is emptied first and needs room for
 * both and MARKDOWN_UNFINISHED_MORE bytes. The same text always gives the same. False: `text` itself is to be
 * rendered.
 */
bool markdown_unfinished(struct str text, struct strbuf *out);

#endif

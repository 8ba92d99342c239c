/*
 * Classifies a single line of Markdown for markdown_stream.c, which guesses where blocks begin and continues
 * open code blocks without the parser. The rules are CommonMark 0.31, 4.5 (fenced code) and 5.2 (list items),
 * and those of md4c 0.4.8 where it differs.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_LINE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_LINE_H

#include "base/strbuf.h"

/* The line at `at` without its end; `*whole` when its end has come, and then `*next` is the next line's
 * start. A CR at the end of the text may be half of a CRLF and does not count yet. */
struct str line_at(struct str text, size_t at, bool *whole, size_t *next);
bool line_is_blank(struct str line);
struct str line_without_indent(struct str line);

/* Is it sure already that the line can be no list item and stands at column 0? */
bool line_begins_anew(struct str line);

/* The width of an opening fence at the start of the line, or 0. */
size_t line_fence_width(struct str line);
/* Of a line without its indentation. */
bool line_closes_fence(struct str line, char mark, size_t width);
/* An unfinished line that may still become a closing fence. */
bool line_may_close_fence(struct str line, char mark);

struct str line_without_quotes(struct str line); /* and without indentation */

/* For a line whose end has not come: can another letter make it something else than it seems? So it is when
 * there are only markers in it ("-", "2.", "##", "```js", "- [ ]"). */
bool line_is_open(struct str line);
/* "[label]: address" so far, at the start of a paragraph. It is shown nowhere once it is whole. */
bool line_is_open_definition(struct str line);

/* A line of a code block as HTML. One of only white space reaches the renderer as columns. */
void line_add_code(struct strbuf *out, struct str line, bool from_start);

#endif

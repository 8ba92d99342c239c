/*
 * Classifies a single line of Markdown for markdown_stream.c, which guesses where blocks begin and continues
 * open code blocks without the parser. The rules are CommonMark 0.31, 4.5 (fenced code) and 5.2 (list items),
 * and those of md4c 0.4.8 where it differs.
 */
#ifndef ALFRED_CODEC_MARKDOWN_MARKDOWN_LINE_H
#define ALFRED_CODEC_MARKDOWN_MARKDOWN_LINE_H

#include "base/strbuf.h"

/* The line at `at` without its end. `*whole`: its end is in the text, and `*next` is the start of the next
 * line. A CR at the end of the text may be half of a CRLF and does not count. */
struct str line_at(struct str text, size_t at, bool *whole, size_t *next);
/* Places of the line that has the byte `at`: its start, its end without the line's end, the next line's
 * start.
 */
size_t line_start_at(struct str text, size_t at);
size_t line_end_at(struct str text, size_t at);
size_t line_after(struct str text, size_t at);
bool line_is_blank(struct str line);
struct str line_without_indent(struct str line);

/* An odd number of backslashes is before the place. */
bool line_is_escaped(struct str text, size_t at);

/* True when the line is certainly not a list item and is at column 0. */
bool line_begins_anew(struct str line);

/* The width of an opening fence at the start of the line; 0: none. */
size_t line_fence_width(struct str line);
/* For a line without its indentation. */
bool line_closes_fence(struct str line, char mark, size_t width);
/* An unfinished line that may still become a closing fence. */
bool line_may_close_fence(struct str line, char mark);

struct str line_without_quotes(struct str line); /* and without indentation */
/* The length of a list item's marker at the start of the line; 0: none. */
size_t line_item_marker(struct str line);

/* The end of the code span that begins at `i`, or of its backticks alone. */
size_t line_after_code(struct str line, size_t i);

/* For an incomplete line: true when more letters can change its meaning, because it has only markers ("-",
 * "2.", "##", "```js", "- [ ]"). */
bool line_is_open(struct str line);
/* An incomplete "[label]: address" at the start of a paragraph. It is hidden when it is complete. Not
 * "[label]", which is mostly text: models send "]:" in one piece. */
bool line_is_open_definition(struct str line);

/* Appends a line of a code block as HTML. md4c passes a line of only white space as columns. */
void line_add_code(struct strbuf *out, struct str line, bool from_start);

#endif

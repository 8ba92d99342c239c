/*
 * The HTML of an answer while it grows.
 *
 * An answer is a list of top-level Markdown blocks (paragraph, list, code, ...), each with its HTML. Text is
 * added at the end; markdown_stream_update() then reports how the blocks changed since the last report. A
 * reader keeps an array of strings and applies html[i] = html[i].slice(0, keep) + suffix. An index one past
 * the end adds a block; a removed block becomes the empty string. The concatenation is the HTML of a page. It
 * is byte for byte markdown_html() of the text up to markdown_stream_pos() as markdown_unfinished() and
 * markdown_references.h show it, except for late definitions of links. When the text has ended, the readers
 * get markdown_html() of it instead.
 *
 * The cost of an update depends on the last block, not on the answer. Text before a settled border (a blank
 * line after which nothing can join the text before it) is not parsed again until the end. An open code block
 * is continued without parsing. When the last block is very long, updates come in larger steps:
 * markdown_stream_update() may leave the newest text for the next call, and markdown_stream_pos() returns the
 * position of the readers.
 *
 * A link reference whose definition is elsewhere in the answer shows its text here. It becomes a link when
 * the answer has ended: the readers then get markdown_html() of the whole text.
 *
 * One thread at a time. The object keeps text and HTML only of blocks that are not settled.
 */
#ifndef ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_STREAM_H
#define ALFRED_CODEC_MARKDOWN_GROWING_MARKDOWN_STREAM_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

struct markdown_stream;

struct markdown_stream_block {
    size_t index;    /* from 0 */
    size_t keep;     /* UTF-16 code units of the old HTML of this block that stay */
    struct str html; /* the text after them; valid during the call */
};
typedef void markdown_stream_fn(void *arg, const struct markdown_stream_block *b);

struct markdown_stream *markdown_stream_new(size_t text_max); /* bytes of text; at most MARKDOWN_TEXT_MAX */
void markdown_stream_free(struct markdown_stream *m);         /* NULL is fine */
DEFINE_AUTO(markdown_stream);

/* `piece` is complete UTF-8 (never cut inside a code point). RC_TOO_BIG: the text would exceed text_max;
 * nothing is added. */
enum rc markdown_stream_add(struct markdown_stream *m, struct str piece, struct err *e);

/* Calls fn for each changed block, in order. Text that is too costly, or whose HTML exceeds
 * MARKDOWN_STREAM_HTML_FACTOR times text_max, becomes one plain block (markdown.h), so RC_TOO_BIG is a
 * defect. */
enum rc markdown_stream_update(struct markdown_stream *m, markdown_stream_fn *fn, void *arg, struct err *e);

/*
 * For a reader that has the blocks as of position `text_pos` (a markdown_stream_pos() that it got; 0 for
 * none). It drops its blocks from `*first` on (set before the first call of fn) and takes those of fn, with
 * keep 0, up to the last update, which the next one continues. Positions refer to the text, so they are also
 * valid for another object with the same text. `text` is the whole text that was added; the part after
 * markdown_stream_pos() may be missing. RC_INTERNAL: more of it is missing.
 */
enum rc markdown_stream_from(struct markdown_stream *m, struct str text, size_t text_pos, size_t *first,
    markdown_stream_fn *fn, void *arg, struct err *e);

/* True when the object still has the whole text, which is then in `text` until the next call. */
bool markdown_stream_whole(const struct markdown_stream *m, struct str *text);
/* The number of bytes of the text that the last update covered. */
size_t markdown_stream_pos(const struct markdown_stream *m);
/* The number of bytes that the next update reads. */
size_t markdown_stream_work(const struct markdown_stream *m);

#define MARKDOWN_STREAM_HTML_FACTOR 32

#endif

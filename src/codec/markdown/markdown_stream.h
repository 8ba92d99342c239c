/*
 * The HTML of an answer while it grows.
 *
 * An answer is a list of top-level Markdown blocks (paragraph, list, code, ...), each with its HTML. Text is
 * added at the end; live_update() then says how the blocks differ from what it said before. A reader keeps an
 * array of strings and follows with html[i] = html[i].slice(0, keep) + suffix; an index one past the end adds
 * a block, a block that has gone becomes the empty string. The concatenation is what a page shows, and after
 * live_finish() it is byte for byte markdown_html() of the whole text.
 *
 * The cost of an update is that of the last block, not of the answer: text before a settled border (a blank
 * line after which nothing can join what came before) is never parsed again until the end, and an open code
 * block is continued without parsing at all. When the last block is very long, updates come in larger steps:
 * live_update() may leave the newest text for the next call, and live_pos() tells how far the readers are.
 *
 * What stays open until live_finish(): a link reference whose definition stands elsewhere in the answer. It
 * shows as text and becomes a link at the end.
 *
 * One thread at a time. The text is kept, HTML only of what is not settled.
 */
#ifndef ALFRED_CODEC_LIVE_H
#define ALFRED_CODEC_LIVE_H

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

struct live;

struct live_block {
    size_t index;    /* from 0 */
    size_t keep;     /* UTF-16 code units of the old HTML of this block that stay */
    struct str html; /* what follows them; dies with the call */
};
typedef void live_fn(void *arg, const struct live_block *b);

struct live *live_new(size_t text_max); /* bytes of text; at most MARKDOWN_TEXT_MAX */
void live_free(struct live *l);         /* NULL is fine */
DEFINE_AUTO(live);

/* `piece` is valid UTF-8 by itself (never cut inside a code point). RC_TOO_BIG and nothing added when
 * text_max would be exceeded. Not after live_finish(). */
enum rc live_add(struct live *l, struct str piece, struct err *e);

/* Calls fn for each block that changed, in order. RC_TOO_BIG when the HTML of this hostile text exceeds its
 * cap (LIVE_HTML_FACTOR times text_max); the live is then of no more use but for live_text(). */
enum rc live_update(struct live *l, live_fn *fn, void *arg, struct err *e);

/* The end of the answer: as live_update() for all text, and for earlier blocks that a late link definition
 * changed. */
enum rc live_finish(struct live *l, live_fn *fn, void *arg, struct err *e);

/*
 * For a reader that comes (back) with the blocks as of position `text_pos` (a live_pos() it was told; 0 for
 * none): it drops its blocks from `*first` on (set before the first call of fn) and takes those that fn
 * brings, with keep 0, up to the last update, which is what the next one continues. Positions are those of
 * the text, so they hold for another live of the same text too.
 */
enum rc live_from(struct live *l, size_t text_pos, size_t *first, live_fn *fn, void *arg, struct err *e);

struct str live_text(const struct live *l); /* all text added; valid until the next live_add() */
size_t live_pos(const struct live *l);      /* how many bytes of it the last update covered */

#define LIVE_HTML_FACTOR 32

#endif

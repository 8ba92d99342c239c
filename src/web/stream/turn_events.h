/*
 * The SSE events of a turn, as text (docs/api.md lists them). Those that show messages read the store and
 * render templates: call them on a worker or accept thread. The others are cheap.
 */
#ifndef ALFRED_WEB_TURN_EVENTS_H
#define ALFRED_WEB_TURN_EVENTS_H

#include "app/turn/turn.h"
#include "codec/markdown/markdown_stream.h"
#include "web/http/web.h"

#define EVENT_MAX ((size_t)32 * 1024 * 1024)

/* Who sees it: forms in the articles carry the reader's CSRF token. Empty for broadcasts: the page fills its
 * own in. */
struct event_frame {
    const struct web *web;
    int64_t owner;
    const char *csrf;
};

/* `turn`: the question's and the answer's articles. */
enum rc event_turn(
    const struct event_frame *f, const struct turn_started *ids, struct strbuf *out, struct err *e);

/* `step`: the settled article of called_id, its tools' articles, the next empty answer. `turn` is the turn's
 * id. */
enum rc event_step(const struct event_frame *f, const char *turn, const struct turn_step *s,
    struct strbuf *out, struct err *e);

/* `end`, from the store. RC_CONFLICT while the turn is running there. */
enum rc event_end(const struct event_frame *f, const char *turn, struct strbuf *out, struct err *e);

/* `end` of an answer that could not be saved. */
void event_end_unsaved(int64_t reply_id, struct strbuf *out);

void event_think(struct strbuf *out);
void event_retry(int wait_ms, struct strbuf *out);

/* `blocks`, piece by piece: one call per block, then end with the position that the reader has then reached.
 * `from` (below BLOCKS_FROM_NONE) tells the reader to drop its blocks from that one on first. */
#define BLOCKS_FROM_NONE SIZE_MAX
void event_blocks_add(struct strbuf *blocks, const struct live_block *b);
void event_blocks_end(int64_t reply_id, size_t from, struct str blocks, size_t text_pos, struct strbuf *out);

#endif

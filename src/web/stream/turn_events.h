/*
 * The SSE events of a turn as text (docs/api.md lists them), in two forms: with the HTML of messages for the
 * page's script, and with data for programs. Events that contain messages read the store and render
 * templates: call them on a worker or accept thread. The others are cheap.
 */
#ifndef ALFRED_WEB_STREAM_TURN_EVENTS_H
#define ALFRED_WEB_STREAM_TURN_EVENTS_H

#include "app/turn/turn.h"
#include "codec/markdown/growing/markdown_stream.h"
#include "web/chat/transcript.h"
#include "web/http/web.h"
#include "web/stream/reader.h"

#define EVENT_MAX ((size_t)32 * 1024 * 1024)

/* The reader of an event: forms in the articles contain the reader's CSRF token. Empty for broadcasts: the
 * page adds its own. */
struct event_frame {
    const struct web *web;
    const struct lang *lang;
    int64_t owner;
    const char *csrf;
    const struct time_zone *zone; /* of the reader's request; NULL: that of the owner, from the store */
};

void event_texts_init(struct strbuf text[EVENT_FORMS]); /* each of at most EVENT_MAX */
void event_texts_release(struct strbuf text[EVENT_FORMS]);

/* The content of the event `turn` for pages. */
struct turn_shown {
    const char *title; /* of the session; NULL: nothing has been read */
    struct message asked, reply;
    struct message_annotations annotations;
    struct comparison_columns compared; /* asked_id 0: none */
};

/* Reads it into the arena. After a failure out->title is NULL. */
enum rc event_turn_read(const struct event_frame *f, struct db *db, struct arena *a,
    const struct turn_started *ids, struct turn_shown *out, struct err *e);

/* `turn`: the ids, and for pages the articles of the question and the answer. `shown` without a title is
 * filled by event_turn_read() first. */
enum rc event_turn(const struct event_frame *f, const struct turn_started *ids, enum event_form form,
    struct turn_shown *shown, struct strbuf *out, struct err *e);

/* `step`: the current state of called_id, its tools' results, the id of the next answer. `turn` is the
 * turn's id. */
enum rc event_step(const struct event_frame *f, const char *turn, const struct turn_step *s,
    struct strbuf out[EVENT_FORMS], struct err *e);

/* `end`, from the store; for programs after `usage`. RC_CONFLICT: the turn still runs. RC_NOT_FOUND: it
 * was deleted. */
enum rc event_end(
    const struct event_frame *f, const char *turn, struct strbuf out[EVENT_FORMS], struct err *e);

/* `unsaved`: the answer has ended but is not saved yet; `end` follows later. For programs this and the
 * next two events are `status`. */
void event_unsaved(const struct lang *l, enum event_form form, int64_t reply_id, struct strbuf *out);
enum think_extent {
    THINK_PIECE, /* the next piece of the reasoning */
    THINK_WHOLE, /* all of it so far, in place of what the reader has */
};
void event_think(enum event_form form, struct str text, enum think_extent extent, struct strbuf *out);
void event_wait(const struct lang *l, enum event_form form, const struct turn_waiting *w, struct strbuf *out);

/* `text`, for programs: the new piece of the answer, and the position after it. */
void event_text(int64_t reply_id, struct str piece, size_t text_pos, struct strbuf *out);

/* `blocks`, for pages: one call per block, then the end with the position after them. `from` (below
 * BLOCKS_FROM_NONE) tells the reader to first drop its blocks from that one on. */
#define BLOCKS_FROM_NONE SIZE_MAX
void event_blocks_add(struct strbuf *blocks, const struct markdown_stream_block *b);
void event_blocks_end(int64_t reply_id, size_t from, struct str blocks, size_t text_pos, struct strbuf *out);

#endif

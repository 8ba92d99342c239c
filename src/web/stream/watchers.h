/*
 * Watchers: connections of pages that have a session open. A watcher gets an event when a turn of the session
 * begins, whoever started it; the page then reads the turn like any other reader (feed.h).
 *
 * Events: `state` (head: the last message of the conversation) when the page connects, `began` (turn, asked,
 * reply, parent) for each turn. A page that connects while a turn runs gets `began` at once.
 *
 * Loop thread only, except watch_state().
 */
#ifndef ALFRED_WEB_STREAM_WATCHERS_H
#define ALFRED_WEB_STREAM_WATCHERS_H

#include "app/turn/turn.h"
#include "web/stream/reader.h"

struct watchers {
    struct reader *list;
    struct readers all;
};

/* Writes the first event. Any thread. */
void watch_state(struct strbuf *out, int64_t head_id);

/* Takes over the reader. `running`: the running turn of its session; NULL: none. */
void watchers_attach(
    struct watchers *w, struct loop *l, struct reader *r, const struct turn_started *running);
void watchers_began(struct watchers *w, const struct turn_started *s);
void watchers_ping(struct watchers *w);

#endif

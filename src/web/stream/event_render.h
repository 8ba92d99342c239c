/*
 * An event that is rendered on a worker, because it reads the store and renders messages: a step or the end
 * of a turn, in both forms (turn_events.h). The feed submits it and takes the result.
 */
#ifndef ALFRED_WEB_STREAM_EVENT_RENDER_H
#define ALFRED_WEB_STREAM_EVENT_RENDER_H

#include "web/stream/turn_events.h"

struct feeds;

struct event_render {
    struct feeds *feeds; /* receives the result */
    struct event_frame frame;
    char turn[ID_SIZE];
    struct turn_step step;           /* set for a step */
    struct strbuf text[EVENT_FORMS]; /* empty after a failure */
    struct reader *late; /* only this reader gets the event: it came after the turn's end; NULL: all do */
};

struct event_render *event_render_new(
    struct feeds *f, const struct web *web, const struct lang *lang, const char *turn, int64_t owner);
void event_render_free(struct event_render *j);

/* On the worker. Failures are logged. */
void event_render_step(void *job);
void event_render_end(void *job);

#endif

/*
 * The program `stream`: runs all turns (store/message/turn_order.h) and serves their readers. A few accept
 * threads read and check requests (web.h). One loop thread handles the provider connections, the turns and
 * the readers. A small pool does blocking work.
 */
#ifndef ALFRED_WEB_STREAM_STREAM_H
#define ALFRED_WEB_STREAM_STREAM_H

#include "web/program/program.h"
#include "web/stream/reader.h"

extern const struct web_program stream_program;

/* The functions below are for the routes (stream_routes.c) and may be called from any thread. */
struct turn_request;
struct turn_ticket;

struct turn_engine *stream_engine(struct web *w);

/* Call one of these before stream_attach(). RC_UNAVAILABLE, with a sentence: there are too many readers of
 * turns (or of changes, live.h). A request that begins a turn must call it before turn_send(): a turn costs
 * money, and a client whose request is refused afterwards sends it again. */
enum rc stream_check_turn_readers(struct web *w, struct err *e);
enum rc stream_check_live_readers(struct web *w, struct err *e);

/* Hands the connection of `r` over as a reader of a turn or of changes. The check before it does not reserve
 * a place, so requests at the same time can exceed the limit by one reader per thread. */
struct reader_request {
    const char *turn; /* NULL with `live` */
    bool live;        /* reads changes (live.h), not a turn */
    int64_t known;    /* with `live`: the last position that the reader has; 0: none */
    enum event_form form;
    struct str first;              /* first event; the head is added */
    const char *position;          /* Last-Event-ID, NULL: from the start */
    struct reader_rewrite rewrite; /* sends the head itself */
    const char *goes_to; /* a form post that waits for the end of the turn: where it redirects then */
};
void stream_attach(struct req *r, struct resp *out, const struct reader_request *request);

/* Asks the loop to stop a turn. The caller checks that it runs. */
void stream_stop_turn(struct web *w, const char *turn);

#endif

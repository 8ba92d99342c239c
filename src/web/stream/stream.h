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

/* Whether another reader of a turn, or with `live` of what changes elsewhere, may come. A request that begins
 * a turn asks first: a turn costs money, and a client that is refused afterwards sends it again.
 * RC_UNAVAILABLE, with a sentence: there are too many. */
enum rc stream_check_room(struct web *w, bool live, struct err *e);

/* Hands the connection of `r` over as a reader of a turn or of what changes elsewhere. The caller has asked
 * stream_check_room(). Requests that asked at the same time are all accepted, so there may be as many more
 * readers as there are threads. */
struct reader_request {
    const char *turn; /* NULL with `live` */
    bool live;        /* what changes elsewhere (live.h) */
    int64_t known;    /* with `live`: the position that the reader has seen; 0: none */
    enum event_form form;
    struct str first;              /* first event; the head is added */
    const char *position;          /* Last-Event-ID, NULL: from the start */
    struct reader_rewrite rewrite; /* sends the head itself */
    const char *goes_to;           /* for a waiting form post: where it redirects when the turn has ended */
};
void stream_attach(struct req *r, struct resp *out, const struct reader_request *request);

/* Asks the loop to stop a turn. The caller checks that it runs. */
void stream_stop_turn(struct web *w, const char *turn);

#endif

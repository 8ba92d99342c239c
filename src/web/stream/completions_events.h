/*
 * The events of a turn as an answer of /v1/chat/completions, for one reader: chunks with server-sent events,
 * or one JSON object at the end. Built from the events for programs (turn_events.h).
 *
 * The head is sent with the first text, so that an earlier failure gets its own HTTP status. But a stream
 * that is silent for a whole interval of pings sends its head and pings, because proxies cut silent
 * connections and programs limit the wait for the head. A failure after the head is a chunk with "error".
 */
#ifndef ALFRED_WEB_STREAM_COMPLETIONS_EVENTS_H
#define ALFRED_WEB_STREAM_COMPLETIONS_EVENTS_H

#include "web/http/long_body.h"
#include "web/stream/reader.h"

struct completion_reader;

struct completion_reader_setup {
    const char *turn, *model;
    int64_t created_at; /* milliseconds */
    bool stream, include_usage;
    size_t skip;                  /* bytes at the beginning of the answer that the program has sent */
    struct str stream_head;       /* CGI head of a stream, with the empty line */
    struct long_body_share share; /* of the request; returned with the reader */
    struct str json_head;         /* head lines of a JSON answer without Status and Content-Length */
};

struct completion_reader *completion_reader_new(const struct completion_reader_setup *s);
void completion_reader_free(void *reader);
/* A reader_rewrite_fn. */
void completion_reader_rewrite(void *reader, struct str events, struct strbuf *out);

#endif

/*
 * Server-sent events (WHATWG HTML, section 9.2), reading and writing.
 *
 * The parser accepts a provider's stream in pieces of any size and calls back once per event with data. Lines
 * end with LF, CR or CRLF. A leading byte order mark is skipped. Data lines are joined with LF. Comments and
 * unknown fields are ignored, but sse_stray() has the latter. An event that is cut off by the end of the
 * stream is dropped. Bytes are passed on unchanged; the reader checks UTF-8.
 */
#ifndef ALFRED_CODEC_SSE_H
#define ALFRED_CODEC_SSE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/strbuf.h"

struct sse_event {
    struct str name; /* the event field; "message" when there was none */
    struct str data; /* without the last line's end */
    struct str id;   /* the last id of the stream so far, maybe of an earlier event; empty: none */
};

/* The event's slices are valid during the call. Any result but RC_OK stops sse_feed(), which returns it. */
typedef enum rc sse_event_fn(void *arg, const struct sse_event *ev, struct err *e);

struct sse_parser;

/* `event_max`: longest data of one event, and longest line, in bytes. */
struct sse_parser *sse_parser_new(size_t event_max, sse_event_fn *fn, void *arg);
void sse_parser_free(struct sse_parser *p); /* NULL is fine; not from inside fn */
DEFINE_AUTO(sse_parser);

/* RC_TOO_BIG: a line or an event exceeds the cap. Otherwise the result of fn. After a failure every call
 * returns the same code. */
enum rc sse_feed(struct sse_parser *p, struct str piece, struct err *e);

/* The lines so far that are no field of the protocol, such as JSON that a server wrote into its stream. Empty
 * when they have more than `event_max` bytes. Valid until the next call. */
struct str sse_stray(const struct sse_parser *p);

/*
 * Appends one event of our own streams. `event` and `id` are omitted when NULL or empty and must contain no
 * line end (they are cut there; they never contain input). `data` may contain any line ends: each line
 * becomes a data field, and CR and CRLF arrive as LF.
 */
void sse_write(struct strbuf *out, const char *event, const char *id, struct str data);

/* A comment, which readers ignore: keeps proxies from closing a silent stream. */
#define SSE_PING STR(": ping\n\n")

#endif

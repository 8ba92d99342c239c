/*
 * Somebody who watches a turn: one handed-over connection. It either follows the events (SSE) or, for a form
 * post without JavaScript, waits for the end to be sent to the finished page.
 *
 * Loop thread only, but for reader_new(). A reader belongs to the list it is in; reader_close() and
 * reader_drop() free it (at once or when its last bytes are out).
 */
#ifndef ALFRED_WEB_READER_H
#define ALFRED_WEB_READER_H

#include "base/id.h"
#include "net/loop.h"
#include "web/fcgi/fcgi_stream.h"

enum reader_kind { READER_EVENTS, READER_WAITS };

/* How far a reader that comes back has seen: the SSE id of the last event, "<message>.<position in its
 * text>". */
struct reader_position {
    int64_t message;
    size_t text_pos;
};

struct reader {
    struct reader *prev, *next;
    struct reader **list; /* the list's first */
    enum reader_kind kind;
    struct loop *loop;
    struct fcgi_stream *out;
    struct loop_watch *watch;
    struct strbuf first; /* head and first event, or the answer of one that waits; until it is sent */
    struct reader_position from;
    char turn[ID_SIZE];
    int64_t owner, login_id;
    int *count; /* of live readers, the stream's */
    bool ending;
};

bool reader_parse_position(struct str id, struct reader_position *out); /* false: not one of ours */

/* `first` is copied. The connection is the reader's from here on. */
struct reader *reader_new(enum reader_kind kind, struct fcgi_conn conn, struct str first, size_t backlog_max);

/* Begins to watch the connection and sends `first`, unless it waits; false when the client is gone (and the
 * reader freed). */
bool reader_open(struct reader *r, struct loop *l, struct reader **list, int *count);

/* false: the client left or is too slow, and the reader is gone. */
bool reader_send(struct reader *r, struct str data);
void reader_close(struct reader *r); /* the answer is complete; it goes when its last bytes are out */
void reader_drop(struct reader *r);  /* at once */

#endif

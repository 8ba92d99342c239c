/*
 * A reader of a turn: one handed-over connection. It either follows the events (SSE) or, for a form post
 * without JavaScript, waits for the end and is then redirected to the finished page.
 *
 * Loop thread only, except reader_new(). A reader belongs to the list it is in;
 * reader_close() and reader_drop() free it (at once, or when its last bytes are sent).
 */
#ifndef ALFRED_WEB_STREAM_READER_H
#define ALFRED_WEB_STREAM_READER_H

#include <stdatomic.h>

#include "base/id.h"
#include "base/lang.h"
#include "net/loop.h"
#include "store/account/user.h"
#include "web/fcgi/fcgi_stream.h"

enum reader_kind { READER_EVENTS, READER_WAITS };

/* The forms of events: HTML for the page's script, or data for programs. */
enum event_form { EVENTS_PAGE, EVENTS_DATA, EVENT_FORMS };

/* The last event that a returning reader has seen: the SSE id "<message>.<position in its text>". */
struct reader_position {
    int64_t message;
    size_t text_pos;
};

/*
 * A reader with more unsent bytes than its limit is dropped at the next event. A single event may have any
 * size: the end of a long answer is larger than the limit. The unsent bytes above the limits are bounded for
 * all readers together.
 */
#define READERS_EXCESS_MAX ((size_t)64 * 1024 * 1024)

/* Replaces the events for one reader: appends to `out` what is sent for them. */
typedef void reader_rewrite_fn(void *arg, struct str events, struct strbuf *out);

struct reader_rewrite {
    reader_rewrite_fn *fn;                     /* NULL: none */
    void (*release)(void *arg);                /* with the reader */
    void (*gone)(void *web, const char *turn); /* the client has left before the end */
    void *arg, *web;
};

struct readers {
    atomic_int n;  /* the loop's thread changes it, any thread reads it */
    size_t excess; /* unsent bytes above the limits */
};

struct reader {
    struct reader *prev, *next;
    struct reader **list; /* first reader of the list */
    enum reader_kind kind;
    enum event_form form;
    struct loop *loop;
    struct fcgi_stream *out;
    struct loop_watch *watch;
    struct strbuf first; /* head and first events, or the answer of a waiting post; until it is sent */
    struct reader_position from;
    char turn[ID_SIZE];
    bool live;     /* reads changes (live.h), not a turn */
    int64_t known; /* with `live`: the last position that it has; 0: none */
    int64_t owner;
    struct credential by;
    const struct lang *lang;
    uint64_t serial; /* id in the feed */
    bool behind;     /* older blocks are being rendered for it; newer ones must wait */
    struct readers *all;
    size_t backlog_max, excess; /* its own limit, its share of all->excess */
    bool begun;                 /* reader_begin() was called: data is sent at once */
    bool ending;
    struct reader_rewrite rewrite;
};

bool reader_parse_position(struct str id, struct reader_position *out); /* false: `id` has another form */

/* Copies `first`. The reader owns the connection from here on. */
struct reader *reader_new(enum reader_kind kind, struct fcgi_conn conn, struct str first, size_t backlog_max);

/* Puts the reader into the list and watches its connection. False: it cannot be watched; the reader is freed.
 */
bool reader_open(struct reader *r, struct loop *l, struct reader **list, struct readers *all);

/* Until reader_begin() the data is added to `first`, and the reader is not freed. Then false: the client has
 * left or is too slow, and the reader is freed. */
bool reader_send(struct reader *r, struct str data);

/* Sends `first`, which has the head and all events so far, in one piece, so that nginx wakes once. A waiting
 * form post gets nothing yet. Frees the reader if the client has left or `first` was too large. */
void reader_begin(struct reader *r);

void reader_close(struct reader *r); /* the answer is complete; freed when the last bytes are sent */
void reader_drop(struct reader *r);  /* frees it at once */

/* ---- all readers of events in a list ---- */

bool readers_any(const struct reader *list, enum event_form form);
void readers_send(struct reader *list, enum event_form form, struct str event);
/* All readers of any kind, when the program ends. Does not call rewrite.gone: their clients have not left. */
void readers_drop(struct reader *list);

/* Appends the credentials of the readers to `out`, each once. `out` has `n` entries and room for one per
 * reader. readers_drop_credential() drops the readers with this credential. */
void readers_credentials(const struct reader *list, struct credential *out, size_t *n);
void readers_drop_credential(struct reader *list, struct credential by);

#endif
